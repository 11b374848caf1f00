// What follows --http.
#pragma once

#include "actors/bridge/http_front.hpp"
#include "messages/errors.hpp"

#include <string>

namespace cli {

/// "127.0.0.1:3333", ":3333", "[::1]:3333", "localhost", or "" for the usual one. The fault says what is wrong.
msg::outcome<bridge::http_address> parse_http_address(const std::string& text);

} // namespace cli
