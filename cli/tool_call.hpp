// One call of a tool in a process of its own, and what is told of it.
#pragma once

#include "cli/doctor.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"
#include "messages/document.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace cli {

struct call_to_make {
  std::string server, tool;       ///< as a person writes them
  msg::document arguments;        ///< an object; else they are in `words`
  std::vector<std::string> words; ///< see proxy::read_word_arguments()
  std::chrono::milliseconds timeout;
  output_form form; ///< json: the CallToolResult
};

/// The exit code.
int make_call(const config::environment& environment, const config::settings& settings,
              const config::variable_lookup& variables, call_to_make what);

} // namespace cli
