#include "tests/unit/mcp/server_protocol_fixture.hpp"

namespace mcp_server_protocol_test {

using kind = mcp::outgoing::kind;
using ids = std::vector<mcp::request_number>;

/// A client that sends what revision 2026-07-28 wants, by HTTP or on stdin.
class server_protocol_modern_test : public server_protocol_test {
protected:
  static std::string meta(const std::string& version = "2026-07-28", const std::string& more = "") {
    return R"("_meta":{"io.modelcontextprotocol/protocolVersion":")" + version
           + R"(","io.modelcontextprotocol/clientInfo":{"name":"m","version":"1"},)"
             R"("io.modelcontextprotocol/clientCapabilities":{})"
           + more + "}";
  }
  void ask(const std::string& id, const std::string& method, const std::string& params = "",
           mcp::stream_number stream = 0, const std::string& more = "") {
    request(id, method, "{" + params + (params.empty() ? "" : ",") + meta("2026-07-28", more) + "}", stream);
  }
  mcp::request_number call_on(mcp::stream_number stream, const std::string& id, const std::string& more = "") {
    ask(id, "tools/call", R"("name":"t")", stream, more);
    return calls_.empty() ? 0 : calls_.back().number;
  }
  void listen(const std::string& id, mcp::stream_number stream = 0) {
    ask(id, "subscriptions/listen", R"("notifications":{"toolsListChanged":true})", stream);
  }
  const json::object& result() const { return sent_.back().at("result").as_object(); }
  static json::value server() { return value(R"({"name":"code-executor","version":"1.2.3"})"); }
};

// ---- discovery and lists -----------------------------------------------------------------------

TEST_F(server_protocol_modern_test, discovery_needs_no_handshake) {
  ask("\"d\"", "server/discover");
  EXPECT_EQ(sent_.back().at("id"), "d");
  EXPECT_EQ(result().at("resultType"), "complete");
  EXPECT_EQ(result().at("supportedVersions"), json::value(mcp::served_revisions()));
  EXPECT_EQ(result().at("capabilities"), value(R"({"tools":{},"logging":{},"prompts":{}})"));
  EXPECT_EQ(result().at("instructions"), "Read me.");
  EXPECT_EQ(result().at("cacheScope"), "private");
  EXPECT_GE(result().at("ttlMs").as_int64(), 0);
  EXPECT_EQ(result().at("_meta").at("io.modelcontextprotocol/serverInfo"), server());
}

TEST_F(server_protocol_modern_test, lists_say_how_long_they_are_good) {
  ask("1", "tools/list");
  EXPECT_EQ(listed_for_, mcp::revision::r2026_07_28);
  EXPECT_EQ(result().at("tools"), value("[]"));
  EXPECT_EQ(result().at("resultType"), "complete");
  EXPECT_EQ(result().at("cacheScope"), "public");
  EXPECT_GT(result().at("ttlMs").as_int64(), 0);
  EXPECT_EQ(result().at("_meta").at("io.modelcontextprotocol/serverInfo"), server());
  ask("2", "prompts/list");
  EXPECT_EQ(result().at("prompts"), value("[]"));
  EXPECT_TRUE(result().contains("ttlMs"));
  ask("3", "completion/complete");
  EXPECT_EQ(result().at("completion").at("values"), value("[]"));
  EXPECT_FALSE(result().contains("ttlMs"));
}

TEST_F(server_protocol_modern_test, lists_have_one_page) {
  ask("1", "tools/list", R"("cursor":"x")");
  expect_error(code::invalid_params, "1", "cursor");
}

// ---- refusals ----------------------------------------------------------------------------------

TEST_F(server_protocol_modern_test, an_unknown_revision_is_told_those_that_are_served) {
  request("1", "tools/list", "{" + meta("1900-01-01") + "}");
  auto data = sent_.back().at("error").at("data");
  EXPECT_EQ(data.at("supported"), json::value(mcp::served_revisions()));
  EXPECT_EQ(data.at("requested"), "1900-01-01");
  expect_error(code::unsupported_revision, "1", "1900-01-01");
}

TEST_F(server_protocol_modern_test, capabilities_have_to_be_said) {
  request("1", "tools/list", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})");
  expect_error(code::invalid_params, "1", "clientCapabilities");
  request("2", "initialize", R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}})");
  expect_error(code::invalid_params, "2", "clientCapabilities");
}

TEST_F(server_protocol_modern_test, methods_that_were_removed_are_not_found) {
  initialize();
  for (auto* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
                       "tasks/list", "nonsense"}) {
    ask("1", method);
    expect_error(code::method_not_found, "1", method);
  }
}

// ---- both eras ---------------------------------------------------------------------------------

TEST_F(server_protocol_modern_test, each_message_says_its_era) {
  ask("1", "tools/list");
  EXPECT_TRUE(result().contains("resultType"));
  sent_.clear();
  request("2", "tools/list");
  expect_error(code::invalid_request, "2", "initialize");
  initialize("2025-06-18");
  request("3", "tools/list");
  EXPECT_EQ(sent_.back().at("result"), value(R"({"tools":[]})"));
  EXPECT_EQ(listed_for_, mcp::revision::r2025_06_18);
  ask("4", "tools/list");
  EXPECT_TRUE(result().contains("resultType"));
  EXPECT_EQ(listed_for_, mcp::revision::r2026_07_28);
  request("5", "ping");
  EXPECT_EQ(sent_.back().at("result"), value("{}"));
}

TEST_F(server_protocol_modern_test, an_envelope_changes_nothing_of_who_has_shaken_hands) {
  initialize("2025-03-26");
  auto modern = call_on(0, "1");
  EXPECT_EQ(protocol_.asker(modern).spoken, mcp::revision::r2026_07_28);
  EXPECT_EQ(protocol_.asker(modern).name, "m");
  auto other = call("2");
  EXPECT_EQ(protocol_.asker(other).spoken, mcp::revision::r2025_03_26);
  EXPECT_EQ(protocol_.asker(other).name, "c");
}

TEST_F(server_protocol_modern_test, an_id_is_in_use_for_both_eras_of_one_connection) {
  initialize();
  call("7");
  ask("7", "tools/call", R"("name":"t")");
  expect_error(code::invalid_request, "7", "in use");
}

TEST_F(server_protocol_modern_test, there_are_no_batches_of_it) {
  initialize("2025-03-26");
  receive(R"([{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t",)" + meta() + "}}]");
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].as_array().at(0).at("error").at("code"), code::invalid_request);
  EXPECT_TRUE(calls_.empty());
}

// ---- streams -----------------------------------------------------------------------------------

TEST_F(server_protocol_modern_test, the_same_id_on_other_streams_is_another_request) {
  auto one = call_on(1, "1");
  auto other = call_on(2, "1");
  ASSERT_NE(one, other);
  EXPECT_TRUE(sent_.empty());
  protocol_.respond(other, doc("{}"));
  protocol_.respond(one, doc("{}"));
  EXPECT_EQ(ways_, (std::vector<way>{{2, kind::answer}, {1, kind::answer}}));
}

TEST_F(server_protocol_modern_test, progress_goes_to_the_stream_of_its_request) {
  auto number = call_on(5, "1", R"(,"progressToken":"p")");
  EXPECT_TRUE(calls_.back().wants_progress);
  protocol_.progress(number, 1, "half");
  EXPECT_EQ(ways_, (std::vector<way>{{5, kind::notification}}));
  EXPECT_EQ(sent_.back().at("params"), value(R"({"progressToken":"p","progress":1.0,"message":"half"})"));
}

TEST_F(server_protocol_modern_test, refusals_end_their_stream) {
  ask("1", "ping", "", 3);
  receive(R"({"jsonrpc":"2.0","id":2,"method":7})", 4);
  EXPECT_EQ(ways_, (std::vector<way>{{3, kind::answer}, {4, kind::answer}}));
}

TEST_F(server_protocol_modern_test, a_stream_that_nobody_reads_cancels_its_requests_only) {
  auto gone = call_on(1, "1");
  auto stays = call_on(2, "1");
  protocol_.cancel_stream(1);
  protocol_.cancel_stream(1);
  EXPECT_EQ(cancelled_, ids{gone});
  EXPECT_TRUE(ways_.empty());
  protocol_.respond(gone, doc("{}"));
  EXPECT_TRUE(ways_.empty());
  protocol_.respond(stays, doc("{}"));
  EXPECT_EQ(ways_, (std::vector<way>{{2, kind::answer}}));
}

TEST_F(server_protocol_modern_test, on_stdin_a_request_is_cancelled_by_its_id) {
  auto number = call_on(0, "\"x\"");
  receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}})");
  EXPECT_EQ(cancelled_, ids{number});
  EXPECT_TRUE(ways_.empty()) << "no answer is wanted, and there is one way only";
}

TEST_F(server_protocol_modern_test, a_cancelled_request_of_a_session_ends_its_stream) {
  initialize();
  ways_.clear();
  request("1", "tools/call", R"({"name":"t"})", 6);
  receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_EQ(cancelled_.size(), 1u);
  EXPECT_EQ(ways_, (std::vector<way>{{6, kind::none}}));
}

// ---- subscriptions -----------------------------------------------------------------------------

TEST_F(server_protocol_modern_test, a_subscription_is_acknowledged_first_and_answered_when_it_ends) {
  listen("7", 4);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].at("method"), "notifications/subscriptions/acknowledged");
  EXPECT_EQ(sent_[0].at("params").at("_meta").at("io.modelcontextprotocol/subscriptionId"), 7);
  EXPECT_EQ(sent_[0].at("params").at("notifications"), value("{}"));
  EXPECT_EQ(protocol_.in_flight(), 1u);
  protocol_.end_subscriptions();
  EXPECT_EQ(sent_.back().at("id"), 7);
  EXPECT_EQ(result().at("resultType"), "complete");
  EXPECT_EQ(result().at("_meta").at("io.modelcontextprotocol/subscriptionId"), 7);
  EXPECT_EQ(result().at("_meta").at("io.modelcontextprotocol/serverInfo"), server());
  EXPECT_EQ(ways_, (std::vector<way>{{4, kind::notification}, {4, kind::answer}}));
  EXPECT_EQ(protocol_.in_flight(), 0u);
}

TEST_F(server_protocol_modern_test, only_subscriptions_end_with_them) {
  auto number = call_on(1, "1");
  listen("\"s\"", 2);
  listen("\"s\"", 3);
  ways_.clear();
  protocol_.end_subscriptions();
  EXPECT_EQ(ways_, (std::vector<way>{{2, kind::answer}, {3, kind::answer}}));
  protocol_.end_subscriptions();
  EXPECT_EQ(ways_.size(), 2u);
  EXPECT_EQ(protocol_.in_flight(), 1u);
  protocol_.respond(number, doc("{}"));
  EXPECT_EQ(ways_.back(), (way{1, kind::answer}));
}

TEST_F(server_protocol_modern_test, nobody_works_for_a_subscription_that_is_cancelled) {
  listen("1", 4);
  listen("2", 0);
  protocol_.cancel_stream(4);
  receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}})");
  EXPECT_TRUE(cancelled_.empty());
  EXPECT_EQ(protocol_.in_flight(), 0u);
}

TEST_F(server_protocol_modern_test, a_subscription_says_for_what) {
  for (auto* params : {"", R"("notifications":null)", R"("notifications":[])"}) {
    ask("1", "subscriptions/listen", params);
    expect_error(code::invalid_params, "1", "notifications");
  }
  EXPECT_EQ(protocol_.in_flight(), 0u);
}

TEST_F(server_protocol_modern_test, there_are_no_subscriptions_after_a_handshake) {
  initialize();
  request("1", "subscriptions/listen", R"({"notifications":{}})");
  expect_error(code::method_not_found, "1");
  request("2", "server/discover");
  expect_error(code::method_not_found, "2");
}

// ---- answers -----------------------------------------------------------------------------------

TEST_F(server_protocol_modern_test, a_missing_resource_has_the_code_of_its_revision) {
  initialize();
  mcp::rpc_refusal missing{code::resource_not_found, "Unknown resource: a", json::object{{"uri", "a"}}};
  protocol_.respond_error(call_on(0, "1"), missing);
  EXPECT_EQ(sent_.back().at("error").at("data"), value(R"({"uri":"a"})"));
  expect_error(code::invalid_params, "1", "Unknown resource");
  protocol_.respond_error(call("2"), missing);
  expect_error(code::resource_not_found, "2", "Unknown resource");
}

TEST_F(server_protocol_modern_test, other_codes_stay_as_they_are) {
  protocol_.respond_error(call_on(0, "1"), {code::internal_error, "broken", {}});
  expect_error(code::internal_error, "1", "broken");
}

TEST_F(server_protocol_modern_test, a_result_with_a_hint_is_a_listing) {
  protocol_.respond(call_on(0, "1"), doc(R"({"contents":[1]})"),
                    {mcp::cache_hint::scope::asker, std::chrono::milliseconds{0}});
  EXPECT_EQ(result().at("contents"), value("[1]"));
  EXPECT_EQ(result().at("cacheScope"), "private");
  EXPECT_EQ(result().at("ttlMs"), 0);
  initialize();
  protocol_.respond(call("1"), doc(R"({"contents":[1]})"),
                    {mcp::cache_hint::scope::asker, std::chrono::milliseconds{0}});
  EXPECT_EQ(result(), value(R"({"contents":[1]})").as_object());
}

} // namespace mcp_server_protocol_test
