#include "http/event_stream.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace http {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

} // namespace

event_stream_parser::event_stream_parser(size_t event_bytes_max) : event_bytes_max_(event_bytes_max) {}

std::vector<stream_event> event_stream_parser::feed(std::string_view bytes) {
  std::vector<stream_event> out;
  if (bytes.empty())
    return out;
  if (std::exchange(after_cr_, false) && bytes.front() == '\n')
    bytes.remove_prefix(1);
  while (!bytes.empty() && !too_long_) {
    auto end = bytes.find_first_of("\r\n");
    auto piece = bytes.substr(0, end);
    too_long_ = piece.size() > event_bytes_max_ - line_.size();
    if (too_long_)
      break;
    line_ += piece;
    if (end == bytes.npos)
      break;
    bool is_pair = bytes.substr(end, 2) == "\r\n";
    after_cr_ = bytes[end] == '\r' && end + 1 == bytes.size();
    bytes.remove_prefix(end + (is_pair ? 2 : 1));
    end_line(out);
  }
  return out;
}

void event_stream_parser::end_line(std::vector<stream_event>& out) {
  auto line = std::exchange(line_, {});
  std::string_view text = line;
  if (std::exchange(is_first_line_, false) && text.starts_with(byte_order_mark))
    text.remove_prefix(byte_order_mark.size());
  if (text.empty()) {
    last_id_ = id_;
    if (has_data_)
      out.push_back(std::move(event_));
    event_ = {};
    has_data_ = false;
    return;
  }
  auto colon = text.find(':');
  if (colon == 0) // a comment
    return;
  auto value = colon == text.npos ? std::string_view{} : text.substr(colon + 1);
  if (value.starts_with(' '))
    value.remove_prefix(1);
  take_field(text.substr(0, colon), value);
}

void event_stream_parser::take_field(std::string_view field, std::string_view value) {
  if (field == "event")
    event_.name = value;
  else if (field == "data")
    take_data(value);
  else if (field == "id")
    take_id(value);
  else if (field == "retry")
    take_retry(value);
}

void event_stream_parser::take_data(std::string_view value) {
  too_long_ = event_.data.size() + value.size() + 1 > event_bytes_max_;
  if (too_long_)
    return;
  if (has_data_)
    event_.data += '\n';
  event_.data += value;
  has_data_ = true;
}

void event_stream_parser::take_id(std::string_view value) {
  if (value.find('\0') == value.npos && value.size() <= stream_id_bytes_max)
    id_ = value;
}

void event_stream_parser::take_retry(std::string_view value) {
  int64_t told = 0;
  auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), told);
  bool is_number = !value.empty() && value.find_first_not_of("0123456789") == value.npos;
  if (is_number)
    retry_ = failed == std::errc{} ? std::min(std::chrono::milliseconds{told}, retry_max) : retry_max;
}

} // namespace http
