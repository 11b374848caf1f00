// What servers log, told to clients.
#include "tests/unit/mcp/server_protocol_fixture.hpp"

namespace mcp_server_protocol_test {

using msg::log_level;

class server_logs_test : public server_protocol_test {
protected:
  void log(mcp::request_number during, log_level level, msg::server_log line = {}) {
    line.key = {during, 1};
    line.level = level;
    line.logger = "kid/part";
    line.data = doc(R"({"a":1})");
    protocol_.tell_log(during, line);
  }
  /// How many of all levels are told, of that call.
  size_t told(mcp::request_number during) {
    sent_.clear();
    for (auto level = log_level::debug; level < log_level::off; level = static_cast<log_level>(int(level) + 1))
      log(during, level);
    return sent_.size();
  }
  void set(const std::string& params) { request("9", "logging/setLevel", params); }
  mcp::request_number modern_call(const std::string& id, const std::string& more_meta, mcp::stream_number stream = 0) {
    request(id, "tools/call",
            R"({"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
            R"("io.modelcontextprotocol/clientCapabilities":{})"
              + more_meta + "}}",
            stream);
    return calls_.back().number;
  }
  static std::string wanting(const std::string& level) { return R"(,"io.modelcontextprotocol/logLevel":)" + level; }
};

TEST_F(server_logs_test, a_client_that_has_not_asked_hears_of_warnings) {
  initialize();
  EXPECT_EQ(told(call("1")), 5u);
  EXPECT_EQ(calls_.back().number, 1u);
  EXPECT_EQ(sent_.at(0), value(R"({"jsonrpc":"2.0","method":"notifications/message",
    "params":{"level":"warning","logger":"kid/part","data":{"a":1}}})"));
  EXPECT_FALSE(protocol_.asker(1).log.is_asked);
}

TEST_F(server_logs_test, what_it_asks_for_counts_at_once) {
  initialize();
  auto run = call("1");
  for (auto& [level, count] :
       std::vector<std::pair<std::string, size_t>>{{"emergency", 1}, {"debug", 8}, {"notice", 6}}) {
    set(R"({"level":")" + level + R"("})");
    EXPECT_EQ(sent_.back().at("result"), value("{}")) << level;
    EXPECT_EQ(told(run), count) << level;
  }
  auto next = call("2");
  EXPECT_EQ(protocol_.asker(next).log.from, log_level::notice) << "and for the servers of later runs";
  EXPECT_TRUE(protocol_.asker(next).log.is_asked);
}

TEST_F(server_logs_test, what_is_no_level_is_refused_and_changes_nothing) {
  initialize();
  sent_.clear();
  for (auto* params : {"{}", R"({"level":"loud"})", R"({"level":"off"})", R"({"level":3})"}) {
    set(params);
    expect_error(code::invalid_params, "9", "'level' must be one of debug");
  }
  EXPECT_EQ(told(call("1")), 5u);
}

TEST_F(server_logs_test, only_in_the_middle_of_a_call_and_where_it_is_read) {
  initialize();
  auto run = call("1");
  protocol_.respond(run, doc("{}"));
  EXPECT_EQ(told(run), 0u);
  EXPECT_EQ(told(77), 0u);
  run = call("2");
  is_read_ = false;
  EXPECT_EQ(told(run), 0u);
}

TEST_F(server_logs_test, a_later_client_hears_what_its_request_asks_for_on_its_stream) {
  auto quiet = modern_call("1", "", 4);
  auto other = modern_call("2", wanting(R"("error")"), 5);
  auto odd = modern_call("3", wanting("7"), 6), unknown = modern_call("4", wanting(R"("loud")"), 7);
  EXPECT_EQ(told(quiet) + told(odd) + told(unknown), 0u);
  EXPECT_EQ(told(other), 4u);
  EXPECT_EQ(ways_.back(), (way{5, mcp::outgoing::kind::notification}));
  request("5", "logging/setLevel",
          R"({"level":"debug","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
            "io.modelcontextprotocol/clientCapabilities":{}}})");
  EXPECT_EQ(sent_.back().at("error").at("code"), code::method_not_found);
}

TEST_F(server_logs_test, a_later_client_hears_nothing_that_may_be_of_another_request) {
  auto run = modern_call("1", wanting(R"("debug")"));
  sent_.clear();
  log(run, log_level::error, {.is_sure = false});
  EXPECT_TRUE(sent_.empty());
  initialize();
  auto earlier = call("2");
  sent_.clear();
  log(earlier, log_level::error, {.is_sure = false});
  EXPECT_EQ(sent_.size(), 1u) << "it does not know of requests here";
}

} // namespace mcp_server_protocol_test
