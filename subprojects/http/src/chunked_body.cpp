#include "chunked_body.hpp"

#include <algorithm>

namespace http {

namespace {

/// 60 bits: more than any limit, and no overflow.
constexpr int digits_max = 15;

int hex_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

/// Of a line: neither the end of one nor what no text has.
bool is_line_char(char c) { return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != 0x7f); }

constexpr chunked_body::step broken{chunked_body::step::kind::broken, 0, 0};
constexpr chunked_body::step framing{chunked_body::step::kind::framing, 1, 0};

} // namespace

chunked_body::step chunked_body::take(std::string_view bytes) {
  if (part_ != part::data) {
    ++framing_bytes_;
    return take_byte(bytes.front());
  }
  auto used = static_cast<size_t>(std::min<uint64_t>(size_, bytes.size()));
  size_ -= used;
  if (size_ == 0)
    part_ = part::data_cr;
  return {step::kind::data, used, 0};
}

chunked_body::step chunked_body::take_byte(char c) {
  switch (part_) {
    case part::size: return take_size(c);
    case part::extension:
      if (c == '\r')
        part_ = part::size_lf;
      return c == '\r' || is_line_char(c) ? framing : broken;
    case part::size_lf: return c == '\n' ? take_line_end() : broken;
    case part::data_cr: return expect(c, '\r', part::data_lf);
    case part::data_lf: return expect(c, '\n', part::size);
    default: return take_trailer(c);
  }
}

chunked_body::step chunked_body::take_size(char c) {
  if (auto value = hex_value(c); value >= 0) {
    size_ = size_ * 16 + static_cast<uint64_t>(value);
    return ++digits_ > digits_max ? broken : framing;
  }
  if (digits_ == 0 || (c != '\r' && c != ';' && c != ' ' && c != '\t'))
    return broken;
  part_ = c == '\r' ? part::size_lf : part::extension;
  return framing;
}

chunked_body::step chunked_body::take_line_end() {
  digits_ = 0;
  if (size_ == 0) {
    part_ = part::line_start;
    return framing;
  }
  part_ = part::data;
  return {step::kind::size, 1, size_};
}

chunked_body::step chunked_body::take_trailer(char c) {
  switch (part_) {
    case part::line_start:
      if (c == '\r')
        part_ = part::last_lf;
      else
        part_ = part::line;
      return c == '\r' || is_line_char(c) ? framing : broken;
    case part::line:
      if (c == '\r')
        part_ = part::line_lf;
      return c == '\r' || is_line_char(c) ? framing : broken;
    case part::line_lf: return expect(c, '\n', part::line_start);
    default: return c == '\n' ? step{step::kind::end, 1, 0} : broken;
  }
}

chunked_body::step chunked_body::expect(char c, char expected, part next) {
  part_ = next;
  return c == expected ? framing : broken;
}

} // namespace http
