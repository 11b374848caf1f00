#include "tests/actors/execution_fixture.hpp"

using namespace execution_fakes;

TEST_F(execution_test, a_result_is_reported_with_the_output) {
  begin();
  frame(R"({"type":"done","result":{"x":1}})");
  auto r = report.get();
  EXPECT_EQ(r.status, run_status::success);
  EXPECT_EQ(r.result.text(), R"({"x":1})");
  EXPECT_EQ(r.output.head, "printed so far");
  EXPECT_EQ(w->finished, 1);
}

TEST_F(execution_test, a_call_is_resolved_dispatched_unwrapped_and_counted) {
  begin();
  call(1);
  call(2, "unknown");
  ASSERT_EQ(w->replies.size(), 2u);
  EXPECT_EQ(w->replies[0].second.value.text(), R"({"sum":3})");
  EXPECT_EQ(w->replies[1].second.error.code, errc::unknown_tool);
  frame(R"({"type":"done"})");
  auto tools = report.get().tools;
  ASSERT_EQ(tools.size(), 2u);
  EXPECT_EQ(tools[0].name, "mcp__s__add");
  EXPECT_EQ(tools[0].successes, 1u);
  EXPECT_EQ(tools[1].errors, 1u);
}

TEST_F(execution_test, the_first_results_of_a_tool_are_learned_from) {
  begin();
  for (uint64_t id = 1; id <= 30; ++id)
    call(id);
  ASSERT_EQ(w->learned.size(), 20u);
  EXPECT_EQ(w->learned[0], R"(add {"sum":3})");
}

TEST_F(execution_test, a_warning_about_results_is_told_once_on_stderr) {
  begin();
  w->warning = "the result is not as promised";
  call(1);
  call(2);
  frame(R"({"type":"done"})");
  auto text = report.get().diagnostics.head;
  EXPECT_EQ(text, "Warning: the result is not as promised.\n");
}

TEST_F(execution_test, the_deadline_ends_it_and_cancels_calls_in_flight) {
  begin();
  w->answers_calls = false;
  call(1);
  advance(4'999ms);
  EXPECT_EQ(report.count(), 0u);
  advance(1ms);
  auto r = report.get();
  EXPECT_EQ(r.status, run_status::timeout);
  EXPECT_EQ(r.error.code, errc::run_timeout);
  EXPECT_EQ(w->ended_runs, std::vector<uint64_t>{7});
  EXPECT_EQ(r.tools.at(0).errors, 1u);
}

TEST_F(execution_test, cancel_ends_it_once) {
  begin();
  self->send(execution, msg::cancel_atom::value);
  self->send(execution, msg::cancel_atom::value);
  settle();
  EXPECT_EQ(report.get().status, run_status::cancelled);
  EXPECT_EQ(w->finished, 1);
}

TEST_F(execution_test, forged_and_broken_frames_fail_the_run_and_nothing_else) {
  for (auto text : {R"(5)", R"({"type":"reply","id":1})", R"({"type":"request","id":-1,"method":"call","params":{}})",
                    R"({"type":"request","id":1})", R"({"type":"done","error":5})"}) {
    begin();
    frame(text);
    EXPECT_EQ(report.get().error.code, errc::guest_protocol) << text;
    settle();
  }
}

TEST_F(execution_test, an_id_used_twice_is_a_violation) {
  begin();
  w->answers_calls = false;
  call(1);
  call(1);
  EXPECT_EQ(report.get().error.code, errc::guest_protocol);
}

TEST_F(execution_test, frames_after_the_end_change_nothing) {
  begin();
  auto listener = w->listener;
  frame(R"({"type":"done","result":1})");
  caf::anon_send(listener, msg::frame_atom::value, msg::document{json::parse(R"({"type":"done","result":2})")});
  settle();
  EXPECT_EQ(report.get().result.text(), "1");
}

TEST_F(execution_test, a_guest_that_was_ended_for_its_memory_says_so_exactly) {
  begin();
  msg::guest_exit how;
  how.code = 137;
  how.was_ready = how.out_of_memory = true;
  how.memory_mib_max = 64;
  exit(how);
  EXPECT_EQ(report.get().error.code, errc::limit_exceeded);
  EXPECT_EQ(report.get().error.message, "the program was ended: memory limit of 64 MiB (sandbox.memoryMb) reached");
}

TEST_F(execution_test, a_kill_that_was_not_for_memory_is_not_called_so) {
  begin();
  msg::guest_exit how;
  how.code = 137;
  how.was_ready = true;
  how.memory_mib_max = 64; // the kernel or the memory watch counts, and it was not that
  exit(how);
  EXPECT_EQ(report.get().error.message, "the program's process was ended by SIGKILL (Killed)");
}

TEST_F(execution_test, a_guest_that_dies_is_a_failed_run) {
  begin();
  exit(137);
  EXPECT_EQ(report.get().error.code, errc::guest_died);
  EXPECT_NE(report.get().error.message.find("memory limit"), std::string::npos);
}

TEST_F(execution_test, a_guest_that_never_was_ready_is_started_once_more) {
  begin();
  exit(1, {}, false);
  EXPECT_EQ(report.count(), 0u);
  EXPECT_EQ(w->wishes.size(), 2u);
  frame(R"({"type":"done","result":1})");
  EXPECT_EQ(report.get().status, run_status::success);
}

TEST_F(execution_test, a_guest_that_is_started_once_more_has_what_is_left_of_the_time) {
  begin();
  advance(3s);
  exit(1, {}, false);
  ASSERT_EQ(w->wishes.size(), 2u);
  EXPECT_EQ(report.count(), 0u);
  advance(2s);
  EXPECT_EQ(report.get().status, run_status::timeout);
}

TEST_F(execution_test, a_guest_that_can_not_be_started_says_how_it_ended) {
  begin();
  exit(1, {}, false);
  exit(1, {}, false);
  auto e = report.get().error;
  EXPECT_EQ(e.code, errc::runtime_missing);
  EXPECT_EQ(e.message, "the sandbox could not start a TypeScript guest: it ended with exit code 1 before it was ready");
  EXPECT_EQ(w->wishes.size(), 2u);
}

TEST_F(execution_test, one_run_has_a_bound_on_its_calls) {
  begin();
  for (uint32_t i = 1; i <= limits::tool_calls_max + 1; ++i)
    call(static_cast<int>(i));
  ASSERT_EQ(w->replies.size(), limits::tool_calls_max + 1);
  EXPECT_EQ(w->calls.size(), limits::tool_calls_max);
  int refused = 0;
  for (auto& [id, answer] : w->replies)
    refused += answer.error.code == errc::limit_exceeded;
  EXPECT_EQ(refused, 1);
  frame(R"({"type":"done"})");
}

TEST_F(execution_test, one_run_has_a_bound_on_open_requests) {
  begin();
  w->answers_calls = false;
  for (size_t i = 1; i <= limits::guest_requests_max + 1; ++i)
    call(static_cast<int>(i));
  ASSERT_EQ(w->replies.size(), 1u);
  EXPECT_EQ(w->replies[0].second.error.code, errc::overloaded);
  frame(R"({"type":"done"})");
  EXPECT_EQ(w->ended_runs, std::vector<uint64_t>{7});
  EXPECT_EQ(report.get().tools.at(0).errors, limits::guest_requests_max + 1);
}

TEST_F(execution_test, displayed_blocks_are_reported_in_order_and_bounded) {
  begin();
  frame(R"({"type":"display","block":{"type":"text","text":"a"}})");
  frame(R"({"type":"display","block":{"type":"image","data":"aGk=","mimeType":"image/png"}})");
  for (size_t i = 0; i < limits::display_blocks_max; ++i)
    frame(R"({"type":"display","block":{"type":"json","value":[1]}})");
  frame(R"({"type":"done"})");
  auto r = report.get();
  ASSERT_EQ(r.displayed.size(), limits::display_blocks_max);
  EXPECT_EQ(r.displayed[0].value.text(), R"("a")");
  EXPECT_EQ(r.displayed[1].mime_type, "image/png");
  EXPECT_NE(r.diagnostics.head.find("displayed"), std::string::npos);
}

TEST_F(execution_test, a_session_gets_its_guest_back_when_the_program_is_done) {
  begin(false, "s");
  EXPECT_TRUE(w->kept);
  frame(R"({"type":"done","error":{"name":"Error","message":"of the program"}})");
  auto r = report.get();
  EXPECT_EQ(r.status, run_status::error);
  EXPECT_EQ(r.session.state, msg::session_state::kept);
  EXPECT_EQ(w->released, std::vector<std::string>{""});
  EXPECT_EQ(w->collected, 1);
  EXPECT_EQ(w->finished, 0);
}

TEST_F(execution_test, a_session_is_lost_by_a_timeout) {
  begin(false, "s");
  advance(5s);
  auto r = report.get();
  EXPECT_EQ(r.session.state, msg::session_state::lost);
  EXPECT_NE(r.session.reason.find("timed out"), std::string::npos);
  ASSERT_EQ(w->released.size(), 1u);
  EXPECT_NE(w->released[0], "");
  EXPECT_EQ(w->finished, 1);
}

TEST_F(execution_test, a_run_that_ends_with_the_server_says_so) {
  begin();
  self->send(execution, msg::stop_atom::value);
  settle();
  auto ended = report.get();
  EXPECT_EQ(ended.status, run_status::cancelled);
  EXPECT_EQ(ended.error.code, errc::shutting_down);
  EXPECT_EQ(ended.error.message, "the server is being stopped");
}

TEST_F(execution_test, a_run_that_is_cancelled_while_it_waits_gives_the_session_back_untouched) {
  w->session_is_busy = true;
  begin(false, "s");
  self->send(execution, msg::cancel_atom::value);
  settle();
  EXPECT_EQ(report.get().status, run_status::cancelled);
  EXPECT_EQ(w->released.size(), 0u);
  free_session();
  EXPECT_EQ(w->released, std::vector<std::string>{"not begun"});
  EXPECT_EQ(w->listener, nullptr) << "the program of a cancelled run was started";
}

TEST_F(execution_test, the_time_of_a_run_begins_when_it_has_its_session) {
  w->session_is_busy = true;
  begin(false, "s");
  advance(10s);
  EXPECT_EQ(report.count(), 0u);
  free_session();
  advance(4s);
  EXPECT_EQ(report.count(), 0u);
  advance(1s);
  EXPECT_EQ(report.get().status, run_status::timeout);
}

TEST_F(execution_test, a_guest_that_died_between_grant_and_attach_is_replaced) {
  for (auto* session : {"", "s"}) {
    SCOPED_TRACE(session);
    *w = world{};
    w->dead_guests = 2;
    begin(false, session);
    EXPECT_EQ(w->wishes.size(), 3u);
    EXPECT_EQ(w->released.size(), 0u) << "the run keeps its turn";
    advance(4s);
    frame(R"({"type":"done","result":1})");
    EXPECT_EQ(report.get().status, run_status::success);
  }
}

TEST_F(execution_test, guests_that_die_before_they_have_the_program_fail_the_run_in_the_end) {
  w->dead_guests = 100;
  begin(false, "s");
  auto r = report.get();
  EXPECT_EQ(r.error.code, errc::internal);
  EXPECT_LT(w->wishes.size(), 10u);
  EXPECT_EQ(w->released.size(), 1u);
  EXPECT_EQ(r.session.state, msg::session_state::lost);
}

TEST_F(execution_test, the_time_in_which_it_waits_for_another_guest_does_not_count) {
  w->session_is_busy = true;
  w->dead_guests = 1;
  begin(false, "s");
  free_session(); // the first guest: dead
  advance(3s);    // it waits for the second
  free_session();
  advance(3s); // 6 s after the first
  EXPECT_EQ(report.count(), 0u);
  advance(2s);
  EXPECT_EQ(report.get().status, run_status::timeout);
}

TEST_F(execution_test, a_sandbox_whose_actor_dies_loses_the_session_and_gives_it_back) {
  begin(false, "s");
  self->send_exit(w->sandboxes.at(0), caf::exit_reason::kill);
  settle();
  auto r = report.get();
  EXPECT_EQ(r.error.code, errc::internal);
  EXPECT_EQ(r.session.state, msg::session_state::lost);
  EXPECT_EQ(w->wishes.size(), 1u) << "the program may have begun: it is not run twice";
  ASSERT_EQ(w->released.size(), 1u);
  EXPECT_NE(w->released[0], "");
}

TEST_F(execution_test, whatever_a_sessions_guest_has_asked_is_answered_once_when_the_run_ends) {
  w->answers_calls = w->answers_searches = false;
  begin(false, "s");
  call(1);
  frame(R"({"type":"request","id":2,"method":"search","params":{"query":"x"}})");
  EXPECT_EQ(w->replies.size(), 0u);
  caf::anon_send(w->listener, msg::frame_atom::value, msg::document{json::parse(R"({"type":"done"})")});
  caf::anon_send(w->listener, msg::frame_atom::value,
                 msg::document{json::parse(R"({"type":"request","id":3,"method":"servers","params":{}})")});
  settle();
  EXPECT_EQ(report.get().session.state, msg::session_state::kept);
  std::map<uint64_t, errc> answered;
  for (auto& [id, answer] : w->replies)
    EXPECT_TRUE(answered.emplace(id, answer.error.code).second) << id << " twice";
  EXPECT_EQ(answered, (std::map<uint64_t, errc>{{1, errc::cancelled}, {2, errc::cancelled}, {3, errc::cancelled}}));
  self->send(connector, msg::running_atom::value, std::string{}, true);
  settle();
  EXPECT_EQ(w->replies.size(), 3u) << "a late answer";
}

TEST_F(execution_test, one_program_does_not_fill_the_queue_of_the_catalog) {
  constexpr size_t asked = 20, at_once = 8;
  w->answers_searches = false;
  begin();
  for (size_t id = 1; id <= asked; ++id)
    frame(R"({"type":"request","method":"search","params":{"query":"x"},"id":)" + std::to_string(id) + "}");
  EXPECT_EQ(w->open_searches.size(), at_once);
  for (size_t answered = 0; answered < asked; answered += at_once) {
    EXPECT_EQ(w->replies.size(), answered);
    self->send(connector, msg::running_atom::value, std::string{}, true);
    settle();
  }
  EXPECT_EQ(w->replies.size(), asked);
}

TEST_F(execution_test, many_tools_are_described_on_another_thread) {
  for (int i = 0; i <= 50; ++i)
    w->found.emplace_back().name = "t" + std::to_string(i);
  begin();
  holds_work = true;
  frame(R"({"type":"request","id":2,"method":"search","params":{"query":"x"}})");
  EXPECT_EQ(w->replies.size(), 0u);
  held();
  settle();
  ASSERT_EQ(w->replies.size(), 1u);
  EXPECT_EQ(w->replies[0].second.value.value().as_array().size(), 51u);
}

TEST_F(execution_test, without_memory_to_describe_tools_the_search_fails) {
  w->found.resize(51);
  begin();
  work_fails = {errc::limit_exceeded, "no memory"};
  frame(R"({"type":"request","id":2,"method":"search","params":{"query":"x"}})");
  settle();
  ASSERT_EQ(w->replies.size(), 1u);
  EXPECT_EQ(w->replies[0].second.error.code, errc::limit_exceeded);
}

TEST_F(execution_test, an_id_of_another_request_that_is_open_is_a_violation_too) {
  w->answers_searches = false;
  begin();
  frame(R"({"type":"request","id":2,"method":"search","params":{"query":"x"}})");
  call(2);
  EXPECT_EQ(report.get().error.code, errc::guest_protocol);
}

TEST_F(execution_test, progress_beyond_every_integer_is_shown_as_it_is) {
  w->answers_calls = false;
  listens = true;
  begin(true);
  call(1);
  for (auto [progress, total] : {std::pair{1e300, -1e300}, {0.5, 1e19}, {3.0, 4.0}}) {
    advance(limits::progress_interval);
    self->send(execution, msg::progress_atom::value, msg::tool_progress{{7, 1}, progress, total, ""});
    settle();
  }
  ASSERT_GE(told.size(), 3u);
  told.erase(told.begin(), told.end() - 3);
  EXPECT_EQ(told, (std::vector<std::string>{"mcp__s__add: 1e+300", "mcp__s__add: 0.5/1e+19", "mcp__s__add: 3/4"}));
}

/// A seeded storm: whatever happens in whatever order, the run is reported once and every open call is cancelled.
class execution_storm : public execution_test, public ::testing::WithParamInterface<int> {};

TEST_P(execution_storm, is_reported_once) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  rng.seed(static_cast<uint64_t>(GetParam()));
  begin();
  w->answers_calls = rng() % 2 == 0;
  int id = 0;
  auto listener = w->listener;
  auto post = [&](std::string text) {
    caf::anon_send(listener, msg::frame_atom::value, msg::document{json::parse(text)});
  };
  for (int i = 0; i < 60; ++i) {
    switch (rng() % 12) {
      case 0: post(R"({"type":"done","result":1})"); break;
      case 1: self->send(execution, msg::cancel_atom::value); break;
      case 2: post("[]"); break;
      case 3: sched.advance_time(std::chrono::milliseconds(rng() % 300)); break;
      case 4: {
        msg::guest_exit how;
        how.code = static_cast<int>(rng() % 3);
        caf::anon_send(listener, msg::exit_atom::value, how);
        break;
      }
      default:
        post(R"({"type":"request","id":)" + std::to_string(++id)
             + R"(,"method":"call","params":{"server":"s","tool":"add"}})");
        break;
    }
    if (rng() % 4 == 0)
      settle_shuffled();
  }
  advance(6s);
  EXPECT_EQ(report.count(), 1u);
}
INSTANTIATE_TEST_SUITE_P(seeds, execution_storm, ::testing::Range(0, 100));
