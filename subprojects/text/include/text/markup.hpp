// Text in HTML and XML.
#pragma once

#include <string>
#include <string_view>

namespace text {

/// As text or a quoted attribute: nothing in it is markup. U+FFFE and U+FFFF become U+FFFD.
std::string escape_markup(std::string_view text);

} // namespace text
