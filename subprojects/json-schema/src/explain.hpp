// Texts for errors: values shortened, lists, and the nearest of the known names.
#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace json_schema {

/// As JSON, cut after about `bytes`; takes no longer than that for huge values.
std::string shortened(const boost::json::value& value, size_t bytes);

/// In quotes, escaped.
std::string quoted(std::string_view text);

/// "a", "b" and 17 more.
std::string listed(const std::vector<std::string>& items, std::string_view last);

/// The nearest of the names by edit distance, if it is near; empty otherwise.
std::string_view nearest_name(std::string_view wanted, const std::vector<std::string_view>& names);

/// "an integer", "null".
std::string_view with_article(std::string_view type);

/// A part of a JSON pointer: '~' and '/' escaped.
std::string escaped_token(std::string_view token);

} // namespace json_schema
