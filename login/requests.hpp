// Requests to a server and to those that it names, none of which a rule of oauth_client/address.hpp forbids.
#pragma once

#include "login/environment.hpp"

#include <asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace login {

/// Of one request, from its beginning to its end. Authorization servers answer within a second.
inline constexpr std::chrono::milliseconds request_patience{15'000};

struct web_question {
  std::string method = "GET";
  std::string url;
  std::string server_url; ///< whose login it is about: decides whether `url` may be asked
  http::headers fields;
  std::string body;
};

struct web_answer {
  uint16_t status = 0; ///< 0: there is no answer
  std::string body;
  std::string challenge; ///< every `WWW-Authenticate`, joined
  std::string problem;   ///< why there is no answer: for a person, without path, query and what was sent
};

/// An address that another side has named, for a person: bounded, in one line, without its query.
std::string shown_address(std::string_view url);

/// Redirects are not followed. An answer of more than oauth::metadata_bytes_max is none.
asio::awaitable<web_answer> ask(environment of, web_question what);

} // namespace login
