#include "actors/bridge/loop_clock.hpp"

#include <caf/all.hpp>

#include <utility>

namespace bridge {

void loop_clock::set_ordinary_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type, uint64_t id) {
  std::lock_guard lock{mutex_};
  super::set_ordinary_timeout(t, self, type, id);
  wake_for_next();
}

void loop_clock::set_request_timeout(time_point t, caf::abstract_actor* self, caf::message_id id) {
  std::lock_guard lock{mutex_};
  super::set_request_timeout(t, self, id);
  wake_for_next();
}

void loop_clock::set_multi_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type, uint64_t id) {
  std::lock_guard lock{mutex_};
  super::set_multi_timeout(t, self, type, id);
  wake_for_next();
}

void loop_clock::cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) {
  std::lock_guard lock{mutex_};
  super::cancel_ordinary_timeout(self, type);
}

void loop_clock::cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) {
  std::lock_guard lock{mutex_};
  super::cancel_request_timeout(self, id);
}

void loop_clock::cancel_timeouts(caf::abstract_actor* self) {
  std::lock_guard lock{mutex_};
  super::cancel_timeouts(self);
}

void loop_clock::schedule_message(time_point t, caf::strong_actor_ptr receiver, caf::mailbox_element_ptr content) {
  std::lock_guard lock{mutex_};
  super::schedule_message(t, std::move(receiver), std::move(content));
  wake_for_next();
}

void loop_clock::schedule_message(time_point t, caf::group target, caf::strong_actor_ptr sender, caf::message content) {
  std::lock_guard lock{mutex_};
  super::schedule_message(t, std::move(target), std::move(sender), std::move(content));
  wake_for_next();
}

/// What is dropped may hold the last address of an actor, whose end may come here again.
void loop_clock::cancel_all() {
  std::unique_lock lock{mutex_};
  actor_lookup_.clear();
  auto dropped = std::exchange(schedule_, {});
  timer_.cancel();
  wakes_at_ = time_point::max();
  lock.unlock();
}

/// The timer is set only if something is due before it would end: most time limits are longer than those that wait
/// already.
void loop_clock::wake_for_next() {
  if (schedule_.empty() || schedule_.begin()->first >= wakes_at_)
    return;
  wakes_at_ = schedule_.begin()->first;
  timer_.expires_at(wakes_at_); // ends the wait before
  timer_.async_wait([this](asio::error_code cancelled) {
    if (!cancelled)
      ship_what_is_due();
  });
}

/// One after the other, so that a receiver may set what it likes.
void loop_clock::ship_what_is_due() {
  auto until = now();
  std::unique_lock lock{mutex_};
  wakes_at_ = time_point::max();
  while (!schedule_.empty() && schedule_.begin()->first <= until) {
    auto due = std::move(schedule_.begin()->second);
    schedule_.erase(schedule_.begin());
    if (due->backlink != actor_lookup_.end())
      actor_lookup_.erase(due->backlink);
    lock.unlock();
    ship(*due);
    due.reset();
    lock.lock();
  }
  wake_for_next();
}

} // namespace bridge
