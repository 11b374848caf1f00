// W3C Trace Context in `_meta`, as OpenTelemetry passes it: a client's trace goes on in the calls that a program makes.
#pragma once

#include "messages/trace.hpp"

#include <boost/json/object.hpp>

#include <cstdint>

namespace mcp {

/// `traceparent`, `tracestate` and `baggage` of a request's `_meta`. What is malformed or too long is as if it were not
/// there; without a traceparent there is no tracestate.
msg::trace_context read_trace(const boost::json::object& meta);

/// What a call carries that a program of ours makes: a server of ours that gets it, however it was started, runs
/// nothing for it.
inline constexpr const char* run_marker = "code-executor/run";

/// Begins a trace at random, unless the client has one, and gives the run its span.
void begin_trace(msg::trace_context& trace);

/// Of the call of that number of a run.
msg::trace_headers headers_of(const msg::trace_context& trace, uint64_t call);

} // namespace mcp
