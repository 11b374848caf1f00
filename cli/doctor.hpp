// `code-executor doctor`: what this machine has, what is missing, and what to do about it. It does not believe files:
// it starts real guests, and some that must be stopped.
#pragma once

#include "config/environment.hpp"
#include "config/settings.hpp"

#include <cstdint>

namespace cli {

enum class output_form : uint8_t {
  text,
  json,
  none, ///< nothing on stdout: the command is a part of another one
};

/// The exit code: 0 when programs of at least one language can run, else 1.
int doctor(const config::environment& environment, const msg::outcome<config::settings>& settings,
           const config::variable_lookup& variables, output_form form);

} // namespace cli
