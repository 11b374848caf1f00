// Coroutines and actors on one real io_context, as the program runs them.
#include "actors/bridge/asio_scheduler.hpp"
#include "actors/bridge/ask.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/io_context.hpp>
#include <asio/use_future.hpp>
#include <caf/all.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

using namespace std::literals;
using namespace asio::experimental::awaitable_operators;
using echo_atom = caf::atom_constant<caf::atom("echo")>;
using never_atom = caf::atom_constant<caf::atom("never")>;
using echo_actor = caf::typed_actor<caf::replies_to<echo_atom, std::string>::with<std::string>,
                                    caf::replies_to<never_atom>::with<std::string>>;

struct echo_state {
  std::vector<caf::typed_response_promise<std::string>> open;
  static inline const char* name = "echo";
};

echo_actor::behavior_type echo(echo_actor::stateful_pointer<echo_state> self, std::string suffix) {
  return {
    [suffix](echo_atom, const std::string& text) { return text + suffix; },
    [self](never_atom) -> caf::result<std::string> {
      auto promise = self->make_response_promise<std::string>();
      self->state.open.push_back(promise);
      return promise;
    },
  };
}

struct bridge_test : ::testing::Test {
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard{io.get_executor()};
  caf::actor_system_config cfg;
  std::unique_ptr<caf::actor_system> sys;
  caf::strong_actor_ptr port;
  std::thread thread;
  echo_actor actor;

  bridge_test() {
    bridge::asio_scheduler::load(cfg, io);
    cfg.set("scheduler.max-throughput", size_t{64}); // as in the program
    sys = std::make_unique<caf::actor_system>(cfg);
    port = bridge::reply_port::make(*sys);
    thread = std::thread([this] { io.run(); });
    actor = asio::co_spawn(io, spawn_there(), asio::use_future).get();
  }
  asio::awaitable<echo_actor> spawn_there() { co_return sys->spawn(echo, "!"s); }
  ~bridge_test() override {
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    actor = nullptr;
    sys->await_all_actors_done();
    guard.reset();
    thread.join();
    port = nullptr;
    sys.reset();
  }
  template <class... Args>
  msg::outcome<std::string> ask(caf::timespan timeout, Args... args) {
    return asio::co_spawn(io, bridge::ask<std::string>(port, actor, timeout, std::move(args)...), asio::use_future)
      .get();
  }
};

TEST_F(bridge_test, an_answer_comes_back) {
  auto r = ask(5s, echo_atom::value, "hello"s);
  ASSERT_TRUE(r.ok()) << r.error.message;
  EXPECT_EQ(r.value, "hello!");
}

TEST_F(bridge_test, silence_ends_by_the_deadline) {
  auto r = ask(10ms, never_atom::value);
  EXPECT_EQ(r.error.code, msg::errc::internal);
}

TEST_F(bridge_test, a_dead_actor_bounces_the_request) {
  caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  sys->await_all_actors_done();
  auto r = ask(5s, echo_atom::value, "hello"s);
  EXPECT_EQ(r.error.code, msg::errc::internal);
}

TEST_F(bridge_test, a_thousand_at_once_get_their_own_answers) {
  std::vector<std::future<msg::outcome<std::string>>> answers;
  for (int i = 0; i < 1'000; ++i)
    answers.push_back(asio::co_spawn(
      io, bridge::ask<std::string>(port, actor, 20s, echo_atom::value, std::to_string(i)), asio::use_future));
  for (int i = 0; i < 1'000; ++i)
    EXPECT_EQ(answers[static_cast<size_t>(i)].get().value, std::to_string(i) + "!");
}

asio::awaitable<int> lose_a_race(caf::strong_actor_ptr port, echo_actor actor) {
  asio::steady_timer timer{co_await asio::this_coro::executor, 5ms};
  auto first =
    co_await (timer.async_wait(asio::use_awaitable) || bridge::ask<std::string>(port, actor, 20s, never_atom::value));
  co_return static_cast<int>(first.index());
}

/// Of 64 messages each of its turns takes 3 ms; 16 of them are half of all.
TEST_F(bridge_test, a_busy_actor_gives_way_to_the_descriptors) {
  constexpr int messages = 2'000;
  std::atomic<int> seen{0};
  std::promise<int> before;
  std::promise<void> all;
  asio::post(io, [&] {
    auto busy = sys->spawn([&](caf::event_based_actor*) -> caf::behavior {
      return {[&](never_atom) {
        auto end = std::chrono::steady_clock::now() + 50us;
        while (std::chrono::steady_clock::now() < end)
          continue;
        if (++seen == 1)
          asio::post(io, [&] { before.set_value(seen); });
        if (seen == messages)
          all.set_value();
      }};
    });
    for (int i = 0; i < messages; ++i)
      caf::anon_send(busy, never_atom::value);
  });
  EXPECT_LT(before.get_future().get(), messages / 4);
  all.get_future().get(); // what it counts lives here
}

TEST_F(bridge_test, an_ask_can_be_cancelled) {
  EXPECT_EQ(asio::co_spawn(io, lose_a_race(port, actor), asio::use_future).get(), 0);
}
