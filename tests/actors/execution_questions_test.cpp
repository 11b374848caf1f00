// What servers ask in the middle of the calls of a run.
#include "tests/actors/execution_fixture.hpp"

using namespace execution_fakes;

namespace {

using answer = msg::outcome<msg::document>;

struct execution_questions_test : execution_test {
  execution_questions_test() {
    listens = true;
    begin();
    w->answers_calls = false;
    call(1);
  }
  pending<answer> ask_client(uint64_t question, uint64_t call = 1) {
    msg::server_question asked{
      {7, call}, true, question, msg::question_kind::form, "s", "add", msg::document{json::object{}}};
    auto p = send<answer>(execution, msg::question_atom::value, std::move(asked));
    settle();
    return p;
  }
  void say(size_t question, const char* text) {
    said = msg::document{json::parse(text)};
    self->send(caf::actor_cast<msg::run_listener>(listening), msg::cancel_atom::value, msg::call_key{question, 0});
    settle();
  }
};

} // namespace

TEST_F(execution_questions_test, the_client_is_asked_and_the_clock_stands_still) {
  auto answered = ask_client(5);
  ASSERT_EQ(questions.size(), 1u);
  EXPECT_EQ(questions[0].first.run, 7u);
  EXPECT_EQ(questions[0].second.number, 5u);
  advance(60s);
  EXPECT_EQ(report.count(), 0u);
  say(0, R"({"action":"accept"})");
  EXPECT_EQ(answered.get().value.text(), R"({"action":"accept"})");
  advance(4'999ms);
  EXPECT_EQ(report.count(), 0u);
  advance(1ms);
  EXPECT_EQ(report.get().status, run_status::timeout) << "its own time is over";
}

TEST_F(execution_questions_test, a_client_that_does_not_answer_is_waited_for_so_long) {
  auto answered = ask_client(1);
  advance(msg::question_wait_max);
  EXPECT_EQ(answered.get().error.code, errc::call_timeout);
  EXPECT_EQ(withdrawn.size(), 1u);
  frame(R"({"type":"done"})");
  EXPECT_NE(report.get().diagnostics.head.find("runs.questionTimeoutMs"), std::string::npos);
}

TEST_F(execution_questions_test, all_of_a_run_together_are_bounded) {
  for (int i = 0; i < 3; ++i) {
    auto answered = ask_client(1);
    advance(msg::question_wait_max);
    EXPECT_EQ(answered.get().error.code, errc::call_timeout);
  }
  EXPECT_EQ(ask_client(1).get().error.code, errc::limit_exceeded);
}

TEST_F(execution_questions_test, what_ends_withdraws_it) {
  auto of_server = ask_client(1), of_run = ask_client(2);
  self->send(execution, msg::question_atom::value, msg::call_key{7, 1}, uint64_t{1});
  settle();
  EXPECT_EQ(of_server.get().error.code, errc::cancelled);
  EXPECT_EQ(withdrawn.size(), 1u);
  self->send(execution, msg::cancel_atom::value);
  settle();
  EXPECT_EQ(of_run.get().error.code, errc::cancelled);
  EXPECT_EQ(withdrawn.size(), 2u);
  EXPECT_EQ(report.get().status, run_status::cancelled);
}

TEST_F(execution_questions_test, the_end_of_the_call_withdraws_it) {
  auto answered = ask_client(1);
  w->envelope = msg::document{json::parse(R"({"content":[]})")};
  self->send(connector, msg::running_atom::value, std::string{}, true); // answers what is open
  settle();
  EXPECT_EQ(w->replies.size(), 1u);
  EXPECT_EQ(answered.get().error.code, errc::cancelled);
  EXPECT_EQ(withdrawn.size(), 1u);
}
