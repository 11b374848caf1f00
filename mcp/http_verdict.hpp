// What an HTTP answer says of the message that was sent: what can be done about it, and how it is told.
#pragma once

#include "mcp/http_authorization.hpp"
#include "mcp/http_exchange.hpp"
#include "mcp/secret_mask.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace mcp {

/// A server that wants a message later is believed up to so long; its caller waits.
inline constexpr std::chrono::milliseconds http_later_max{10'000};

enum class http_verdict : uint8_t {
  accepted,
  session_lost,   ///< 404 within a session: the server knows it no longer, and has done nothing
  moved,          ///< 307: the same message goes to another address; the server has done nothing
  moved_for_good, ///< 308: so do all others
  later,          ///< 429 or 503, and when to come again
  unreachable,    ///< no connection: nothing was sent
  other_kind,     ///< of `initialize`: what only servers of HTTP with SSE answer
  unauthorized,   ///< 401 or 403: it was not carried out
  refused,        ///< it was not carried out, or nobody knows
};

/// When the head is there, or will not come.
http_verdict verdict_of(const http_exchange& exchange, bool in_session);

/// Whether an answer that is no success says something of the revisions that a server speaks: one that is down, or has
/// something against who has sent the request, or how often, says nothing.
bool tells_era(const http_exchange& exchange);
/// Whether it refuses the revision that it was asked in, and names others (2026-07-28).
bool speaks_otherwise(const http_exchange& exchange);
/// The JSON-RPC error in an answer that is no success, as one to that request; empty: there is none. Only a short one
/// is looked at.
std::string error_in(const http_exchange& exchange, uint64_t key);

/// Of `Retry-After` in seconds; empty: there is none, or it is longer than http_later_max.
std::optional<std::chrono::milliseconds> retry_after(const http::headers& fields);

/// Why the message has no answer: the rest of a sentence that begins with the server's name. What the server says in it
/// is masked, and cut after that.
std::string refusal_of(const http_exchange& exchange, const masking& masked);
/// The same of one that was refused for who we are, and what is known of that.
std::string refusal_of(const http_exchange& exchange, const authorization_advice& advice, const masking& masked);
/// Of one whose stream was cut: `why` there is no rest, in the same form.
std::string lost_answer(std::string why);
/// Of one that was redirected too often.
std::string redirected_too_often(const http_exchange& exchange, int times, const masking& masked);

} // namespace mcp
