#include "actors/bridge/late_guest.hpp"

#include "process/offload.hpp"

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include <csignal>
#include <utility>
#include <vector>

namespace bridge {

namespace {

/// Before a guest has said a word it is told to warm up, or to run a program.
constexpr size_t kept_frames_max = 4;

class late_guest final : public sandbox::guest {
public:
  explicit late_guest(sandbox::guest_events events) : events_(std::move(events)) {}

  bool send(msg::spliced_text frame) override {
    if (guest_)
      return guest_->send(std::move(frame));
    if (is_over_ || frames_.size() == kept_frames_max)
      return false;
    frames_.push_back(std::move(frame));
    return true;
  }

  void hold_at_most(uint64_t bytes_max, uint64_t elsewhere) override {
    held_ = {bytes_max, elsewhere};
    if (guest_)
      guest_->hold_at_most(bytes_max, elsewhere);
  }

  void watch_memory() override {
    is_watched_ = true;
    if (guest_)
      guest_->watch_memory();
  }

  msg::guest_output collect() override { return guest_ ? guest_->collect() : msg::guest_output{}; }

  msg::guest_output finish() override {
    if (guest_)
      return guest_->finish();
    is_over_ = true;
    return {};
  }

  static asio::awaitable<void> come(std::shared_ptr<late_guest> self, late_guest_work work) {
    auto worker = std::move(work.worker);
    auto work_out = std::move(work.work_out);
    auto box = co_await process::offload(std::move(worker), std::move(work_out));
    if (self->is_over_)
      self->end({}, SIGKILL);
    else if (!box.ok())
      self->end(std::move(box.error), 0);
    else
      self->begin(work.start(std::move(box.value), self->events_));
  }

private:
  void begin(msg::outcome<std::shared_ptr<sandbox::guest>> started) {
    if (!started.ok())
      return end(std::move(started.error), 0);
    events_ = {};
    guest_ = std::move(started.value);
    guest_->hold_at_most(held_.first, held_.second);
    if (is_watched_)
      guest_->watch_memory();
    for (auto& frame : std::exchange(frames_, {}))
      guest_->send(std::move(frame));
  }

  void end(msg::fault why, int signal) {
    msg::guest_exit how;
    how.problem = std::move(why.message);
    how.cause = why.code;
    how.by_signal = signal != 0;
    how.code = signal;
    is_over_ = true;
    std::exchange(events_, {}).ended(std::move(how));
  }

  sandbox::guest_events events_; ///< until it has come, or will not
  std::shared_ptr<sandbox::guest> guest_;
  std::vector<msg::spliced_text> frames_;
  std::pair<uint64_t, uint64_t> held_{0, 0};
  bool is_watched_ = false;
  bool is_over_ = false; ///< nobody wants it any more, or it will not come
};

} // namespace

std::shared_ptr<sandbox::guest> make_late_guest(late_guest_work work, sandbox::guest_events events) {
  auto guest = std::make_shared<late_guest>(std::move(events));
  auto executor = work.executor;
  asio::co_spawn(executor, late_guest::come(guest, std::move(work)), asio::detached);
  return guest;
}

} // namespace bridge
