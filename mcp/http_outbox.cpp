#include "mcp/http_outbox.hpp"

#include "messages/limits.hpp"

#include <algorithm>
#include <utility>

namespace mcp {

bool http_outbox::push(msg::spliced_text message, uint64_t key) {
  auto bytes = message.text_bytes();
  if (bytes > msg::limits::child_unsent_bytes_max - std::min(bytes_, msg::limits::child_unsent_bytes_max))
    return false;
  bytes_ += bytes;
  waiting_.push_back({std::move(message), key, bytes});
  return true;
}

void http_outbox::push_front(outgoing_message message) {
  bytes_ += message.bytes;
  waiting_.push_front(std::move(message));
}

bool http_outbox::take_back(uint64_t key) {
  auto it = std::find_if(waiting_.begin(), waiting_.end(), [key](auto& m) { return m.key == key; });
  if (it == waiting_.end())
    return false;
  bytes_ -= it->bytes;
  waiting_.erase(it);
  return true;
}

std::optional<outgoing_message> http_outbox::next() {
  if (waiting_.empty() || is_held_)
    return std::nullopt;
  auto out = std::move(waiting_.front());
  waiting_.pop_front();
  is_held_ = out.key == 0;
  return out;
}

void http_outbox::has_left(uint64_t key, size_t bytes) {
  bytes_ -= bytes;
  if (key == 0)
    is_held_ = false;
}

} // namespace mcp
