// The one stream of HTTP with SSE (2024-11-05): it says where messages go to, and brings all answers.
#pragma once

#include "mcp/http_exchanges.hpp"
#include "mcp/http_identity.hpp"
#include "mcp/http_inbox.hpp"
#include "mcp/http_session.hpp"
#include "mcp/secret_mask.hpp"
#include "messages/errors.hpp"

#include <asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <string>

namespace mcp {

/// Of one connection. All of it outlives the stream.
struct sse_parts {
  http_exchanges& exchanges;
  http_session& session;
  http_identity& identity;
  http_inbox& inbox;
  const masking& masked;
};

class http_sse_stream {
public:
  explicit http_sse_stream(sse_parts parts) : parts_(parts) {}

  /// Until its end, and why it came: the rest of a sentence about the server. `may_send`: told each time that the
  /// server has said where messages go to. `refusal`: of Streamable HTTP, which was tried before; empty: it was not.
  asio::awaitable<msg::fault> read(std::function<void()> may_send, std::string refusal);

private:
  /// Null: the connection has ended meanwhile.
  asio::awaitable<std::shared_ptr<http_exchange>> ask();

  sse_parts parts_;
};

} // namespace mcp
