// Dangerous patterns: before a guest is taken, whatever the size of the program.
#include "tests/actors/execution_fixture.hpp"

using namespace execution_fakes;
using pattern_policy = ::config::pattern_policy;

TEST_F(execution_test, a_dangerous_program_gets_no_guest) {
  code = "1;\n eval(x)";
  begin();
  auto r = report.get();
  EXPECT_EQ(r.status, run_status::error);
  EXPECT_EQ(r.error.code, errc::dangerous_code);
  EXPECT_EQ(r.error.line, 2u);
  EXPECT_EQ(r.error.column, 2u);
  EXPECT_NE(r.error.message.find("eval at 2:2"), std::string::npos) << r.error.message;
  EXPECT_TRUE(w->wishes.empty());
}

TEST_F(execution_test, a_session_is_not_touched_by_a_dangerous_program) {
  code = "eval(x)";
  begin(false, "s");
  EXPECT_EQ(report.get().error.code, errc::dangerous_code);
  EXPECT_TRUE(w->wishes.empty() && w->released.empty());
}

TEST_F(execution_test, a_warning_goes_to_the_model) {
  code = "eval(x)";
  policy = pattern_policy::warn;
  begin();
  frame(R"({"type":"done"})");
  auto r = report.get();
  EXPECT_EQ(r.status, run_status::success);
  EXPECT_EQ(r.diagnostics.head, "Warning: dangerous pattern: eval at 1:1: `eval` runs text as code.\n");
}

TEST_F(execution_test, nobody_looks_when_it_is_off) {
  code = "eval(x)";
  policy = pattern_policy::off;
  begin();
  frame(R"({"type":"done"})");
  EXPECT_EQ(report.get().diagnostics.head, "");
}

TEST_F(execution_test, the_worker_looks_through_large_programs) {
  code = std::string(1u << 20, ' ') + "eval(x)";
  holds_work = true;
  begin();
  EXPECT_EQ(report.count(), 0u);
  ASSERT_TRUE(held);
  std::exchange(held, nullptr)();
  settle();
  EXPECT_EQ(report.get().error.code, errc::dangerous_code);
}

TEST_F(execution_test, it_can_be_cancelled_while_the_worker_looks) {
  code = std::string(1u << 20, ' ');
  holds_work = true;
  begin();
  caf::anon_send(execution, msg::cancel_atom::value);
  settle();
  EXPECT_EQ(report.get().status, run_status::cancelled);
  std::exchange(held, nullptr)();
  settle();
  EXPECT_TRUE(w->wishes.empty());
}
