// What a run tells the record.
#include "audit/line.hpp"
#include "tests/actors/execution_fixture.hpp"
#include "tests/actors/fake_record.hpp"

using namespace execution_fakes;
using msg::audit_kind;

struct execution_record_test : execution_test {
  testing_support::heard_events heard = std::make_shared<std::vector<msg::audit_event>>();

  execution_record_test() { record = sys.spawn(testing_support::fake_record, heard); }
  ~execution_record_test() override {
    self->send_exit(record, caf::exit_reason::user_shutdown);
    record = nullptr;
  }
  std::vector<msg::audit_event> of(audit_kind kind) const {
    std::vector<msg::audit_event> out;
    std::copy_if(heard->begin(), heard->end(), std::back_inserter(out), [&](auto& e) { return e.kind == kind; });
    return out;
  }
};

TEST_F(execution_record_test, a_run_and_its_calls) {
  begin();
  call(1);
  call(2, "unknown");
  frame(R"({"type":"done"})");
  ASSERT_EQ(heard->size(), 4u);
  auto begun = heard->at(0);
  EXPECT_EQ(begun.kind, audit_kind::run_begun);
  EXPECT_EQ(begun.run, 7u);
  EXPECT_EQ(begun.executor, "typescript");
  EXPECT_EQ(begun.code, "the program");
  EXPECT_EQ(begun.allowed_tools, std::vector<std::string>{"*"});
  auto calls = of(audit_kind::tool_call);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].run, 7u);
  EXPECT_EQ(calls[0].server, "s");
  EXPECT_EQ(calls[0].tool, "add");
  EXPECT_EQ(calls[0].arguments.text(), "{}");
  EXPECT_TRUE(calls[0].success);
  EXPECT_FALSE(calls[1].success);
  EXPECT_EQ(calls[1].server, "s");
  EXPECT_EQ(calls[1].tool, "unknown");
  EXPECT_EQ(calls[1].error, "unknown_tool: no such tool");
  auto run = of(audit_kind::run).at(0);
  EXPECT_EQ(run.run, 7u);
  EXPECT_EQ(run.state, "success");
  EXPECT_EQ(run.executor, "typescript");
  EXPECT_EQ(run.code, "the program");
  EXPECT_EQ(run.allowed_tools, std::vector<std::string>{"*"});
  EXPECT_EQ(run.tools_called, (std::vector<std::string>{"mcp__s__add", "mcp__s__unknown"}));
  EXPECT_TRUE(report.get().is_recorded);
}

TEST_F(execution_record_test, large_arguments_are_digested_at_once) {
  begin();
  w->answers_calls = false;
  auto arguments = R"({"text":")" + std::string(300'000, 'x') + R"("})";
  auto text =
    R"({"type":"request","id":1,"method":"call","params":{"server":"s","tool":"add","args":)" + arguments + "}}";
  caf::anon_send(w->listener, msg::frame_atom::value, msg::document{json::parse(text)});
  settle();
  frame(R"({"type":"done"})");
  auto call = of(audit_kind::tool_call).at(0);
  EXPECT_EQ(call.arguments.text(), "null");
  EXPECT_EQ(call.arguments_digest, audit::arguments_digest(msg::document{json::parse(arguments)}));
  EXPECT_EQ(call.error, "cancelled: the run ended before the answer came");
}

TEST_F(execution_record_test, calls_that_were_sent_are_told_from_those_that_never_were) {
  begin();
  w->answers_calls = false;
  call(1);
  call(2);
  w->unsent_calls = 1;
  advance(5'000ms);
  auto calls = of(audit_kind::tool_call);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].error, "cancelled: the run ended before it was sent");
  EXPECT_EQ(calls[1].error, "cancelled: the run ended before the answer came");
  EXPECT_EQ(heard->back().kind, audit_kind::run) << "the run's own line is its last";
}

/// By a mistake of ours, wherever it was.
TEST_F(execution_record_test, a_run_that_is_killed_has_its_lines_all_the_same) {
  begin();
  call(1);
  w->answers_calls = false;
  call(2);
  self->send_exit(execution, caf::exit_reason::kill);
  settle();
  auto calls = of(audit_kind::tool_call);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_TRUE(calls[0].success);
  EXPECT_EQ(calls[1].error, "cancelled: the run ended before the answer came");
  auto runs = of(audit_kind::run);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(heard->back().kind, audit_kind::run) << "the run's own line is its last";
  EXPECT_EQ(runs[0].state, "error");
  EXPECT_EQ(runs[0].tools_called, std::vector<std::string>{"mcp__s__add"});
  EXPECT_TRUE(report.get().is_recorded);
  EXPECT_EQ(report.get().error.code, msg::errc::internal);
}

TEST_F(execution_record_test, a_run_that_ends_in_order_has_one_line) {
  begin();
  frame(R"({"type":"done"})");
  self->send_exit(execution, caf::exit_reason::kill);
  settle();
  EXPECT_EQ(of(audit_kind::run).size(), 1u);
}

TEST_F(execution_record_test, a_call_that_is_open_for_long) {
  begin();
  w->answers_calls = false;
  call(1);
  advance(900ms);
  EXPECT_TRUE(of(audit_kind::call_open).empty());
  advance(100ms);
  auto open = of(audit_kind::call_open);
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(open[0].run, 7u);
  EXPECT_EQ(open[0].arguments.text(), "{}");
  advance(2'000ms);
  EXPECT_EQ(of(audit_kind::call_open).size(), 1u);
}

TEST_F(execution_record_test, an_exception_is_told_without_its_text) {
  begin();
  frame(R"({"type":"done","error":{"name":"TypeError","message":"hunter2 is wrong","line":3}})");
  auto run = of(audit_kind::run).at(0);
  EXPECT_FALSE(run.success);
  EXPECT_EQ(run.state, "error");
  EXPECT_EQ(run.error.find("hunter2"), std::string::npos);
  EXPECT_TRUE(run.error.starts_with("TypeError")) << run.error;
}

TEST_F(execution_record_test, a_run_that_is_timed_out_and_one_that_is_cancelled) {
  begin();
  advance(5'000ms);
  EXPECT_EQ(of(audit_kind::run).at(0).state, "timeout");
  begin();
  caf::anon_send(execution, msg::cancel_atom::value);
  settle();
  EXPECT_EQ(of(audit_kind::run).at(1).state, "cancelled");
}

TEST_F(execution_record_test, what_is_refused_without_end_has_a_bounded_number_of_lines) {
  begin();
  w->answers_calls = false;
  int id = 0;
  for (size_t i = 0; i < msg::limits::guest_requests_max + 300; ++i)
    call(++id);
  auto refused = of(audit_kind::refusal);
  ASSERT_EQ(refused.size(), msg::limits::audit_refusals_max);
  EXPECT_NE(refused.back().error.find("further refusals"), std::string::npos);
}

TEST_F(execution_record_test, the_memory_of_a_guest_that_had_too_little) {
  begin();
  msg::guest_exit how;
  how.was_ready = true;
  how.out_of_memory = true;
  how.memory_mib_max = 512;
  exit(how);
  EXPECT_EQ(of(audit_kind::run).at(0).memory_bytes, 512u << 20);
}

TEST_F(execution_record_test, calls_carry_the_trace_and_a_span_of_their_own) {
  trace.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  trace.span = 0x10;
  trace.baggage = "a=1";
  begin();
  call(1);
  call(2);
  frame(R"({"type":"done"})");
  ASSERT_EQ(w->calls.size(), 2u);
  EXPECT_EQ(w->calls[0].trace.parent, "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000011-01");
  EXPECT_EQ(w->calls[1].trace.parent, "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000012-01");
  EXPECT_EQ(w->calls[0].trace.baggage, "a=1");
  EXPECT_EQ(of(audit_kind::run).at(0).trace, trace.trace_id);
}
