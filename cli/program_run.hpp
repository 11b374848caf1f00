// One run of a program in a process of its own, and what is told of it.
#pragma once

#include "cli/doctor.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <string_view>

namespace cli {

struct program_to_run {
  std::string_view tool;         ///< of ours, that runs it
  boost::json::object arguments; ///< of the tool; they have been checked
  std::chrono::milliseconds timeout;
  output_form form; ///< json: the report alone
};

/// The exit code.
int run_program(const config::environment& environment, const config::settings& settings,
                const config::variable_lookup& variables, program_to_run what);

} // namespace cli
