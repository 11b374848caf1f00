#include "actors/admission.hpp"
#include "actors/rate_limiter.hpp"

#include "messages/limits.hpp"
#include "tests/actors/deterministic.hpp"
#include "tests/actors/unexpected.hpp"

using namespace std::literals;
using namespace testing_support;
using msg::errc;

/// Executions that go on until the test ends them.
struct fake_runs {
  struct open_run {
    uint64_t id;
    msg::execution_actor actor;
    caf::typed_response_promise<msg::run_report> promise;
  };
  std::vector<open_run> open;
  std::vector<uint64_t> cancelled;
};

msg::execution_actor::behavior_type fake_execution(msg::execution_actor::pointer self,
                                                   std::shared_ptr<fake_runs> runs) {
  auto cancel = [self, runs] {
    for (auto& run : runs->open)
      if (run.actor == self) {
        runs->cancelled.push_back(run.id);
        run.promise.deliver(msg::run_report{});
        self->quit();
      }
  };
  return {
    [self, runs](msg::run_atom, const msg::run_request& request,
                 const msg::run_listener&) -> caf::result<msg::run_report> {
      auto promise = self->make_response_promise<msg::run_report>();
      runs->open.push_back({request.id, caf::actor_cast<msg::execution_actor>(self), promise});
      return promise;
    },
    [cancel](msg::cancel_atom) { cancel(); },
    [cancel](msg::stop_atom) { cancel(); },
    [](msg::call_atom, const msg::tool_ref&, const msg::document&) {
      return unexpected("call", msg::outcome<msg::document>{});
    },
    [](msg::tools_atom, const std::vector<std::string>&) {
      return unexpected("tools", msg::outcome<msg::tool_list>{});
    },
    [](msg::hold_atom, uint64_t) { unexpected("hold"); },
    [](msg::nearly_over_atom) { unexpected("nearly_over"); },
    [](msg::tick_atom) { unexpected("tick"); },
    [self, runs](msg::deadline_atom) { // the test says: done
      for (auto& run : runs->open)
        if (run.actor == self)
          run.promise.deliver(msg::run_report{});
      std::erase_if(runs->open, [self](auto& run) { return run.actor == self; });
      self->quit();
    },
    [](msg::reply_atom, uint64_t, const msg::outcome<msg::document>&) { unexpected("reply"); },
    [](msg::frame_atom, const msg::document&) { return unexpected("frame", true); },
    [](msg::exit_atom, const msg::guest_exit&) { unexpected("exit"); },
    [](msg::progress_atom, const msg::tool_progress&) { unexpected("progress"); },
    [](msg::injected_atom, const msg::injected_fault&) { unexpected("a fault"); },
    [](msg::log_atom, const msg::server_log&) { unexpected("log"); },
    [](msg::meant_atom, msg::call_key, const msg::tool_info&) { unexpected("meant"); },
    [](msg::question_atom, const msg::server_question&) {
      return unexpected("question", msg::outcome<msg::document>{});
    },
    [](msg::question_atom, msg::call_key, uint64_t) { unexpected("question"); },
  };
}

struct admission_test : deterministic {
  std::shared_ptr<fake_runs> runs = std::make_shared<fake_runs>();
  msg::rate_limiter_actor limiter = sys.spawn(actors::rate_limiter);
  msg::admission_actor admission;
  uint64_t last_id = 0;

  admission_test() { begin({}); }
  void begin(msg::rate_limit rate) { begin(rate, 2, 0); }
  void begin(msg::rate_limit rate, size_t runs_max, size_t client_runs_max) {
    actors::admission_options o;
    o.runs_max = runs_max;
    o.client_runs_max = client_runs_max;
    o.limiter = limiter;
    o.rate = rate;
    o.spawn_execution = [this](caf::local_actor* parent) { return parent->spawn(fake_execution, runs); };
    o.queued_max = 3;
    o.queue_wait_max = 30s;
    admission = sys.spawn(actors::admission, std::move(o));
  }
  void end() {
    self->send_exit(admission, caf::exit_reason::user_shutdown);
    settle();
  }
  ~admission_test() override {
    self->send_exit(admission, caf::exit_reason::user_shutdown);
    self->send_exit(limiter, caf::exit_reason::user_shutdown);
    limiter = nullptr;
    for (auto& run : runs->open)
      self->send_exit(run.actor, caf::exit_reason::user_shutdown);
    admission = nullptr;
    runs->open.clear();
    settle();
  }
  pending<msg::run_report> run(uint64_t client = 1) {
    msg::run_request request;
    request.client = client;
    request.id = ++last_id;
    request.timeout_ms = 300'000;
    auto p = send<msg::run_report>(admission, msg::run_atom::value, std::move(request), msg::run_listener{});
    settle();
    return p;
  }
  void finish(uint64_t id) {
    for (auto& r : runs->open)
      if (r.id == id)
        self->send(r.actor, msg::deadline_atom::value);
    settle();
  }
  /// Whether a message finds no execution.
  bool ask_if_dead(const msg::execution_actor& actor) {
    auto bounced = send<bool>(actor, msg::frame_atom::value, msg::document{});
    settle();
    return bounced.errors->size() == 1;
  }
  msg::admission_status status() { return ask<msg::admission_status>(admission, msg::status_atom::value); }
};

TEST_F(admission_test, runs_so_many_at_once_and_the_rest_in_order) {
  std::vector<pending<msg::run_report>> reports;
  for (int i = 0; i < 5; ++i)
    reports.push_back(run());
  EXPECT_EQ(status().running, 2u);
  EXPECT_EQ(status().queued, 3u);
  finish(1);
  EXPECT_EQ(reports[0].count(), 1u);
  ASSERT_EQ(runs->open.size(), 2u);
  EXPECT_EQ(runs->open.back().id, 3u);
}

TEST_F(admission_test, one_that_waits_for_a_person_has_no_place) {
  for (int i = 0; i < 3; ++i)
    (void)run();
  EXPECT_TRUE(ask<bool>(admission, msg::rest_atom::value, uint64_t{1}));
  settle();
  EXPECT_EQ(runs->open.size(), 3u) << "the one that waited has its place";
  EXPECT_TRUE(ask<bool>(admission, msg::rest_atom::value, uint64_t{1})) << "again";
  EXPECT_TRUE(ask<bool>(admission, msg::rest_atom::value, uint64_t{2}));
  EXPECT_FALSE(ask<bool>(admission, msg::rest_atom::value, uint64_t{3})) << "no more rest than there are places";
  EXPECT_FALSE(ask<bool>(admission, msg::rest_atom::value, uint64_t{99}));
  self->send(admission, msg::go_on_atom::value, uint64_t{1});
  settle();
  (void)run();
  EXPECT_EQ(runs->open.size(), 3u) << "two go on: the next one waits";
  finish(1);
  EXPECT_EQ(runs->open.back().id, 4u);
}

TEST_F(admission_test, one_that_waits_for_a_person_is_not_overdue) {
  auto report = run();
  EXPECT_TRUE(ask<bool>(admission, msg::rest_atom::value, uint64_t{1}));
  advance(1h);
  EXPECT_EQ(report.count(), 0u);
  self->send(admission, msg::go_on_atom::value, uint64_t{1});
  advance(10min);
  EXPECT_EQ(report.count(), 0u) << "it has its whole time again";
  advance(10min);
  advance(1s);
  EXPECT_EQ(report.count(), 1u);
  EXPECT_EQ(report.get().error.code, errc::internal);
}

TEST_F(admission_test, one_whose_deadline_comes_late_with_all_others_reports_itself) {
  auto report = run();
  advance(1h); // the process has stood still
  EXPECT_EQ(report.count(), 0u);
  finish(1);
  EXPECT_EQ(report.count(), 1u);
  EXPECT_NE(report.get().error.code, errc::internal);
}

TEST_F(admission_test, a_full_queue_says_so_with_its_numbers) {
  for (int i = 0; i < 5; ++i)
    (void)run();
  auto refused = run().get();
  EXPECT_EQ(refused.error.code, errc::overloaded);
  EXPECT_NE(refused.error.message.find("2 runs go on and 3 wait"), std::string::npos);
}

TEST_F(admission_test, nobody_waits_for_ever) {
  (void)run(), (void)run();
  auto waiting = run();
  advance(30s);
  EXPECT_EQ(waiting.get().error.code, errc::overloaded);
  EXPECT_EQ(status().queued, 0u);
}

TEST_F(admission_test, cancel_takes_a_run_out_of_the_queue_or_ends_it) {
  auto running = run(), other = run(), waiting = run();
  self->send(admission, msg::cancel_atom::value, uint64_t{3});
  settle();
  EXPECT_EQ(waiting.get().status, msg::run_status::cancelled);
  self->send(admission, msg::cancel_atom::value, uint64_t{1});
  settle();
  EXPECT_EQ(running.count(), 1u);
  EXPECT_EQ(runs->cancelled, std::vector<uint64_t>{1});
}

TEST_F(admission_test, stop_ends_all_and_takes_no_more) {
  auto a = run(), b = run(), c = run();
  auto stopped = send<bool>(admission, msg::stop_atom::value);
  settle();
  EXPECT_TRUE(stopped.get());
  EXPECT_EQ(a.count() + b.count() + c.count(), 3u);
  EXPECT_EQ(run().get().error.code, errc::shutting_down);
}

TEST_F(admission_test, a_run_that_waits_for_its_session_is_waited_for) {
  msg::run_request request;
  request.id = ++last_id;
  request.timeout_ms = 1'000;
  request.session = "s";
  auto report = send<msg::run_report>(admission, msg::run_atom::value, std::move(request), msg::run_listener{});
  advance(msg::limits::run_queue_wait_most);
  EXPECT_EQ(report.count(), 0u) << "its time has not begun";
  finish(last_id);
  EXPECT_EQ(report.get().error.code, errc::none);
}

TEST_F(admission_test, an_execution_that_never_reports_is_ended) {
  auto report = run();
  advance(1h);
  EXPECT_EQ(report.count(), 0u) << "it may just report, if the process stood still";
  advance(2s);
  EXPECT_EQ(report.get().error.code, errc::internal);
  EXPECT_EQ(status().running, 0u);
  EXPECT_TRUE(ask_if_dead(runs->open.at(0).actor));
}

TEST_F(admission_test, an_execution_that_dies_gives_its_place_and_an_answer_at_once) {
  auto died = run(), other = run(), waiting = run();
  self->send_exit(runs->open.front().actor, caf::exit_reason::kill);
  settle();
  EXPECT_EQ(died.get().error.code, errc::internal);
  EXPECT_EQ(status().running, 2u) << "the one that waited has its place";
  EXPECT_EQ(runs->open.back().id, 3u);
  finish(2), finish(3);
  EXPECT_EQ(other.count() + waiting.count(), 2u);
  EXPECT_EQ(status().running, 0u);
}

TEST_F(admission_test, an_execution_that_reported_and_ends_is_counted_once) {
  auto one = run();
  finish(1);
  advance(1h);
  EXPECT_EQ(one.count(), 1u);
  EXPECT_EQ(status().finished, 1u);
}

TEST_F(admission_test, clients_take_turns_in_the_queue) {
  (void)run(1), (void)run(1);
  std::vector<pending<msg::run_report>> waiting{run(1), run(1), run(2)};
  finish(1);
  ASSERT_EQ(runs->open.back().id, 3u);
  finish(2);
  EXPECT_EQ(runs->open.back().id, 5u) << "it is the other client's turn";
}

TEST_F(admission_test, a_full_queue_is_shared_evenly) {
  (void)run(1), (void)run(1);
  auto first = run(1), second = run(1), third = run(1);
  auto other = run(2);
  EXPECT_EQ(other.count(), 0u);
  EXPECT_EQ(third.get().error.code, errc::overloaded) << "the youngest of the client that has the most";
  EXPECT_EQ(run(1).get().error.code, errc::overloaded);
  EXPECT_EQ(run(2).get().error.code, errc::overloaded) << "it has its share";
  EXPECT_EQ(first.count() + second.count(), 0u);
}

TEST_F(admission_test, clients_that_hold_much_leave_something_to_others) {
  end();
  begin({}, 8, 4);
  for (int i = 0; i < 4; ++i)
    (void)run(1), (void)run(2);
  EXPECT_EQ(runs->open.size(), 7u) << "the last place is for a client that has none";
  (void)run(3);
  EXPECT_EQ(runs->open.size(), 8u);
  for (uint64_t id = 1; id <= 6; ++id)
    EXPECT_TRUE(ask<bool>(admission, msg::rest_atom::value, id));
  EXPECT_TRUE(ask<bool>(admission, msg::rest_atom::value, uint64_t{7}));
  EXPECT_FALSE(ask<bool>(admission, msg::rest_atom::value, uint64_t{8})) << "the same holds for questions to people";
  EXPECT_TRUE(ask<bool>(admission, msg::rest_atom::value, uint64_t{9}));
}

TEST_F(admission_test, a_client_that_has_none_waits_for_nobody_who_may_not_have_more) {
  end();
  begin({}, 8, 8);
  for (int i = 0; i < 7; ++i)
    (void)run(1);
  (void)run(2);
  auto more = run(1), next = run(2);
  finish(8);
  EXPECT_EQ(runs->open.back().id, 10u);
  EXPECT_EQ(more.count() + next.count(), 0u);
}

TEST_F(admission_test, runs_of_a_client_are_limited) {
  end();
  begin({2, 60'000});
  (void)run(1), (void)run(1);
  auto refused = run(1).get();
  EXPECT_EQ(refused.error.code, errc::rate_limited);
  EXPECT_NE(refused.error.message.find("try again in 30000 ms"), std::string::npos) << refused.error.message;
  EXPECT_EQ(run(2).count(), 0u) << "another client";
  advance(30s);
  EXPECT_EQ(run(1).count(), 0u);
}

/// A seeded storm: whatever happens in whatever order, every run is reported once, and no slot is held for ever.
class admission_storm : public admission_test, public ::testing::WithParamInterface<int> {};

TEST_P(admission_storm, every_run_is_reported_once) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  rng.seed(static_cast<uint64_t>(GetParam()));
  std::vector<pending<msg::run_report>> reports;
  auto random_run = [&] { return runs->open[rng() % runs->open.size()]; };
  for (int i = 0; i < 80; ++i) {
    switch (rng() % 8) {
      case 0: advance(std::chrono::seconds(rng() % 20)); break;
      case 1: self->send(admission, msg::cancel_atom::value, 1 + rng() % (last_id + 1)); break;
      case 2:
        if (!runs->open.empty())
          self->send_exit(random_run().actor, caf::exit_reason::kill);
        break;
      case 3:
      case 4:
        if (!runs->open.empty())
          self->send(random_run().actor, msg::deadline_atom::value);
        break;
      default: {
        msg::run_request request;
        request.client = 1 + rng() % 3;
        request.id = ++last_id;
        request.timeout_ms = 1'000 + static_cast<uint32_t>(rng() % 300'000);
        reports.push_back(
          send<msg::run_report>(admission, msg::run_atom::value, std::move(request), msg::run_listener{}));
      }
    }
    if (rng() % 3 != 0)
      settle_shuffled();
    EXPECT_LE(status().running, 2u);
  }
  for (int i = 0; i < 10; ++i) {
    for (auto& one : runs->open)
      self->send(one.actor, msg::deadline_atom::value);
    settle();
    advance(31s);
  }
  for (size_t i = 0; i < reports.size(); ++i)
    EXPECT_EQ(reports[i].count(), 1u) << "run " << i + 1;
  EXPECT_EQ(status().running, 0u);
  EXPECT_EQ(status().queued, 0u);
}
INSTANTIATE_TEST_SUITE_P(seeds, admission_storm, ::testing::Range(0, 100));
