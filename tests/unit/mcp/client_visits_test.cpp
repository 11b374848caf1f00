// Calls that a server refuses until a person has been at an address (-32042 of 2025-11-25).
#include "tests/unit/mcp/client_protocol_fixture.hpp"

namespace mcp_client_visits_test {

namespace json = boost::json;
using msg::errc;
using std::chrono::seconds;
using test::doc;
using test::value;

constexpr auto one = R"({"code":-32042,"message":"Log in first","data":{"elicitations":[
  {"mode":"url","elicitationId":"e-1","url":"https://a.example/x","message":"Agree."}]}})";
constexpr auto two = R"({"code":-32042,"message":"Twice","data":{"elicitations":[
  {"mode":"url","elicitationId":"e-1","url":"https://a.example/x","message":"Agree."},
  {"elicitationId":"e-2","url":"https://b.example","message":"And there."}]}})";

class client_visits_test : public test::client_protocol_test {
protected:
  client_visits_test() { asker_ = {3, {.opens_urls = true}}; }

  void begin(const char* error = one) {
    handshake();
    fail(call(1, false, R"({"a":1})"), error);
  }
  void say(size_t question, const std::string& action) {
    protocol_.answer(asked_.at(question).number, doc(R"({"action":")" + action + R"("})"));
  }
  void complete(const std::string& id) {
    receive(R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":")" + id
            + R"("}})");
  }
  size_t calls() {
    return static_cast<size_t>(std::count_if(sent_.begin(), sent_.end(), [](auto& each) {
      return each.as_object().contains("method") && each.at("method") == json::value("tools/call");
    }));
  }
  std::string told() { return answers_.size() == 1 ? answers_[0].result.error.message : "nothing"; }

  std::chrono::steady_clock::time_point now_{std::chrono::hours{1}};
};

TEST_F(client_visits_test, the_person_is_asked_and_the_call_is_made_once_more) {
  begin();
  EXPECT_TRUE(answers_.empty());
  ASSERT_EQ(asked_.size(), 1u);
  EXPECT_EQ(asked_[0].kind, msg::question_kind::url);
  EXPECT_EQ(asked_[0].call, (msg::call_key{1, 1}));
  EXPECT_EQ(asked_[0].params.value(), value(R"({"mode":"url","elicitationId":"e-1","url":"https://a.example/x",
    "message":"Agree."})"));
  say(0, "accept");
  EXPECT_EQ(calls(), 1u) << "the person is on its way";
  complete("e-2");
  EXPECT_EQ(calls(), 1u);
  complete("e-1");
  EXPECT_EQ(calls(), 2u);
  auto params = last("tools/call").at("params").as_object();
  EXPECT_EQ(params.at("arguments"), value(R"({"a":1})"));
  EXPECT_FALSE(params.contains("inputResponses"));
  respond(last_id(), R"({"content":[]})");
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_TRUE(answers_[0].result.ok());
  EXPECT_EQ(protocol_.calls().size(), 0u);
}

TEST_F(client_visits_test, a_server_that_says_nothing_of_its_end_is_called_after_a_while) {
  begin();
  say(0, "accept");
  EXPECT_EQ(pauses_, 1);
  protocol_.calls().rounds().go_on(now_);
  EXPECT_EQ(pauses_, 2);
  protocol_.calls().rounds().go_on(now_ += mcp::visit_wait_max - seconds{1});
  EXPECT_EQ(calls(), 1u);
  protocol_.calls().rounds().go_on(now_ += seconds{1});
  EXPECT_EQ(calls(), 2u);
  EXPECT_EQ(pauses_, 2);
  protocol_.calls().rounds().go_on(now_ += seconds{60});
  complete("e-1");
  EXPECT_EQ(calls(), 2u);
}

TEST_F(client_visits_test, of_several_all_have_to_be_over) {
  begin(two);
  ASSERT_EQ(asked_.size(), 2u);
  EXPECT_EQ(asked_[1].params.value().at("mode"), json::value("url"));
  complete("e-2"); // before the person has said so
  say(1, "accept");
  say(0, "accept");
  EXPECT_EQ(calls(), 1u);
  complete("e-1");
  EXPECT_EQ(calls(), 2u);
}

TEST_F(client_visits_test, who_has_been_there_before_it_says_so_does_not_wait) {
  begin();
  complete("e-1");
  EXPECT_EQ(calls(), 1u);
  say(0, "accept");
  EXPECT_EQ(calls(), 2u);
}

TEST_F(client_visits_test, who_does_not_want_to_gets_the_error_and_what_to_do) {
  begin(two);
  say(0, "decline");
  EXPECT_EQ(withdrawn_, std::vector{asked_[1].number});
  EXPECT_EQ(calls(), 1u);
  EXPECT_EQ(answers_.at(0).result.error.code, errc::tool_failed);
  for (auto* part : {"Twice (code -32042)", "nothing was done", "https://a.example/x, https://b.example",
                     "the person does not want to"})
    EXPECT_NE(told().find(part), std::string::npos) << part << ": " << told();
}

TEST_F(client_visits_test, nobody_who_could_be_asked) {
  asker_ = {3, {.fills_forms = true}};
  begin();
  EXPECT_TRUE(asked_.empty());
  EXPECT_NE(told().find("A person has to open this first, then the call can be made again: https://a.example/x"),
            std::string::npos)
    << told();
}

TEST_F(client_visits_test, once) {
  begin();
  complete("e-1");
  say(0, "accept");
  fail(last_id(), one);
  EXPECT_EQ(asked_.size(), 1u);
  EXPECT_NE(told().find("then the call can be made again"), std::string::npos) << told();
}

TEST_F(client_visits_test, what_names_no_addresses_is_an_error_like_any_other) {
  handshake();
  std::string many;
  for (size_t i = 0; i <= mcp::inputs_max; ++i)
    many += std::string{i > 0 ? "," : ""} + R"({"url":"https://a","message":"m"})";
  for (auto& data :
       {std::string{"null"}, std::string{"{}"}, std::string{R"({"elicitations":7})"},
        std::string{R"({"elicitations":[]})"}, std::string{R"({"elicitations":[7]})"},
        std::string{R"({"elicitations":[{"mode":"form","url":"https://a"}]})"},
        std::string{R"({"elicitations":[{"mode":"url"}]})"}, std::string{R"({"elicitations":[{"url":"https://a"}]})"},
        std::string{R"({"elicitations":[{"url":"https://a","message":["m"]}]})"},
        std::string{R"({"elicitations":[{"url":"javascript:0","message":"m"}]})"},
        R"({"elicitations":[)" + many + "]}"}) {
    answers_.clear();
    fail(call(1), R"({"code":-32042,"message":"no","data":)" + data + "}");
    EXPECT_TRUE(told().starts_with("no (code -32042)")) << told();
    EXPECT_EQ(told().find("A person has to"), std::string::npos) << told();
  }
  EXPECT_TRUE(asked_.empty());
}

TEST_F(client_visits_test, a_call_that_is_given_up_meanwhile_is_not_made_again) {
  begin();
  EXPECT_TRUE(protocol_.calls().cancel({1, 1}, "x"));
  EXPECT_EQ(withdrawn_, std::vector{asked_[0].number});
  complete("e-1");
  protocol_.calls().rounds().go_on(now_ + std::chrono::hours{1});
  EXPECT_EQ(calls(), 1u);
}

TEST_F(client_visits_test, nor_is_one_whose_server_has_ended) {
  begin();
  say(0, "accept");
  protocol_.fail_all({errc::server_died, "gone"});
  EXPECT_EQ(told(), "gone");
  complete("e-1");
  EXPECT_EQ(calls(), 1u);
}

} // namespace mcp_client_visits_test
