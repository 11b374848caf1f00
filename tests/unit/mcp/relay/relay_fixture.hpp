// A relay between a client and a server that are lists of messages.
#pragma once

#include "mcp/relay/relay.hpp"
#include "messages/document.hpp"
#include "text/json_parse.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace mcp_relay_test {

namespace json = boost::json;
using mcp::relay::clientele;
using mcp::relay::timer;
using msg::errc;

inline msg::document doc(const std::string& text) {
  auto parsed = msg::document::parse(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return std::move(parsed.value);
}

/// A server that answers nothing by itself.
class listed_connection final : public mcp::connection {
public:
  bool send(msg::spliced_text message, uint64_t key, mcp::request_labels labels) override {
    if (is_full)
      return false;
    sent.push_back(doc(message.text()).value());
    said.push_back(std::move(labels));
    keys.push_back(key);
    return true;
  }
  bool take_back(uint64_t key) override {
    taken_back.push_back(key);
    return closes_streams;
  }
  std::chrono::milliseconds unread_for() override { return {}; }
  bool says_labels() const override { return closes_streams; }
  mcp::masking mask() const override {
    return [](std::string text) {
      auto at = text.find("secret");
      return at == text.npos ? text : text.replace(at, 6, "***");
    };
  }
  void stop() override { is_stopped = true; }
  void kill() override { is_stopped = true; }

  std::vector<json::value> sent;
  std::vector<mcp::request_labels> said;
  std::vector<uint64_t> keys, taken_back;
  bool closes_streams = false; ///< as over HTTP
  bool is_full = false, is_stopped = false;
};

class relay_test : public testing::Test {
protected:
  relay_test() { begin(clientele::one); }

  void begin(clientele clients) {
    mcp::relay::relay_callbacks c;
    c.send = [this](mcp::outgoing message) {
      streams_.push_back(message.stream);
      statuses_.push_back(message.status);
      sent_.push_back(message.text.text_bytes() > 0 ? doc(message.text.text()).value() : json::value{});
    };
    c.now = [this] { return now_; };
    c.set_timer = [this](timer which, std::chrono::microseconds) { ++timers_[which]; };
    c.connect = [this] {
      ++connects_;
      server_ = std::make_shared<listed_connection>();
      server_->closes_streams = over_http_;
      relay_->connected(server_);
    };
    c.over = [this](std::string why) { over_ = std::move(why); };
    c.retire = [this] { is_retired_ = true; };
    relay_ = std::make_unique<mcp::relay::relay>("srv", clients, std::move(c));
  }

  void client_says(const std::string& text, mcp::stream_number stream = 0) { relay_->receive(doc(text), stream); }
  void server_says(const std::string& text, uint64_t during = 0) { relay_->server_says(doc(text), during); }
  /// To the last request of that method.
  void answer(const std::string& method, const std::string& result) {
    server_says(R"({"jsonrpc":"2.0","id":)" + std::to_string(number_of(method)) + R"(,"result":)" + result + "}");
  }
  void answer_error(const std::string& method, const std::string& error) {
    server_says(R"({"jsonrpc":"2.0","id":)" + std::to_string(number_of(method)) + R"(,"error":)" + error + "}");
  }
  const json::value& asked(const std::string& method) {
    for (auto each = server_->sent.rbegin(); each != server_->sent.rend(); ++each)
      if (auto* name = each->as_object().if_contains("method"); name && *name == json::value(method))
        return *each;
    static const json::value none = json::object{{"id", 0}, {"params", json::object{}}};
    ADD_FAILURE() << "the server was not asked for " << method;
    return none;
  }
  uint64_t number_of(const std::string& method) { return asked(method).at("id").to_number<uint64_t>(); }

  /// A client of 2025-11-25 and a server of the same era, or of the other one.
  void shake_hands(const std::string& capabilities = "{}") {
    client_says(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",
      "capabilities":)"
                + capabilities + R"(,"clientInfo":{"name":"c","version":"1"}}})");
  }
  void legacy_pair(const std::string& capabilities = "{}") {
    shake_hands(capabilities);
    answer("initialize", legacy_hello);
    sent_.clear();
  }
  void legacy_before_modern(const std::string& capabilities = "{}") {
    shake_hands(capabilities);
    answer_error("initialize", R"({"code":-32601,"message":"no"})");
    answer("server/discover", modern_hello);
    sent_.clear();
  }
  /// A request of a client of 2026-07-28.
  static std::string modern(const std::string& id, const std::string& method, const std::string& params = "",
                            const std::string& capabilities = "{}", const std::string& more_meta = "") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":{)" + params
           + (params.empty() ? "" : ",") + R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
           + R"("io.modelcontextprotocol/clientCapabilities":)" + capabilities + more_meta + "}}}";
  }
  void modern_before_legacy(const std::string& capabilities = "{}") {
    client_says(modern("0", "server/discover", "", capabilities));
    answer_error("server/discover", R"({"code":-32601,"message":"no"})");
    answer("initialize", legacy_hello);
    sent_.clear();
  }
  void modern_pair() {
    client_says(modern("0", "server/discover"));
    answer("server/discover", modern_hello);
    sent_.clear();
  }

  static constexpr auto legacy_hello = R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},
    "resources":{"subscribe":true},"logging":{}},"serverInfo":{"name":"s","version":"2"},"instructions":"be kind"})";
  static constexpr auto modern_hello = R"({"resultType":"complete","supportedVersions":["2026-07-28"],
    "capabilities":{"tools":{"listChanged":true}},"instructions":"be kind","ttlMs":5,"cacheScope":"public",
    "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"2"}}})";

  std::chrono::steady_clock::time_point now_{};
  bool over_http_ = false;
  std::shared_ptr<listed_connection> server_;
  std::unique_ptr<mcp::relay::relay> relay_;
  std::vector<json::value> sent_; ///< to the client
  std::vector<mcp::stream_number> streams_;
  std::vector<uint16_t> statuses_;
  std::map<timer, int> timers_;
  int connects_ = 0;
  std::string over_;
  bool is_retired_ = false;
};

} // namespace mcp_relay_test
