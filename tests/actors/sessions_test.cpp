// Sessions: one guest for many runs, one run at a time, and an honest word about what was lost.
#include "actors/sandbox_pool.hpp"
#include "actors/sessions.hpp"

#include "messages/limits.hpp"
#include "tests/actors/deterministic.hpp"
#include "tests/actors/fake_guests.hpp"

#include <set>

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
  std::vector<caf::actor> runs; ///< in order of their wishes

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
    for (auto& run : std::exchange(runs, {}))
      self->send_exit(run, caf::exit_reason::user_shutdown);
    self->send_exit(sessions, caf::exit_reason::user_shutdown);
    self->send_exit(pool, caf::exit_reason::user_shutdown);
    sessions = nullptr;
    pool = nullptr;
    settle();
    EXPECT_EQ(guests.alive(), 0u) << "guests outlive their sessions";
    guests.all.clear();
  }
  /// Of a run that lives until the test ends it.
  pending<lease> wish(msg::guest_request wanted) {
    pending<lease> p;
    auto live = [](caf::event_based_actor* run, pending<lease> to, msg::sessions_actor from,
                   msg::guest_request w) -> caf::behavior {
      run->request(from, caf::infinite, msg::take_atom::value, std::move(w))
        .then([to](lease& x) { to.answers->push_back(std::move(x)); },
              [to](caf::error& e) { to.errors->push_back(std::move(e)); });
      return {[](int) {}};
    };
    runs.push_back(sys.spawn(live, p, sessions, std::move(wanted)));
    return p;
  }
  void kill_run(size_t which) {
    self->send_exit(runs.at(which), caf::exit_reason::kill);
    settle();
  }
  pending<lease> want(std::string name, bool reset = false, language lang = language::python) {
    msg::guest_request wish;
    wish.lang = lang;
    wish.session = std::move(name);
    wish.reset_session = reset;
    auto answer = this->wish(std::move(wish));
    settle();
    return answer;
  }
  void release(std::string name, std::string lost = {}, language lang = language::python) {
    self->send(sessions, msg::release_atom::value, msg::session_key{lang, {}, std::move(name)}, std::move(lost));
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

TEST_F(sessions_test, what_a_run_that_never_began_was_told_is_told_to_the_next) {
  auto not_begun = [&] {
    self->send(sessions, msg::cancel_atom::value, msg::session_key{language::python, {}, "a"});
    settle();
  };
  (void)want("a");
  release("a", "it was cancelled");
  EXPECT_EQ(want("a").get().value.session.state, session_state::fresh);
  not_begun();
  EXPECT_EQ(want("a").get().value.session.state, session_state::fresh);
  not_begun();
  auto note = want("a").get().value.session;
  EXPECT_EQ(note.state, session_state::fresh);
  EXPECT_NE(note.reason.find("it was cancelled"), std::string::npos) << note.reason;
  release("a");
  EXPECT_EQ(run("a").state, session_state::kept);
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
  msg::guest_request wish;
  wish.lang = language::python;
  wish.session = "a";
  wish.granted.net = {"example.com"};
  EXPECT_EQ(ask<lease>(sessions, msg::take_atom::value, wish).error.code, errc::invalid_argument);
  EXPECT_EQ(run("a").state, session_state::kept);
  wish.reset_session = true;
  EXPECT_EQ(ask<lease>(sessions, msg::take_atom::value, wish).value.session.state, session_state::fresh);
}

TEST_F(sessions_test, a_run_that_dies_gives_it_back_by_that) {
  want("a");
  auto second = want("a");
  EXPECT_EQ(second.count(), 0u);
  kill_run(0);
  auto note = second.get().value.session;
  EXPECT_EQ(note.state, session_state::fresh) << "nobody knows what the guest does now";
  EXPECT_NE(note.reason.find("did not end in order"), std::string::npos) << note.reason;
}

TEST_F(sessions_test, a_run_that_died_while_it_waited_does_not_keep_it) {
  want("a");
  want("a");
  auto third = want("a");
  kill_run(1);
  release("a");
  EXPECT_EQ(third.count(), 1u);
}

TEST_F(sessions_test, a_wish_that_waits_for_the_pool_is_answered_at_the_end) {
  auto silent = sys.spawn([](msg::sandbox_pool_actor::pointer s) -> msg::sandbox_pool_actor::behavior_type {
    return {
      [s](msg::take_atom, const msg::guest_request&) -> caf::result<lease> {
        return s->make_response_promise<lease>();
      },
      [](msg::status_atom) { return msg::pool_status{}; },
      [](msg::phase_atom, uint64_t, msg::guest_phase) {},
      [](msg::tick_atom) {},
    };
  });
  self->send_exit(sessions, caf::exit_reason::user_shutdown);
  actors::sessions_options o;
  o.pools = {{language::python, silent}};
  o.sessions_max = 2;
  o.idle_max = 100s;
  o.queue_wait_max = 30s;
  sessions = sys.spawn(actors::sessions, std::move(o));
  auto waiting = want("a");
  EXPECT_EQ(waiting.count(), 0u);
  self->send_exit(sessions, caf::exit_reason::user_shutdown);
  settle();
  EXPECT_EQ(waiting.get().error.code, errc::shutting_down);
  self->send_exit(silent, caf::exit_reason::user_shutdown);
}

/// A seeded storm: whatever happens in whatever order, every wish is answered once, at most one run has a session, and
/// none is busy for ever.
class sessions_storm : public sessions_test, public ::testing::WithParamInterface<int> {};

TEST_P(sessions_storm, every_wish_is_answered_once) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  rng.seed(static_cast<uint64_t>(GetParam()));
  std::vector<pending<lease>> wishes;
  std::set<size_t> killed;
  for (int i = 0; i < 60; ++i) {
    std::string name = rng() % 3 == 0 ? "b" : "a";
    switch (rng() % 9) {
      case 8:
        if (!runs.empty())
          self->send_exit(runs[*killed.insert(rng() % runs.size()).first], caf::exit_reason::kill);
        break;
      case 0: release(name, "it crashed"); break;
      case 1: advance(std::chrono::seconds(rng() % 40)); break;
      case 2:
        if (!guests.all.empty())
          guests.all[rng() % guests.all.size()]->end(1);
        break;
      case 3:
      case 4: release(name); break;
      default: {
        msg::guest_request wish;
        wish.lang = language::python;
        wish.session = name;
        wish.reset_session = rng() % 5 == 0;
        wishes.push_back(this->wish(std::move(wish)));
      }
    }
    settle_shuffled();
  }
  advance(31s);
  for (size_t i = 0; i < wishes.size(); ++i)
    EXPECT_EQ(wishes[i].count(), killed.contains(i) ? wishes[i].count() : 1u) << "wish " << i;
  for (auto& run : runs)
    self->send_exit(run, caf::exit_reason::kill);
  settle();
  for (auto& s : ask<msg::session_list>(sessions, msg::status_atom::value))
    EXPECT_FALSE(s.busy) << s.name << " is busy for ever";
  EXPECT_TRUE(want("a").get().ok());
}
INSTANTIATE_TEST_SUITE_P(seeds, sessions_storm, ::testing::Range(0, 100));
