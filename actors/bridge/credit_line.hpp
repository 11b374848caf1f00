// Reader -> actor, by credit: a reader is some messages ahead of the actor that takes them, and no more. Every message
// that was taken gives its credit back, whenever the actor answers it, so that an actor with work elsewhere slows its
// reader down.
#pragma once

#include "actors/bridge/ask.hpp"
#include "process/no_throw.hpp"

#include <asio/dispatch.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <vector>

namespace bridge {

/// Messages of one reader that may wait in a mailbox.
inline constexpr size_t credit_max = 16;
/// A longer message goes alone: parsed JSON takes up to ten times its text, which is 2.5 MiB for all that wait.
inline constexpr size_t credit_message_bytes_max = 16u << 10;
/// An actor takes a message in microseconds, or has another thread look at it, which may have much to do; a reader
/// waits no longer than this.
inline constexpr std::chrono::seconds credit_wait_max{120};

/// Of one reader. All of it happens on the executor, but for the answers, which may come from any thread.
class credit_line : public std::enable_shared_from_this<credit_line> {
public:
  credit_line(asio::any_io_executor executor, caf::strong_actor_ptr port)
    : executor_(std::move(executor)),
      timer_(executor_),
      port_(std::move(port)) {}
  credit_line(const credit_line&) = delete;
  credit_line& operator=(const credit_line&) = delete;
  ~credit_line() {
    for (auto id : on_way_)
      reply_port::of(port_).take(id);
  }

  /// Sends a message of about so many bytes, which the actor answers with true; comes back when there is credit for
  /// another one. Throws if an actor has not taken what it was sent: a connection whose messages get lost would leave
  /// its callers waiting, so its reader closes it.
  template <class Actor, class... Args>
  asio::awaitable<void> hand_over(size_t bytes, Actor to, Args... args) {
    auto self = shared_from_this();
    size_t ahead = bytes > credit_message_bytes_max ? 0 : credit_max - 1;
    if (on_way_.size() > ahead)
      co_await wait(ahead);
    send(to, std::move(args)...);
    if (on_way_.size() > ahead)
      co_await wait(ahead);
    check();
  }

private:
  struct message : reply_port::waiter {
    uint64_t id = 0;
    std::weak_ptr<credit_line> line;

    void on_message(caf::message& m) override {
      auto problem = m.match_elements<caf::error>() ? detail::to_fault(m.get_as<caf::error>(0)).message : std::string{};
      if (auto l = line.lock())
        asio::dispatch(l->executor_, [l, i = id, p = std::move(problem)]() mutable { l->taken(i, std::move(p)); });
    }
  };

  template <class Actor, class... Args>
  void send(const Actor& to, Args... args) {
    using sent = caf::detail::type_list<typename caf::detail::implicit_conversions<std::decay_t<Args>>::type...>;
    static_assert(caf::response_type_unbox<caf::signatures_of_t<Actor>, sent>::valid,
                  "receiver does not accept this message");
    auto one = std::make_shared<message>();
    one->line = weak_from_this();
    auto id = one->id = reply_port::of(port_).add(one);
    on_way_.push_back(id);
    auto mid = caf::make_message_id(id).with_normal_priority();
    to->enqueue(caf::make_mailbox_element(port_, mid, {}, std::move(args)...), nullptr);
  }

  void taken(uint64_t id, std::string problem) {
    std::erase(on_way_, id);
    if (problem_.empty())
      problem_ = std::move(problem);
    timer_.cancel();
  }

  /// Until no more than that are on their way.
  asio::awaitable<void> wait(size_t most) {
    while (on_way_.size() > most && problem_.empty()) {
      timer_.expires_after(credit_wait_max);
      auto [interrupted] = co_await timer_.async_wait(process::no_throw);
      if (!interrupted)
        problem_ = "an actor did not take a message in time";
    }
    check();
  }

  void check() const {
    if (!problem_.empty())
      throw std::runtime_error(problem_);
  }

  asio::any_io_executor executor_;
  asio::steady_timer timer_;
  caf::strong_actor_ptr port_;
  std::vector<uint64_t> on_way_; ///< ids in the port; never more than credit_max
  std::string problem_;          ///< why a message was not taken; empty: all were
};

} // namespace bridge
