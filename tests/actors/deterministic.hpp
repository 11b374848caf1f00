// One thread, virtual time, chosen order: a fixture over CAF's test coordinator.
#pragma once

#include <caf/actor_system_config.hpp>
#include <caf/all.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>

namespace testing_support {

struct deterministic : ::testing::Test {
  struct config : caf::actor_system_config {
    config() {
      set("scheduler.policy", caf::atom("testing"));
      set("logger.inline-output", true);
    }
  };
  config cfg;
  caf::actor_system sys{cfg};
  caf::scheduler::test_coordinator& sched = dynamic_cast<caf::scheduler::test_coordinator&>(sys.scheduler());
  caf::scoped_actor self{sys, true};
  std::mt19937_64 rng{0};

  deterministic() {
    spdlog::set_level(spdlog::level::off); // what the actors complain of is expected here
    sched.clock().current_time += std::chrono::hours(1);
  }

  // Derived fixtures have dropped their handles by now. Pending timeouts hold the last references; what still runs
  // after that was leaked, and would block ~actor_system.
  ~deterministic() override {
    sched.clock().cancel_all();
    settle();
    EXPECT_EQ(sys.registry().running(), 1u) << "leaked actors"; // 1: `self`
    sys.await_actors_before_shutdown(false);
  }

  /// Runs every runnable actor in FIFO order. Time stands still.
  size_t settle(size_t limit = 100'000) {
    auto n = sched.run(limit);
    EXPECT_LT(n, limit) << "actors never come to rest";
    return n;
  }

  /// Runs every runnable actor, picking the next one with the seeded generator.
  void settle_shuffled(size_t limit = 100'000) {
    for (size_t n = 0; n < limit && sched.has_job(); ++n) {
      auto i = std::uniform_int_distribution<size_t>{0, sched.jobs.size() - 1}(rng);
      auto at = sched.jobs.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(sched.jobs.begin(), at, at + 1);
      sched.run_once();
    }
  }

  template <class Duration>
  void advance(Duration d) {
    sched.advance_time(std::chrono::duration_cast<caf::timespan>(d));
    settle();
  }

  /// A request and its answer, in virtual time. An actor that does not answer fails the test.
  template <class T, class Handle, class... Ts>
  T ask(const Handle& h, Ts... xs) {
    auto pending = send<T>(h, std::move(xs)...);
    settle();
    return pending.get();
  }

  /// A request whose answer is looked at later.
  template <class T>
  struct pending {
    std::shared_ptr<std::vector<T>> answers = std::make_shared<std::vector<T>>();
    std::shared_ptr<std::vector<caf::error>> errors = std::make_shared<std::vector<caf::error>>();
    size_t count() const { return answers->size() + errors->size(); }
    T get() const {
      EXPECT_EQ(answers->size(), 1u) << "nobody answered, or with an error";
      return answers->empty() ? T{} : answers->front();
    }
  };
  template <class T, class Handle, class... Ts>
  pending<T> send(const Handle& h, Ts... xs) {
    pending<T> p;
    sys.spawn(
      [](caf::event_based_actor* asker, pending<T> to, Handle dest, Ts... args) {
        // An error for what is only told to it would be a message to the teller, which ends of it.
        asker->set_default_handler(
          [](caf::scheduled_actor*, caf::message_view&) -> caf::result<caf::message> { return caf::message{}; });
        asker->request(dest, caf::infinite, std::move(args)...)
          .then([to](T& x) { to.answers->push_back(std::move(x)); },
                [to](caf::error& e) { to.errors->push_back(std::move(e)); });
      },
      p, h, std::move(xs)...);
    return p;
  }
};

} // namespace testing_support
