// What waits to be sent to a server over HTTP: requests go side by side, and what is no request goes before all that
// comes after it.
#pragma once

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
};

class http_outbox {
public:
  /// False: there is no room (child_unsent_bytes_max).
  bool push(msg::spliced_text message, uint64_t key);
  /// Before all others; there is room for it.
  void push_front(outgoing_message message);
  bool take_back(uint64_t key);
  /// Empty: there is none, or it has to wait.
  std::optional<outgoing_message> next();
  /// One that next() gave is on its way, or never will be.
  void has_left(uint64_t key, size_t bytes);
  /// Nothing goes until release().
  void hold() { is_held_ = true; }
  void release() { is_held_ = false; }
  void clear() { waiting_.clear(); }

private:
  std::deque<outgoing_message> waiting_;
  size_t bytes_ = 0; ///< of those that wait, or whose answer has not begun
  bool is_held_ = false;
};

} // namespace mcp
