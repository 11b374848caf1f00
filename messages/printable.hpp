// Characters that do something to what shows them, instead of being seen: what text from outside may hold, and how it is shown.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace msg {

/// Where the first control character is (Unicode's category Cc), but for those of `allowed`; npos: there is none.
size_t find_control(std::string_view text, std::string_view allowed = {});

/// Harmless on a terminal and in one line of a log: control characters, and those that break lines or turn the direction of text, become
/// `\n`, `\u001b` and so on; a tab stays. What is no UTF-8 becomes U+FFFD.
std::string printable(std::string_view bytes);

} // namespace msg
