#include "tests/unit/mcp/client_protocol_fixture.hpp"

#include "mcp/revision.hpp"
#include "messages/limits.hpp"

namespace mcp_client_protocol_test {

namespace json = boost::json;
using msg::errc;
using test::client_protocol_test;
using test::doc;
using test::value;

// ---- handshake ---------------------------------------------------------------------------------

TEST_F(client_protocol_test, shakes_hands_and_lists_tools) {
  protocol_.start();
  auto first = last("initialize");
  EXPECT_EQ(first.at("params").at("protocolVersion"), json::value(mcp::name_of(mcp::latest_revision)));
  EXPECT_TRUE(first.at("params").at("capabilities").is_object());
  EXPECT_EQ(first.at("params").at("clientInfo").at("name"), json::value("code-executor"));
  EXPECT_FALSE(protocol_.handshaken());
  EXPECT_EQ(respond(last_id(), R"({"protocolVersion":"2024-11-05","capabilities":{"tools":{}}})"), "");
  EXPECT_TRUE(protocol_.handshaken());
  ASSERT_EQ(sent_.size(), 3u);
  EXPECT_EQ(sent_[1], value(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"));
  EXPECT_FALSE(last("tools/list").contains("params")) << "the first page has no cursor";
  EXPECT_TRUE(protocol_.listing());
  EXPECT_EQ(
    respond(last_id(),
            R"({"tools":[{"name":"a","description":"A.","inputSchema":{"type":"object"},"x":1},{"name":"b"}]})"),
    "");
  EXPECT_FALSE(protocol_.listing());
  ASSERT_EQ(listed_.size(), 1u);
  ASSERT_TRUE(listed_[0].ok());
  ASSERT_EQ(names(), (std::vector<std::string>{"a", "b"}));
  auto& a = listed_[0].value->front();
  EXPECT_EQ(a.server, "srv");
  EXPECT_EQ(a.description, "A.");
  EXPECT_EQ(a.definition.text(), R"({"name":"a","description":"A.","inputSchema":{"type":"object"},"x":1})")
    << "nothing of it is lost";
}

TEST_F(client_protocol_test, every_revision_we_know_is_fine) {
  for (auto revision : mcp::handshake_names()) {
    mcp::client_protocol p{"srv", callbacks()};
    p.start();
    p.receive(doc(R"({"jsonrpc":"2.0","id":)" + std::to_string(last_id()) + R"(,"result":{"protocolVersion":")"
                  + std::string{revision} + "\"}}"));
    EXPECT_TRUE(p.handshaken()) << revision;
  }
}

TEST_F(client_protocol_test, a_failed_handshake_ends_the_listing_with_the_reason) {
  struct {
    const char* answer;
    const char* says;
  } const cases[] = {
    {R"("error":{"code":-32602,"message":"no thanks"})", "no thanks (code -32602)"},
    {R"("error":"odd")", "odd"},
    {R"("result":[])", "no object"},
    {R"("result":null)", "no object"},
    {R"("result":{})", "revision ''"},
    {R"("result":{"protocolVersion":"1999-01-01"})", "revision '1999-01-01'"},
    {R"("result":{"protocolVersion":7})", "revision ''"},
  };
  for (auto& c : cases) {
    listed_.clear();
    mcp::client_protocol p{"srv", callbacks()};
    p.start();
    p.receive(doc(R"({"jsonrpc":"2.0","id":)" + std::to_string(last_id()) + "," + c.answer + "}"));
    if (std::string_view{c.answer}.starts_with("\"error")) // it may speak the later era only
      p.receive(doc(R"({"jsonrpc":"2.0","id":)" + std::to_string(last_id()) + R"(,"error":{"code":-32601}})"));
    ASSERT_EQ(listed_.size(), 1u) << c.answer;
    EXPECT_EQ(listed_[0].error.code, errc::server_start_failed) << c.answer;
    EXPECT_EQ(listed_[0].error.server, "srv") << c.answer;
    EXPECT_NE(listed_[0].error.message.find(c.says), std::string::npos) << listed_[0].error.message;
    EXPECT_FALSE(p.handshaken()) << c.answer;
  }
}

TEST_F(client_protocol_test, a_server_without_tools_has_none) {
  protocol_.start();
  respond(last_id(), R"({"protocolVersion":"2025-11-25","capabilities":{"prompts":{}}})");
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_TRUE(listed_[0].ok());
  EXPECT_TRUE(listed_[0].value->empty());
  last("notifications/initialized");
}

TEST_F(client_protocol_test, a_full_queue_at_the_start_ends_the_listing) {
  queue_full_ = true;
  protocol_.start();
  ASSERT_EQ(listed_.size(), 1u) << "start() ends in `listed`; otherwise its owner waits for the timeout";
  EXPECT_EQ(listed_[0].error.code, errc::overloaded);
}

TEST_F(client_protocol_test, a_full_queue_ends_a_later_listing) {
  handshake();
  queue_full_ = true;
  protocol_.list_tools();
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_EQ(listed_[0].error.code, errc::overloaded);
  EXPECT_FALSE(protocol_.listing());
}

// ---- notifications and requests of the server ----------------------------------------------------

TEST_F(client_protocol_test, progress_reaches_the_call_that_asked_for_it) {
  handshake();
  auto id = call(7, true);
  EXPECT_EQ(last("tools/call").at("params").at("_meta").at("progressToken").as_int64(), id);
  receive(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + std::to_string(id)
          + R"(,"progress":1,"total":2.5,"message":"half"}})");
  ASSERT_EQ(progress_.size(), 1u);
  EXPECT_EQ(progress_[0].key, (msg::call_key{1, 7}));
  EXPECT_EQ(progress_[0].progress, 1.0);
  EXPECT_EQ(progress_[0].total, 2.5);
  EXPECT_EQ(progress_[0].message, "half");
  for (auto* params : {R"({"progressToken":999,"progress":1})", R"({"progressToken":"x","progress":1})",
                       R"({"progress":1})", "{}", R"({"progressToken":null})"})
    EXPECT_EQ(receive(std::string{R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"} + params + "}"),
              "")
      << params;
  EXPECT_EQ(progress_.size(), 1u);
  receive(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + std::to_string(id)
          + R"(,"progress":"x","total":null,"message":5}})");
  ASSERT_EQ(progress_.size(), 2u);
  EXPECT_EQ(progress_[1].progress, 0.0);
  EXPECT_EQ(progress_[1].message, "");
  respond(id, "{}");
  receive(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + std::to_string(id)
          + R"(,"progress":3}})");
  EXPECT_EQ(progress_.size(), 2u) << "the call has ended";
}

TEST_F(client_protocol_test, hears_that_the_tools_changed_and_what_is_logged) {
  handshake();
  EXPECT_EQ(receive(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})"), "");
  EXPECT_EQ(receive(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}})"), "");
  EXPECT_EQ(changed_, 2);
  receive(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":{"a":1}}})");
  receive(R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})");
  receive(R"({"jsonrpc":"2.0","method":"notifications/message"})");
  EXPECT_EQ(log_, (std::vector<std::string>{R"(error: {"a":1})", "info: "}));
  EXPECT_EQ(receive(R"({"jsonrpc":"2.0","method":"notifications/unknown","params":{}})"), "");
}

TEST_F(client_protocol_test, answers_the_servers_requests) {
  handshake();
  receive(R"({"jsonrpc":"2.0","id":"p","method":"ping"})");
  EXPECT_EQ(sent_.back(), value(R"({"jsonrpc":"2.0","id":"p","result":{}})"));
  receive(R"({"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{}})");
  EXPECT_EQ(sent_.back().at("id").as_int64(), 5);
  EXPECT_EQ(sent_.back().at("error").at("code").as_int64(), mcp::rpc_error::method_not_found);
}

TEST_F(client_protocol_test, a_request_with_the_id_of_a_call_is_no_answer_to_it) {
  handshake();
  auto id = call(1);
  receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"ping"})");
  EXPECT_TRUE(answers_.empty());
  EXPECT_EQ(protocol_.calls().size(), 1u);
}

TEST_F(client_protocol_test, reports_what_is_no_message) {
  handshake();
  call(1);
  for (auto* text : {"1", "null", "{}", R"({"jsonrpc":"1.0","id":1,"result":{}})", R"({"jsonrpc":"2.0"})",
                     R"({"jsonrpc":"2.0","method":1})"})
    EXPECT_NE(receive(text), "") << text;
}

// Revision 2025-03-26: "MCP implementations MUST support receiving JSON-RPC batches".
TEST_F(client_protocol_test, takes_batches_of_a_server_of_2025_03_26) {
  handshake("[]", "2025-03-26");
  auto a = call(1), b = call(2);
  EXPECT_EQ(receive(R"([{"jsonrpc":"2.0","id":)" + std::to_string(a) + R"(,"result":{}},{"jsonrpc":"2.0","id":)"
                    + std::to_string(b) + R"(,"result":{}}])"),
            "");
  EXPECT_EQ(answers_.size(), 2u);
}

TEST_F(client_protocol_test, a_batch_over_the_limit_leaves_nobody_waiting) {
  handshake("[]", "2025-03-26");
  call(1);
  std::string batch = "[1";
  for (size_t i = 0; i < msg::limits::client_batch_max; ++i)
    batch += ",1";
  EXPECT_NE(receive(batch + "]").find("is the limit"), std::string::npos);
  ASSERT_EQ(answers_.size(), 1u);
}

TEST_F(client_protocol_test, every_call_of_a_storm_is_answered_exactly_once) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    answers_.clear();
    sent_.clear();
    test::random_values random{seed};
    mcp::client_protocol p{"srv", callbacks()};
    std::map<uint64_t, int> expected; // 1: an answer is due, 0: cancelled
    std::vector<std::pair<int64_t, uint64_t>> open;
    for (uint64_t step = 1; step <= 200; ++step) {
      auto choice = random.below(10);
      if (choice < 5 || open.empty()) {
        p.calls().call(msg::tool_call{{seed, step}, "srv", "t", doc("{}"), false});
        open.emplace_back(last_id(), step);
        expected[step] = 1;
        continue;
      }
      auto at = random.below(open.size());
      auto [id, call] = open[at];
      if (choice < 8) {
        p.receive(doc(R"({"jsonrpc":"2.0","id":)" + std::to_string(id)
                      + (random.below(2) ? R"(,"result":{}})" : R"(,"error":{}})")));
        if (random.below(3) == 0)
          p.receive(doc(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{}})"));
      } else {
        p.calls().cancel({seed, call}, "x");
        expected[call] = 0;
      }
      open.erase(open.begin() + static_cast<ptrdiff_t>(at));
    }
    p.fail_all(msg::fault{errc::server_died, "end"});
    std::map<uint64_t, int> got;
    for (auto& [call, n] : expected)
      got[call] = 0;
    for (auto& a : answers_)
      ++got[a.key.call];
    EXPECT_EQ(got, expected) << "seed " << seed;
  }
}

} // namespace mcp_client_protocol_test
