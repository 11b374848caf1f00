// What is held for a run outside of its sandbox, which ends the guest when all of it together is too much.
#pragma once

#include "messages/invariant.hpp"
#include "messages/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace actors::run {

class held_bytes {
public:
  /// `tell` is called with all that is held when that is at least limits::held_bytes_step more or less than it was told
  /// before.
  explicit held_bytes(std::function<void(uint64_t bytes)> tell) : tell_(std::move(tell)) {}

  void hold(size_t bytes) {
    bytes_ += bytes;
    tell_change();
  }
  void let_go(size_t bytes) {
    msg::ensure(bytes <= bytes_, "no more bytes are let go than were held");
    bytes_ -= bytes;
    tell_change();
  }
  /// All that questions to models take by now.
  void set_models(uint64_t bytes) {
    models_ = bytes;
    tell_change();
  }
  bool is_at_least(uint64_t bytes) const { return bytes_ >= bytes; }
  /// All that statistics of calls take by now; told with the next change of the rest.
  void set_statistics(size_t bytes) { statistics_ = bytes; }

private:
  void tell_change() {
    auto now = bytes_ + statistics_ + models_;
    auto changed = now > told_ ? now - told_ : told_ - now;
    if (changed < msg::limits::held_bytes_step)
      return;
    told_ = now;
    tell_(now);
  }

  std::function<void(uint64_t)> tell_;
  uint64_t bytes_ = 0;
  uint64_t statistics_ = 0;
  uint64_t models_ = 0;
  uint64_t told_ = 0;
};

} // namespace actors::run
