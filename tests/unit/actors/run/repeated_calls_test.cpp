// Calls that are made again: with the consent of a person, and after a login.
#include "tests/unit/actors/run/tool_calls_fixture.hpp"

namespace actors_run_tool_calls_test {

struct consented_calls_test : tool_calls_test {
  consented_calls_test() {
    asks = true;
    limit({10, 3});
    calls->begin({1, {"", "s", "add"}, msg::document{json::object{{"n", 5}}}});
    refuse();
  }
  void refuse(std::string tool = "Add") {
    sent.back().second(msg::fault{errc::not_approved, "needs it"}.at("s", std::move(tool)));
  }
};

TEST_F(consented_calls_test, are_made_again_with_the_consent_of_a_person) {
  ASSERT_EQ(consents_wanted.size(), 1u);
  EXPECT_EQ(consents_wanted[0].first.to.tool, "Add") << "what is meant";
  EXPECT_EQ(consents_wanted[0].first.arguments.text(), R"({"n":5})");
  EXPECT_TRUE(answers.empty());
  consents_wanted[0].second({});
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[1].first.key.call, 1u);
  EXPECT_EQ(sent[1].first.agreed.tool, "Add");
  EXPECT_EQ(sent[1].first.arguments.text(), R"({"n":5})");
  EXPECT_EQ(sent[1].first.tool.tool, "add") << "as it was written";
  return_last(R"({"structuredContent":{"sum":3}})");
  EXPECT_EQ(answers.at(1).value.text(), R"({"sum":3})");
  EXPECT_EQ(calls->take_statistics().at(0).calls, 1u) << "one call, however often it was sent";
}

TEST_F(consented_calls_test, fail_without_it) {
  consents_wanted[0].second({errc::not_approved, "the user has declined"});
  EXPECT_EQ(answers.at(1).error.code, errc::not_approved);
  EXPECT_EQ(answers.at(1).error.tool, "Add");
  EXPECT_EQ(sent.size(), 1u);
  EXPECT_EQ(recorded, std::vector<std::string>{"mcp__s__Add not_approved the user has declined"});
}

TEST_F(consented_calls_test, that_mean_another_tool_by_then_are_not_asked_for_twice) {
  consents_wanted[0].second({});
  refuse("other");
  EXPECT_EQ(consents_wanted.size(), 1u);
  EXPECT_EQ(answers.at(1).error.code, errc::not_approved);
}

TEST_F(consented_calls_test, of_a_run_that_has_ended_are_not_made) {
  calls->stop();
  consents_wanted[0].second({});
  EXPECT_EQ(sent.size(), 1u);
  EXPECT_FALSE(calls->is_any_open());
}

TEST_F(consented_calls_test, that_wait_for_a_person_at_the_end_are_told_and_recorded_as_never_sent) {
  begin(2, "sub");
  EXPECT_EQ(
    calls->given_up_text(),
    "1 call was still open when the program ended and was given up; its server may carry it out, if it has got it: "
    "mcp__s__sub. 1 call was still open when the program ended and was given up; the user has not answered, "
    "and no server has got it: mcp__s__Add");
  calls->stop();
  calls->end_all();
  EXPECT_EQ(recorded, (std::vector<std::string>{"mcp__s__Add cancelled the run ended before it was sent",
                                                "mcp__s__sub cancelled the run ended before the answer came"}));
}

TEST_F(consented_calls_test, that_a_person_has_agreed_to_are_their_servers) {
  consents_wanted[0].second({});
  EXPECT_NE(calls->given_up_text().find("its server may carry it out"), std::string::npos);
}

TEST_F(tool_calls_test, that_need_consent_where_nobody_is_asked_fail) {
  begin(1);
  sent.back().second(msg::fault{errc::not_approved, "needs it"}.at("s", "add"));
  EXPECT_EQ(answers.at(1).error.code, errc::not_approved);
}

TEST_F(tool_calls_test, that_need_a_login_are_made_once_more_after_it) {
  may_log_in = true;
  calls->begin({1, {"", "s", "add"}, msg::document{json::object{{"a", 1}}}});
  auto refuse = [this] { sent.back().second(msg::fault{errc::needs_login, "log in there"}.at("s", "add")); };
  refuse();
  EXPECT_EQ(logins, std::vector<std::string>{"s"});
  EXPECT_TRUE(answers.empty());
  log_in({});
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[1].first.arguments.text(), R"({"a":1})");
  EXPECT_EQ(sent[1].first.tool.tool, "add");
  EXPECT_EQ(sent[1].first.key.call, 1u);
  refuse();
  EXPECT_EQ(logins.size(), 1u) << "exactly once";
  EXPECT_EQ(answers.at(1).error.message, "log in there");
  auto tools = calls->take_statistics();
  EXPECT_EQ(tools.at(0).calls, 1u) << "however often it was made";
  EXPECT_EQ(tools.at(0).errors, 1u);
}

TEST_F(tool_calls_test, whose_login_does_not_come_about_say_why) {
  may_log_in = true;
  auto refused = [this](uint64_t id) {
    begin(id);
    sent.back().second(msg::fault{errc::needs_login, "log in there"}.at("s", "add"));
  };
  refused(1);
  log_in({errc::needs_login, "no"});
  EXPECT_EQ(answers.at(1).error.code, errc::needs_login);
  EXPECT_EQ(answers.at(1).error.message, "log in there (the client was asked for a login: no)");
  refused(2);
  log_in({errc::not_allowed, ""});
  EXPECT_EQ(answers.at(2).error.message, "log in there") << "nobody was asked";
  may_log_in = false;
  refused(3);
  EXPECT_EQ(answers.at(3).error.message, "log in there");
  EXPECT_EQ(logins.size(), 2u);
  EXPECT_EQ(sent.size(), 3u);
}

TEST_F(tool_calls_test, that_end_while_they_wait_for_a_login_are_not_made_again) {
  may_log_in = true;
  begin(1);
  sent.back().second(msg::fault{errc::needs_login, "log in there"}.at("s", "add"));
  calls->end_all();
  log_in({});
  EXPECT_EQ(sent.size(), 1u);
}

TEST_F(tool_calls_test, that_need_a_login_first_and_consent_then_keep_their_arguments) {
  asks = may_log_in = true;
  limit({10, 3});
  calls->begin({1, {"", "s", "add"}, msg::document{json::object{{"n", 5}}}});
  sent.back().second(msg::fault{errc::needs_login, "log in there"}.at("s", "add"));
  log_in({});
  sent.back().second(msg::fault{errc::not_approved, "needs it"}.at("s", "add"));
  ASSERT_EQ(consents_wanted.size(), 1u);
  EXPECT_EQ(consents_wanted[0].first.arguments.text(), R"({"n":5})");
  consents_wanted[0].second({});
  EXPECT_EQ(sent.back().first.arguments.text(), R"({"n":5})");
}

} // namespace actors_run_tool_calls_test
