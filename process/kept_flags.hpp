// The status flags of an open file are shared by all processes that have it: what one makes non-blocking for itself
// fails for the next one that uses it.
#pragma once

#include <fcntl.h>

namespace process {

/// Puts them back as they were.
class kept_flags {
public:
  explicit kept_flags(int of) : of_(of), flags_(::fcntl(of, F_GETFL)) {}
  kept_flags(const kept_flags&) = delete;
  kept_flags& operator=(const kept_flags&) = delete;
  ~kept_flags() {
    if (flags_ >= 0)
      ::fcntl(of_, F_SETFL, flags_);
  }

private:
  int of_, flags_; ///< -1: it is not open
};

} // namespace process
