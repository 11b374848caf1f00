// Bounds of what is served over HTTP. Those with a key can be set.
#pragma once

#include "messages/limits.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace msg::limits {

/// At once, with those whose TLS is being agreed on.
inline constexpr uint32_t http_connections_max = 256;
/// Answers to one client that are open at once: with each, a request or a stream of events.
inline constexpr uint32_t http_streams_max = 32;
inline constexpr uint32_t http_header_bytes_max = 32u << 10;
/// A message, which on stdin may be as long.
inline constexpr uint64_t http_body_bytes_max = client_line_bytes_max;
/// All messages together that are being read or looked at: so many of the largest ones.
inline constexpr uint64_t http_bodies_at_once = 4;
/// A head comes in one packet or two.
inline constexpr milliseconds http_header_time_max{10'000};
/// 16 MiB at 280 KB a second.
inline constexpr milliseconds http_body_time_max{60'000};
/// Of a connection between two requests. Clients take longer between two questions of a person, and come back.
inline constexpr milliseconds http_idle_max{300'000};
/// Of a client that does not read what is sent to it.
inline constexpr milliseconds http_stall_max{30'000};

/// A session of the era that has them, without a request and without a stream: its client has gone without a word.
inline constexpr milliseconds http_session_idle_max{30 * 60'000};
inline constexpr uint32_t http_sessions_max = 256;
/// Of one session, for clients that come back for what they have missed. Answers to a model have 100 KB at most.
inline constexpr size_t http_replay_bytes_max = 1u << 20;
inline constexpr size_t http_replay_events_max = 1'000;
/// What a client is told to wait before it comes back.
inline constexpr milliseconds http_retry{1'000};

/// Of one client, not read by it: an answer of any size fits. More ends the stream.
inline constexpr size_t http_unread_bytes_max = client_answer_bytes_max + (32u << 20);
/// An answer that takes longer becomes a stream of events, by which its client sees that it is being worked on.
inline constexpr milliseconds http_quiet_max{1'000};
/// Proxies close what is silent for a minute.
inline constexpr milliseconds http_keep_alive{15'000};
/// For streams to be closed in order at the end.
inline constexpr milliseconds http_close_max{300};

/// Tokens that were revoked or made are known after this.
inline constexpr milliseconds http_tokens_look_pause{1'000};

} // namespace msg::limits
