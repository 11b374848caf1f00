#include "reading_turns.hpp"

#include "client_transfer.hpp"

#include <algorithm>
#include <utility>

namespace http {

void reading_turns::add(std::shared_ptr<client_transfer> transfer) noexcept {
  if (std::exchange(transfer->waits_for_turn, true))
    return;
  auto& place = first_ ? last_->next_in_turn : first_;
  last_ = transfer.get();
  place = std::move(transfer);
}

std::shared_ptr<client_transfer> reading_turns::next() noexcept {
  auto out = std::move(first_);
  if (out) {
    first_ = std::move(out->next_in_turn);
    out->waits_for_turn = false;
  }
  return out;
}

/// One after the other: the end of a long list must not be one call within another.
void reading_turns::clear() noexcept {
  while (next()) {
  }
}

void reading_turns::earn(clock::time_point now) {
  credit_ = std::min<clock::duration>(credit_ + (now - earned_at_) / share_of_time, credit_max);
  earned_at_ = now;
}

void reading_turns::used(clock::duration time, clock::time_point now) {
  earn(now);
  credit_ = std::max<clock::duration>(credit_ - time, -debt_max);
}

reading_turns::clock::duration reading_turns::rest(clock::time_point now) {
  earn(now);
  return credit_ < clock::duration::zero() ? -credit_ * share_of_time : clock::duration::zero();
}

} // namespace http
