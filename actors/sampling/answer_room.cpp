#include "actors/sampling/answer_room.hpp"

#include "messages/invariant.hpp"
#include "messages/limits.hpp"

#include <utility>

namespace sampling {

void answer_room::give_turns() {
  while (large_ < large_bodies_max && !waiting_.empty()) {
    auto next = waiting_.front().lock();
    waiting_.pop_front();
    if (!next || !next->begin_)
      continue;
    ++large_;
    next->has_turn_ = true;
    std::exchange(next->begin_, nullptr)();
  }
}

void answer_room::change(size_t from, size_t to) {
  msg::ensure(from <= bytes_, "no more bytes are let go than were held");
  bytes_ = bytes_ - from + to;
  auto changed = bytes_ > told_ ? bytes_ - told_ : told_ - bytes_;
  if (changed < msg::limits::held_bytes_step)
    return;
  told_ = bytes_;
  tell_(bytes_);
}

answer_place::~answer_place() {
  try {
    leave();
  } catch (...) {
    // There was no memory to tell it; it is told with what changes next.
  }
}

void answer_place::hold(size_t bytes) {
  auto before = std::exchange(bytes_, bytes);
  room_->change(before, bytes);
}

bool answer_place::take_turn(std::function<void()> begin) {
  if (has_turn_ || begin_)
    return has_turn_;
  if (room_->large_ == large_bodies_max) {
    room_->waiting_.push_back(weak_from_this());
    begin_ = std::move(begin);
    return false;
  }
  ++room_->large_;
  return has_turn_ = true;
}

void answer_place::leave() {
  begin_ = nullptr;
  if (std::exchange(has_turn_, false)) {
    --room_->large_;
    room_->give_turns();
  }
  hold(0);
}

} // namespace sampling
