#include "process/output_capture.hpp"

#include <algorithm>

namespace process {

void output_capture::append(std::string_view text) {
  auto n = std::min(half_ - head_.size(), text.size());
  head_.append(text.substr(0, n));
  text.remove_prefix(n);
  if (text.size() > half_) { // only the end of it can stay
    dropped_ += text.size() - half_;
    text.remove_prefix(text.size() - half_);
  }
  n = std::min(half_ - tail_.size(), text.size());
  tail_.append(text.substr(0, n));
  text.remove_prefix(n);
  dropped_ += text.size();
  while (!text.empty()) {
    auto copied = text.copy(&tail_[tail_start_], tail_.size() - tail_start_);
    tail_start_ = (tail_start_ + copied) % tail_.size();
    text.remove_prefix(copied);
  }
}

msg::captured_text output_capture::take() && {
  std::rotate(tail_.begin(), tail_.begin() + static_cast<ptrdiff_t>(tail_start_), tail_.end());
  msg::captured_text out;
  out.head = std::move(head_);
  out.tail = std::move(tail_);
  out.dropped_bytes = dropped_;
  if (dropped_ == 0) { // nothing between them
    out.head += out.tail;
    out.tail.clear();
  }
  return out;
}

} // namespace process
