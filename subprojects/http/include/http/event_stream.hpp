// Parser of text/event-stream, as the HTML standard (section 9.2) defines it, in pieces of any length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace http {

struct stream_event {
  std::string name; ///< of the field `event`; empty: none
  std::string data; ///< lines joined by LF
};

class event_stream_parser {
public:
  /// `event_bytes_max`: one event, and one line; more of it is an error, and nothing is read any more.
  explicit event_stream_parser(size_t event_bytes_max);

  /// The events that `bytes` completes, in order. What follows the last empty line waits, and is dropped if nothing
  /// follows.
  std::vector<stream_event> feed(std::string_view bytes);
  bool too_long() const { return too_long_; }
  /// Of an event that is not complete.
  size_t waiting_bytes() const { return line_.size() + event_.data.size(); }

private:
  void end_line(std::vector<stream_event>& out);
  void take_field(std::string_view field, std::string_view value);

  size_t event_bytes_max_;
  std::string line_;
  stream_event event_;
  bool has_data_ = false;
  bool is_first_line_ = true;
  bool after_cr_ = false; ///< an LF now belongs to the line end before it
  bool too_long_ = false;
};

} // namespace http
