// The answer to a request of a server over HTTP: to its end, whatever it takes to get the rest of its stream.
#pragma once

#include "mcp/http_calls.hpp"
#include "mcp/http_resumption.hpp"
#include "mcp/http_sent_message.hpp"
#include "mcp/http_stream_request.hpp"
#include "process/pauses.hpp"

#include <asio/awaitable.hpp>

#include <memory>

namespace mcp {

/// All of it outlives the answer.
struct http_answer_parts {
  http_stream_parts streams;
  http_calls& calls;
  process::pauses& pauses;
};

/// Whoever waits has been answered then, or told why there is no answer. `sent` lives longer.
asio::awaitable<void> read_answer(http_answer_parts parts, std::shared_ptr<http_exchange> exchange,
                                  const sent_message& sent);

/// How a stream has ended, or what came in its place.
ended_stream end_of(const http_exchange& exchange, bool has_messages);

} // namespace mcp
