#include "mcp/http_outbox.hpp"

#include "messages/limits.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace mcp {

namespace {

constexpr std::string_view end_of_handshake = R"("method":"notifications/initialized")";
/// That notification says nothing else.
constexpr size_t end_of_handshake_bytes_max = 256;

/// The first message that is no request may be an answer: a server may ping before the handshake ends.
bool is_end_of_handshake(const msg::spliced_text& message) {
  return message.text_bytes() <= end_of_handshake_bytes_max
         && message.text().find(end_of_handshake) != std::string::npos;
}

} // namespace

bool http_outbox::push(msg::spliced_text message, uint64_t key, request_labels labels) {
  auto bytes = message.text_bytes() + http_message_bytes_min + labels.bytes();
  if (bytes > msg::limits::child_unsent_bytes_max - std::min(bytes_, msg::limits::child_unsent_bytes_max))
    return false;
  bytes_ += bytes;
  bool ends_handshake = key == 0 && !has_handshaken_ && is_end_of_handshake(message);
  has_handshaken_ |= ends_handshake;
  (key == 0 ? notes_ : requests_).push_back({std::move(message), key, bytes, ends_handshake, false, std::move(labels)});
  return true;
}

void http_outbox::push_front(outgoing_message message) {
  bytes_ += message.bytes;
  (message.key == 0 ? notes_ : requests_).push_front(std::move(message));
}

bool http_outbox::take_back(uint64_t key) {
  auto it = std::find_if(requests_.begin(), requests_.end(), [key](auto& m) { return m.key == key; });
  if (it == requests_.end())
    return false;
  bytes_ -= it->bytes;
  requests_.erase(it);
  return true;
}

std::optional<outgoing_message> http_outbox::next() {
  if (is_held_ || is_barred_)
    return std::nullopt;
  bool is_note = !notes_.empty() && notes_out_ < http_notes_at_once_max;
  auto& from = is_note ? notes_ : requests_;
  if (from.empty())
    return std::nullopt;
  auto out = std::move(from.front());
  from.pop_front();
  out.is_out = true;
  if (is_note) {
    ++notes_out_;
    is_barred_ = out.ends_handshake;
  }
  return out;
}

void http_outbox::has_left(outgoing_message& message) {
  if (!std::exchange(message.is_out, false))
    return;
  bytes_ -= message.bytes;
  if (message.key == 0)
    --notes_out_;
  if (message.ends_handshake)
    pass();
}

void http_outbox::clear() {
  requests_.clear();
  notes_.clear();
}

} // namespace mcp
