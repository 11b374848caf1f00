// A client of the protocol, and what it hears.
#pragma once

#include "mcp/server_protocol.hpp"

#include "messages/limits.hpp"
#include "tests/unit/support/values.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace mcp_server_protocol_test {

namespace json = boost::json;
namespace code = mcp::rpc_error;
using test::doc;
using test::value;

class server_protocol_test : public testing::Test {
protected:
  mcp::server_callbacks callbacks() {
    mcp::server_callbacks c;
    c.send = [this](const mcp::outgoing& m) {
      ways_.push_back({m.stream, m.what});
      if (m.what != mcp::outgoing::kind::none)
        sent_.push_back(value(m.text.text()));
    };
    c.list_tools = [this](mcp::revision r) {
      listed_for_ = r;
      return doc(R"({"tools":[]})");
    };
    c.call_tool = [this](mcp::tool_request r) { calls_.push_back(std::move(r)); };
    c.cancelled = [this](mcp::request_number n) { cancelled_.push_back(n); };
    c.room = [this] { return room_; };
    c.is_read = [this] { return is_read_; };
    c.now = [this] { return now_; };
    c.look_again = [this](std::chrono::milliseconds later) { looks_.push_back(later); };
    return c;
  }
  void initialize(const std::string& revision = "2025-11-25") {
    receive(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" + revision
            + R"(","capabilities":{},"clientInfo":{"name":"c","version":"1"}}})");
    receive(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    sent_.clear();
  }
  void receive(const std::string& text, mcp::stream_number stream = 0) { protocol_.receive(doc(text), stream); }
  void request(const std::string& id, const std::string& method, const std::string& params = "{}",
               mcp::stream_number stream = 0) {
    receive(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}", stream);
  }
  mcp::request_number call(const std::string& id, const std::string& more = "") {
    request(id, "tools/call", R"({"name":"t","arguments":{})" + more + "}");
    EXPECT_FALSE(calls_.empty());
    return calls_.empty() ? 0 : calls_.back().number;
  }
  void expect_error(int32_t error_code, const std::string& id, const std::string& says = "") {
    ASSERT_EQ(sent_.size(), 1u);
    auto& o = sent_[0].as_object();
    EXPECT_EQ(o.at("jsonrpc"), "2.0");
    EXPECT_EQ(json::serialize(o.at("id")), id);
    ASSERT_TRUE(o.contains("error")) << json::serialize(o);
    EXPECT_FALSE(o.contains("result"));
    EXPECT_EQ(o.at("error").at("code").as_int64(), error_code) << json::serialize(o);
    EXPECT_NE(o.at("error").at("message").as_string().find(says), std::string::npos) << json::serialize(o);
    sent_.clear();
  }

  struct way {
    mcp::stream_number stream = 0;
    mcp::outgoing::kind what{};
    bool operator==(const way&) const = default;
  };

  std::vector<json::value> sent_;
  std::vector<way> ways_; ///< of all that was sent
  std::vector<mcp::tool_request> calls_;
  std::vector<mcp::request_number> cancelled_;
  size_t room_ = size_t{1} << 30;
  bool is_read_ = true;
  std::chrono::steady_clock::time_point now_{std::chrono::hours{1}};
  std::vector<std::chrono::milliseconds> looks_; ///< after which it wants to be called
  mcp::revision listed_for_{};
  mcp::server_protocol protocol_{{"code-executor", "1.2.3", [] { return std::string{"Read me."}; }, false},
                                 callbacks()};
};

} // namespace mcp_server_protocol_test
