// References between schemas: RFC 3986, section 5, without normalisation of case.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace json_schema {

struct split_uri {
  std::string_view document; ///< all before '#'
  std::string_view fragment; ///< after it; empty if there is none
};
split_uri split_fragment(std::string_view uri);

/// The base may be relative, or empty.
std::string resolve_uri(std::string_view base, std::string_view reference);

/// A part of a JSON pointer without '~0' and '~1'; empty optional for another '~'.
std::optional<std::string> unescaped_token(std::string_view token);

} // namespace json_schema
