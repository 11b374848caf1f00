// One server as it is, for one client, of the same era and of the other one.
#include "tests/unit/mcp/relay/relay_fixture.hpp"

#include <algorithm>

namespace mcp_relay_test {

// ---- the same era --------------------------------------------------------------------------------

TEST_F(relay_test, a_handshake_is_that_of_the_client_and_that_of_the_server) {
  shake_hands(R"({"roots":{"listChanged":true},"experimental":{"x":1}})");
  auto& params = asked("initialize").at("params");
  EXPECT_EQ(params.at("capabilities"), doc(R"({"roots":{"listChanged":true},"experimental":{"x":1}})").value());
  EXPECT_EQ(params.at("clientInfo"), doc(R"({"name":"c","version":"1"})").value());
  EXPECT_TRUE(sent_.empty());
  answer("initialize", legacy_hello);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(json::serialize(sent_[0].at("result")), json::serialize(doc(legacy_hello).value())) << "to the byte";
}

TEST_F(relay_test, the_server_is_not_started_before_it_is_needed) {
  client_says(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  client_says(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
  EXPECT_EQ(connects_, 0);
  EXPECT_EQ(sent_.at(0).at("result"), json::object{});
  EXPECT_EQ(sent_.at(1).at("error").at("code"), -32600);
}

TEST_F(relay_test, requests_and_answers_are_the_same_but_for_ids_and_tokens) {
  legacy_pair();
  client_says(
    R"({"jsonrpc":"2.0","id":"a","method":"some/thing","params":{"z":1,"_meta":{"progressToken":"p","k":2}}})");
  auto& request = asked("some/thing");
  EXPECT_EQ(request.at("params").at("z"), 1);
  EXPECT_EQ(request.at("params").at("_meta").at("k"), 2);
  EXPECT_EQ(request.at("params").at("_meta").at("progressToken").to_number<uint64_t>(), number_of("some/thing"));
  server_says(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)"
              + std::to_string(number_of("some/thing")) + R"(,"progress":0.5,"message":"m"}})");
  EXPECT_EQ(sent_.at(0).at("params"), doc(R"({"progressToken":"p","progress":0.5,"message":"m"})").value());
  answer_error("some/thing", R"({"code":-7,"message":"a secret","data":{"d":[1.0,2]}})");
  EXPECT_EQ(sent_.at(1).at("id"), "a");
  EXPECT_EQ(sent_.at(1).at("error"), doc(R"({"code":-7,"message":"a ***","data":{"d":[1.0,2]}})").value());
}

TEST_F(relay_test, what_a_client_sends_before_the_handshake_is_over_is_carried_out_after_it) {
  shake_hands();
  client_says(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  EXPECT_EQ(server_->sent.size(), 1u);
  answer("initialize", legacy_hello);
  answer("tools/list", R"({"tools":[]})");
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(sent_[1].at("result"), doc(R"({"tools":[]})").value());
}

TEST_F(relay_test, a_server_asks_its_client_and_gets_the_answer_as_it_is) {
  legacy_pair(R"({"elicitation":{}})");
  client_says(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}})", 4);
  server_says(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"m","x":1}})");
  EXPECT_EQ(streams_.back(), 4u);
  EXPECT_EQ(sent_.back().at("params"), doc(R"({"message":"m","x":1})").value());
  auto id = json::serialize(sent_.back().at("id"));
  client_says(R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-5,"message":"no","data":1}})");
  EXPECT_EQ(server_->sent.back(),
            doc(R"({"jsonrpc":"2.0","id":"q","error":{"code":-5,"message":"no","data":1}})").value());
}

TEST_F(relay_test, the_other_era_passes_as_it_is_too) {
  modern_pair();
  client_says(modern(R"("a")", "tools/call", R"("name":"t","requestState":"opaque","inputResponses":{"k":{}})"), 3);
  EXPECT_EQ(asked("tools/call").at("params").at("requestState"), "opaque") << "it is the server's own";
  answer("tools/call",
         R"({"resultType":"input_required","inputRequests":{"user":{"method":"roots/list"}},"requestState":"x"})");
  EXPECT_EQ(sent_.back().at("result").at("inputRequests"), doc(R"({"user":{"method":"roots/list"}})").value());
  client_says(modern("1", "nothing/such"), 4);
  answer_error("nothing/such", R"({"code":-32601,"message":"Method not found"})");
  EXPECT_EQ(statuses_.back(), 404);
  client_says(modern("2", "ping"), 5);
  EXPECT_EQ(sent_.back().at("error").at("code"), -32601);
}

// ---- the other era -------------------------------------------------------------------------------

TEST_F(relay_test, an_earlier_client_before_a_later_server) {
  shake_hands(R"({"elicitation":{},"roots":{"listChanged":true}})");
  answer_error("initialize", R"({"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}})");
  answer("server/discover", modern_hello);
  auto& hello = sent_.back().at("result");
  EXPECT_EQ(hello.at("protocolVersion"), "2025-11-25");
  EXPECT_EQ(hello.at("serverInfo"), doc(R"({"name":"s","version":"2"})").value());
  EXPECT_EQ(hello.at("instructions"), "be kind");
  client_says(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  auto& meta = asked("tools/list").at("params").at("_meta");
  EXPECT_EQ(meta.at("io.modelcontextprotocol/protocolVersion"), "2026-07-28");
  EXPECT_EQ(meta.at("io.modelcontextprotocol/clientCapabilities"), doc(R"({"elicitation":{},"roots":{}})").value());
  EXPECT_EQ(meta.at("io.modelcontextprotocol/clientInfo"), doc(R"({"name":"c","version":"1"})").value());
  answer("tools/list", R"({"resultType":"complete","tools":[{"name":"t","outputSchema":{"type":"array"}},{"name":"u"}],
    "ttlMs":1,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"2"}}})");
  EXPECT_EQ(sent_.back().at("result"),
            doc(R"({"tools":[{"name":"t","outputSchema":{"type":"object","properties":{"result":{"type":"array"}},
              "required":["result"]}},{"name":"u"}]})")
              .value());
  client_says(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}})");
  answer("tools/call", R"({"resultType":"complete","content":[],"structuredContent":[1]})");
  EXPECT_EQ(sent_.back().at("result"),
            doc(R"({"content":[{"type":"text","text":"[1]"}],"structuredContent":{"result":[1]}})").value());
}

TEST_F(relay_test, a_later_servers_questions_are_requests_to_an_earlier_client) {
  legacy_before_modern(R"({"elicitation":{"url":{}}})");
  client_says(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"a":1}}})", 2);
  auto first = number_of("tools/call");
  answer("tools/call", R"({"resultType":"input_required","requestState":"s","inputRequests":{
    "k":{"method":"elicitation/create","params":{"mode":"url","url":"https://x","message":"m"}}}})");
  EXPECT_EQ(streams_.back(), 2u);
  EXPECT_TRUE(sent_.back().at("params").as_object().contains("elicitationId"));
  client_says(R"({"jsonrpc":"2.0","id":)" + json::serialize(sent_.back().at("id"))
              + R"(,"result":{"action":"accept"}})");
  EXPECT_NE(number_of("tools/call"), first);
  auto& again = asked("tools/call").at("params");
  EXPECT_EQ(again.at("requestState"), "s");
  EXPECT_EQ(again.at("inputResponses"), doc(R"({"k":{"action":"accept"}})").value());
  EXPECT_EQ(again.at("arguments"), doc(R"({"a":1})").value());
  answer("tools/call", R"({"resultType":"complete","content":[]})");
  EXPECT_EQ(sent_.back().at("result"), doc(R"({"content":[]})").value());
}

TEST_F(relay_test, a_later_client_before_an_earlier_server) {
  client_says(modern("0", "server/discover"));
  answer_error("server/discover", R"({"code":-32601,"message":"no"})");
  answer("initialize", legacy_hello);
  EXPECT_EQ(server_->sent.back().at("method"), "notifications/initialized");
  auto& hello = sent_.back().at("result");
  EXPECT_EQ(hello.at("_meta").at("io.modelcontextprotocol/serverInfo"), doc(R"({"name":"s","version":"2"})").value());
  client_says(modern("1", "tools/list"));
  EXPECT_FALSE(asked("tools/list").at("params").as_object().contains("_meta"));
  answer("tools/list", R"({"tools":[{"name":"t","execution":{"taskSupport":"optional"}}]})");
  EXPECT_EQ(sent_.back().at("result").at("tools"), doc(R"([{"name":"t"}])").value());
  EXPECT_EQ(sent_.back().at("result").at("resultType"), "complete");
  EXPECT_EQ(sent_.back().at("result").at("ttlMs"), 0);
  client_says(modern("2", "resources/read", R"("uri":"x:y")"));
  answer_error("resources/read", R"({"code":-32002,"message":"not there"})");
  EXPECT_EQ(sent_.back().at("error"), doc(R"({"code":-32602,"message":"not there","data":{"uri":"x:y"}})").value());
}

/// A call that an earlier server refuses until its person has been somewhere (-32042).
class visits_test : public relay_test {
protected:
  visits_test() {
    modern_before_legacy(abilities);
    client_says(modern("1", "tools/call", R"("name":"t")", abilities), 7);
    answer_error("tools/call", error);
    relay_->expired(timer::parking);
  }
  void come_back(const std::string& action) {
    client_says(modern("2", "tools/call",
                       R"("name":"t","requestState":)" + json::serialize(sent_.back().at("result").at("requestState"))
                         + R"(,"inputResponses":{"q1":{"action":")" + action + R"("}})",
                       abilities),
                8);
  }
  size_t calls() const {
    return static_cast<size_t>(std::count_if(server_->sent.begin(), server_->sent.end(), [](auto& each) {
      auto* method = each.as_object().if_contains("method");
      return method && *method == json::value("tools/call");
    }));
  }

  static constexpr auto abilities = R"({"elicitation":{"url":{}}})";
  static constexpr auto error = R"({"code":-32042,"message":"go there first","data":{"elicitations":[
    {"mode":"url","elicitationId":"e1","url":"https://example.com/","message":"agree"}]}})";
};

TEST_F(visits_test, are_asked_of_a_later_client_and_the_call_is_made_once_more) {
  EXPECT_EQ(sent_.back().at("result").at("inputRequests"), doc(R"({"q1":{"method":"elicitation/create",
                          "params":{"mode":"url","url":"https://example.com/","message":"agree"}}})")
                                                             .value());
  come_back("accept");
  EXPECT_EQ(calls(), 1u) << "the person is on the way";
  server_says(R"({"jsonrpc":"2.0","method":"notifications/elicitation/complete","params":{"elicitationId":"e1"}})");
  EXPECT_EQ(calls(), 2u);
  answer("tools/call", R"({"content":[]})");
  EXPECT_EQ(sent_.back().at("id"), 2);
  EXPECT_EQ(sent_.back().at("result").at("content"), json::array{});
}

TEST_F(visits_test, are_over_after_a_while) {
  come_back("accept");
  relay_->expired(timer::rounds);
  now_ += std::chrono::seconds{30};
  relay_->expired(timer::rounds);
  EXPECT_EQ(calls(), 2u);
  answer_error("tools/call", error);
  EXPECT_EQ(sent_.back().at("error").at("code"), -32042) << "once";
}

TEST_F(visits_test, that_nobody_wants_leave_the_error_as_it_was) {
  come_back("decline");
  EXPECT_EQ(calls(), 1u);
  EXPECT_EQ(sent_.back().at("error"), doc(error).value());
}

TEST_F(visits_test, end_with_the_server) {
  relay_->disconnected({errc::server_died, "is gone"});
  come_back("accept");
  EXPECT_NE(json::serialize(sent_.back().at("error")).find("is gone"), std::string::npos);
}

TEST_F(relay_test, an_earlier_servers_question_parks_the_call_of_a_later_client) {
  modern_before_legacy(R"({"elicitation":{}})");
  client_says(modern("1", "tools/call", R"("name":"t")", R"({"elicitation":{}})"), 7);
  for (auto id : {"1", "2"})
    server_says(std::string{R"({"jsonrpc":"2.0","id":)"} + id
                + R"(,"method":"elicitation/create","params":{"message":"m","requestedSchema":{}}})");
  EXPECT_TRUE(sent_.empty()) << "more may be asked in one go";
  relay_->expired(timer::parking);
  EXPECT_TRUE(sent_.empty()) << "a server that asks twice may ask once more";
  relay_->expired(timer::parking);
  auto asking = sent_.back().at("result");
  EXPECT_EQ(asking.at("inputRequests").as_object().size(), 2u);
  auto state = json::serialize(asking.at("requestState"));
  client_says(modern("2", "tools/call", R"("name":"other","requestState":)" + state), 8);
  EXPECT_EQ(sent_.back().at("error").at("code"), -32602);
  client_says(modern("3", "tools/call",
                     R"("name":"t","requestState":)" + state
                       + R"(,"inputResponses":{"q1":{"action":"accept"},"q2":{"action":"decline"}})",
                     R"({"elicitation":{}})"),
              9);
  EXPECT_EQ(server_->sent.back(), doc(R"({"jsonrpc":"2.0","id":2,"result":{"action":"decline"}})").value());
  answer("tools/call", R"({"content":[]})");
  EXPECT_EQ(streams_.back(), 9u);
  EXPECT_EQ(sent_.back().at("id"), 3);
}

TEST_F(relay_test, a_client_that_can_not_be_asked) {
  modern_before_legacy();
  client_says(modern("1", "tools/call", R"("name":"t")"));
  server_says(
    R"({"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{}}})");
  EXPECT_EQ(server_->sent.back().at("result"), doc(R"({"action":"decline"})").value());
  server_says(R"({"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{}})");
  EXPECT_EQ(sent_.back().at("error").at("data"), doc(R"({"requiredCapabilities":{"sampling":{}}})").value());
  EXPECT_EQ(statuses_.back(), 400);
}

TEST_F(relay_test, a_state_of_no_call_starts_nothing) {
  client_says(modern("0", "tools/call", R"("name":"t","requestState":"foreign")"));
  answer_error("server/discover", R"({"code":-32601,"message":"no"})");
  answer("initialize", legacy_hello);
  EXPECT_EQ(sent_.back().at("error").at("code"), -32602);
}

// ---- who is asked --------------------------------------------------------------------------------

TEST_F(relay_test, of_several_clients_nobody_is_asked_for_another_one) {
  begin(clientele::several);
  modern_before_legacy(R"({"elicitation":{}})");
  client_says(modern("1", "tools/call", R"("name":"t")", R"({"elicitation":{}})"), 1);
  client_says(modern("1", "tools/call", R"("name":"t")", R"({"elicitation":{}})"), 2);
  constexpr auto question = R"({"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"message":"m"}})";
  server_says(question);
  EXPECT_EQ(server_->sent.back().at("error").at("code"), -32601);
  relay_->cancel_stream(1);
  EXPECT_TRUE(is_retired_) << "it may ask for that one still";
  server_says(question);
  EXPECT_EQ(server_->sent.back().at("error").at("code"), -32601);
}

// ---- changes and logs ----------------------------------------------------------------------------

TEST_F(relay_test, a_later_client_listens_to_an_earlier_server) {
  modern_before_legacy();
  client_says(
    modern(R"("l")", "subscriptions/listen",
           R"("notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["a:b"]})"),
    6);
  EXPECT_EQ(sent_.back().at("params").at("notifications"),
            doc(R"({"toolsListChanged":true,"resourceSubscriptions":["a:b"]})").value());
  EXPECT_EQ(asked("resources/subscribe").at("params"), doc(R"({"uri":"a:b"})").value());
  sent_.clear();
  server_says(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  server_says(R"({"jsonrpc":"2.0","method":"notifications/prompts/list_changed"})");
  server_says(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}})");
  server_says(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"other"}})");
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(sent_[0].at("params").at("_meta"), doc(R"({"io.modelcontextprotocol/subscriptionId":"l"})").value());
  EXPECT_EQ(sent_[1].at("params").at("uri"), "a:b");
  relay_->cancel_stream(6);
  EXPECT_EQ(asked("resources/unsubscribe").at("params"), doc(R"({"uri":"a:b"})").value());
}

TEST_F(relay_test, a_large_change_is_told_to_subscriptions_without_what_is_not_of_the_protocol) {
  modern_before_legacy();
  client_says(modern(R"("l")", "subscriptions/listen",
                     R"("notifications":{"toolsListChanged":true,"resourceSubscriptions":["a:b"]})"),
              6);
  sent_.clear();
  auto large = R"({"more":")" + std::string(100'000, 'x') + R"("})";
  server_says(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":)" + large + "}}");
  server_says(R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b","x":)" + large
              + "}}");
  ASSERT_EQ(sent_.size(), 2u);
  auto meta = doc(R"({"io.modelcontextprotocol/subscriptionId":"l"})").value();
  EXPECT_EQ(sent_[0].at("params"), json::value(json::object{{"_meta", meta}}));
  EXPECT_EQ(sent_[1].at("params"), json::value(json::object{{"_meta", meta}, {"uri", "a:b"}}));
}

TEST_F(relay_test, an_earlier_client_has_so_many_bytes_of_resources_to_be_told_of) {
  legacy_before_modern();
  auto subscribe = [&](const std::string& uri) {
    client_says(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":")" + uri + R"("}})");
    return sent_.back();
  };
  auto too_long = subscribe(std::string(mcp::relay::subscribed_uri_bytes_max + 1, 'u'));
  EXPECT_EQ(too_long.at("error").at("code"), -32602);
  EXPECT_NE(std::string{too_long.at("error").at("message").as_string()}.find("unsubscribe"), std::string::npos);
  for (size_t n = 0; n < mcp::relay::subscribed_bytes_max / mcp::relay::subscribed_uri_bytes_max; ++n)
    EXPECT_TRUE(subscribe(std::to_string(1'000 + n) + std::string(mcp::relay::subscribed_uri_bytes_max - 4, 'u'))
                  .as_object()
                  .contains("result"));
  EXPECT_EQ(subscribe("a:b").at("error").at("code"), -32602);
  EXPECT_TRUE(
    subscribe("1000" + std::string(mcp::relay::subscribed_uri_bytes_max - 4, 'u')).as_object().contains("result"))
    << "it has that already";
}

TEST_F(relay_test, an_earlier_client_is_told_what_a_later_server_tells) {
  legacy_before_modern();
  EXPECT_EQ(asked("subscriptions/listen").at("params").at("notifications"),
            doc(R"({"toolsListChanged":true})").value());
  auto id = std::to_string(number_of("subscriptions/listen"));
  server_says(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{
    "io.modelcontextprotocol/subscriptionId":)"
              + id + "}}}");
  EXPECT_EQ(sent_.back(), doc(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}})").value());
  client_says(R"({"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"a:b"}})");
  EXPECT_EQ(sent_.back().at("result"), json::object{});
  EXPECT_EQ(asked("subscriptions/listen").at("params").at("notifications").at("resourceSubscriptions"),
            json::array{"a:b"});
  client_says(R"({"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"loud"}})");
  EXPECT_EQ(sent_.back().at("error").at("code"), -32602);
  client_says(R"({"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"info"}})");
  client_says(R"({"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"t"}})");
  EXPECT_EQ(asked("tools/call").at("params").at("_meta").at("io.modelcontextprotocol/logLevel"), "info");
}

TEST_F(relay_test, a_later_client_gets_as_much_of_the_log_as_it_asks_for) {
  modern_before_legacy();
  constexpr auto level = R"(,"io.modelcontextprotocol/logLevel":"warning")";
  client_says(modern("1", "tools/call", R"("name":"t")", "{}", level));
  answer("logging/setLevel", "{}");
  for (auto each : {"info", "error"})
    server_says(std::string{R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":")"} + each
                + R"(","data":"d"}})");
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].at("params").at("level"), "error");
  answer("tools/call", R"({"content":[]})");
  client_says(modern("2", "tools/call", R"("name":"t")"));
  server_says(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"d"}})");
  EXPECT_EQ(sent_.size(), 2u);
}

// ---- the end -------------------------------------------------------------------------------------

TEST_F(relay_test, a_server_that_ends_takes_an_earlier_client_with_it) {
  legacy_pair();
  client_says(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  relay_->disconnected({errc::server_died, "has ended (exit code 3)"});
  EXPECT_EQ(sent_.back().at("error").at("message"), "server 'srv' has ended (exit code 3)");
  EXPECT_EQ(over_, "server 'srv' has ended (exit code 3)");
}

TEST_F(relay_test, and_is_started_again_for_a_later_one) {
  modern_before_legacy();
  relay_->disconnected({errc::server_died, "has ended"});
  EXPECT_EQ(over_, "");
  client_says(modern("1", "tools/list"));
  EXPECT_EQ(connects_, 2);
}

TEST_F(relay_test, one_that_ends_at_what_is_no_initialize_is_started_once_more) {
  client_says(modern("0", "server/discover"));
  relay_->disconnected({errc::server_died, "has ended"});
  EXPECT_EQ(connects_, 2);
  answer("initialize", legacy_hello);
  EXPECT_EQ(sent_.back().at("id"), 0);
  EXPECT_TRUE(sent_.back().as_object().contains("result"));
}

TEST_F(relay_test, one_that_can_not_be_spoken_with_is_an_error_of_each_that_waits) {
  shake_hands();
  client_says(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  answer("initialize", R"({"protocolVersion":"1999-01-01","capabilities":{}})");
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(sent_[0].at("error").at("code"), -32603);
  EXPECT_TRUE(server_->is_stopped);
}

TEST_F(relay_test, a_broken_answer_fails_its_request) {
  legacy_pair();
  client_says(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})");
  server_says(R"({"jsonrpc":"2.0","id":)" + std::to_string(number_of("tools/list")) + "}");
  EXPECT_EQ(sent_.back().at("error").at("code"), -32603);
}

} // namespace mcp_relay_test
