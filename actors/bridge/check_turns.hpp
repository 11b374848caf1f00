// Whose types are checked when. A compiler takes a processor for seconds and some 150 MiB: a few work at once, and the
// other checks wait, client by client in turn, so that one with many runs takes the compiler from nobody.
#pragma once

#include "actors/resilience/fair_queue.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace bridge {

/// However many processors there are.
inline constexpr size_t checks_at_once_max = 4;

/// As many as there are processors, at most checks_at_once_max.
size_t checks_at_once();

/// For one thread. What waits here is bounded by whoever may have runs checked: admission.
class check_turns : public std::enable_shared_from_this<check_turns> {
public:
  /// Whoever holds one is being checked; with the last copy the next check begins.
  using turn = std::shared_ptr<void>;

  /// `at_once`: at least 1. `wait_max`: so long each waits for its turn.
  check_turns(asio::any_io_executor executor, size_t at_once, std::chrono::milliseconds wait_max)
    : executor_(std::move(executor)),
      free_(at_once),
      wait_max_(wait_max) {}
  check_turns(const check_turns&) = delete;
  check_turns& operator=(const check_turns&) = delete;

  /// Calls `begin` when it is that client's turn, before it returns if nothing is to be waited for, or else `late` when
  /// it has waited for too long. The number, of what waits, is for leave().
  uint64_t enter(uint64_t client, std::function<void(turn)> begin, std::function<void()> late);
  /// True: it was waiting, and neither of its functions is called any more.
  bool leave(uint64_t number) { return waiting_.remove(number).has_value(); }
  std::chrono::milliseconds wait_max() const { return wait_max_; }

private:
  struct waiting {
    std::function<void(turn)> begin;
    std::unique_ptr<asio::steady_timer> patience; ///< its end ends the wait for it
  };

  turn take_turn();
  void end_turn();

  asio::any_io_executor executor_;
  size_t free_;
  std::chrono::milliseconds wait_max_;
  resilience::fair_queue<waiting> waiting_; ///< empty while there are free ones
  uint64_t last_number_ = 0;
};

} // namespace bridge
