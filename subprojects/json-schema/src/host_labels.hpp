// Labels of host names, with those of other scripts: IDNA 2008 by libidn2.
#pragma once

#include <string>
#include <string_view>

namespace json_schema {

/// Letters, digits and hyphens inside, 63 at most; `xn--` must stand for a label that IDNA 2008 allows.
bool is_ascii_label(std::string_view label);

/// What becomes of a character that is not in normal form C: host names do not allow it, mail programs compose it.
enum class normal_form { required, made };

/// The name with its labels as `xn--`; empty when IDNA 2008 does not allow it. Ideographic full stops are dots.
std::string international_to_ascii(std::string_view name, normal_form form);

} // namespace json_schema
