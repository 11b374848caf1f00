// Who we are at a server over HTTP, if it wants to know. The connection asks before each request and tells what the
// server says of it; how a login comes about is not its business.
#pragma once

#include <asio/awaitable.hpp>

#include <cstdint>
#include <string>

namespace mcp {

/// What a server has refused a request with.
struct authorization_refusal {
  uint16_t status = 0;      ///< 401, or 403 (of which only what asks for more scopes can be mended)
  std::string challenge;    ///< `WWW-Authenticate`, as it came; empty: none
  std::string sent;         ///< the value of `Authorization` that the request had; empty: none
  bool was_renewed = false; ///< the same request was refused before, with another value
};

/// What a request has said of who we are.
struct said_authorization {
  std::string value;        ///< of `Authorization`; empty: nothing
  bool was_renewed = false; ///< it was refused before, with another value
};

/// What becomes of the request.
struct authorization_advice {
  bool is_to_be_repeated = false; ///< there is another value now; the server has not carried it out
  bool needs_login = false;       ///< a person has to log in, perhaps again
  std::string why;                ///< else: the rest of a sentence about the server; empty: nothing but the status says
  std::string hint;               ///< goes on after what the status says: what else to look at; empty: nothing
};

/// One object for each connection. All on the loop's thread; several calls may be open at once.
class http_authorization {
public:
  virtual ~http_authorization() = default;
  /// Of the header `Authorization`: a token that has not expired, as far as we know. Empty: we have none.
  virtual asio::awaitable<std::string> value() = 0;
  virtual asio::awaitable<authorization_advice> refused(authorization_refusal refusal) = 0;
  /// A request with that was let in.
  virtual asio::awaitable<void> accepted(said_authorization with) = 0;
  /// Why a person has to log in: the rest of a sentence about the server, which has refused us last. Empty: nobody has
  /// to. Quick enough for the one thread.
  virtual std::string login_wanted() const = 0;
};

} // namespace mcp
