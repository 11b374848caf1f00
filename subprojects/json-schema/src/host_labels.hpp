// Labels of host names, with those of other scripts: IDNA 2008 by libidn2.
#pragma once

#include <string>
#include <string_view>

namespace json_schema {

/// Letters, digits and hyphens inside, 63 at most; `xn--` must stand for a label that IDNA 2008 allows.
bool is_ascii_label(std::string_view label);

/// The name with its labels as `xn--`; empty when IDNA 2008 does not allow it. Ideographic full stops are dots.
std::string international_to_ascii(std::string_view name);

/// In normal form C; empty for what is no UTF-8.
std::string normalized(std::string_view text);

} // namespace json_schema
