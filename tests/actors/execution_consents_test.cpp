// What a program asks the person at the client, and what the person is asked before its calls.
#include "tests/actors/execution_fixture.hpp"

using namespace execution_fakes;

namespace {

struct execution_consents_test : execution_test {
  execution_consents_test() {
    listens = true;
    confirmed = {"mcp__s__*"};
    w->needs_consent = true;
  }
  void say(size_t question, const char* text) {
    said = msg::document{json::parse(text)};
    self->send(caf::actor_cast<msg::run_listener>(listening), msg::cancel_atom::value, msg::call_key{question, 0});
    settle();
  }
  void ask(int id, std::string params) {
    frame(R"({"type":"request","id":)" + std::to_string(id) + R"(,"method":"ask","params":)" + params + "}");
  }
  void approve(int id, std::string params) {
    frame(R"({"type":"request","id":)" + std::to_string(id) + R"(,"method":"approve","params":)" + params + "}");
  }
  std::string message(size_t question) {
    return std::string{questions.at(question).second.params.value().at("message").as_string()};
  }
};

} // namespace

TEST_F(execution_consents_test, a_call_waits_for_the_person_and_is_made_then) {
  begin();
  call(1);
  EXPECT_TRUE(questions.empty());
  advance(50ms);
  ASSERT_EQ(questions.size(), 1u);
  EXPECT_EQ(questions[0].second.asker, msg::question_asker::policy);
  EXPECT_EQ(questions[0].second.call.run, 7u);
  advance(60s); // the clock stands still
  EXPECT_EQ(report.count(), 0u);
  EXPECT_TRUE(w->replies.empty());
  say(0, R"({"action":"accept"})");
  ASSERT_EQ(w->replies.size(), 1u);
  EXPECT_TRUE(w->replies[0].second.ok());
  ASSERT_EQ(w->calls.size(), 2u);
  EXPECT_EQ(w->calls[1].agreed.tool, "add");
  frame(R"({"type":"done"})");
  EXPECT_EQ(report.get().status, run_status::success);
  EXPECT_EQ(report.get().tools.at(0).successes, 1u);
}

TEST_F(execution_consents_test, refused_it_fails_and_the_program_goes_on) {
  begin();
  call(1);
  advance(50ms);
  say(0, R"({"action":"decline"})");
  ASSERT_EQ(w->replies.size(), 1u);
  EXPECT_EQ(w->replies[0].second.error.code, errc::not_approved);
  call(2);
  EXPECT_EQ(w->replies.size(), 2u) << "at once, and nobody is asked";
  EXPECT_EQ(questions.size(), 1u);
  EXPECT_EQ(report.count(), 0u);
}

TEST_F(execution_consents_test, without_a_client_it_fails) {
  listens = false;
  begin();
  call(1);
  advance(50ms);
  ASSERT_EQ(w->replies.size(), 1u);
  EXPECT_EQ(w->replies[0].second.error.code, errc::not_approved);
  EXPECT_NE(w->replies[0].second.error.message.find("no client"), std::string::npos);
}

TEST_F(execution_consents_test, a_call_that_a_model_wants_goes_the_same_way) {
  begin();
  auto answered = send<msg::outcome<msg::document>>(execution, msg::call_atom::value, msg::tool_ref{"", "s", "add"},
                                                    msg::document{json::object{}});
  settle();
  advance(50ms);
  ASSERT_EQ(questions.size(), 1u);
  say(0, R"({"action":"decline"})");
  EXPECT_EQ(answered.get().error.code, errc::not_approved);
}

TEST_F(execution_consents_test, what_is_announced_is_asked_for_at_once) {
  begin();
  approve(1, R"({"summary":["mcp__s__add x 2"]})");
  ASSERT_EQ(questions.size(), 1u);
  EXPECT_NE(message(0).find("mcp__s__add (server 's') x 2"), std::string::npos) << message(0);
  say(0, R"({"action":"accept"})");
  EXPECT_EQ(w->replies.at(0).second.value.value(), json::value(true));
  call(2), call(3);
  EXPECT_EQ(w->replies.size(), 3u);
  call(4);
  advance(50ms);
  EXPECT_EQ(questions.size(), 2u) << "it goes beyond";
}

TEST_F(execution_consents_test, unknown_tools_can_not_be_announced) {
  begin();
  approve(1, R"({"summary":["mcp__s__unknown x 2"]})");
  EXPECT_EQ(w->replies.at(0).second.error.code, errc::unknown_tool);
  approve(2, R"({"summary":"*"})");
  EXPECT_EQ(w->replies.at(1).second.error.code, errc::invalid_argument);
  EXPECT_TRUE(questions.empty());
}

TEST_F(execution_consents_test, where_no_call_needs_it_nobody_is_asked) {
  confirmed = {};
  w->needs_consent = false;
  begin();
  approve(1, R"({"summary":["mcp__s__add x 2"]})");
  approve(2, "{}");
  EXPECT_EQ(w->replies.at(1).second.value.value(), json::value(true));
  EXPECT_TRUE(questions.empty());
}

TEST_F(execution_consents_test, questions_of_a_program) {
  begin();
  ask(1, R"({"message":"Which?","schema":{"type":"object","properties":{"n":{"type":"integer","default":5}}}})");
  ASSERT_EQ(questions.size(), 1u);
  EXPECT_EQ(questions[0].second.asker, msg::question_asker::program);
  EXPECT_EQ(message(0), "Which?");
  advance(60s);
  EXPECT_EQ(report.count(), 0u);
  say(0, R"({"action":"accept","content":{"other":1}})");
  EXPECT_EQ(w->replies.at(0).second.value.text(), R"({"action":"accept","content":{"n":5}})");
  ask(2, R"({"message":"Which?"})");
  say(1, R"({"action":"decline"})");
  EXPECT_EQ(w->replies.at(1).second.value.text(), R"({"action":"decline"})");
  ask(3, R"({"message":"Which?"})");
  say(2, R"({"action":"accept","content":{"answer":7}})");
  EXPECT_EQ(w->replies.at(2).second.error.code, errc::protocol_violation);
  ask(4, R"({"message":"Which?"})");
  advance(msg::question_wait_max);
  EXPECT_EQ(w->replies.at(3).second.error.code, errc::call_timeout);
}

TEST_F(execution_consents_test, questions_of_a_program_are_bounded) {
  begin();
  for (int i = 1; i <= static_cast<int>(actors::run::program_questions_max); ++i) {
    ask(i, R"({"message":"Which?"})");
    say(static_cast<size_t>(i) - 1, R"({"action":"decline"})");
  }
  ask(99, R"({"message":"Which?"})");
  EXPECT_EQ(w->replies.back().second.error.code, errc::limit_exceeded);
  EXPECT_EQ(questions.size(), actors::run::program_questions_max);
}

TEST_F(execution_consents_test, the_end_of_the_run_withdraws_what_is_asked) {
  begin();
  ask(1, R"({"message":"Which?"})");
  call(2);
  advance(50ms);
  EXPECT_EQ(questions.size(), 2u);
  self->send(execution, msg::cancel_atom::value);
  settle();
  EXPECT_EQ(withdrawn.size(), 2u);
  EXPECT_EQ(report.get().status, run_status::cancelled);
}
