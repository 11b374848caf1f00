// Tokens: strings, keys, numbers and literals, each as text (sections 2, 4 and 7 of the specification).
#pragma once

#include "toon/options.hpp"

#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace toon {

/// Appends a string value, quoted when it must be. It is UTF-8.
void append_string(std::string& out, std::string_view text, delimiter separator);

/// Appends a key, quoted when it must be. It is UTF-8.
void append_key(std::string& out, std::string_view key);

/// Appends a finite number without an exponent, so that reading gives the same number; others as null.
void append_double(std::string& out, double number);

/// Where in a token it is wrong, and how. `what` is empty: nowhere.
struct token_problem {
  std::string_view what;
  size_t at = 0; ///< byte of the token
};

/// `token` begins with a quote: the text in it.
token_problem unquote(std::string_view token, std::string& out);

/// A token without quotes: a literal, a number or a string.
boost::json::value read_unquoted(std::string_view token, const boost::json::storage_ptr& storage);

} // namespace toon
