#include "actors/client/server_questions.hpp"

#include "tests/unit/support/values.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace actors_client_server_questions_test {

using msg::errc;
using msg::fault;
using test::doc;
using answer = msg::outcome<msg::document>;

class questions_to_client_test : public testing::Test {
protected:
  client::question_routes routes() {
    client::question_routes to;
    to.client_of = [this](uint64_t) -> const mcp::requester& { return client_; };
    to.ask = [this](uint64_t, std::string_view method, const msg::document& params, auto done) -> uint64_t {
      if (is_full_)
        return 0;
      methods_.emplace_back(method);
      params_ = params;
      open_.push_back(std::move(done));
      return open_.size();
    };
    to.withdraw = [this](uint64_t number, std::string_view) { withdrawn_.push_back(number); };
    to.tell = [this](uint64_t, std::string_view method, const boost::json::object& params) {
      notified_.push_back(std::string{method} + " " + boost::json::serialize(params));
    };
    to.rest = [this](uint64_t run, auto then) {
      told_ += "rest " + std::to_string(run) + " ";
      rests_.push_back(then);
      if (may_rest_at_once_)
        then(true);
    };
    to.go_on = [this](uint64_t run) { told_ += "on " + std::to_string(run) + " "; };
    return to;
  }
  void take(uint64_t run, uint64_t number, msg::question_kind kind = msg::question_kind::form) {
    questions_.take({run, number},
                    {{run, 1}, true, 1, kind, "git", "create", doc(R"({"message":"Sure?","requestedSchema":{}})")},
                    [this](answer said) { answers_.push_back(std::move(said)); });
  }

  void ask_for_login(uint64_t number, bool is_asked_elsewhere = false) {
    client_.abilities.opens_urls = true;
    auto params = is_asked_elsewhere
                    ? doc("null")
                    : doc(R"({"mode":"url","message":"Log in","url":"https://a","elicitationId":"e"})");
    questions_.take(
      {3, number},
      {{3, 0}, true, 1, msg::question_kind::login, "far", "", params, msg::question_asker::server, is_asked_elsewhere},
      [this](answer said) { answers_.push_back(std::move(said)); });
  }
  static constexpr auto complete_ = R"(notifications/elicitation/complete {"elicitationId":"e"})";

  mcp::requester client_{mcp::revision::r2025_11_25, "c", {.fills_forms = true}};
  std::vector<std::string> notified_;
  bool is_full_ = false;
  bool may_rest_at_once_ = true;
  std::vector<std::string> methods_;
  msg::document params_;
  std::vector<mcp::client_requests::answered> open_;
  std::vector<uint64_t> withdrawn_;
  std::vector<std::function<void(bool)>> rests_;
  std::string told_;
  std::vector<answer> answers_;
  client::server_questions questions_{routes()};
};

TEST_F(questions_to_client_test, a_run_rests_while_any_is_open) {
  take(3, 1);
  take(3, 2);
  take(4, 1);
  open_[0](doc(R"({"action":"accept","content":{}})"));
  EXPECT_EQ(told_, "rest 3 rest 3 rest 4 ");
  open_[1](doc(R"({"action":"decline"})"));
  EXPECT_EQ(told_, "rest 3 rest 3 rest 4 on 3 ");
  open_[2](doc(R"({"action":"cancel"})"));
  EXPECT_EQ(told_, "rest 3 rest 3 rest 4 on 3 on 4 ");
  ASSERT_EQ(answers_.size(), 3u);
  EXPECT_EQ(methods_[0], "elicitation/create");
  EXPECT_NE(params_.text().find("MCP server 'git'"), std::string::npos);
}

TEST_F(questions_to_client_test, one_that_can_not_be_asked_is_not) {
  take(3, 1, msg::question_kind::sampling);
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].error.code, errc::not_allowed);
  EXPECT_EQ(told_, "");
}

TEST_F(questions_to_client_test, what_is_wrong_with_the_answer_is_told_and_words_of_the_person_are_not) {
  take(3, 1);
  open_.at(0)(fault{errc::protocol_violation, "a message has at most 16 MiB"});
  EXPECT_EQ(answers_.at(0).error.message, "the client's answer could not be taken: a message has at most 16 MiB");
  take(3, 2);
  open_.at(1)(fault{errc::model_failed, "secret words (code 1)"});
  EXPECT_EQ(answers_.at(1).error.message, "the client has answered with an error");
}

TEST_F(questions_to_client_test, no_room_and_no_rest) {
  is_full_ = true;
  take(3, 1);
  EXPECT_EQ(answers_.at(0).error.code, errc::overloaded);
  EXPECT_EQ(told_, "rest 3 on 3 ");
  is_full_ = may_rest_at_once_ = false;
  take(3, 2);
  rests_.back()(false);
  EXPECT_EQ(answers_.at(1).error.code, errc::overloaded);
  EXPECT_TRUE(methods_.empty());
}

TEST_F(questions_to_client_test, given_up_at_any_time) {
  may_rest_at_once_ = false;
  take(3, 1);
  questions_.give_up({3, 1});
  EXPECT_EQ(answers_.at(0).error.code, errc::cancelled);
  rests_.back()(true);
  EXPECT_TRUE(methods_.empty()) << "it was given up before it was asked";
  may_rest_at_once_ = true;
  take(3, 2);
  questions_.give_up({3, 2});
  EXPECT_EQ(withdrawn_, (std::vector<uint64_t>{1}));
  open_[0](doc(R"({"action":"accept"})"));
  questions_.give_up({3, 2});
  EXPECT_EQ(answers_.size(), 2u);
}

TEST_F(questions_to_client_test, who_agrees_to_log_in_is_waited_for) {
  ask_for_login(1);
  EXPECT_NE(params_.text().find("[code-executor] Log in"), std::string::npos);
  open_[0](doc(R"({"action":"accept"})"));
  EXPECT_TRUE(answers_.empty());
  EXPECT_EQ(told_, "rest 3 ") << "the run rests until it is over";
  questions_.login_over({3, 1}, true);
  EXPECT_EQ(answers_.at(0).value.text(), R"({"action":"accept"})");
  EXPECT_EQ(notified_, std::vector<std::string>{complete_});
  EXPECT_TRUE(withdrawn_.empty());
  EXPECT_EQ(told_, "rest 3 on 3 ");
  questions_.login_over({3, 1}, true);
  EXPECT_EQ(answers_.size(), 1u);
}

TEST_F(questions_to_client_test, a_login_that_was_agreed_to_and_is_none) {
  ask_for_login(1);
  open_[0](doc(R"({"action":"accept"})"));
  questions_.login_over({3, 1}, false);
  EXPECT_TRUE(answers_.at(0).ok()) << "the person has agreed";
  EXPECT_EQ(notified_, std::vector<std::string>{complete_});
  ask_for_login(2);
  open_[1](doc(R"({"action":"accept"})"));
  questions_.give_up({3, 2});
  EXPECT_EQ(answers_.at(1).error.code, errc::cancelled);
  EXPECT_EQ(notified_.size(), 2u);
}

TEST_F(questions_to_client_test, a_login_that_ends_before_the_client_has_answered) {
  ask_for_login(1);
  questions_.login_over({3, 1}, true);
  EXPECT_EQ(answers_.at(0).value.text(), R"({"action":"accept"})");
  EXPECT_EQ(notified_, std::vector<std::string>{complete_});
  EXPECT_EQ(withdrawn_, std::vector<uint64_t>{1});
  ask_for_login(2);
  questions_.login_over({3, 2}, false);
  EXPECT_EQ(answers_.at(1).error.code, errc::cancelled);
  EXPECT_EQ(notified_.size(), 1u);
  EXPECT_EQ(withdrawn_, (std::vector<uint64_t>{1, 2}));
}

TEST_F(questions_to_client_test, who_declines_a_login_is_heard_at_once) {
  ask_for_login(1);
  open_[0](doc(R"({"action":"decline"})"));
  EXPECT_EQ(answers_.at(0).value.text(), R"({"action":"decline"})");
  EXPECT_TRUE(notified_.empty());
}

TEST_F(questions_to_client_test, a_run_that_waits_for_the_login_of_another_rests_and_asks_nothing) {
  ask_for_login(1, true);
  EXPECT_EQ(told_, "rest 3 ");
  EXPECT_TRUE(methods_.empty());
  questions_.login_over({3, 1}, true);
  EXPECT_TRUE(answers_.at(0).ok());
  EXPECT_TRUE(notified_.empty());
  EXPECT_EQ(told_, "rest 3 on 3 ");
}

TEST_F(questions_to_client_test, an_answer_that_is_none) {
  take(3, 1);
  open_[0](doc(R"({"action":"perhaps"})"));
  EXPECT_EQ(answers_.at(0).error.code, errc::protocol_violation);
  take(3, 2);
  open_[1](fault{errc::model_failed, "secret"});
  EXPECT_EQ(answers_.at(1).error.code, errc::model_failed);
  EXPECT_EQ(answers_.at(1).error.message.find("secret"), std::string::npos);
}

} // namespace actors_client_server_questions_test
