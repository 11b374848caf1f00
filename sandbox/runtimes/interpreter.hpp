// The CPython that programs run in. It is known by the names of its files alone: to start it only to ask would cost
// every start of the server 10 ms.
#pragma once

#include "messages/errors.hpp"
#include "sandbox/runtimes/runtime.hpp"

#include <string>

namespace sandbox {

struct interpreter {
  std::string program; ///< <prefix>/bin/python3.N, links followed
  std::string library; ///< <prefix>/lib/python3.N
  std::string version; ///< "3.N"
  std::string shared;  ///< <prefix>/lib/libpython3.N.so.1.0; empty: it needs none, or has that of the system
};

/// The one that the settings name; otherwise that of the virtual environment; otherwise the first in the usual places
/// that has the wanted version, if one is wanted. The fault says what was found instead.
msg::outcome<interpreter> find_interpreter(const runtime_settings& settings);

} // namespace sandbox
