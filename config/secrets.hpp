// What is not shown to people who only want to see their settings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace config {

/// Keys and tokens of well-known makers, passwords and tokens before the `@` of URLs, private keys.
bool looks_secret(std::string_view text);

/// By its name (TOKEN, API_KEY, ...), unless that is of a file, or by its value. Some names (AUTH, WEBHOOK, ...) say so
/// only of what is not is_ordinary().
bool is_secret_variable(std::string_view name, std::string_view value);

/// The same of a name in the midst of a text, which may be anything: by its whole words, and unless the value is
/// is_ordinary() or the name that of a password, which people make of words.
bool is_secret_pair(std::string_view name, std::string_view value);
/// Whether it may be one, whatever the value.
bool is_secret_pair_name(std::string_view name);

/// Of an option such as `-u` or `--user` whose value is NAME:PASSWORD. Empty: it is none, or that is a group
/// (`1000:1000`, `node:node`) or a port.
std::string_view password_of_user(std::string_view option, std::string_view value);

/// Words without digits; a path or a URL whose parts are words. Nothing of the kind is a key or a token.
bool is_ordinary(std::string_view value);

/// A secret, and what of it may be told alone: the token of `Bearer TOKEN`, the password of a URL, the values of its
/// query.
std::vector<std::string> parts_of_secret(std::string_view value);

} // namespace config
