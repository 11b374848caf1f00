// Calls of clients of revision 2026-07-28 in the middle of which something is asked: questions and answers.
#include "tests/unit/mcp/server_parked_fixture.hpp"

namespace mcp_server_protocol_test {

// ---- one round ---------------------------------------------------------------------------------

TEST_F(server_parked_test, a_question_answers_the_call) {
  auto number = begin("1", 3);
  EXPECT_TRUE(sent_.empty());
  EXPECT_NE(ask(number, "one", sampling, R"({"messages":[]})"), 0u);
  ASSERT_EQ(ways_, (std::vector<way>{{3, kind::answer}}));
  EXPECT_EQ(sent_[0].at("id"), 1);
  EXPECT_EQ(result().at("resultType"), "input_required");
  EXPECT_EQ(result().at("inputRequests"),
            value(R"({"q1":{"method":"sampling/createMessage","params":{"messages":[]}}})"));
  EXPECT_EQ(result().at("_meta").at("io.modelcontextprotocol/serverInfo").at("name"), "code-executor");
  EXPECT_FALSE(result().contains("ttlMs"));
  EXPECT_EQ(protocol_.in_flight(), 0u);
  EXPECT_EQ(protocol_.question_count(), 1u);
}

TEST_F(server_parked_test, the_call_goes_on_as_the_new_request) {
  auto state = parked(3);
  come_back("\"b\"", state, R"({"q1":{"content":"x"}})", 4);
  ASSERT_EQ(heard_.size(), 1u);
  EXPECT_EQ(heard_[0].text, R"({"content":"x"})");
  EXPECT_EQ(calls_.size(), 1u) << "it is not begun again";
  EXPECT_EQ(protocol_.in_flight(), 1u);
  sent_.clear();
  ways_.clear();
  protocol_.respond(number_, doc(R"({"content":[]})"));
  EXPECT_EQ(ways_, (std::vector<way>{{4, kind::answer}}));
  EXPECT_EQ(sent_.at(0), value(R"({"jsonrpc":"2.0","id":"b","result":{"content":[]}})"));
  EXPECT_EQ(protocol_.in_flight(), 0u);
  EXPECT_TRUE(cancelled_.empty());
}

TEST_F(server_parked_test, a_method_without_parameters_has_none) {
  EXPECT_NE(ask(begin("1"), "roots", "roots/list", "null"), 0u);
  EXPECT_EQ(result().at("inputRequests"), value(R"({"q1":{"method":"roots/list"}})"));
}

TEST_F(server_parked_test, progress_and_abilities_are_those_of_the_newest_request) {
  number_ = begin("1", 3, R"(,"progressToken":"old")");
  (void)ask(number_, "one");
  auto first = state();
  EXPECT_TRUE(protocol_.asker(number_).abilities.samples);
  EXPECT_EQ(protocol_.asker(number_).name, "m");
  ways_.clear();
  protocol_.progress(number_, 1, "nobody hears it");
  EXPECT_TRUE(ways_.empty());
  send_call("2", with(first, R"({"q1":{}})"), 4, R"({"roots":{}})", R"(,"progressToken":"new")");
  EXPECT_FALSE(protocol_.asker(number_).abilities.samples);
  EXPECT_TRUE(protocol_.asker(number_).abilities.has_roots);
  sent_.clear();
  protocol_.progress(number_, 2, "half");
  EXPECT_EQ(ways_, (std::vector<way>{{4, kind::notification}}));
  EXPECT_EQ(sent_.at(0).at("params").at("progressToken"), "new");
}

// ---- several rounds ----------------------------------------------------------------------------

TEST_F(server_parked_test, what_is_asked_meanwhile_waits_for_the_client) {
  auto first = parked();
  EXPECT_NE(ask(number_, "two"), 0u);
  EXPECT_EQ(sent_.size(), 1u);
  come_back("2", first, R"({"q1":{},"q2":{"guessed":true}})");
  ASSERT_EQ(heard_.size(), 1u) << "nobody has asked the client q2";
  EXPECT_EQ(heard_[0].name, "one");
  EXPECT_EQ(sent_.back().at("id"), 2);
  EXPECT_EQ(keys(), names{"q2"});
  auto second = state();
  EXPECT_NE(first, second);
  come_back("3", second, R"({"q2":{}})");
  EXPECT_EQ(heard_.back().name, "two");
}

TEST_F(server_parked_test, what_is_not_answered_is_asked_again) {
  auto first = parked();
  (void)ask(number_, "two");
  come_back("2", first, "{}");
  EXPECT_EQ(keys(), (names{"q1", "q2"}));
  EXPECT_TRUE(heard_.empty());
  auto second = state();
  come_back("3", second, R"({"q2":{"b":2},"q7":{},"":1})");
  ASSERT_EQ(heard_.size(), 1u);
  EXPECT_EQ(heard_[0].name, "two");
  EXPECT_EQ(keys(), names{"q1"});
  send_call("4", R"(,"requestState":")" + state() + "\"");
  EXPECT_EQ(keys(), names{"q1"}) << "no answers at all";
  come_back("5", state(), R"({"q1":{}})");
  EXPECT_EQ(heard_.size(), 2u);
  EXPECT_EQ(protocol_.in_flight(), 1u);
}

TEST_F(server_parked_test, a_later_question_parks_the_call_again) {
  come_back("2", parked(), R"({"q1":{}})");
  sent_.clear();
  EXPECT_NE(ask(number_, "two"), 0u);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].at("id"), 2);
  EXPECT_EQ(keys(), names{"q2"}) << "a key is not used twice in a call";
}

TEST_F(server_parked_test, an_answer_that_is_no_object_fails_its_question_only) {
  auto first = parked();
  (void)ask(number_, "two");
  come_back("2", first);
  come_back("3", state(), R"({"q1":["no"],"q2":{}})");
  ASSERT_EQ(heard_.size(), 2u);
  EXPECT_EQ(heard_[0].code, msg::errc::protocol_violation);
  EXPECT_NE(heard_[0].text.find("must be an object, not [\"no\"]"), std::string::npos) << heard_[0].text;
  EXPECT_EQ(heard_[1].code, msg::errc::none);
}

TEST_F(server_parked_test, what_the_client_can_not_be_asked_any_more_fails) {
  auto first = parked();
  send_call("2", with(first), 0, R"({"roots":{}})");
  ASSERT_EQ(heard_.size(), 1u);
  EXPECT_EQ(heard_[0].code, msg::errc::model_failed);
  EXPECT_NE(heard_[0].text.find("without the capability to answer sampling/createMessage"), std::string::npos);
  EXPECT_EQ(protocol_.in_flight(), 1u);
}

TEST_F(server_parked_test, a_form_and_a_page_are_two_capabilities) {
  number_ = begin("1");
  (void)ask(number_, "form", "elicitation/create", R"({"mode":"form"})");
  auto first = state();
  (void)ask(number_, "page", "elicitation/create", R"({"mode":"url"})");
  send_call("2", with(first), 0, R"({"elicitation":{"form":{},"url":{}}})");
  EXPECT_EQ(keys(), (names{"q1", "q2"}));
  send_call("3", with(state()), 0, R"({"elicitation":{"url":{}}})");
  EXPECT_EQ(keys(), names{"q2"});
  send_call("4", with(state()), 0, R"({"elicitation":{"form":{}}})");
  ASSERT_EQ(heard_.size(), 2u);
  EXPECT_EQ(heard_[1].name, "page");
}

TEST_F(server_parked_test, what_nobody_waits_for_is_not_asked_again) {
  number_ = begin("1");
  auto one = ask(number_, "one");
  auto first = state();
  (void)ask(number_, "two");
  sent_.clear();
  protocol_.withdraw(one, "no need");
  protocol_.withdraw(one, "no need");
  EXPECT_TRUE(sent_.empty()) << "there is no way to tell it";
  EXPECT_EQ(protocol_.question_count(), 1u);
  come_back("2", first, R"({"q1":{}})");
  EXPECT_TRUE(heard_.empty());
  EXPECT_EQ(keys(), names{"q2"});
}

TEST_F(server_parked_test, a_call_whose_questions_are_withdrawn_goes_on_when_its_client_comes) {
  number_ = begin("1");
  auto one = ask(number_, "one");
  auto first = state();
  protocol_.withdraw(one, "no need");
  sent_.clear();
  come_back("2", first, R"({"q1":{}})");
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(protocol_.in_flight(), 1u);
}

// ---- from within an answer ---------------------------------------------------------------------

TEST_F(server_parked_test, an_answer_may_lead_to_the_next_question) {
  auto first = parked();
  then_ = [this] { EXPECT_NE(ask(number_, "two"), 0u); };
  come_back("2", first, R"({"q1":{},"q2":{}})");
  EXPECT_EQ(heard_.size(), 1u) << "q2 was not asked yet";
  EXPECT_EQ(sent_.back().at("id"), 2);
  EXPECT_EQ(keys(), names{"q2"});
  EXPECT_EQ(sent_.size(), 2u);
}

TEST_F(server_parked_test, an_answer_may_end_the_call) {
  auto first = parked();
  (void)ask(number_, "two");
  come_back("2", first);
  auto both = state();
  then_ = [this] { protocol_.respond(number_, doc(R"({"done":true})")); };
  sent_.clear();
  come_back("3", both, R"({"q1":{},"q2":{}})");
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0], value(R"({"jsonrpc":"2.0","id":3,"result":{"done":true}})"));
  ASSERT_EQ(heard_.size(), 2u);
  EXPECT_EQ(heard_[1].name, "two");
  EXPECT_EQ(heard_[1].code, msg::errc::cancelled) << "the call is over";
  EXPECT_EQ(protocol_.question_count(), 0u);
  EXPECT_EQ(ask(number_, "three"), 0u);
}

TEST_F(server_parked_test, an_answer_may_lead_to_an_error) {
  auto first = parked();
  then_ = [this] { protocol_.respond_error(number_, {code::internal_error, "broken", {}}); };
  sent_.clear();
  come_back("2", first, R"({"q1":{}})");
  expect_error(code::internal_error, "2", "broken");
}

TEST_F(server_parked_test, an_answer_may_withdraw_another_question) {
  auto first = parked();
  auto two = ask(number_, "two");
  come_back("2", first);
  auto both = state();
  then_ = [this, two] { protocol_.withdraw(two, "no need"); };
  sent_.clear();
  come_back("3", both, R"({"q1":{},"q2":{}})");
  EXPECT_EQ(heard_.size(), 1u);
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(protocol_.in_flight(), 1u);
}

TEST_F(server_parked_test, an_answer_may_be_the_end_of_its_stream) {
  auto first = parked();
  (void)ask(number_, "two");
  then_ = [this] { protocol_.cancel_stream(4); };
  come_back("2", first, R"({"q1":{}})", 4);
  EXPECT_EQ(cancelled_, numbers{number_});
  EXPECT_EQ(heard_.size(), 2u);
  EXPECT_EQ(protocol_.question_count(), 0u);
  EXPECT_EQ(protocol_.in_flight(), 0u);
}

TEST_F(server_parked_test, an_answer_may_bring_the_next_message) {
  auto first = parked();
  then_ = [this, first] { come_back("3", first, R"({"q1":{}})"); };
  sent_.clear();
  come_back("2", first, R"({"q1":{}})");
  EXPECT_EQ(heard_.size(), 1u);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_NE(std::string{sent_[0].at("error").at("message").as_string()}.find("used already"), std::string::npos);
  EXPECT_EQ(protocol_.in_flight(), 1u);
}

// ---- the other era -----------------------------------------------------------------------------

TEST_F(server_parked_test, clients_with_a_handshake_get_a_request) {
  initialize();
  ways_.clear();
  request("1", "tools/call", R"({"name":"t","requestState":"stray","inputResponses":7})", 5);
  auto number = calls_.at(0).number;
  auto question = ask(number, "one");
  EXPECT_EQ(ways_, (std::vector<way>{{5, kind::request}}));
  EXPECT_EQ(sent_.back().at("method"), sampling);
  EXPECT_EQ(sent_.back().at("id").to_number<uint64_t>(), question);
  EXPECT_EQ(protocol_.question_count(), 1u);
  receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(question) + R"(,"result":{"a":1}})");
  EXPECT_EQ(heard_.at(0).text, R"({"a":1})");
  auto other = ask(number, "two");
  protocol_.withdraw(other, "no need");
  EXPECT_EQ(sent_.back().at("method"), "notifications/cancelled");
  EXPECT_EQ(sent_.back().at("params").at("requestId").to_number<uint64_t>(), other);
  EXPECT_EQ(protocol_.in_flight(), 1u);
}

TEST_F(server_parked_test, questions_of_both_eras_have_different_numbers) {
  initialize();
  request("1", "tools/call", R"({"name":"t"})");
  auto legacy = ask(calls_.at(0).number, "legacy");
  number_ = begin("2");
  auto modern = ask(number_, "modern");
  EXPECT_NE(legacy, modern);
  protocol_.withdraw(legacy, "no need");
  EXPECT_EQ(protocol_.question_count(), 1u);
  EXPECT_FALSE(sent_.back().as_object().contains("result"));
  EXPECT_EQ(sent_.back().at("method"), "notifications/cancelled");
  auto sent = sent_.size();
  protocol_.withdraw(modern, "no need");
  EXPECT_EQ(protocol_.question_count(), 0u);
  EXPECT_EQ(sent_.size(), sent);
}

} // namespace mcp_server_protocol_test
