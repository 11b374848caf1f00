// Variables in the entries of clients, each in its client's syntax. They are replaced when a server is started, and the
// results are given to its process and to no other.
#pragma once

#include "config/environment.hpp"
#include "messages/errors.hpp"
#include "messages/servers.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace config {

/// What a text may refer to.
struct variable_scope {
  msg::variable_syntax syntax = msg::variable_syntax::shell;
  const variable_lookup& variable;
  std::string home;
  std::string workspace; ///< folder of the project
  std::string folder;    ///< of the file that the text stands in: relative {file:...} start here
};

/// The text with its variables replaced; what a variable holds is not expanded again. What is no reference in that
/// syntax stays as it is. A variable that is not set: stays as it is written with the syntaxes shell, gemini and
/// mustache, and is empty with editor and opencode, as their clients do. Faults: an input that no user can be asked
/// for, a file that can not be read, a result longer than argument_bytes_max. They name the reference, never a value.
msg::outcome<std::string> expand(std::string_view text, const variable_scope& scope);

/// The files that `expand` would read for the text, there or not.
std::vector<std::string> files_in(std::string_view text, const variable_scope& scope);

} // namespace config
