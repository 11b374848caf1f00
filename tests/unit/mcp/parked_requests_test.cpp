#include "mcp/parked_requests.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace mcp_parked_requests_test {

namespace json = boost::json;
using test::doc;
using test::value;

class parked_requests_test : public testing::Test {
protected:
  static std::shared_ptr<const mcp::requester> client() {
    auto out = std::make_shared<mcp::requester>();
    out->spoken = mcp::revision::r2026_07_28;
    out->abilities = {true, true, true, true, true};
    return out;
  }
  mcp::parked_requests::question question(const std::string& name) {
    return {"roots/list", doc("{}"), [this, name](const msg::outcome<msg::document>& said) { heard_[name] = said; }};
  }
  uint64_t ask(mcp::request_number during, const std::string& name) {
    return parked_.ask(during, client(), "call", question(name));
  }
  json::value park(mcp::request_number number) {
    auto result = parked_.park(number, now_);
    return result.at("requestState");
  }
  mcp::parked_requests::returning find(const json::value& state, const std::string& call = "call") const {
    return parked_.find(&state, nullptr, mcp::call_digest{[call] { return call; }}, now_);
  }
  void come_back(mcp::request_number number, const std::string& responses) {
    auto message = doc(responses);
    parked_.come_back(number, client(), message, &message.value().get_object());
  }

  std::chrono::steady_clock::time_point now_{std::chrono::hours{1}};
  std::map<std::string, msg::outcome<msg::document>> heard_;
  mcp::parked_requests parked_;
};

TEST_F(parked_requests_test, go_and_come_back) {
  EXPECT_FALSE(parked_.asker(7));
  EXPECT_NE(ask(7, "a"), 0u);
  EXPECT_FALSE(parked_.is_away(7)) << "it is for the owner to send it away";
  auto state = park(7);
  EXPECT_TRUE(parked_.is_away(7));
  EXPECT_EQ(parked_.next_expiry(), now_ + mcp::parked_request_max);
  EXPECT_EQ(find(state).number, 7u);
  EXPECT_EQ(find(state).number, 7u) << "to find it changes nothing";
  EXPECT_TRUE(find(state, "another").refused);
  come_back(7, R"({"q1":{"roots":[]}})");
  EXPECT_EQ(heard_.at("a").value.text(), R"({"roots":[]})");
  EXPECT_FALSE(parked_.is_away(7));
  EXPECT_FALSE(parked_.is_returning(7));
  EXPECT_FALSE(parked_.next_expiry());
  EXPECT_TRUE(find(state).refused);
  ASSERT_TRUE(parked_.asker(7));
  parked_.end(7, "over");
  EXPECT_FALSE(parked_.asker(7));
}

TEST_F(parked_requests_test, have_no_round_twice) {
  (void)ask(7, "a");
  auto first = park(7);
  come_back(7, R"({"q1":{}})");
  (void)ask(7, "b");
  auto second = park(7);
  EXPECT_TRUE(find(first).refused);
  EXPECT_EQ(find(second).number, 7u);
  (void)ask(8, "of another call");
  EXPECT_EQ(find(park(8)).number, 8u);
}

TEST_F(parked_requests_test, is_returning_while_answers_are_handed_over) {
  bool was_returning = false;
  uint64_t more = 0;
  (void)parked_.ask(7, client(), "call", {"roots/list", {}, [&](const auto&) {
                                            was_returning = parked_.is_returning(7);
                                            more = parked_.ask_more(7, question("more"));
                                          }});
  (void)park(7);
  come_back(7, R"({"q1":{}})");
  EXPECT_TRUE(was_returning);
  EXPECT_NE(more, 0u);
  EXPECT_TRUE(parked_.has_questions(7));
  EXPECT_FALSE(parked_.is_returning(7));
}

TEST_F(parked_requests_test, may_end_while_answers_are_handed_over) {
  (void)parked_.ask(7, client(), "call", {"roots/list", {}, [&](const auto&) { parked_.end(7, "over"); }});
  (void)ask(7, "b");
  (void)park(7);
  come_back(7, R"({"q1":{},"q2":{}})");
  EXPECT_EQ(heard_.at("b").error.message, "over");
  EXPECT_FALSE(parked_.asker(7));
}

TEST_F(parked_requests_test, only_those_that_are_away_keep_an_answer) {
  EXPECT_FALSE(parked_.keep(7, {doc("1"), {}, {}}));
  (void)ask(7, "a");
  EXPECT_FALSE(parked_.keep(7, {doc("1"), {}, {}}));
  (void)park(7);
  EXPECT_FALSE(parked_.has_kept(7));
  EXPECT_TRUE(parked_.keep(7, {doc("1"), {}, {}}));
  EXPECT_TRUE(parked_.keep(7, {doc("2"), {}, {}}));
  EXPECT_TRUE(parked_.has_kept(7));
  EXPECT_EQ(heard_.at("a").error.code, msg::errc::cancelled);
  EXPECT_EQ(parked_.ask_more(7, question("b")), 0u);
  come_back(7, "{}");
  EXPECT_EQ(parked_.take_kept(7)->result.text(), "1");
  EXPECT_FALSE(parked_.take_kept(7));
}

TEST_F(parked_requests_test, that_nobody_knows_are_asked_no_more) {
  EXPECT_EQ(parked_.ask_more(7, question("a")), 0u);
  parked_.withdraw(7);
  parked_.end(7, "over");
  EXPECT_FALSE(parked_.take_kept(7));
  EXPECT_TRUE(heard_.empty());
}

TEST_F(parked_requests_test, expire) {
  (void)ask(7, "a");
  (void)park(7);
  now_ += std::chrono::minutes{1};
  (void)ask(8, "b");
  (void)park(8);
  EXPECT_EQ(*parked_.next_expiry(), now_ + mcp::parked_request_max - std::chrono::minutes{1});
  now_ += mcp::parked_request_max - std::chrono::minutes{1};
  EXPECT_EQ(parked_.expired(now_), std::vector<mcp::request_number>{7});
  now_ += std::chrono::minutes{1};
  EXPECT_EQ(parked_.expired(now_), (std::vector<mcp::request_number>{7, 8}));
}

// ---- how long -----------------------------------------------------------------------------------

TEST(parked_requests_wait, follows_the_setting) {
  using namespace std::chrono_literals;
  EXPECT_EQ(mcp::parked_requests{}.wait_text(), "10 minutes");
  EXPECT_EQ(mcp::parked_requests{60min}.wait_text(), "10 minutes") << "at most";
  EXPECT_EQ(mcp::parked_requests{60s}.wait_text(), "1 minute");
  EXPECT_EQ(mcp::parked_requests{90s}.wait_text(), "90 seconds");
  EXPECT_EQ(mcp::parked_requests{1s}.wait_text(), "1 second");
  EXPECT_EQ(mcp::parked_requests{1'500ms}.wait_text(), "1500 ms");
}

class short_wait_test : public parked_requests_test {
protected:
  short_wait_test() { parked_ = mcp::parked_requests{std::chrono::seconds{2}}; }
};

TEST_F(short_wait_test, who_does_not_answer_in_that_time_is_not_waited_for) {
  ask(1, "a");
  auto state = park(1);
  EXPECT_EQ(parked_.next_expiry(), now_ + std::chrono::seconds{2});
  now_ += std::chrono::seconds{2};
  EXPECT_EQ(parked_.expired(now_), std::vector<mcp::request_number>{1});
  EXPECT_NE(find(state).refused.message.find("answers are waited for 2 seconds"), std::string::npos);
  parked_.end(1, "over");
  EXPECT_NE(find(state).refused.message.find("has expired"), std::string::npos);
}

TEST_F(short_wait_test, whoever_asked_may_go_on_without_an_answer_and_what_comes_of_it_is_kept) {
  auto question = ask(1, "a");
  auto state = park(1);
  parked_.withdraw(question);
  now_ += std::chrono::minutes{5};
  EXPECT_TRUE(parked_.expired(now_).empty());
  EXPECT_TRUE(parked_.keep(1, {doc("7"), {}, {}}));
  EXPECT_EQ(find(state).number, 1u);
  EXPECT_EQ(parked_.next_expiry(), now_ + std::chrono::minutes{5});
  now_ += std::chrono::minutes{5};
  EXPECT_EQ(parked_.expired(now_), std::vector<mcp::request_number>{1});
}

} // namespace mcp_parked_requests_test
