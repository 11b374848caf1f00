// CAF's clock on the loop that runs the actors: what is due is sent by a timer of that loop. CAF's own has a thread,
// which every request with a time limit wakes up.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <caf/detail/simple_actor_clock.hpp>

#include <mutex>

namespace bridge {

/// May be used by all threads. `io` outlives it; what is due while no thread runs that is sent when one does.
class loop_clock : public caf::detail::simple_actor_clock {
  using super = caf::detail::simple_actor_clock;

public:
  explicit loop_clock(asio::io_context& io) : timer_(io) {}

  void set_ordinary_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type, uint64_t id) override;
  void set_request_timeout(time_point t, caf::abstract_actor* self, caf::message_id id) override;
  void set_multi_timeout(time_point t, caf::abstract_actor* self, caf::atom_value type, uint64_t id) override;
  void cancel_ordinary_timeout(caf::abstract_actor* self, caf::atom_value type) override;
  void cancel_request_timeout(caf::abstract_actor* self, caf::message_id id) override;
  void cancel_timeouts(caf::abstract_actor* self) override;
  void schedule_message(time_point t, caf::strong_actor_ptr receiver, caf::mailbox_element_ptr content) override;
  void schedule_message(time_point t, caf::group target, caf::strong_actor_ptr sender, caf::message content) override;
  void cancel_all() override;

private:
  void wake_for_next();
  void ship_what_is_due();

  std::mutex mutex_; ///< for all below
  asio::steady_timer timer_;
  time_point wakes_at_ = time_point::max(); ///< max: the timer does not run
};

} // namespace bridge
