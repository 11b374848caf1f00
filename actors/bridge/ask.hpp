// Coroutine -> actor: `auto r = co_await bridge::ask<Result>(port, actor, timeout, atom, args...)`.
//
// One `reply_port` per actor system is the sender of every such request: no helper actor, no extra hop. Exactly one of
// response, error, deadline and cancellation completes the coroutine, on its own executor. Deadlines are asio timers,
// because CAF's would stay in its clock after the answer. `timeout` must be finite: CAF 0.17 does not notice promises
// that are dropped.
#pragma once

#include "messages/errors.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/async_result.hpp>
#include <asio/awaitable.hpp>
#include <asio/executor_work_guard.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <caf/actor_config.hpp>
#include <caf/actor_system.hpp>
#include <caf/deep_to_string.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/make_actor.hpp>
#include <caf/message_id.hpp>
#include <caf/monitorable_actor.hpp>
#include <caf/response_type.hpp>
#include <caf/timespan.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace bridge {

class reply_port : public caf::monitorable_actor {
public:
  /// A coroutine that waits for one response.
  struct waiter {
    virtual ~waiter() = default;
    virtual void on_message(caf::message& m) = 0; // any thread; at most once
  };

  static caf::strong_actor_ptr make(caf::actor_system& sys) {
    caf::actor_config cfg;
    return caf::make_actor<reply_port, caf::strong_actor_ptr>(sys.next_actor_id(), sys.node(), &sys, cfg);
  }
  static reply_port& of(const caf::strong_actor_ptr& port) {
    return dynamic_cast<reply_port&>(*caf::actor_cast<caf::abstract_actor*>(port));
  }

  explicit reply_port(caf::actor_config& cfg) : monitorable_actor(cfg) {}

  uint64_t add(std::shared_ptr<waiter> w) {
    std::lock_guard lock{mutex_};
    auto id = ++last_id_;
    waiters_.emplace(id, std::move(w));
    return id;
  }
  std::shared_ptr<waiter> take(uint64_t id) {
    std::lock_guard lock{mutex_};
    auto n = waiters_.extract(id);
    return n ? std::move(n.mapped()) : nullptr;
  }
  void enqueue(caf::mailbox_element_ptr x, caf::execution_unit*) override {
    if (!x->mid.is_response())
      return; // no actor has business here but responders
    if (auto w = take(x->mid.request_id().integer_value() & caf::message_id::request_id_mask)) {
      auto m = x->move_content_to_message();
      w->on_message(m);
    }
  }
  const char* name() const override { return "reply_port"; }

private:
  std::mutex mutex_;
  uint64_t last_id_ = 0;
  std::unordered_map<uint64_t, std::shared_ptr<waiter>> waiters_;
};

namespace detail {

inline msg::fault to_fault(const caf::error& e) {
  return {msg::errc::internal, "the actor did not answer: " + caf::deep_to_string(e)};
}

template <class Result, class Handler>
class ask_operation : public reply_port::waiter, public std::enable_shared_from_this<ask_operation<Result, Handler>> {
public:
  using executor = asio::associated_executor_t<Handler>;

  ask_operation(Handler&& h, caf::strong_actor_ptr port)
    : executor_(asio::get_associated_executor(h)),
      work_(asio::make_work_guard(executor_)),
      timer_(executor_),
      port_(std::move(port)),
      handler_(std::move(h)) {}

  void start(caf::timespan timeout) { // on the executor
    id = reply_port::of(port_).add(this->shared_from_this());
    timer_.expires_after(timeout);
    timer_.async_wait([w = this->weak_from_this()](asio::error_code ec) {
      if (auto self = w.lock(); self && !ec)
        self->abandon({msg::errc::internal, "an actor did not answer in time"});
    });
    auto slot = asio::get_associated_cancellation_slot(*handler_);
    if (slot.is_connected())
      slot.assign([w = this->weak_from_this()](asio::cancellation_type) {
        if (auto self = w.lock())
          self->abandon({msg::errc::cancelled, "cancelled"});
      });
  }

  void on_message(caf::message& m) override {
    msg::outcome<Result> r{msg::fault{msg::errc::internal, "an actor answered with another type"}};
    if (m.template match_elements<Result>())
      r = msg::outcome<Result>{std::move(m.template get_mutable_as<Result>(0))};
    else if (m.template match_elements<caf::error>())
      r = msg::outcome<Result>{to_fault(m.template get_as<caf::error>(0))};
    asio::post(executor_,
               [self = this->shared_from_this(), r = std::move(r)]() mutable { self->finish(std::move(r)); });
  }

  uint64_t id = 0;

private:
  void abandon(msg::fault why) { // on the executor
    if (reply_port::of(port_).take(id))
      asio::post(executor_, [self = this->shared_from_this(), why = std::move(why)]() mutable {
        self->finish(msg::outcome<Result>{std::move(why)});
      });
  } // else: the response won the race and is on its way

  void finish(msg::outcome<Result> r) {
    timer_.cancel();
    auto slot = asio::get_associated_cancellation_slot(*handler_);
    if (slot.is_connected())
      slot.clear();
    auto h = std::move(*handler_);
    handler_.reset();
    work_.reset();
    std::move(h)(std::move(r));
  }

  executor executor_;
  asio::executor_work_guard<executor> work_;
  asio::steady_timer timer_;
  caf::strong_actor_ptr port_;
  std::optional<Handler> handler_;
};

template <class Result, class Handle, class Token, class... Args>
auto async_ask(caf::strong_actor_ptr port, Handle dest, caf::timespan timeout, Token&& token, Args... args) {
  using sent = caf::detail::type_list<typename caf::detail::implicit_conversions<std::decay_t<Args>>::type...>;
  static_assert(caf::response_type_unbox<caf::signatures_of_t<Handle>, sent>::valid,
                "receiver does not accept this message");
  auto init = [](auto handler, caf::strong_actor_ptr p, Handle d, caf::timespan t, Args... xs) {
    auto op = std::make_shared<ask_operation<Result, decltype(handler)>>(std::move(handler), p);
    op->start(t);
    auto mid = caf::make_message_id(op->id).with_normal_priority();
    d->enqueue(caf::make_mailbox_element(p, mid, {}, std::move(xs)...), nullptr);
  };
  return asio::async_initiate<Token, void(msg::outcome<Result>)>(std::move(init), token, std::move(port),
                                                                 std::move(dest), timeout, std::move(args)...);
}

} // namespace detail

template <class Result, class Handle, class... Args>
asio::awaitable<msg::outcome<Result>> ask(caf::strong_actor_ptr port, Handle dest, caf::timespan timeout,
                                          Args... args) {
  co_return co_await detail::async_ask<Result>(std::move(port), std::move(dest), timeout, asio::use_awaitable,
                                               std::move(args)...);
}

} // namespace bridge
