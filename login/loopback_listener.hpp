// Where the browser comes back to after a login: a port of this machine that takes one answer (RFC 8252, 7.3).
#pragma once

#include "messages/errors.hpp"
#include "oauth_client/authorization.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace login {

/// A person looks for a password, a second factor, a mail.
inline constexpr std::chrono::minutes login_patience{5};
/// Of the head of one request: the longest address that an authorization server makes, and the browser's fields.
inline constexpr size_t callback_head_bytes_max = 32u << 10;
/// Open at once; for one more the oldest is closed. A browser opens two or three, most of which say nothing.
inline constexpr size_t callback_connections_max = 16;
/// From a connection to its end. Silent ones are no reason to wait longer.
inline constexpr std::chrono::seconds callback_patience{10};

/// What became of waiting.
struct callback {
  bool has_come = false; ///< else nobody came in time
  oauth::authorization_answer answer;
};

/// On 127.0.0.1 only. Requests for anything but `/callback` of our name get 404, answers to another question (state)
/// 400: neither ends the waiting. The page that the browser gets has nothing of the answer in it but the text of an
/// error. Lives on the loop's thread; destroying it closes everything.
class loopback_listener {
public:
  /// `wished_port`: of the last login; another one, if it is taken. 0: any.
  static msg::outcome<std::unique_ptr<loopback_listener>> open(asio::any_io_executor executor, uint16_t wished_port);
  loopback_listener(const loopback_listener&) = delete;
  loopback_listener& operator=(const loopback_listener&) = delete;
  ~loopback_listener();

  /// `http://127.0.0.1:PORT/callback`.
  std::string redirect_uri() const;
  /// Once. The listener outlives the call.
  asio::awaitable<callback> wait(oauth::authorization_expectation expected, std::chrono::milliseconds patience);

private:
  class listening;
  explicit loopback_listener(std::shared_ptr<listening> what) : listening_(std::move(what)) {}
  std::shared_ptr<listening> listening_;
};

/// The port of a redirect_uri(); 0: it has none.
uint16_t port_of(const std::string& redirect_uri);

} // namespace login
