// A client side of the protocol, with everything it does written down.
#pragma once

#include "mcp/client_protocol.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace test {

namespace json = boost::json;

class client_protocol_test : public testing::Test {
protected:
  struct answer {
    msg::call_key key;
    msg::outcome<msg::document> result;
  };

  mcp::client_callbacks callbacks() {
    mcp::client_callbacks c;
    c.send = [this](msg::spliced_text text, int64_t id, const mcp::request_labels& labels) {
      if (queue_full_)
        return false;
      sent_.push_back(value(text.text()));
      labels_ = labels;
      auto* own = sent_.back().as_object().if_contains("method") ? sent_.back().as_object().if_contains("id") : nullptr;
      EXPECT_EQ(id, own ? own->as_int64() : 0) << "the key of a request is its id";
      return true;
    };
    c.take_back = [this](int64_t id) { return id != 0 && id == unsent_; };
    c.ended = [this](auto key) { ended_.push_back(key); };
    c.listed = [this](auto list) { listed_.push_back(std::move(list)); };
    c.answered = [this](auto key, auto result) { answers_.push_back({key, std::move(result)}); };
    c.items_listed = [this](auto key, auto pages) {
      last_pages_ = std::move(pages);
      answers_.push_back({key, mcp::joined(last_pages_)});
    };
    c.items_dropped = [this](auto pages) { dropped_pages_ += pages.size(); };
    c.progressed = [this](auto p) { progress_.push_back(std::move(p)); };
    c.tools_changed = [this] { ++changed_; };
    c.asked = [this](auto question) { asked_.push_back(std::move(question)); };
    c.withdrawn = [this](auto, auto question) { withdrawn_.push_back(question); };
    c.paused = [this](auto) { ++pauses_; };
    c.logged_in_call = [this](auto line) { lines_.push_back(std::move(line)); };
    c.logged = [this](std::string_view level, std::string text) { log_.push_back(std::string{level} + ": " + text); };
    return c;
  }

  /// The last message, of that method.
  json::object last(std::string_view method) {
    if (sent_.empty() || sent_.back().as_object().at("method") != json::value(method)) {
      ADD_FAILURE() << "expected " << method << ", sent was "
                    << (sent_.empty() ? "nothing" : json::serialize(sent_.back()));
      return {};
    }
    return sent_.back().as_object();
  }
  int64_t last_id() { return sent_.back().at("id").as_int64(); }

  std::string receive(const std::string& text) { return protocol_.receive(doc(text)); }
  std::string respond(int64_t id, const std::string& result) {
    return receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + result + "}");
  }
  std::string fail(int64_t id, const std::string& error) {
    return receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"error":)" + error + "}");
  }

  void handshake(const std::string& tools = "[]", const std::string& revision = "2025-11-25") {
    protocol_.start();
    respond(last_id(), R"({"protocolVersion":")" + revision
                         + R"(","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}})");
    last("tools/list");
    respond(last_id(), R"({"tools":)" + tools + "}");
    ASSERT_EQ(listed_.size(), 1u);
    ASSERT_TRUE(listed_.back().ok()) << listed_.back().error.message;
    listed_.clear();
    sent_.clear();
  }
  int64_t call(uint64_t number, bool wants_progress = false, const char* arguments = "{}") {
    msg::tool_call c{{1, number}, "srv", "tool", doc(arguments), wants_progress};
    c.asker = asker_;
    EXPECT_TRUE(protocol_.calls().call(c));
    return last_id();
  }
  bool ask(msg::child_method method) {
    return protocol_.calls().call({{1, 1}, "srv", std::string{to_string(method)}, doc("{}"), false, method});
  }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    for (auto& t : *listed_.back().value)
      out.push_back(t.name);
    return out;
  }

  std::vector<json::value> sent_;
  mcp::request_labels labels_; ///< of the last message
  std::vector<msg::outcome<msg::listed_tools>> listed_;
  std::vector<answer> answers_;
  mcp::item_pages last_pages_;
  size_t dropped_pages_ = 0;
  std::vector<msg::tool_progress> progress_;
  std::vector<std::string> log_;
  std::vector<msg::server_log> lines_; ///< that clients are told
  int changed_ = 0;
  std::vector<msg::server_question> asked_;
  std::vector<uint64_t> withdrawn_;
  int pauses_ = 0;
  bool queue_full_ = false;
  msg::call_asker asker_ = {};       ///< of calls
  int64_t unsent_ = 0;               ///< request that has not begun to leave
  std::vector<msg::call_key> ended_; ///< cancelled calls that were answered
  mcp::client_protocol protocol_{"srv", callbacks()};
};

} // namespace test
