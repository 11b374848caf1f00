#include "mcp/event_log.hpp"

#include <charconv>

namespace mcp {

namespace {

/// With what keeps it.
size_t cost_of(std::string_view text) { return text.size() + sizeof(event_log::event); }

bool read_number(std::string_view text, uint64_t& to) {
  auto* end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, to);
  return read.ec == std::errc{} && read.ptr == end;
}

} // namespace

std::string event_id(const event_place& place) {
  return std::to_string(place.stream) + "-" + std::to_string(place.number);
}

std::optional<event_place> parse_event_id(std::string_view id) {
  event_place out;
  auto dash = id.find('-');
  if (dash == id.npos || !read_number(id.substr(0, dash), out.stream) || !read_number(id.substr(dash + 1), out.number))
    return std::nullopt;
  return out;
}

void event_log::add(const event_place& place, std::string_view text) {
  auto cost = cost_of(text);
  if (cost > bytes_max_)
    return;
  events_.push_back({place, std::string{text}});
  bytes_ += cost;
  while (bytes_ > bytes_max_ || events_.size() > events_max_) {
    bytes_ -= cost_of(events_.front().text);
    events_.pop_front();
  }
}

std::vector<const event_log::event*> event_log::after(const event_place& place) const {
  std::vector<const event*> out;
  for (auto& each : events_)
    if (each.place.stream == place.stream && each.place.number > place.number)
      out.push_back(&each);
  return out;
}

} // namespace mcp
