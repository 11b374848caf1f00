// A body that comes faster than it is read, or that is large before it is its turn, waits with its sender.
#pragma once

#include "actors/sampling/answer_room.hpp"
#include "process/growing_text.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace sampling {

/// Of one answer, on their way to an actor or in it. Above this its connection is held; it goes on at half of it.
inline constexpr size_t unread_body_bytes_max = 256u << 10;

/// Between a connection and the actor that reads it, on one thread.
class body_flow : public std::enable_shared_from_this<body_flow> {
public:
  /// `place`: null: nobody counts what it holds, and it never waits for a turn.
  explicit body_flow(std::shared_ptr<answer_place> place) : place_(std::move(place)) {}
  /// `hold`: nothing more is to come (true), or again (false); not called before.
  void open(std::function<void(bool)> hold) { hold_ = std::move(hold); }

  // ---- of a stream, which is read piece by piece
  void came(size_t bytes) {
    unread_ += bytes;
    count();
    if (unread_ > unread_body_bytes_max)
      set_held(true);
  }
  /// Those that it keeps take `kept` by now.
  void was_read(size_t bytes, size_t kept) {
    unread_ -= bytes;
    kept_ = kept;
    count();
    if (unread_ <= unread_body_bytes_max / 2)
      set_held(false);
  }

  // ---- of one that is read as a whole
  void collect(std::string_view bytes) {
    body_.append(bytes);
    kept_ += bytes.size();
    count();
    if (kept_ <= small_body_bytes_max || !place_)
      return;
    auto begin = [weak = weak_from_this()] {
      if (auto self = weak.lock())
        self->set_held(false);
    };
    if (!place_->take_turn(begin))
      set_held(true);
  }
  /// Still counts.
  process::growing_text take_body() { return std::exchange(body_, {}); }
  /// It is not needed any more.
  void drop_body() { body_ = {}; }

private:
  void count() {
    if (place_)
      place_->hold(unread_ + kept_);
  }
  void set_held(bool held) {
    if (std::exchange(is_held_, held) != held && hold_)
      hold_(held);
  }

  std::shared_ptr<answer_place> place_;
  std::function<void(bool)> hold_;
  process::growing_text body_;
  size_t unread_ = 0;
  size_t kept_ = 0;
  bool is_held_ = false;
};

} // namespace sampling
