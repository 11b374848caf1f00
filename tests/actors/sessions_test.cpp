// Sessions: one guest for many runs, one run at a time, and an honest word about what was lost.
#include "actors/sandbox_pool.hpp"
#include "actors/sessions.hpp"

#include "messages/limits.hpp"
#include "tests/actors/deterministic.hpp"
#include "tests/actors/fake_guests.hpp"

using namespace std::literals;
using namespace testing_support;
namespace limits = msg::limits;
using msg::errc;
using msg::language;
using msg::session_state;
using lease = msg::outcome<msg::guest_lease>;

struct sessions_test : deterministic {
  fake_guests guests;
  msg::sandbox_pool_actor pool;
  msg::sessions_actor sessions;

  sessions_test() {
    actors::sandbox_pool_options p;
    p.start = guests.factory();
    pool = sys.spawn(actors::sandbox_pool, std::move(p));
    actors::sessions_options o;
    o.pools = {{language::typescript, pool}, {language::python, pool}};
    o.sessions_max = 2;
    o.idle_max = 100s;
    o.queue_wait_max = 30s;
    sessions = sys.spawn(actors::sessions, std::move(o));
  }
  ~sessions_test() override {
    self->send_exit(sessions, caf::exit_reason::user_shutdown);
    self->send_exit(pool, caf::exit_reason::user_shutdown);
    sessions = nullptr;
    pool = nullptr;
    settle();
    EXPECT_EQ(guests.alive(), 0u) << "guests outlive their sessions";
    guests.all.clear();
  }
  pending<lease> want(std::string name, bool reset = false, language lang = language::python) {
    msg::guest_wish wish;
    wish.lang = lang;
    wish.session = std::move(name);
    wish.reset_session = reset;
    auto answer = send<lease>(sessions, msg::take_atom::value, wish);
    settle();
    return answer;
  }
  void release(std::string name, std::string lost = {}, language lang = language::python) {
    self->send(sessions, msg::release_atom::value, lang, std::move(name), std::move(lost));
    settle();
  }
  msg::session_note run(std::string name, bool reset = false) {
    auto got = want(name, reset).get();
    EXPECT_TRUE(got.ok()) << got.error.message;
    release(name);
    return got.value.session;
  }
};

TEST_F(sessions_test, the_first_run_starts_it_and_the_next_goes_on) {
  EXPECT_EQ(run("a").state, session_state::fresh);
  EXPECT_EQ(run("a").state, session_state::kept);
  EXPECT_EQ(guests.all.size(), 1u);
  EXPECT_EQ(run("b").state, session_state::fresh);
  EXPECT_EQ(guests.all.size(), 2u);
}

TEST_F(sessions_test, a_name_means_one_session_for_each_language) {
  EXPECT_TRUE(want("a", false, language::python).get().ok());
  EXPECT_EQ(want("a", false, language::typescript).get().value.session.state, session_state::fresh);
}

TEST_F(sessions_test, runs_of_one_session_queue_in_order) {
  auto first = want("a"), second = want("a"), third = want("a");
  EXPECT_EQ(first.count(), 1u);
  EXPECT_EQ(second.count(), 0u);
  release("a");
  EXPECT_EQ(second.count(), 1u);
  EXPECT_EQ(third.count(), 0u);
  release("a");
  EXPECT_EQ(third.get().value.session.state, session_state::kept);
  EXPECT_EQ(first.get().value.sandbox, third.get().value.sandbox);
}

TEST_F(sessions_test, a_run_waits_only_so_long) {
  auto first = want("a"), second = want("a");
  advance(31s);
  EXPECT_EQ(second.get().error.code, errc::overloaded);
  release("a");
  EXPECT_EQ(run("a").state, session_state::kept) << "who gave up must not hold the session";
}

TEST_F(sessions_test, only_so_many_runs_wait) {
  auto first = want("a");
  for (size_t i = 0; i < limits::session_queue_max; ++i)
    EXPECT_EQ(want("a").count(), 0u);
  EXPECT_EQ(want("a").get().error.code, errc::overloaded);
}

TEST_F(sessions_test, a_reset_starts_it_again) {
  run("a");
  auto note = run("a", true);
  EXPECT_EQ(note.state, session_state::fresh);
  EXPECT_EQ(note.reason, "it was reset");
  EXPECT_TRUE(guests.all[0]->killed);
}

TEST_F(sessions_test, what_a_run_lost_is_new_for_the_next_and_says_why) {
  want("a");
  release("a", "Execution timed out");
  auto note = run("a");
  EXPECT_EQ(note.state, session_state::fresh);
  EXPECT_NE(note.reason.find("Execution timed out"), std::string::npos);
  EXPECT_EQ(run("a").reason, "");
}

TEST_F(sessions_test, a_process_that_dies_between_runs_is_noticed) {
  run("a");
  auto sandbox = want("a").get().value.sandbox;
  auto collected = send<msg::guest_output>(sandbox, msg::collect_atom::value);
  sandbox = nullptr;
  settle();
  release("a");
  guests.last().end(1);
  settle();
  auto note = run("a");
  EXPECT_EQ(note.state, session_state::fresh);
  EXPECT_NE(note.reason.find("between two runs"), std::string::npos);
}

TEST_F(sessions_test, idle_ones_end) {
  run("a");
  advance(60s);
  run("a");
  advance(60s);
  EXPECT_FALSE(guests.last().killed) << "it was used 60 s ago";
  advance(41s);
  EXPECT_TRUE(guests.last().killed);
  EXPECT_NE(run("a").reason.find("idle"), std::string::npos);
}

TEST_F(sessions_test, there_is_a_cap_that_names_those_that_are_there) {
  run("a");
  run("b");
  auto refused = want("c").get();
  EXPECT_EQ(refused.error.code, errc::limit_exceeded);
  EXPECT_NE(refused.error.message.find("(a, b)"), std::string::npos);
  EXPECT_EQ(run("b").state, session_state::kept);
}

TEST_F(sessions_test, permissions_hold_for_its_whole_life) {
  run("a");
  msg::guest_wish wish;
  wish.lang = language::python;
  wish.session = "a";
  wish.granted.net = {"example.com"};
  EXPECT_EQ(ask<lease>(sessions, msg::take_atom::value, wish).error.code, errc::invalid_argument);
  EXPECT_EQ(run("a").state, session_state::kept);
  wish.reset_session = true;
  EXPECT_EQ(ask<lease>(sessions, msg::take_atom::value, wish).value.session.state, session_state::fresh);
}

/// A seeded storm: whatever happens in whatever order, every wish is answered once and at most one run has a session.
class sessions_storm : public sessions_test, public ::testing::WithParamInterface<int> {};

TEST_P(sessions_storm, every_wish_is_answered_once) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  rng.seed(static_cast<uint64_t>(GetParam()));
  std::vector<pending<lease>> wishes;
  for (int i = 0; i < 60; ++i) {
    std::string name = rng() % 3 == 0 ? "b" : "a";
    switch (rng() % 8) {
      case 0: release(name, "it crashed"); break;
      case 1: advance(std::chrono::seconds(rng() % 40)); break;
      case 2:
        if (!guests.all.empty())
          guests.all[rng() % guests.all.size()]->end(1);
        break;
      case 3:
      case 4: release(name); break;
      default: {
        msg::guest_wish wish;
        wish.lang = language::python;
        wish.session = name;
        wish.reset_session = rng() % 5 == 0;
        wishes.push_back(send<lease>(sessions, msg::take_atom::value, wish));
      }
    }
    settle_shuffled();
  }
  advance(31s);
  for (auto& w : wishes)
    EXPECT_EQ(w.count(), 1u);
}
INSTANTIATE_TEST_SUITE_P(seeds, sessions_storm, ::testing::Range(0, 100));
