// What waits to be sent to a server over HTTP. Requests go side by side, and what is no request (notifications, answers
// to what the server asks) goes beside them, a few at once: a server that leaves one unanswered stalls no call.
#pragma once

#include "mcp/request_labels.hpp"
#include "messages/document.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace mcp {

struct outgoing_message {
  msg::spliced_text message;
  uint64_t key = 0; ///< of a request; 0: it is none
  size_t bytes = 0;
  bool ends_handshake = false; ///< nothing else goes until pass()
  bool is_out = false;         ///< next() gave it
  request_labels labels = {};
};

/// That are no requests, and are on their way: each takes a connection of the pool while its server is silent.
inline constexpr size_t http_notes_at_once_max = 8;
/// That are no requests, and wait. Then no more is read of a server that asks faster than it takes our answers.
inline constexpr size_t http_notes_crowded = 100;
/// What a message takes beside its text, at least: an answer of 40 bytes is a document of many parts.
inline constexpr size_t http_message_bytes_min = 2u << 10;

class http_outbox {
public:
  /// False: there is no room (child_unsent_bytes_max).
  bool push(msg::spliced_text message, uint64_t key, request_labels labels = {});
  /// Before all others; there is room for it.
  void push_front(outgoing_message message);
  bool take_back(uint64_t key);
  /// Empty: there is none, or it has to wait.
  std::optional<outgoing_message> next();
  /// The handshake has ended.
  void pass() { is_barred_ = false; }
  /// One that next() gave has been answered, or never will be. Once counts.
  void has_left(outgoing_message& message);
  bool is_crowded() const { return notes_.size() >= http_notes_crowded; }
  /// Nothing goes until release().
  void hold() { is_held_ = true; }
  void release() { is_held_ = false; }
  void clear();

private:
  std::deque<outgoing_message> requests_, notes_;
  size_t bytes_ = 0; ///< of those that wait, or whose answer has not begun
  size_t notes_out_ = 0;
  bool has_handshaken_ = false;
  bool is_barred_ = false;
  bool is_held_ = false;
};

} // namespace mcp
