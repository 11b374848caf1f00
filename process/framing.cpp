#include "process/framing.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace process {

namespace {

constexpr size_t header_bytes = 4;

/// Of a line that is too long: ids and methods stand in one of them.
constexpr size_t beginning_bytes_max = 4u << 10;
constexpr size_t ending_bytes_max = 512;

} // namespace

std::string frame(framing kind, std::string text) {
  if (kind == framing::lines) {
    text += '\n';
    return text;
  }
  auto n = static_cast<uint32_t>(text.size());
  std::array<char, header_bytes> header{static_cast<char>(n >> 24), static_cast<char>(n >> 16),
                                        static_cast<char>(n >> 8), static_cast<char>(n)};
  text.insert(text.begin(), header.begin(), header.end());
  return text;
}

void deframer::drop_consumed() {
  buffer_.drop_front(consumed_);
  scanned_ -= std::min(scanned_, consumed_);
  consumed_ = 0;
}

void deframer::keep_ends(std::string_view part) {
  if (!discarding_) {
    beginning_ = part.substr(0, beginning_bytes_max);
    ending_.clear();
  }
  ending_ += part.substr(part.size() - std::min(part.size(), ending_bytes_max));
  ending_.erase(0, ending_.size() - std::min(ending_.size(), ending_bytes_max));
}

bool deframer::take_rest() {
  text_ = buffer_.view().substr(consumed_);
  consumed_ = buffer_.view().size();
  return kind_ == framing::lines && !discarding_ && text_.find_first_not_of(" \t\r") != std::string_view::npos;
}

deframer::event deframer::next() { return kind_ == framing::lines ? next_line() : next_frame(); }

deframer::event deframer::next_line() {
  for (;;) {
    auto end = buffer_.view().find('\n', std::max(scanned_, consumed_));
    if (end == std::string_view::npos) {
      drop_consumed();
      scanned_ = buffer_.view().size();
      if (discarding_ || scanned_ > bytes_max_) {
        keep_ends(buffer_.view());
        discarding_ = true;
        consumed_ = scanned_;
        drop_consumed();
      }
      return event::need_more;
    }
    text_ = buffer_.view().substr(consumed_, end - consumed_);
    consumed_ = scanned_ = end + 1;
    if (discarding_ || text_.size() > bytes_max_) {
      keep_ends(text_);
      text_ = beginning_;
      discarding_ = false;
      return event::too_long;
    }
    if (text_.ends_with('\r'))
      text_.remove_suffix(1);
    if (text_.find_first_not_of(" \t") != std::string_view::npos)
      return event::message;
  }
}

deframer::event deframer::next_frame() {
  auto left = buffer_.view().substr(consumed_);
  if (left.size() >= header_bytes) {
    size_t n = 0;
    for (size_t i = 0; i < header_bytes; ++i)
      n = n << 8 | static_cast<unsigned char>(left[i]);
    if (n > bytes_max_)
      return event::too_long;
    if (left.size() >= header_bytes + n) {
      text_ = left.substr(header_bytes, n);
      consumed_ += header_bytes + n;
      return event::message;
    }
  }
  drop_consumed();
  return event::need_more;
}

} // namespace process
