// Texts for errors: values shortened, lists, and the nearest of the known names.
#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace json_schema {

/// As JSON, cut after about `bytes`; takes no longer than that for huge values.
std::string shortened(const boost::json::value& value, size_t bytes);

/// In quotes, escaped, and cut when it is long.
std::string in_quotes(std::string_view text);

/// Of long lists, no more need be given to `listed` and `nearest_name`.
inline constexpr size_t listed_max = 12;
inline constexpr size_t compared_names_max = 1'000;

/// "a", "b" and 17 more, when there are `total`, of which the first are given.
std::string listed(const std::vector<std::string>& items, std::string_view last, size_t total);

/// The nearest of the names by edit distance, if it is near; empty otherwise.
std::string_view nearest_name(std::string_view wanted, const std::vector<std::string_view>& names);

/// "an integer", "null".
std::string_view with_article(std::string_view type);

/// A part of a JSON pointer: '~' and '/' escaped.
std::string escaped_token(std::string_view token);

} // namespace json_schema
