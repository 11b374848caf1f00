#include "sandbox/isolation/box_end.hpp"

#include "process/no_throw.hpp"
#include "sandbox/cgroup/process_tree.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <csignal>
#include <poll.h>
#include <utility>

extern "C" { // glibc 2.36 forgot it in this header
#include <sys/pidfd.h>
}

namespace sandbox {

using asio::awaitable;
using process::no_throw;

namespace {

using holds = std::vector<std::shared_ptr<const void>>;

/// A killed box is gone after 1 to 5 ms; the answer to a run waits for it no longer than that.
constexpr std::chrono::milliseconds look_every{2}, look_later_every{20};
constexpr int looks_max = 25;
/// When the server ends, which no client waits for: of one box, and a killed one needs a hundredth of it.
constexpr std::chrono::milliseconds last_look{500};

/// It is never destroyed: what is still in the way of a dying process stays there, and the next server takes it over.
holds& never_released() {
  static auto& all = *new holds;
  return all;
}

} // namespace

struct box_end::held {
  explicit held(holds h) : all(std::move(h)) {}
  held(const held&) = delete;
  held& operator=(const held&) = delete;
  /// Before it is over only when the server ends, and its boxes with it.
  ~held() {
    if (!is_over())
      ::pidfd_send_signal(process_one.get(), SIGKILL, nullptr, 0);
    if (!is_over(last_look))
      never_released().insert(never_released().end(), all.begin(), all.end());
  }

  /// No program has run where process 1 was never noticed.
  bool is_over(std::chrono::milliseconds patience = {}) const {
    pollfd looked{process_one.get(), POLLIN, 0};
    return !process_one || ::poll(&looked, 1, static_cast<int>(patience.count())) > 0;
  }

  holds all;
  process::descriptor process_one;
};

box_end::box_end(asio::any_io_executor executor, holds all)
  : executor_(std::move(executor)),
    held_(all.empty() ? nullptr : std::make_shared<held>(std::move(all))) {}

void box_end::notice(pid_t bubblewrap) {
  if (!held_ || held_->process_one || bubblewrap <= 0)
    return;
  process_tree tree{bubblewrap};
  auto& alive = tree.look(); // bubblewrap, and the only child that it has
  if (alive.size() > 1)
    held_->process_one = process::descriptor{::pidfd_open(alive[1], 0)};
}

awaitable<void> box_end::release() {
  auto left = std::exchange(held_, nullptr);
  if (!left)
    co_return;
  asio::steady_timer pause{executor_};
  for (int i = 0; i < looks_max && !left->is_over(); ++i) {
    pause.expires_after(look_every);
    co_await pause.async_wait(no_throw);
  }
  if (left->is_over())
    co_return;
  auto wait_on = [](asio::any_io_executor executor, std::shared_ptr<held> dying) -> awaitable<void> {
    asio::steady_timer later{executor};
    while (!dying->is_over()) {
      later.expires_after(look_later_every);
      co_await later.async_wait(no_throw);
    }
  };
  asio::co_spawn(executor_, wait_on(executor_, std::move(left)), asio::detached);
}

} // namespace sandbox
