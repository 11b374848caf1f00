// Parser of text/event-stream, as the HTML standard (section 9.2) defines it, in pieces of any length.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace http {

struct stream_event {
  std::string name; ///< of the field `event`; empty: none
  std::string data; ///< lines joined by LF
};

/// It is sent back in a header.
inline constexpr size_t stream_id_bytes_max = 4u << 10;
inline constexpr std::chrono::milliseconds retry_max{std::chrono::hours{1}};

class event_stream_parser {
public:
  /// `event_bytes_max`: one event, and one line; more of it is an error, and nothing is read any more.
  explicit event_stream_parser(size_t event_bytes_max);

  /// The events that `bytes` completes, in order. What follows the last empty line waits, and is dropped if nothing
  /// follows.
  std::vector<stream_event> feed(std::string_view bytes);
  bool too_long() const { return too_long_; }
  /// Of the last event that was complete, or one before it; what is longer than stream_id_bytes_max does not count.
  /// Whoever comes back to a stream names it (Last-Event-ID). Empty: none.
  const std::string& last_id() const { return last_id_; }
  /// How long the server wants to be left alone by whoever comes back, at most retry_max; empty: it has not said so.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }
  /// Of an event that is not complete.
  size_t waiting_bytes() const { return line_.size() + event_.data.size(); }

private:
  void end_line(std::vector<stream_event>& out);
  void take_field(std::string_view field, std::string_view value);
  void take_data(std::string_view value);
  void take_id(std::string_view value);
  void take_retry(std::string_view value);

  size_t event_bytes_max_;
  std::string line_;
  stream_event event_;
  std::string id_, last_id_; ///< of the event that has begun, and of one that has ended
  std::optional<std::chrono::milliseconds> retry_;
  bool has_data_ = false;
  bool is_first_line_ = true;
  bool after_cr_ = false; ///< an LF now belongs to the line end before it
  bool too_long_ = false;
};

} // namespace http
