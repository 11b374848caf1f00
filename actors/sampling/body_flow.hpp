// A body that comes faster than it is read waits with its sender.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

namespace sampling {

/// Of one answer, on their way to an actor or in it. Above this its connection is held; it goes on at half of it.
inline constexpr size_t unread_body_bytes_max = 256u << 10;

/// Between a connection and the actor that reads it, on one thread.
class body_flow {
public:
  /// `hold`: nothing more is to come (true), or again (false); not called before.
  void open(std::function<void(bool)> hold) { hold_ = std::move(hold); }
  void came(size_t bytes) {
    unread_ += bytes;
    if (unread_ > unread_body_bytes_max)
      set_held(true);
  }
  void was_read(size_t bytes) {
    unread_ -= bytes;
    if (unread_ <= unread_body_bytes_max / 2)
      set_held(false);
  }

private:
  void set_held(bool held) {
    if (std::exchange(is_held_, held) != held && hold_)
      hold_(held);
  }

  std::function<void(bool)> hold_;
  size_t unread_ = 0;
  bool is_held_ = false;
};

} // namespace sampling
