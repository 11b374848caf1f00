// What the requests of a connection say of who we are.
#pragma once

#include "mcp/http_authorization.hpp"
#include "mcp/http_exchange.hpp"
#include "mcp/http_session.hpp"

#include <asio/awaitable.hpp>

#include <memory>

namespace mcp {

class http_identity {
public:
  /// `source`: null: the headers of the entry say all that there is to say. The session outlives it.
  http_identity(std::shared_ptr<http_authorization> source, http_session& session)
    : source_(std::move(source)),
      session_(session) {}

  /// All requests from now on say it, as far as it is known.
  asio::awaitable<void> renew();
  /// Of a request that was refused for it (401 or 403).
  asio::awaitable<authorization_advice> refused(std::shared_ptr<http_exchange> exchange);

private:
  std::shared_ptr<http_authorization> source_;
  http_session& session_;
};

} // namespace mcp
