// The client side towards servers of 2026-07-28.
#include "tests/unit/mcp/client_protocol_fixture.hpp"

#include "mcp/envelope.hpp"

namespace mcp_client_modern_test {

namespace json = boost::json;
using mcp::opening;
using test::client_protocol_test;
using test::doc;
using test::value;

constexpr auto discovered =
  R"({"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}})";
constexpr auto handshaken = R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}}})";
constexpr auto unknown = R"({"code":-32601,"message":"Method not found"})";

class client_modern_test : public client_protocol_test {
protected:
  int64_t id_of(std::string_view method) {
    for (auto& each : sent_)
      if (each.at("method") == json::value(method))
        found_ = each;
    return found_.is_null() ? 0 : found_.at("id").as_int64();
  }
  const json::object& meta() { return found_.at("params").at("_meta").as_object(); }
  void discover(const std::string& tools = "[]") {
    protocol_.start(opening::discover);
    respond(last_id(), discovered);
    respond(id_of("tools/list"), R"({"resultType":"complete","tools":)" + tools + "}");
    ASSERT_EQ(listed_.size(), 1u);
    ASSERT_TRUE(listed_.back().ok()) << listed_.back().error.message;
  }

  json::value found_;
};

// ---- the opening -------------------------------------------------------------------------------

TEST_F(client_modern_test, every_request_says_who_asks_and_in_which_revision) {
  discover();
  ASSERT_EQ(sent_.size(), 3u) << "server/discover, subscriptions/listen, tools/list";
  for (auto method : {"server/discover", "subscriptions/listen", "tools/list"}) {
    ASSERT_NE(id_of(method), 0) << method;
    EXPECT_EQ(meta().at(mcp::meta_key::version), json::value("2026-07-28")) << method;
    EXPECT_TRUE(meta().at(mcp::meta_key::capabilities).is_object()) << method;
    EXPECT_EQ(meta().at(mcp::meta_key::client).at("name"), json::value("code-executor")) << method;
  }
  EXPECT_EQ(labels_.method, "tools/list");
  EXPECT_TRUE(protocol_.how_it_opened().understands_discovery());
}

TEST_F(client_modern_test, any_other_error_means_initialize) {
  for (std::string error : {R"({"code":-32601,"message":"x"})", R"({"code":1})", R"("odd")",
                            R"({"code":-32022,"message":"x","data":{"supported":["2025-06-18"]}})",
                            R"({"code":-32022,"message":"x","data":{"supported":"2026-07-28"}})"}) {
    mcp::client_protocol p{"srv", callbacks()};
    p.start(opening::discover);
    p.receive(doc(R"({"jsonrpc":"2.0","id":1,"error":)" + error + "}"));
    last("initialize");
    EXPECT_TRUE(labels_.is_empty()) << error;
    p.receive(doc(R"({"jsonrpc":"2.0","id":2,"result":)" + std::string{handshaken} + "}"));
    EXPECT_TRUE(p.handshaken()) << error;
    EXPECT_TRUE(p.how_it_opened().has_learned()) << error;
    EXPECT_FALSE(p.how_it_opened().understands_discovery()) << error;
  }
}

TEST_F(client_modern_test, what_answers_anything_is_asked_to_initialize) {
  protocol_.start(opening::discover);
  respond(last_id(), R"({"ok":true})");
  last("initialize");
}

TEST_F(client_modern_test, what_can_not_be_read_means_initialize) {
  protocol_.start(opening::discover);
  receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(last_id()) + R"(,"result":{},"error":{}})");
  last("initialize");
  respond(last_id(), handshaken);
  EXPECT_TRUE(protocol_.handshaken());
  mcp::client_protocol other{"srv", callbacks()};
  other.start(opening::discover);
  EXPECT_TRUE(other.fail_broken(R"({"jsonrpc":"2.0","id":)" + std::to_string(last_id()) + R"(,"result":)", "cut"));
  last("initialize");
}

TEST_F(client_modern_test, one_that_refuses_the_first_request_is_asked_once_more) {
  constexpr auto refusal = R"({"code":-32022,"message":"x","data":{"supported":["2026-07-28","2025-11-25"]}})";
  protocol_.start(opening::discover);
  fail(last_id(), refusal);
  last("server/discover");
  fail(last_id(), refusal);
  last("initialize");
}

TEST_F(client_modern_test, revisions_that_nobody_knows_are_told) {
  protocol_.start(opening::discover);
  respond(last_id(), R"({"supportedVersions":["2031-01-01",7,"2032-02-02"],"capabilities":{}})");
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_NE(listed_[0].error.message.find("2031-01-01, 2032-02-02"), std::string::npos) << listed_[0].error.message;
}

TEST_F(client_modern_test, one_that_is_silent_is_asked_to_initialize_as_well) {
  protocol_.start(opening::discover);
  auto asked = last_id();
  protocol_.stop_waiting_for_discovery();
  last("initialize");
  auto initialize = last_id();
  protocol_.stop_waiting_for_discovery();
  EXPECT_EQ(last_id(), initialize) << "once";
  respond(asked, discovered);
  EXPECT_FALSE(protocol_.handshaken()) << "the server may have taken the other one: that counts";
  respond(initialize, handshaken);
  EXPECT_TRUE(protocol_.handshaken());
  EXPECT_TRUE(labels_.is_empty());
  EXPECT_TRUE(protocol_.how_it_opened().understands_discovery()) << "for the next time";
}

TEST_F(client_modern_test, of_both_the_one_that_is_answered_well_counts) {
  protocol_.start(opening::discover);
  auto asked = last_id();
  protocol_.stop_waiting_for_discovery();
  auto initialize = last_id();
  fail(initialize, unknown);
  EXPECT_TRUE(listed_.empty());
  respond(asked, discovered);
  EXPECT_EQ(labels_.method, "tools/list");
}

TEST_F(client_modern_test, one_that_refuses_initialize_is_asked_what_it_speaks) {
  protocol_.start();
  fail(last_id(), R"({"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}})");
  last("server/discover");
  respond(last_id(), discovered);
  EXPECT_EQ(labels_.method, "tools/list");
}

TEST_F(client_modern_test, a_late_answer_is_none_of_another) {
  protocol_.start(opening::discover);
  auto asked = last_id();
  protocol_.stop_waiting_for_discovery();
  respond(last_id(), handshaken);
  respond(id_of("tools/list"), R"({"tools":[]})");
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_EQ(fail(asked, unknown), "");
  EXPECT_EQ(listed_.size(), 1u);
}

TEST_F(client_modern_test, the_end_of_the_connection_is_told_once) {
  protocol_.start(opening::discover);
  protocol_.fail_all({msg::errc::server_died, "gone"});
  protocol_.fail_all({msg::errc::server_died, "gone"});
  EXPECT_EQ(listed_.size(), 1u);
}

// ---- calls -------------------------------------------------------------------------------------

TEST_F(client_modern_test, arguments_go_into_headers_where_their_tool_wants_them) {
  protocol_.say_headers();
  discover(R"([{"name":"tool","inputSchema":{"type":"object","properties":{
    "region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"},"p":{"type":"string"}}}},
    {"name":"bad","inputSchema":{"type":"object","properties":{"x":{"type":"number","x-mcp-header":"X"}}}}])");
  EXPECT_EQ(names(), std::vector<std::string>{"tool"});
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_NE(log_[0].find("'bad'"), std::string::npos) << log_[0];
  call(1, true, R"({"region":"Zürich","n":3,"p":"q"})");
  EXPECT_EQ(labels_.name, "tool");
  ASSERT_EQ(labels_.parameters.size(), 2u);
  EXPECT_EQ(labels_.parameters[0].first, "Mcp-Param-Region");
  EXPECT_EQ(labels_.parameters[0].second, "=?base64?WsO8cmljaA==?=");
  EXPECT_EQ(labels_.parameters[1].second, "3");
  auto& sent = sent_.back().at("params").as_object();
  EXPECT_EQ(sent.at("_meta").at("progressToken"), json::value(last_id()));
  EXPECT_EQ(sent.at("arguments"), value(R"({"region":"Zürich","n":3,"p":"q"})"));
}

TEST_F(client_modern_test, other_requests_keep_their_parameters) {
  discover();
  protocol_.calls().call({{1, 1},
                          "srv",
                          "prompts/get",
                          doc(R"({"name":"greet","_meta":{"x":1},"arguments":{"who":"Ann"}})"),
                          false,
                          msg::child_method::get_prompt});
  auto& sent = sent_.back().at("params").as_object();
  EXPECT_EQ(labels_.name, "greet");
  EXPECT_EQ(sent.at("name"), json::value("greet"));
  EXPECT_EQ(sent.at("arguments"), value(R"({"who":"Ann"})"));
  EXPECT_FALSE(sent.at("_meta").as_object().contains("x"));
  protocol_.calls().call(
    {{1, 2}, "srv", "resources/read", doc(R"({"uri":"a:b"})"), false, msg::child_method::read_resource});
  EXPECT_EQ(labels_.name, "a:b");
}

TEST_F(client_modern_test, results_that_are_no_end_are_refused) {
  discover();
  respond(call(1), R"({"content":[]})");
  respond(call(2), R"({"resultType":"complete","content":[]})");
  respond(call(3), R"({"resultType":7,"content":[]})");
  ASSERT_EQ(answers_.size(), 3u);
  EXPECT_TRUE(answers_[0].result.ok());
  EXPECT_TRUE(answers_[1].result.ok());
  EXPECT_NE(answers_[2].result.error.message.find("a kind that is not known: 7"), std::string::npos);
}

TEST_F(client_modern_test, a_mismatch_of_headers_means_that_its_tools_have_changed) {
  discover();
  fail(call(1), R"({"code":-32020,"message":"Header mismatch"})");
  EXPECT_EQ(changed_, 1);
}

// ---- changes of its tools ----------------------------------------------------------------------

TEST_F(client_modern_test, it_is_asked_again_to_say_when_its_tools_change) {
  int ended = 0;
  auto c = callbacks();
  c.listening_ended = [&ended] { ++ended; };
  mcp::client_protocol p{"srv", c};
  auto answer = [&](int64_t id, const std::string& rest) {
    p.receive(doc(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + "," + rest + "}"));
  };
  p.start(opening::discover);
  answer(1, R"("result":)" + std::string{discovered});
  answer(id_of("subscriptions/listen"), R"("result":{"resultType":"complete"})");
  EXPECT_EQ(ended, 1);
  p.listen_again();
  EXPECT_EQ(changed_, 1) << "meanwhile it may have";
  auto again = last_id();
  p.listen_again();
  EXPECT_EQ(last_id(), again) << "one at a time";
  answer(again, R"("error":{"code":-32601,"message":"no"})");
  EXPECT_EQ(ended, 1);
  p.listen_again();
  EXPECT_EQ(last_id(), again) << "it has none";
}

} // namespace mcp_client_modern_test
