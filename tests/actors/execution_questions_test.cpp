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

TEST_F(execution_questions_test, what_a_server_logs_reaches_the_client_until_the_run_ends) {
  auto log = [this](const char* said) {
    self->send(execution, msg::log_atom::value,
               msg::server_log{{7, 1}, true, msg::log_level::error, "s", msg::document{json::value(said)}});
    settle();
  };
  for (uint32_t i = 0; i < actors::run::log_lines_max + 2; ++i)
    log("x");
  ASSERT_EQ(logged.size(), actors::run::log_lines_max);
  EXPECT_EQ(logged[0].data.value(), json::value("x"));
  frame(R"({"type":"done"})");
  ASSERT_EQ(logged.size(), actors::run::log_lines_max + 1);
  EXPECT_EQ(logged.back().logger, "code-executor");
  log("late");
  EXPECT_EQ(logged.size(), actors::run::log_lines_max + 1);
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

namespace {

struct execution_logins_test : execution_test {
  execution_logins_test() {
    listens = opens_urls = true;
    w->refusals = 1;
    begin();
  }
  pending<answer> ask_to_log_in() {
    msg::server_question asked;
    asked.call = {7, 0};
    asked.kind = msg::question_kind::login;
    asked.server = "s";
    asked.params = msg::document{json::object{{"url", "https://a"}}};
    auto p = send<answer>(execution, msg::question_atom::value, std::move(asked));
    settle();
    return p;
  }
  void end_login(msg::outcome<bool> how) {
    w->login = std::move(how);
    self->send(connector, msg::running_atom::value, std::string{"logins"}, true);
    settle();
  }
};

} // namespace

TEST_F(execution_logins_test, a_call_waits_for_it_and_is_made_once_more) {
  call(1, "private");
  ASSERT_EQ(w->wanted_logins.size(), 1u);
  EXPECT_EQ(w->wanted_logins[0].server, "s");
  EXPECT_EQ(w->wanted_logins[0].run, 7u);
  EXPECT_EQ(w->wanted_logins[0].asker.client, 3u);
  auto asked = ask_to_log_in();
  ASSERT_EQ(questions.size(), 1u);
  advance(60s);
  EXPECT_EQ(report.count(), 0u) << "the clock stands still";
  EXPECT_TRUE(w->replies.empty());
  end_login(true);
  ASSERT_EQ(w->replies.size(), 1u);
  EXPECT_TRUE(w->replies[0].second.ok());
  ASSERT_EQ(logins_over.size(), 1u);
  EXPECT_EQ(logins_over[0], (std::pair{questions[0].first, true}));
  said = msg::document{json::parse(R"({"action":"accept"})")};
  self->send(caf::actor_cast<msg::run_listener>(listening), msg::cancel_atom::value, msg::call_key{0, 0});
  settle();
  EXPECT_TRUE(asked.get().ok());
  advance(5s);
  EXPECT_EQ(report.get().status, run_status::timeout) << "its own time is over";
}

TEST_F(execution_logins_test, without_one_the_call_fails_and_says_why) {
  call(1, "private");
  auto asked = ask_to_log_in();
  end_login(msg::fault{errc::needs_login, "nobody came back"});
  ASSERT_EQ(w->replies.size(), 1u);
  EXPECT_EQ(w->replies[0].second.error.message, "log in there (the client was asked for a login: nobody came back)");
  EXPECT_FALSE(logins_over.at(0).second);
  w->refusals = 1;
  call(2, "private");
  EXPECT_EQ(w->replies.size(), 2u);
  EXPECT_EQ(w->wanted_logins.size(), 1u) << "nobody is asked again in that run";
}

TEST_F(execution_logins_test, a_run_that_ends_waits_no_more) {
  call(1, "private");
  auto asked = ask_to_log_in();
  self->send(execution, msg::cancel_atom::value);
  settle();
  EXPECT_EQ(asked.get().error.code, errc::cancelled);
  EXPECT_EQ(withdrawn.size(), 1u);
  end_login(true);
  EXPECT_EQ(report.get().status, run_status::cancelled);
  EXPECT_TRUE(w->replies.empty());
}
