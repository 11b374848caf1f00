// Escapes in names and strings of programs.
#pragma once

#include <string>
#include <string_view>

namespace code_policy {

/// \n \x65 \u0065 \u{65} \145 and a backslash before the end of a line, of both languages; other characters stand for
/// themselves.
std::string unescaped(std::string_view text);

} // namespace code_policy
