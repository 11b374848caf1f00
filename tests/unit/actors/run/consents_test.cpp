#include "actors/run/consents.hpp"

#include "tests/unit/support/values.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <deque>

namespace actors_run_consents_test {

using namespace actors::run;
using msg::errc;
using msg::fault;
using test::doc;
using said = msg::outcome<msg::document>;

struct consents_test : testing::Test {
  std::deque<std::pair<msg::server_question, consent_routes::answer_to>> asked;
  std::deque<std::function<void()>> timers;
  std::vector<std::string> heard; ///< of calls, by number, and of announcements
  consents agreed{{"mcp__git__*", "mcp__mail__send"}, routes()};

  consent_routes routes() {
    return {[this](msg::server_question q, auto then) { asked.emplace_back(std::move(q), std::move(then)); },
            [this](std::chrono::milliseconds, auto then) { timers.push_back(std::move(then)); }};
  }

  void want(uint64_t call, std::string tool = "push", std::string_view arguments = R"({"n":1})") {
    agreed.want({call, {"git", std::move(tool)}, doc(arguments)}, [this, call](const fault& why) {
      heard.push_back(std::to_string(call) + (why.code == errc::none ? "" : " " + std::string{to_string(why.code)}));
      last = why;
    });
  }
  void announce(std::string tool, uint32_t count) {
    agreed.announce({{{"git", std::move(tool)}, count, {}, 0}}, hear());
  }
  consents::announced hear() {
    return [this](const msg::outcome<bool>& is) {
      heard.emplace_back(!is.ok() ? std::string{to_string(is.error.code)} : is.value ? "yes" : "no");
      last = is.error;
    };
  }
  void time_passes() {
    for (auto& timer : std::exchange(timers, {}))
      timer();
  }
  void answer(size_t question, said with) { asked.at(question).second(std::move(with)); }
  void accept(size_t question) { answer(question, doc(R"({"action":"accept"})")); }
  void decline(size_t question) { answer(question, doc(R"({"action":"decline"})")); }
  std::string message(size_t question) {
    return std::string{asked.at(question).first.params.value().at("message").as_string()};
  }
  bool says(size_t question, std::string_view what) { return message(question).find(what) != std::string::npos; }

  fault last;
};
using heard_list = std::vector<std::string>;

TEST_F(consents_test, one_call_is_asked_for_with_its_arguments) {
  want(1);
  EXPECT_TRUE(asked.empty());
  time_passes();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].first.asker, msg::question_asker::policy);
  EXPECT_EQ(asked[0].first.server, "git");
  EXPECT_EQ(asked[0].first.tool, "push");
  EXPECT_EQ(message(0), "A program wants to make a call that needs your approval:\nmcp__git__push (server 'git')\nwith "
                        "{\"n\":1}\nIf you decline, none of it is called in this run.");
  EXPECT_TRUE(heard.empty());
  accept(0);
  EXPECT_EQ(heard, heard_list{"1"});
  want(2);
  time_passes();
  EXPECT_EQ(asked.size(), 2u) << "it was good for one";
  EXPECT_TRUE(says(1, "beyond the 1 that you have agreed to"));
}

TEST_F(consents_test, those_that_are_made_at_once_are_asked_for_together) {
  for (uint64_t i = 1; i <= 14; ++i)
    want(i, "push", R"({"n":)" + std::to_string(i) + "}");
  want(20, "tag");
  time_passes();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_TRUE(says(0, "15 calls"));
  EXPECT_TRUE(says(0, "mcp__git__push (server 'git') x 14"));
  EXPECT_TRUE(says(0, "with {\"n\":10}\nand 4 more calls"));
  EXPECT_FALSE(says(0, "with {\"n\":11}"));
  want(30); // while it is open
  time_passes();
  EXPECT_EQ(asked.size(), 1u);
  accept(0);
  EXPECT_EQ(heard.size(), 15u);
  time_passes();
  ASSERT_EQ(asked.size(), 2u) << "nobody has been told of that one";
  EXPECT_TRUE(says(1, "a call that needs"));
  accept(1);
  EXPECT_EQ(heard.back(), "30");
}

TEST_F(consents_test, who_says_no_is_not_asked_again) {
  want(1);
  time_passes();
  want(2); // waits for the same answer
  decline(0);
  want(3);
  time_passes();
  EXPECT_EQ(asked.size(), 1u);
  EXPECT_EQ(heard, (heard_list{"1 not_approved", "2 not_approved", "3 not_approved"}));
  EXPECT_NE(last.message.find("the user has declined"), std::string::npos);
  EXPECT_NE(last.message.find("security.confirm"), std::string::npos);
  EXPECT_EQ(last.server, "git");
  announce("push", 3);
  EXPECT_EQ(heard.back(), "no");
  want(4, "tag"); // another tool
  time_passes();
  EXPECT_EQ(asked.size(), 2u);
}

TEST_F(consents_test, closed_late_and_impossible_questions_are_no) {
  want(1);
  time_passes();
  answer(0, doc(R"({"action":"cancel"})"));
  EXPECT_NE(last.message.find("without an answer"), std::string::npos);
  want(2, "tag");
  time_passes();
  answer(1, fault{errc::call_timeout, "the client has not answered"});
  EXPECT_NE(last.message.find("has not answered"), std::string::npos);
  want(3, "log");
  time_passes();
  answer(2, fault{errc::not_allowed, "this client shows no forms"});
  EXPECT_NE(last.message.find("nobody could be asked: this client shows no forms"), std::string::npos);
  for (auto* tool : {"push", "tag", "log"})
    want(9, tool);
  time_passes();
  EXPECT_EQ(asked.size(), 3u);
  EXPECT_EQ(heard.size(), 6u);
}

TEST_F(consents_test, only_the_word_accept_agrees) {
  for (auto* odd :
       {"{}", "null", R"({"action":true})", R"({"action":"ACCEPT"})", R"({"action":["accept"]})", R"("accept")"}) {
    agreed = consents{{"mcp__git__*"}, routes()};
    want(1);
    time_passes();
    answer(asked.size() - 1, doc(odd));
    EXPECT_EQ(heard.back(), "1 not_approved") << odd;
  }
}

TEST_F(consents_test, who_has_said_no_to_some_questions_is_asked_no_others) {
  announce("kept", 2);
  accept(0);
  for (uint32_t i = 0; i < consent_refusals_max; ++i) {
    want(i, "t" + std::to_string(i));
    time_passes();
    decline(asked.size() - 1);
  }
  auto before = asked.size();
  want(8, "other");
  announce("another", 1);
  agreed.announce_all(hear());
  time_passes();
  EXPECT_EQ(asked.size(), before);
  EXPECT_EQ(heard.at(heard.size() - 3), "8 not_approved");
  EXPECT_EQ(heard.back(), "no");
  want(9, "kept");
  EXPECT_EQ(heard.back(), "9") << "it was agreed to before";
}

TEST_F(consents_test, when_nobody_has_time_the_next_call_asks_again) {
  want(1);
  time_passes();
  answer(0, fault{errc::overloaded, "too many runs wait"});
  EXPECT_EQ(heard, heard_list{"1 not_approved"});
  want(2);
  time_passes();
  EXPECT_EQ(asked.size(), 2u);
}

TEST_F(consents_test, what_was_announced_is_not_asked_for_and_what_goes_beyond_is) {
  announce("push", 2);
  ASSERT_EQ(asked.size(), 1u) << "at once";
  EXPECT_TRUE(says(0, "mcp__git__push (server 'git') x 2"));
  want(1); // waits for it
  time_passes();
  accept(0);
  EXPECT_EQ(heard, (heard_list{"yes", "1"}));
  want(2);
  EXPECT_EQ(heard.back(), "2");
  want(3);
  time_passes();
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_TRUE(says(1, "beyond the 2 that you have agreed to"));
  EXPECT_EQ(heard.size(), 3u);
}

TEST_F(consents_test, an_announcement_that_is_declined_refuses_its_calls) {
  announce("push", 2);
  decline(0);
  want(1);
  EXPECT_EQ(heard, (heard_list{"no", "1 not_approved"}));
  announce("tag", 1);
  answer(1, fault{errc::not_allowed, "this client shows no forms"});
  EXPECT_EQ(heard.back(), "not_approved");
  EXPECT_EQ(asked.size(), 2u);
}

TEST_F(consents_test, of_several_announcements_one_is_asked_at_a_time) {
  announce("push", 1);
  announce("tag", 1);
  EXPECT_EQ(asked.size(), 1u);
  accept(0);
  EXPECT_EQ(asked.size(), 2u);
  accept(1);
  EXPECT_EQ(heard, (heard_list{"yes", "yes"}));
}

TEST_F(consents_test, all_calls_of_a_run) {
  agreed.announce_all(hear());
  EXPECT_TRUE(says(0, "ALL calls"));
  EXPECT_TRUE(says(0, "\nmcp__git__*\nmcp__mail__send\n"));
  accept(0);
  for (uint64_t i = 1; i < 4; ++i)
    want(i, "tag" + std::to_string(i));
  announce("push", 7);
  agreed.announce_all(hear());
  EXPECT_EQ(heard, (heard_list{"yes", "1", "2", "3", "yes", "yes"}));
  EXPECT_EQ(asked.size(), 1u);
}

TEST_F(consents_test, who_does_not_agree_to_all_may_agree_to_one) {
  agreed.announce_all(hear());
  decline(0);
  agreed.announce_all(hear());
  EXPECT_EQ(asked.size(), 1u) << "not twice";
  want(1);
  time_passes();
  accept(1);
  EXPECT_EQ(heard, (heard_list{"no", "no", "1"}));
}

TEST_F(consents_test, a_no_outlives_an_agreement_to_all) {
  want(1);
  time_passes();
  decline(0);
  agreed.announce_all(hear());
  accept(1);
  want(2);
  want(3, "tag");
  EXPECT_EQ(heard, (heard_list{"1 not_approved", "yes", "2 not_approved", "3"}));
}

TEST_F(consents_test, the_end_of_calls_and_runs) {
  want(1);
  want(2);
  agreed.forget(1);
  time_passes();
  EXPECT_TRUE(says(0, "a call that needs"));
  agreed.forget(2);
  accept(0);
  want(3);
  time_passes();
  want(4);
  agreed.stop();
  accept(1);
  time_passes();
  EXPECT_TRUE(heard.empty());
}

TEST_F(consents_test, without_patterns_nobody_is_asked) {
  consents none{{}, {}};
  EXPECT_FALSE(none.are_needed());
  none.announce_all(hear());
  agreed.announce({}, hear());
  EXPECT_EQ(heard, (heard_list{"yes", "yes"}));
}

TEST_F(consents_test, tools_beyond_those_of_one_question_wait_for_the_next) {
  for (uint64_t i = 0; i < consent_tools_max + 2; ++i)
    want(i, "t" + std::to_string(i));
  time_passes();
  EXPECT_FALSE(says(0, "__t5"));
  accept(0);
  EXPECT_EQ(heard.size(), consent_tools_max);
  time_passes();
  EXPECT_TRUE(says(1, "__t5"));
}

TEST(consent_wording, arguments_are_short_and_harmless_and_hold_no_secrets) {
  auto text = [](const boost::json::value& v) { return short_arguments(msg::document{v}); };
  EXPECT_EQ(text({{"a", "x\ny\u001b[2K\u202e"}}), R"({"a":"x\ny\u001b[2K\u202e"})");
  EXPECT_EQ(text({{"password", "hunter22"}, {"title", "t"}}), R"({"password":"***","title":"t"})");
  EXPECT_EQ(text({{"key", "AKIAIOSFODNN7EXAMPLE"}}).find("AKIA"), std::string::npos);
  auto large = text({{"text", std::string(16u << 20, 'x')}});
  EXPECT_LE(large.size(), shown_arguments_bytes_max + 40);
  EXPECT_TRUE(large.starts_with(R"({"text":"xxx)")) << large;
  EXPECT_TRUE(text({{"z", std::string("\0a", 2)}}).find("u0000") != std::string::npos);
}

TEST(consent_wording, names_can_not_write_lines) {
  auto q = question_of_announced({{{"git\n[x]", "push\u001b[2K"}, 2, {}, 0}});
  std::string message{q.params.value().at("message").as_string()};
  EXPECT_NE(message.find("mcp__git\\n[x]__push\\u001b[2K (server 'git\\n[x]') x 2"), std::string::npos) << message;
  EXPECT_EQ(q.tool, "mcp__git\n[x]__push\u001b[2K x 2") << "the record writes it as JSON";
  EXPECT_LE(std::count(message.begin(), message.end(), '\n'), 4);
}

} // namespace actors_run_consents_test
