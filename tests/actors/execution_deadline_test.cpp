// What becomes of calls whose servers do not start, and what a run says that ran out of time, or that ends before its
// calls.
#include "tests/actors/execution_fixture.hpp"

using namespace execution_fakes;

struct execution_deadline_test : execution_test {
  void call_unanswered(uint64_t id) {
    w->answers_calls = false;
    call(id);
  }
};

TEST_F(execution_deadline_test, a_run_out_of_time_names_what_was_open) {
  begin();
  call_unanswered(1);
  advance(5s);
  auto r = report.get();
  EXPECT_EQ(r.status, run_status::timeout);
  EXPECT_EQ(r.error.message.substr(0, 64), "Execution timed out after 5000 ms (timeoutMs; at most 300000)\nSt")
    << r.error.message;
  EXPECT_NE(r.error.message.find("Still open: mcp__s__add (5.0 s without an answer)"), std::string::npos)
    << r.error.message;
}

TEST_F(execution_deadline_test, a_server_that_is_starting_is_named) {
  begin();
  advance(3s);
  w->starting_ms = 1'900; // less than half of the run's time: it may come yet
  call_unanswered(1);
  advance(1s);
  EXPECT_EQ(w->replies.size(), 0u);
  advance(1s);
  auto message = report.get().error.message;
  EXPECT_NE(message.find("mcp__s__add (server 's' has been starting for 1.9 s)"), std::string::npos) << message;
}

TEST_F(execution_deadline_test, calls_of_a_server_that_hangs_at_its_start_fail_before_the_run_does) {
  begin();
  call_unanswered(1);
  w->starting_ms = 3'900;
  advance(3'999ms);
  EXPECT_EQ(w->replies.size(), 0u);
  advance(1ms);
  ASSERT_EQ(w->replies.size(), 1u);
  auto& why = w->replies[0].second.error;
  EXPECT_EQ(why.code, errc::server_start_failed);
  EXPECT_EQ(why.server, "s");
  EXPECT_NE(why.message.find("server 's' has been starting for 3.9 s"), std::string::npos) << why.message;
  EXPECT_NE(why.message.find("servers.startTimeoutMs"), std::string::npos) << why.message;
  ASSERT_EQ(w->cancelled.size(), 1u);
  EXPECT_EQ(report.count(), 0u);
  frame(R"({"type":"done","result":1})");
  EXPECT_EQ(report.get().status, run_status::success);
}

TEST_F(execution_deadline_test, calls_of_a_server_that_runs_wait_to_the_end) {
  begin();
  call_unanswered(1);
  advance(4'900ms);
  EXPECT_EQ(w->replies.size(), 0u);
}

TEST_F(execution_deadline_test, a_program_whose_sandbox_took_the_time_is_not_blamed) {
  w->has_begun = false;
  begin();
  advance(5s);
  auto message = report.get().error.message;
  EXPECT_NE(message.find("The program had not begun"), std::string::npos) << message;
}

TEST_F(execution_deadline_test, a_program_without_calls_is_told_so) {
  begin();
  advance(5s);
  auto message = report.get().error.message;
  EXPECT_NE(message.find("No call was open: the program itself took the time."), std::string::npos) << message;
}

TEST_F(execution_deadline_test, calls_that_a_program_has_not_waited_for_are_told) {
  w->answers_calls = false;
  auto notes = [&](std::vector<std::string> tools, const std::function<void()>& end) {
    begin();
    for (size_t i = 0; i < tools.size(); ++i)
      call(static_cast<int>(i) + 1, tools[i]);
    end();
    return report.get().diagnostics.head;
  };
  auto done = [&] { frame(R"({"type":"done"})"); };
  EXPECT_EQ(notes({"add"}, done), "1 call was still open when the program ended and was given up; its server may carry "
                                  "it out, if it has got it: mcp__s__add\n");
  EXPECT_EQ(notes({"a", "b", "a"}, done), "3 calls were still open when the program ended and were given up; their "
                                          "servers may carry out those that they have got: mcp__s__a, mcp__s__b\n");
  EXPECT_EQ(notes({"a", "b", "c", "d", "e", "f"}, [&] { exit(0); }),
            "6 calls were still open when the program ended and were given up; their servers may carry out those "
            "that they have got: mcp__s__a, mcp__s__b, mcp__s__c, "
            "mcp__s__d, mcp__s__e, ...\n");
  EXPECT_LT(notes({std::string(900, 'a')}, done).size(), 300u);
  EXPECT_EQ(notes({}, done), "");
  auto failed = [&] { frame(R"({"type":"done","error":{"message":"x"}})"); };
  for (auto& end :
       std::vector<std::function<void()>>{failed, [&] { exit(1); }, [&] { frame(R"({"type":"nonsense"})"); }})
    EXPECT_NE(notes({"a"}, end).find("1 call was still open"), std::string::npos)
      << "who reads the error would make the call again";
  EXPECT_EQ(notes({"a"}, [&] { advance(5'000ms); }), "") << "its error says what was open";
}
