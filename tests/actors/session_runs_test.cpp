// Runs of one session with everything real but the processes, which die at any moment.
#include "actors/sandbox_pool.hpp"
#include "actors/sessions.hpp"

#include "tests/actors/execution_fixture.hpp"
#include "tests/actors/fake_guests.hpp"

using namespace std::literals;
using namespace testing_support;
using msg::language;
using msg::run_status;

struct session_runs : deterministic {
  fake_guests guests;
  std::map<fake_guest*, size_t> answered; ///< programs that have ended, by guest
  std::shared_ptr<execution_fakes::world> world = std::make_shared<execution_fakes::world>();
  msg::connector_actor connector = sys.spawn(execution_fakes::fake_connector, world);
  msg::sandbox_pool_actor pool;
  msg::sessions_actor sessions;
  uint64_t last_run = 0;

  session_runs() {
    actors::sandbox_pool_options p;
    p.lang = language::python;
    p.start = guests.factory();
    p.size = p.size_max = 2;
    pool = sys.spawn(actors::sandbox_pool, std::move(p));
    actors::sessions_options o;
    o.pools = {{language::python, pool}};
    o.sessions_max = 2;
    o.idle_max = 1h;
    o.queue_wait_max = 30s;
    sessions = sys.spawn(actors::sessions, std::move(o));
    advance(10s);
  }
  ~session_runs() override {
    self->send_exit(sessions, caf::exit_reason::user_shutdown);
    self->send_exit(pool, caf::exit_reason::user_shutdown);
    self->send_exit(connector, caf::exit_reason::user_shutdown);
    sessions = nullptr;
    pool = nullptr;
    connector = nullptr;
    settle();
    guests.all.clear();
  }
  pending<msg::run_report> run(std::string session) {
    actors::execution_options o;
    o.connector = connector;
    o.guests.pools = {{language::python, pool}};
    o.guests.sessions = sessions;
    o.patterns = ::config::pattern_policy::off;
    msg::run_request request;
    request.id = ++last_run;
    request.lang = language::python;
    request.timeout_ms = 5'000;
    request.session = std::move(session);
    return send<msg::run_report>(sys.spawn(actors::execution, std::move(o)), msg::run_atom::value, std::move(request),
                                 msg::run_listener{});
  }
  /// Every program that a living guest has got comes to its end.
  void programs_end() {
    for (auto& g : guests.all) {
      auto got = static_cast<size_t>(
        std::count_if(g->told.begin(), g->told.end(), [](auto& f) { return f.at("type").as_string() == "run"; }));
      for (; answered[g.get()] < got; ++answered[g.get()])
        g->say(R"({"type":"done"})");
    }
    settle();
  }
  /// A guest that has run one program of the session "s", and has not begun what it gets next.
  std::shared_ptr<fake_guest> used_guest() {
    auto first = run("s");
    settle();
    auto g = guests.all.back();
    g->say(R"({"type":"ready"})");
    programs_end();
    EXPECT_EQ(first.get().status, run_status::success);
    g->begins = false;
    return g;
  }
  void a_few_steps() {
    for (auto n = rng() % 12; n > 0 && sched.has_job(); --n)
      sched.run_once();
  }
};

TEST_F(session_runs, one_that_ends_its_process_loses_the_session_before_the_next_begins) {
  for (auto* done : {R"({"type":"done","exits":true})",
                     R"({"type":"done","exits":true,"error":{"message":"exit 3","exitCode":3}})"}) {
    auto first = run("s"), second = run("s");
    settle();
    auto g = guests.all.back();
    g->say(done);
    settle();
    EXPECT_EQ(first.get().session.state, msg::session_state::lost);
    EXPECT_TRUE(g->killed);
    EXPECT_NE(guests.all.back(), g) << "the next has a guest of its own";
    EXPECT_EQ(second.count(), 0u);
    programs_end();
    EXPECT_EQ(second.get().status, run_status::success);
    EXPECT_EQ(second.get().session.state, msg::session_state::fresh);
    EXPECT_NE(second.get().session.reason.find("the run before ended it"), std::string::npos);
    guests.all.back()->end(0);
    settle();
  }
}

TEST_F(session_runs, one_whose_guest_dies_before_it_has_begun_begins_in_another_and_keeps_its_turn) {
  for (int code : {0, 3, 137}) {
    auto g = used_guest();
    auto second = run("s"), third = run("s");
    settle();
    EXPECT_TRUE(g->was_told("run"));
    g->end(code);
    settle();
    EXPECT_EQ(second.count(), 0u);
    EXPECT_NE(guests.all.back(), g);
    programs_end();
    EXPECT_EQ(second.get().status, run_status::success);
    EXPECT_EQ(second.get().session.state, msg::session_state::fresh);
    EXPECT_NE(second.get().session.reason.find("ended between two runs"), std::string::npos);
    programs_end();
    EXPECT_EQ(third.get().session.state, msg::session_state::kept);
  }
}

TEST_F(session_runs, one_whose_guest_dies_is_no_success_when_a_run_before_may_have_ended_it) {
  auto g = used_guest();
  g->begins = true;
  auto second = run("s");
  settle();
  g->end(0);
  settle();
  EXPECT_EQ(second.get().error.code, msg::errc::guest_died);
  EXPECT_NE(second.get().error.message.find("left over"), std::string::npos) << second.get().error.message;
  EXPECT_EQ(second.get().session.state, msg::session_state::lost);
}

TEST_F(session_runs, the_first_of_a_session_may_end_its_process) {
  auto first = run("s");
  settle();
  guests.all.back()->say(R"({"type":"ready"})");
  guests.all.back()->end(0);
  settle();
  EXPECT_EQ(first.get().status, run_status::success);
  EXPECT_EQ(first.get().session.state, msg::session_state::lost);
}

TEST_F(session_runs, what_is_said_before_one_has_begun_is_not_of_it) {
  auto g = used_guest();
  auto second = run("s");
  settle();
  g->say(R"({"type":"done","result":"of the first"})");
  g->say(R"({"type":"request","id":5,"method":"servers","params":{}})");
  settle();
  EXPECT_EQ(second.count(), 0u);
  EXPECT_EQ(g->told.back().at("type").as_string(), "reply") << "it is refused";
  EXPECT_TRUE(g->told.back().contains("error"));
  g->say(R"({"type":"begun"})");
  g->say(R"({"type":"done","result":2})");
  settle();
  EXPECT_EQ(second.get().result.text(), "2");
}

class session_runs_storm : public session_runs, public ::testing::WithParamInterface<int> {};

TEST_P(session_runs_storm, are_reported_once_and_none_keeps_the_session) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  rng.seed(static_cast<uint64_t>(GetParam()));
  for (int round = 0; round < 30; ++round) {
    auto report = run(rng() % 4 == 0 ? "" : "s");
    a_few_steps();
    for (auto& g : guests.all)
      if (rng() % 2 == 0)
        g->end(3);
    a_few_steps();
    settle_shuffled();
    programs_end();
    ASSERT_EQ(report.count(), 1u) << "round " << round;
    auto error = report.get().error;
    EXPECT_NE(error.code, msg::errc::internal) << error.message;
  }
  EXPECT_FALSE(
    std::ranges::any_of(ask<msg::session_list>(sessions, msg::status_atom::value), [](auto& s) { return s.busy; }));
  auto last = run("s");
  settle();
  programs_end();
  EXPECT_EQ(last.get().status, run_status::success);
}
INSTANTIATE_TEST_SUITE_P(seeds, session_runs_storm, ::testing::Range(0, 100));
