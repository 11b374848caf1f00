// The one stream of HTTP with SSE (2024-11-05): it says where messages go to, and brings all answers.
#pragma once

#include "mcp/http_stream_request.hpp"
#include "messages/errors.hpp"

#include <asio/awaitable.hpp>

#include <functional>
#include <string>

namespace mcp {

class http_sse_stream {
public:
  explicit http_sse_stream(http_stream_parts parts) : parts_(parts) {}

  /// Until its end, and why it came: the rest of a sentence about the server. `may_send`: told each time that the
  /// server has said where messages go to. `refusal`: of Streamable HTTP, which was tried before; empty: it was not.
  asio::awaitable<msg::fault> read(std::function<void()> may_send, std::string refusal);

private:
  http_stream_parts parts_;
};

} // namespace mcp
