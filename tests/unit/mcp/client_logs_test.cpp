#include "tests/unit/mcp/client_protocol_fixture.hpp"

namespace mcp_client_logs_test {

namespace json = boost::json;
using msg::log_level;
using test::doc;
using test::value;

class client_logs_test : public test::client_protocol_test {
protected:
  client_logs_test() { asker_ = {3, {}, {log_level::info, true}}; }

  /// Of a server with a log.
  void begin() {
    protocol_.start();
    respond(last_id(), R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{},"logging":{}}})");
    respond(last_id(), R"({"tools":[]})");
    sent_.clear();
  }
  void log(const std::string& params, int64_t during = 0) {
    protocol_.receive(doc(R"({"jsonrpc":"2.0","method":"notifications/message","params":)" + params + "}"), during);
  }
  /// Levels that the server was asked for.
  std::string levels() {
    std::string out;
    for (auto& each : sent_)
      if (each.at("method") == json::value("logging/setLevel"))
        out += std::string{each.at("params").at("level").as_string()} + " ";
    return out;
  }
  int64_t call_of(uint64_t run, uint64_t client, msg::log_wish wish) {
    msg::tool_call c{{run, 1}, "srv", "tool", doc("{}"), false};
    c.asker = {client, {}, wish};
    EXPECT_TRUE(protocol_.calls().call(c));
    return last_id();
  }
};

// ---- whose it is -------------------------------------------------------------------------------

TEST_F(client_logs_test, a_line_is_of_the_call_that_is_open) {
  handshake();
  log(R"({"level":"error","data":"before"})");
  auto id = call(1);
  log(R"({"level":"warning","logger":"part","data":{"a":[1,null]}})");
  respond(id, "{}");
  log(R"({"level":"error","data":"after"})");
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_EQ(lines_[0].key, (msg::call_key{1, 1}));
  EXPECT_TRUE(lines_[0].is_sure);
  EXPECT_EQ(lines_[0].level, log_level::warning);
  EXPECT_EQ(lines_[0].logger, "srv/part");
  EXPECT_EQ(lines_[0].data.value(), value(R"({"a":[1,null]})"));
  EXPECT_EQ(log_.size(), 3u) << "our own log has all of it";
}

TEST_F(client_logs_test, a_stream_says_which_call_it_is) {
  handshake();
  auto first = call_of(1, 1, {log_level::debug, true});
  call_of(2, 2, {log_level::debug, true});
  log(R"({"level":"info","data":"x"})", first);
  log(R"({"level":"info","data":"x"})", first + 100);
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_EQ(lines_[0].key.run, 1u);
  EXPECT_TRUE(lines_[0].is_sure);
}

TEST_F(client_logs_test, while_calls_of_several_clients_are_open_nobody_hears) {
  handshake();
  call_of(1, 1, {log_level::debug, true});
  auto other = call_of(2, 2, {log_level::debug, true});
  log(R"({"level":"emergency","data":"x"})");
  EXPECT_TRUE(lines_.empty());
  protocol_.calls().cancel({2, 1}, "x");
  log(R"({"level":"emergency","data":"x"})");
  EXPECT_TRUE(lines_.empty()) << "the server may still work on what was given up";
  respond(other, "{}");
  log(R"({"level":"emergency","data":"x"})");
  EXPECT_EQ(lines_.size(), 1u);
}

TEST_F(client_logs_test, of_two_runs_of_one_client_it_is_not_sure_which) {
  handshake();
  call_of(1, 1, {log_level::debug, true});
  call_of(2, 1, {log_level::debug, true});
  log(R"({"level":"info","data":"x"})");
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_FALSE(lines_[0].is_sure);
}

// ---- what of it is told ------------------------------------------------------------------------

TEST_F(client_logs_test, only_from_the_level_on_that_the_client_wants) {
  handshake();
  call(1);
  log(R"({"level":"debug","data":"x"})");
  log(R"({"level":"loud","data":"x"})");
  log(R"({"level":7,"data":"x"})"); // as info
  EXPECT_EQ(lines_.size(), 1u);
  asker_.log = {};
  respond(last_id(), "{}");
  call(2);
  log(R"({"level":"emergency","data":"x"})");
  EXPECT_EQ(lines_.size(), 1u) << "it wants nothing";
}

TEST_F(client_logs_test, long_lines_are_cut) {
  handshake();
  call(1);
  std::string fits(msg::log_data_bytes_max - 2, 'x');
  log(R"({"data":")" + fits + R"("})");
  log(R"({"data":")" + fits + R"(xxx"})");
  log(R"({"data":[")" + fits + R"("]})");
  log(R"({"logger":")" + fits + R"("})");
  ASSERT_EQ(lines_.size(), 4u);
  EXPECT_EQ(lines_[0].data.value(), json::value(fits));
  for (size_t i : {1, 2}) {
    ASSERT_TRUE(lines_[i].data.value().is_string());
    EXPECT_LE(lines_[i].data.value().as_string().size(), msg::log_data_bytes_max + 50);
    EXPECT_NE(lines_[i].data.value().as_string().find("..."), json::string::npos) << i;
  }
  EXPECT_LE(lines_[3].logger.size(), msg::logger_bytes_max + 50);
  EXPECT_EQ(lines_[3].data.value(), json::value("")) << "there is always some";
}

TEST_F(client_logs_test, secrets_are_masked) {
  auto c = callbacks();
  c.masked = [](std::string text) {
    for (size_t at; (at = text.find("hunter22")) != text.npos;)
      text.replace(at, 8, "***");
    return text;
  };
  mcp::client_protocol masked{"srv", std::move(c)};
  masked.start();
  masked.receive(doc(R"({"jsonrpc":"2.0","id":)" + std::to_string(last_id())
                     + R"(,"result":{"protocolVersion":"2025-11-25","capabilities":{}}})"));
  msg::tool_call call{{1, 1}, "srv", "tool", doc("{}"), false};
  call.asker = asker_;
  EXPECT_TRUE(masked.calls().call(call));
  for (auto& data :
       {std::string{R"({"key":"hunter22","hunter22":[1]})"}, "\"hunter22 " + std::string(5'000, 'x') + '"'})
    masked.receive(doc(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error",)"
                       R"("logger":"hunter22","data":)"
                       + data + "}}"));
  ASSERT_EQ(lines_.size(), 2u);
  EXPECT_EQ(lines_[0].data.value(), value(R"({"key":"***","***":[1]})"));
  EXPECT_EQ(lines_[0].logger, "srv/***");
  EXPECT_TRUE(lines_[1].data.value().as_string().starts_with("*** x"));
}

// ---- what the server is asked for --------------------------------------------------------------

TEST_F(client_logs_test, a_server_with_a_log_is_asked_for_the_most_that_anybody_wants) {
  begin();
  call_of(1, 1, {log_level::error, true}); // others want warnings
  EXPECT_EQ(levels(), "warning ");
  EXPECT_EQ(sent_.at(0).at("method"), json::value("logging/setLevel")) << "before the call";
  call_of(2, 1, {log_level::info, true});
  call_of(3, 2, {log_level::notice, true});
  call_of(4, 2, {log_level::info, true});
  call_of(5, 2, {log_level::debug, true});
  EXPECT_EQ(levels(), "warning info debug ");
}

TEST_F(client_logs_test, its_answer_is_no_news) {
  begin();
  call_of(1, 1, {log_level::info, true});
  auto id = sent_.at(0).at("id").as_int64();
  EXPECT_EQ(respond(id, "{}"), "");
  EXPECT_NE(respond(id, "{}"), "") << "once";
  call_of(2, 1, {log_level::debug, true});
  EXPECT_EQ(fail(last_id() - 1, R"({"code":-32601,"message":"no"})"), "");
  EXPECT_TRUE(answers_.empty());
}

TEST_F(client_logs_test, who_has_not_asked_changes_nothing) {
  begin();
  call_of(1, 1, msg::unasked_log);
  call_of(2, 1, {});
  EXPECT_EQ(levels(), "");
}

TEST_F(client_logs_test, nor_is_a_server_asked_that_has_no_log) {
  handshake();
  call_of(1, 1, {log_level::debug, true});
  EXPECT_EQ(levels(), "");
}

TEST_F(client_logs_test, a_later_server_is_told_with_each_call) {
  protocol_.start(mcp::opening::discover);
  respond(last_id(), R"({"supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"logging":{}}})");
  respond(last_id(), R"({"tools":[]})");
  constexpr auto key = "io.modelcontextprotocol/logLevel";
  auto meta = [&] { return last("tools/call").at("params").at("_meta").as_object(); };
  call_of(1, 1, {log_level::info, true});
  EXPECT_EQ(meta().at(key), json::value("info"));
  call_of(2, 1, msg::unasked_log);
  EXPECT_FALSE(meta().contains(key));
  EXPECT_EQ(levels(), "");
}

} // namespace mcp_client_logs_test
