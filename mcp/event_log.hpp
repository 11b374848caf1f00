// The events of one client's streams, for when it comes back and tells which it has seen last.
#pragma once

#include "mcp/outgoing.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mcp {

/// The place of an event: its stream, and its number there. 0 is the one that begins a stream and says nothing.
struct event_place {
  stream_number stream = 0;
  uint64_t number = 0;
};

std::string event_id(const event_place& place);
/// Nothing: it is none of ours.
std::optional<event_place> parse_event_id(std::string_view id);

/// Those that are too old, or too much, are forgotten.
class event_log {
public:
  event_log(size_t bytes_max, size_t events_max) : bytes_max_(bytes_max), events_max_(events_max) {}

  struct event {
    event_place place;
    std::string text; ///< a JSON text
  };
  /// One that is larger than all may be is not kept.
  void add(const event_place& place, std::string_view text);
  /// Later ones of the same stream, in order. Good until the next add().
  std::vector<const event*> after(const event_place& place) const;
  size_t bytes() const { return bytes_; }

private:
  size_t bytes_max_;
  size_t events_max_;
  size_t bytes_ = 0;
  std::deque<event> events_;
};

} // namespace mcp
