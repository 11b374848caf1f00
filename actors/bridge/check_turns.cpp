#include "actors/bridge/check_turns.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace bridge {

size_t checks_at_once() { return std::clamp<size_t>(std::thread::hardware_concurrency(), 1, checks_at_once_max); }

uint64_t check_turns::enter(uint64_t client, std::function<void(turn)> begin, std::function<void()> late) {
  auto number = ++last_number_;
  if (free_ > 0) {
    begin(take_turn());
    return number;
  }
  auto patience = std::make_unique<asio::steady_timer>(executor_, wait_max_);
  patience->async_wait([weak = weak_from_this(), number, late = std::move(late)](asio::error_code ec) {
    auto self = weak.lock();
    if (!ec && self && self->leave(number))
      late();
  });
  waiting_.push(client, number, {std::move(begin), std::move(patience)});
  return number;
}

check_turns::turn check_turns::take_turn() {
  --free_;
  return {nullptr, [weak = weak_from_this()](void*) {
            if (auto self = weak.lock())
              self->end_turn();
          }};
}

void check_turns::end_turn() {
  ++free_;
  if (auto next = waiting_.pop())
    next->begin(take_turn());
}

} // namespace bridge
