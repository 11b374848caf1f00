#include "head_reader.hpp"

#include <algorithm>

namespace http {

head_reader::head_reader() {
  http_parser_init(&parser_, HTTP_REQUEST);
  parser_.data = this;
}

size_t head_reader::take(std::string_view bytes) {
  static const auto settings = callbacks();
  auto used = http_parser_execute(&parser_, &settings, bytes.data(), bytes.size());
  auto failed = HTTP_PARSER_ERRNO(&parser_);
  if (ended_ && failed == HPE_PAUSED) {
    // It stops before the last byte of the head, and would take any for it.
    if (used >= bytes.size() || bytes[used] != '\n')
      fail("LF character expected");
    else
      state_ = state::complete;
    ++used;
  } else if (failed == HPE_HEADER_OVERFLOW) {
    state_ = state::too_large;
  } else if (failed != HPE_OK) {
    fail(http_errno_description(failed));
  }
  used = std::min(used, bytes.size());
  // First of all, so that what is said does not depend on how much came at once.
  if (has_folded_line(bytes.substr(0, used)))
    fail("a header goes on in the next line");
  return used;
}

raw_head head_reader::take_head() {
  head_.method = http_method_str(static_cast<http_method>(parser_.method));
  head_.major = parser_.http_major;
  head_.minor = parser_.http_minor;
  return std::move(head_);
}

// They are called from C, through which no exception may go. A head has few bytes: who can not have them can have
// nothing.
int head_reader::on_target(http_parser* parser, const char* at, size_t length) noexcept {
  self(parser).head_.target.append(at, length);
  return 0;
}

int head_reader::on_name(http_parser* parser, const char* at, size_t length) noexcept {
  auto& reader = self(parser);
  if (reader.in_value_)
    reader.head_.fields.emplace_back();
  reader.in_value_ = false;
  reader.head_.fields.back().name.append(at, length);
  return 0;
}

int head_reader::on_value(http_parser* parser, const char* at, size_t length) noexcept {
  auto& reader = self(parser);
  reader.in_value_ = true;
  reader.head_.fields.back().value.append(at, length);
  return 0;
}

int head_reader::on_end(http_parser* parser) noexcept {
  self(parser).ended_ = true;
  http_parser_pause(parser, 1);
  return 0;
}

http_parser_settings head_reader::callbacks() {
  http_parser_settings settings;
  http_parser_settings_init(&settings);
  settings.on_url = on_target;
  settings.on_header_field = on_name;
  settings.on_header_value = on_value;
  settings.on_headers_complete = on_end;
  return settings;
}

/// RFC 9112, 5.2: a server refuses it. http_parser reads it as one line.
bool head_reader::has_folded_line(std::string_view bytes) {
  for (auto c : bytes) {
    if (last_ == '\n' && (c == ' ' || c == '\t'))
      return true;
    last_ = c;
  }
  return false;
}

void head_reader::fail(std::string_view problem) {
  state_ = state::broken;
  problem_ = problem;
}

} // namespace http
