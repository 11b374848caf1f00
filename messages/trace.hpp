// The ids by which others than us tie things together: W3C Trace Context, https://www.w3.org/TR/trace-context/.
#pragma once

#include "messages/fields.hpp"

#include <cstdint>
#include <string>

namespace msg {

/// Of one request of the client, or of one run.
struct trace_context {
  std::string trace_id; ///< 32 hexadecimal digits; empty: none
  uint64_t span = 0;    ///< of the run: the spans of its calls are counted from here
  uint8_t flags = 1;    ///< 1: sampled
  std::string state;    ///< `tracestate`, as the client sent it; empty: none
  std::string baggage;  ///< likewise
  auto fields() { return std::tie(trace_id, span, flags, state, baggage); }
};

/// What a child finds in `_meta` of a call.
struct trace_headers {
  std::string parent; ///< `traceparent`; empty: none of these is sent
  std::string state;
  std::string baggage;
  auto fields() { return std::tie(parent, state, baggage); }
};

} // namespace msg
