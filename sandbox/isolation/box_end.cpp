#include "sandbox/isolation/box_end.hpp"

#include "process/no_throw.hpp"
#include "sandbox/cgroup/process_tree.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <csignal>
#include <poll.h>
#include <sys/socket.h>
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

/// What process 1 is told: the guest may start.
constexpr char leave = 1;

/// It is never destroyed: what is still in the way of a dying process stays there, and the next server takes it over.
holds& never_released() {
  static auto& all = *new holds;
  return all;
}

} // namespace

struct box_end::held {
  held(const asio::any_io_executor& executor, holds h, process::descriptor end) : all(std::move(h)), leash(executor) {
    if (end)
      leash.assign(end.release());
  }
  held(const held&) = delete;
  held& operator=(const held&) = delete;
  /// Before it is over only when the server ends, and its boxes with it.
  ~held() {
    kill();
    if (!is_over(last_look))
      never_released().insert(never_released().end(), all.begin(), all.end());
  }

  void kill() const {
    if (!is_over())
      ::pidfd_send_signal(process_one.get(), SIGKILL, nullptr, 0);
  }

  /// Nothing that asks from now on is let begin.
  void close_leash() {
    asio::error_code ignored;
    leash.close(ignored);
  }

  /// No program has run where process 1 was not let begin.
  bool is_over(std::chrono::milliseconds patience = {}) const {
    pollfd looked{process_one.get(), POLLIN, 0};
    return !process_one || ::poll(&looked, 1, static_cast<int>(patience.count())) > 0;
  }

  holds all;
  process::descriptor process_one;
  asio::posix::stream_descriptor leash;
};

box_end::box_end(asio::any_io_executor executor, holds all, process::descriptor leash)
  : executor_(std::move(executor)),
    held_(all.empty() ? nullptr : std::make_shared<held>(executor_, std::move(all), std::move(leash))) {}

box_end::~box_end() {
  if (held_)
    held_->close_leash();
}

void box_end::admit(pid_t bubblewrap) {
  auto answer = [](std::shared_ptr<held> box, pid_t outer) -> awaitable<void> {
    auto [closed] = co_await box->leash.async_wait(asio::posix::descriptor_base::wait_read, no_throw);
    if (closed)
      co_return;
    process_tree tree{outer};
    auto& alive = tree.look(); // bubblewrap, and the only child that it has
    if (alive.size() > 1)
      box->process_one = process::descriptor{::pidfd_open(alive[1], 0)};
    if (box->process_one)
      ::send(box->leash.native_handle(), &leave, sizeof leave, MSG_NOSIGNAL);
    box->close_leash();
  };
  if (held_ && held_->leash.is_open())
    asio::co_spawn(executor_, answer(held_, bubblewrap), asio::detached);
}

awaitable<void> box_end::release() {
  auto left = std::exchange(held_, nullptr);
  if (!left)
    co_return;
  left->close_leash();
  left->kill(); // bubblewrap may have been killed before it could be the one to end it
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
