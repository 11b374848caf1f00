// A client of revision 2026-07-28 that is asked in the middle of its calls.
#pragma once

#include "tests/unit/mcp/server_protocol_fixture.hpp"

#include <functional>

namespace mcp_server_protocol_test {

using kind = mcp::outgoing::kind;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr auto sampling = "sampling/createMessage";
constexpr auto all_capabilities = R"({"sampling":{},"elicitation":{"form":{}},"roots":{}})";

class server_parked_test : public server_protocol_test {
protected:
  struct answer {
    std::string name;
    msg::errc code;
    std::string text; ///< of the answer, or what is wrong
  };

  /// A call; `more` are members of its parameters.
  static std::string call_text(const std::string& id, const std::string& more = "",
                               const std::string& capabilities = all_capabilities, const std::string& more_meta = "",
                               const std::string& tool = R"("name":"t","arguments":{"a":1})") {
    return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"tools/call","params":{)" + tool + more
           + R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
             R"("io.modelcontextprotocol/clientInfo":{"name":"m","version":"1"},)"
             R"("io.modelcontextprotocol/clientCapabilities":)"
           + capabilities + more_meta + "}}}";
  }
  void send_call(const std::string& id, const std::string& more = "", mcp::stream_number stream = 0,
                 const std::string& capabilities = all_capabilities, const std::string& more_meta = "",
                 const std::string& tool = R"("name":"t","arguments":{"a":1})") {
    receive(call_text(id, more, capabilities, more_meta, tool), stream);
  }
  mcp::request_number begin(const std::string& id, mcp::stream_number stream = 0, const std::string& more_meta = "") {
    send_call(id, "", stream, all_capabilities, more_meta);
    return calls_.back().number;
  }
  uint64_t ask(mcp::request_number during, const std::string& name, const char* method = sampling,
               const std::string& params = R"({"p":1})") {
    return protocol_.ask(during, method, doc(params), [this, name](const msg::outcome<msg::document>& said) {
      heard_.push_back({name, said.error.code, said.ok() ? said.value.text() : said.error.message});
      if (then_)
        std::exchange(then_, nullptr)();
    });
  }
  static std::string with(const std::string& state, const std::string& responses = "{}") {
    return R"(,"requestState":")" + state + R"(","inputResponses":)" + responses;
  }
  void come_back(const std::string& id, const std::string& state, const std::string& responses = "{}",
                 mcp::stream_number stream = 0) {
    send_call(id, with(state, responses), stream);
  }
  const json::object& result() const { return sent_.back().at("result").as_object(); }
  /// The last message has to ask.
  std::string state() const {
    EXPECT_EQ(result().at("resultType"), "input_required");
    return std::string{result().at("requestState").as_string()};
  }
  std::vector<std::string> keys() const {
    std::vector<std::string> out;
    for (auto& asked : result().at("inputRequests").as_object())
      out.emplace_back(asked.key());
    return out;
  }
  /// A parked call with one question.
  std::string parked(mcp::stream_number stream = 0) {
    number_ = begin("1", stream);
    EXPECT_NE(ask(number_, "one"), 0u);
    return state();
  }
  std::string parked_again(const std::string& id) {
    number_ = begin(id);
    EXPECT_NE(ask(number_, "one of " + id), 0u);
    return state();
  }
  void expect_refused(const std::string& id, const std::string& says) {
    auto begun = calls_.size();
    expect_error(code::invalid_params, id, says);
    EXPECT_EQ(calls_.size(), begun);
    EXPECT_EQ(protocol_.in_flight(), 0u);
  }

  mcp::request_number number_ = 0;
  std::vector<answer> heard_;
  std::function<void()> then_; ///< once, from within an answer
};

using names = std::vector<std::string>;
using numbers = std::vector<mcp::request_number>;

} // namespace mcp_server_protocol_test
