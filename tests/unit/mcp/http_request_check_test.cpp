#include "mcp/http_request_check.hpp"

#include "mcp/field_coding.hpp"
#include "messages/limits.hpp"

#include "tests/unit/support/values.hpp"

#include <boost/json/array.hpp>
#include <gtest/gtest.h>

namespace mcp_http_request_check_test {

namespace code = mcp::rpc_error;
using test::doc;

constexpr auto meta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                      R"("io.modelcontextprotocol/clientCapabilities":{}})";

class http_request_check_test : public testing::Test {
protected:
  struct outcome {
    int status = 0;
    int code = 0;
    std::string message;
  };
  static std::string request(const std::string& method, const std::string& params) {
    return R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + params + "}}";
  }
  static std::string call(const std::string& name) {
    return request("tools/call", R"("name":")" + name + R"(",)" + meta);
  }
  static http::headers fields_of(const std::string& method, http::headers more = {}) {
    http::headers out{{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", method}};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  static outcome check(const std::string& text, const http::headers& fields) {
    auto message = doc(text);
    auto found = mcp::check_sessionless(mcp::classify(message.value()), fields);
    return {found.status, found.error.code, found.error.message};
  }
  static void expect(const outcome& found, int status, int error_code, const std::string& says = "") {
    EXPECT_EQ(found.status, status) << found.message;
    EXPECT_EQ(found.code, error_code) << found.message;
    EXPECT_NE(found.message.find(says), std::string::npos) << found.message;
  }
  static bool is_sessionless(const std::string& text, const http::headers& fields) {
    auto message = doc(text);
    return mcp::is_sessionless(mcp::classify(message.value()), fields);
  }
};

// ---- which era ---------------------------------------------------------------------------------

TEST_F(http_request_check_test, an_envelope_wins_over_everything) {
  EXPECT_TRUE(is_sessionless(request("tools/list", meta), {}));
  EXPECT_TRUE(is_sessionless(request("initialize", meta), {}));
  EXPECT_TRUE(is_sessionless(request("tools/list", meta), {{"mcp-protocol-version", "2025-11-25"}}));
}

TEST_F(http_request_check_test, without_an_envelope_the_head_tells) {
  for (auto* revision : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"})
    EXPECT_FALSE(is_sessionless(request("tools/list", ""), {{"mcp-protocol-version", revision}})) << revision;
  for (auto* revision : {"2026-07-28", "2099-01-01", "nonsense"})
    EXPECT_TRUE(is_sessionless(request("tools/list", ""), {{"mcp-protocol-version", revision}})) << revision;
  EXPECT_FALSE(is_sessionless(request("tools/list", ""), {}));
  EXPECT_FALSE(is_sessionless(request("initialize", ""), {{"mcp-protocol-version", "2025-11-25"}}));
}

// ---- the order of the checks -------------------------------------------------------------------

TEST_F(http_request_check_test, a_request_that_says_the_same_twice_is_right) {
  EXPECT_EQ(check(request("server/discover", meta), fields_of("server/discover")).status, 0);
  EXPECT_EQ(check(call("t"), fields_of("tools/call", {{"mcp-name", "t"}})).status, 0);
  EXPECT_EQ(check(request("resources/read", std::string{R"("uri":"a://b",)"} + meta),
                  fields_of("resources/read", {{"mcp-name", "a://b"}}))
              .status,
            0);
}

TEST_F(http_request_check_test, a_head_without_an_envelope_is_no_mismatch) {
  expect(check(request("tools/list", ""), fields_of("tools/list")), 400, code::invalid_params, "protocolVersion");
  expect(check(request("tools/list", R"("_meta":{"progressToken":1})"), fields_of("x")), 400, code::invalid_params);
}

TEST_F(http_request_check_test, what_an_envelope_lacks_comes_before_what_the_head_lacks) {
  for (auto* capabilities : {"", R"(,"io.modelcontextprotocol/clientCapabilities":[])",
                             R"(,"io.modelcontextprotocol/clientCapabilities":"x")"})
    expect(check(request("tools/list", std::string{R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28")"}
                                         + capabilities + "}"),
                 {}),
           400, code::invalid_params, "clientCapabilities");
}

TEST_F(http_request_check_test, the_revision_stands_in_the_head_once_and_is_the_same) {
  auto text = request("tools/list", meta);
  expect(check(text, {{"mcp-method", "tools/list"}}), 400, code::header_mismatch, "MCP-Protocol-Version");
  for (auto* other : {"2025-11-25", "2099-01-01", "", "2026-07-28x"})
    expect(check(text, {{"mcp-protocol-version", other}, {"mcp-method", "tools/list"}}), 400, code::header_mismatch,
           "MCP-Protocol-Version");
  expect(check(text, fields_of("tools/list", {{"mcp-protocol-version", "2026-07-28"}})), 400, code::header_mismatch);
}

TEST_F(http_request_check_test, an_unknown_revision_is_told_when_both_agree_on_it) {
  auto text = request("tools/list", R"("_meta":{"io.modelcontextprotocol/protocolVersion":"v999.0.0",)"
                                    R"("io.modelcontextprotocol/clientCapabilities":{}})");
  expect(check(text, {{"mcp-protocol-version", "v999.0.0"}}), 400, code::unsupported_revision, "v999.0.0");
  expect(check(text, {{"mcp-protocol-version", "2026-07-28"}}), 400, code::header_mismatch);
  expect(check(text, {}), 400, code::header_mismatch);
}

TEST_F(http_request_check_test, the_method_stands_in_the_head_once_and_is_the_same) {
  auto text = request("tools/list", meta);
  expect(check(text, {{"mcp-protocol-version", "2026-07-28"}}), 400, code::header_mismatch, "Mcp-Method");
  for (auto* other : {"tools/call", "Tools/List", "", "tools/list tools/list"})
    expect(check(text, fields_of(other)), 400, code::header_mismatch, "Mcp-Method");
  expect(check(text, fields_of("tools/list", {{"mcp-method", "tools/list"}})), 400, code::header_mismatch,
         "Mcp-Method");
}

TEST_F(http_request_check_test, the_name_stands_in_the_head_once_and_is_the_same) {
  expect(check(call("t"), fields_of("tools/call")), 400, code::header_mismatch, "Mcp-Name");
  for (auto* other : {"T", "", "u", "t, t"})
    expect(check(call("t"), fields_of("tools/call", {{"mcp-name", other}})), 400, code::header_mismatch, "Mcp-Name");
  expect(check(call("t"), fields_of("tools/call", {{"mcp-name", "t"}, {"mcp-name", "t"}})), 400, code::header_mismatch);
  expect(check(request("resources/read", std::string{R"("uri":"a://b",)"} + meta),
               fields_of("resources/read", {{"mcp-name", "a://c"}})),
         400, code::header_mismatch, "a://c");
}

TEST_F(http_request_check_test, methods_that_were_removed_are_not_found) {
  for (std::string method : {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
                             "tasks/list", "nonsense"})
    expect(check(request(method, meta), fields_of(method)), 404, code::method_not_found, method);
}

TEST_F(http_request_check_test, a_wrong_head_comes_before_an_unknown_method) {
  expect(check(request("nonsense", meta), fields_of("other")), 400, code::header_mismatch);
}

TEST_F(http_request_check_test, notifications_are_answered_nothing) {
  auto text = std::string{R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{)"} + meta + "}}";
  EXPECT_EQ(check(text, {}).status, 0);
}

// ---- values ------------------------------------------------------------------------------------

TEST_F(http_request_check_test, values_can_be_wrapped) {
  EXPECT_EQ(mcp::decoded_field("=?base64?SGVsbG8sIOS4lueVjA==?="), "Hello, 世界");
  EXPECT_EQ(mcp::decoded_field("=?base64?"
                               "?="),
            "");
  EXPECT_EQ(check(call("世界"), fields_of("tools/call", {{"mcp-name", "=?base64?5LiW55WM?="}})).status, 0);
  EXPECT_EQ(
    check(call("=?base64?YQ==?="), fields_of("tools/call", {{"mcp-name", "=?base64?PT9iYXNlNjQ/WVE9PT89?="}})).status,
    0);
}

TEST_F(http_request_check_test, what_is_wrapped_wrongly_stays_as_it_is) {
  for (auto* value : {"", "a", "=?base64?", "=?base64?=", "=?base64?YQ?=", "=?base64?Y*==?=", "=?base64?YQ==",
                      "=?BASE64?YQ==?", "x=?base64?YQ==?="})
    EXPECT_EQ(mcp::decoded_field(value), value);
  expect(check(call("a"), fields_of("tools/call", {{"mcp-name", "=?base64?YQ?="}})), 400, code::header_mismatch);
}

// ---- heads of both eras ------------------------------------------------------------------------

TEST_F(http_request_check_test, a_message_is_json) {
  auto status = [](http::headers fields) { return mcp::check_post(fields).status; };
  EXPECT_EQ(status({{"content-type", "application/json"}}), 0);
  EXPECT_EQ(status({{"content-type", "Application/JSON ; charset=utf-8"}}), 0);
  for (auto* type : {"text/plain", "application/jsonx", "", "application/json, text/plain", "text/json"})
    EXPECT_EQ(status({{"content-type", type}}), 415) << type;
  EXPECT_EQ(status({}), 415);
  EXPECT_EQ(status({{"content-type", "application/json"}, {"content-type", "application/json"}}), 415);
}

TEST_F(http_request_check_test, its_sender_takes_json_and_streams) {
  auto status = [](std::vector<std::string> accepted) {
    http::headers fields{{"content-type", "application/json"}};
    for (auto& each : accepted)
      fields.push_back({"accept", each});
    return mcp::check_post(fields).status;
  };
  for (auto* both : {"application/json, text/event-stream", "text/event-stream,application/json", "*/*",
                     "application/*;q=0.5, TEXT/*", "application/json;q=1, text/event-stream;q=0.1, x/y"})
    EXPECT_EQ(status({both}), 0) << both;
  EXPECT_EQ(status({"application/json", "text/event-stream"}), 0);
  EXPECT_EQ(status({}), 0);
  for (auto* one : {"application/json", "text/event-stream", "", "text/html", "application/jsonx, text/event-streamx"})
    EXPECT_EQ(status({one}), 406) << one;
}

TEST_F(http_request_check_test, a_stream_is_asked_for_as_one) {
  auto status = [](http::headers fields) { return mcp::check_get(fields).status; };
  EXPECT_EQ(status({{"accept", "text/event-stream"}}), 0);
  EXPECT_EQ(status({}), 0);
  EXPECT_EQ(status({{"accept", "application/json"}}), 406);
}

TEST_F(http_request_check_test, a_session_speaks_a_known_revision) {
  auto ping = doc(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  auto found = [&](http::headers fields) { return mcp::check_session(mcp::classify(ping.value()), fields); };
  EXPECT_FALSE(found({}));
  EXPECT_FALSE(found({{"mcp-protocol-version", "2025-03-26"}}));
  for (auto* wrong : {"", "1.0", "2026-07-28", "2025-11-25, 2025-11-25"}) {
    EXPECT_EQ(found({{"mcp-protocol-version", wrong}}).status, 400) << wrong;
    EXPECT_EQ(found({{"mcp-protocol-version", wrong}}).error.code, code::invalid_request) << wrong;
  }
  EXPECT_EQ(found({{"mcp-protocol-version", "2025-11-25"}, {"mcp-protocol-version", "2025-11-25"}}).status, 400);
}

TEST_F(http_request_check_test, a_session_begins_with_a_revision) {
  auto found = [](const std::string& params) {
    auto message = doc(request("initialize", params));
    return mcp::check_session(mcp::classify(message.value()), {});
  };
  EXPECT_FALSE(found(R"("protocolVersion":"2025-11-25")"));
  EXPECT_FALSE(found(R"("protocolVersion":"1900-01-01")")) << "it is answered with one that we speak";
  for (auto* params : {"", R"("protocolVersion":null)", R"("protocolVersion":20251125)"}) {
    EXPECT_EQ(found(params).status, 400) << params;
    EXPECT_EQ(found(params).error.code, code::invalid_params) << params;
  }
}

TEST_F(http_request_check_test, a_batch_that_is_refused_is_answered) {
  auto wants = [](size_t count) {
    auto told = doc(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    return mcp::wants_answer(boost::json::array(count, told.value()));
  };
  EXPECT_TRUE(wants(0));
  EXPECT_FALSE(wants(1));
  EXPECT_FALSE(wants(msg::limits::client_batch_max));
  EXPECT_TRUE(wants(msg::limits::client_batch_max + 1));
}

} // namespace mcp_http_request_check_test
