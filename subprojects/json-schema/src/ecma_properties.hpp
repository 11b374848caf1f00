// Names of Unicode properties: ECMA-262 has long names of categories that PCRE2 has not.
#pragma once

#include <string>
#include <string_view>

namespace json_schema {

/// For `\p{...}` of PCRE2; empty when the text can be no name of a property.
std::string pcre_property(std::string_view ecma);

} // namespace json_schema
