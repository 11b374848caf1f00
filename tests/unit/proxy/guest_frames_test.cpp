#include "proxy/guest_frames.hpp"

#include "messages/limits.hpp"
#include "testing/cpu_time.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace proxy_guest_frames_test {

using namespace proxy;
using test::doc;
using test::value;

template <class T>
T parsed(const std::string& text) {
  auto frame = parse_frame(doc(text));
  if (auto* found = std::get_if<T>(&frame))
    return *found;
  ADD_FAILURE() << text << " gave alternative " << frame.index();
  return T{};
}

std::string request(const std::string& method, const std::string& params, const std::string& id = "1") {
  return R"({"type":"request","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}";
}

TEST(guest_frames, what_is_no_frame_breaks_the_protocol) {
  for (auto* text : {"null", "1", "[]", "\"ready\"", "{}", R"({"type":null})", R"({"type":5})", R"({"type":""})",
                     R"({"type":"READY"})", R"({"type":"reply","id":1})", R"({"type":"run","code":"x"})",
                     R"({"type":"readyy"})", R"({"type":"日本語"})"}) {
    auto frame = parse_frame(doc(text));
    ASSERT_TRUE(std::holds_alternative<guest_violation>(frame)) << text;
    EXPECT_FALSE(std::get<guest_violation>(frame).problem.empty());
  }
}

TEST(guest_frames, a_request_needs_id_method_and_params) {
  for (auto* id : {"0", "-1", "1.0", "\"1\"", "null", "true", "[]", "18446744073709551615"})
    parsed<guest_violation>(request("servers", "{}", id));
  for (auto* text : {R"({"type":"request"})", R"({"type":"request","method":"servers","params":{}})",
                     R"({"type":"request","id":1,"params":{}})", R"({"type":"request","id":1,"method":"servers"})",
                     R"({"type":"request","id":1,"method":5,"params":{}})",
                     R"({"type":"request","id":1,"method":"servers","params":[]})",
                     R"({"type":"request","id":1,"method":"servers","params":null})"})
    parsed<guest_violation>(text);
}

TEST(guest_frames, ready_and_servers) {
  EXPECT_EQ(parsed<guest_servers>(request("servers", "{}", "9223372036854775807")).id, 9223372036854775807u);
}

TEST(guest_frames, an_unknown_request_can_be_answered) {
  auto m = parsed<guest_mistake>(request("reboot", "{}", "7"));
  EXPECT_EQ(m.id, 7u);
  EXPECT_EQ(m.why.code, msg::errc::invalid_argument);
  EXPECT_NE(m.why.message.find("reboot"), std::string::npos);
}

TEST(guest_frames, a_call_names_a_tool_in_either_way) {
  auto by_name = parsed<guest_call>(request("call", R"({"name":"mcp__a__b","args":{"x":[1]}})", "3"));
  EXPECT_EQ(by_name.id, 3u);
  EXPECT_EQ(by_name.tool.full_name, "mcp__a__b");
  EXPECT_EQ(by_name.arguments.text(), R"({"x":[1]})");
  auto by_parts = parsed<guest_call>(request("call", R"({"server":"a","tool":"b"})"));
  EXPECT_EQ(by_parts.tool.full_name, "");
  EXPECT_EQ(by_parts.tool.server, "a");
  EXPECT_EQ(by_parts.tool.tool, "b");
  EXPECT_EQ(by_parts.arguments.text(), "{}");
  EXPECT_EQ(
    parsed<guest_call>(request("call", R"({"server":"a","tool":"b","name":null,"args":null})")).arguments.text(), "{}");
}

TEST(guest_frames, mistakes_name_the_call_and_the_field) {
  struct {
    const char *method, *params, *says;
  } const cases[] = {
    {"call", "{}", "expected a tool as 'mcp__<server>__<tool>', or a server and a tool"},
    {"call", R"({"server":"a"})", "a server and a tool"},
    {"call", R"({"tool":"a"})", "a server and a tool"},
    {"call", R"({"name":""})", "a server and a tool"},
    {"call", R"({"name":5})", "callMCPTool: 'name' must be a string, not 5"},
    {"call", R"({"server":[],"tool":"t"})", "'server' must be a string, not []"},
    {"call", R"({"server":"s","tool":{}})", "'tool' must be a string, not {}"},
    {"call", R"({"name":"mcp__a__b","args":[1]})", "'params' must be an object, not [1]"},
    {"call", R"({"name":"mcp__a__b","args":"x"})", "'params' must be an object, not \"x\""},
    {"call", R"({"name":"mcp__a__b","args":0})", "'params' must be an object, not 0"},
    {"search", "{}", "searchTools: 'query' must be a text to search for"},
    {"search", R"({"query":""})", "'query'"},
    {"search", R"({"query":5})", "'query' must be a string, not 5"},
    {"search", R"({"query":["a"]})", "'query' must be a string"},
    {"search", R"({"query":"a","server":5})", "'server' must be a string"},
    {"search", R"({"query":"a","limit":0})", "'limit' must be an integer from 1 to 100, not 0"},
    {"search", R"({"query":"a","limit":-5})", "not -5"},
    {"search", R"({"query":"a","limit":"5"})", "not \"5\""},
    {"search", R"({"query":"a","limit":1.5})", "not 1.5"},
    {"search", R"({"query":"a","detail":"huge"})", "'detail' must be minimal, standard or full, not \"huge\""},
    {"search", R"({"query":"a","detail":1})", "'detail' must be a string"},
    {"discover", R"({"search":5})", "discoverMCPTools: 'search' must be a string"},
    {"discover", R"({"search":["a",1]})", "'search' must be a string or a list of strings"},
    {"discover", R"({"limit":0})", "'limit'"},
    {"schema", "{}", "getToolSchema: expected a tool"},
    {"schema", R"({"name":[]})", "'name' must be a string"},
    {"signature", "{}", "getToolSignature: expected a tool"},
    {"signature", R"({"name":"mcp__a__b","language":"perl"})",
     "getToolSignature: 'language' must be typescript or python"},
  };
  for (auto& c : cases) {
    auto m = parsed<guest_mistake>(request(c.method, c.params, "5"));
    EXPECT_EQ(m.id, 5u);
    EXPECT_EQ(m.why.code, msg::errc::invalid_argument);
    EXPECT_NE(m.why.message.find(c.says), std::string::npos) << c.params << ": " << m.why.message;
  }
}

TEST(guest_frames, texts_are_bounded_and_quoted_in_valid_utf8) {
  std::string long_text(msg::limits::query_bytes_max + 1, 'x');
  for (auto* method : {"call", "schema"})
    EXPECT_NE(parsed<guest_mistake>(request(method, R"({"name":")" + long_text + "\"}")).why.message.find("1000 bytes"),
              std::string::npos);
  parsed<guest_mistake>(request("search", R"({"query":")" + long_text + "\"}"));
  parsed<guest_mistake>(
    request("discover", R"({"search":[")" + long_text.substr(10) + "\",\"" + long_text.substr(10) + "\"]}"));
  for (size_t shift = 0; shift < 4; ++shift) {
    std::string text(shift, 'x');
    for (int i = 0; i < 100; ++i)
      text += "日本é";
    auto quoted = "[\"" + text + "\"]";
    for (auto& frame :
         {request("call", R"({"name":)" + quoted + "}"), request("search", R"({"query":"a","detail":")" + text + "\"}"),
          request("call", R"({"name":"n","args":)" + quoted + "}")}) {
      auto m = parsed<guest_mistake>(frame);
      EXPECT_TRUE(test::is_valid_utf8(m.why.message)) << m.why.message;
      EXPECT_LT(m.why.message.size(), 300u);
    }
    auto v = parsed<guest_violation>(R"({"type":")" + text + "\"}");
    EXPECT_TRUE(test::is_valid_utf8(v.problem));
    EXPECT_LT(v.problem.size(), 300u);
  }
}

TEST(guest_frames, an_unknown_request_is_quoted_within_bounds) {
  EXPECT_LT(parsed<guest_mistake>(request(std::string(100'000, 'x'), "{}")).why.message.size(), 2'000u);
}

TEST(guest_frames, searches_have_defaults) {
  auto s = parsed<guest_search>(request("search", R"({"query":"read file"})", "2"));
  EXPECT_EQ(s.id, 2u);
  EXPECT_EQ(s.query.text, "read file");
  EXPECT_EQ(s.query.limit, msg::limits::search_results_default);
  EXPECT_EQ(s.detail, msg::tool_detail::standard);
  s = parsed<guest_search>(request("search", R"({"server":"fs","limit":100,"detail":"full"})"));
  EXPECT_EQ(s.query.text, "");
  EXPECT_EQ(s.query.server, "fs");
  EXPECT_EQ(s.query.limit, 100u);
  EXPECT_EQ(s.detail, msg::tool_detail::full);
  auto d = parsed<guest_search>(request("discover", "{}"));
  EXPECT_EQ(d.query.limit, 0u) << "all";
  EXPECT_EQ(d.detail, msg::tool_detail::declared);
  for (auto* more : {"101", "1000", "9223372036854775807", "18446744073709551615"})
    for (auto* method : {"search", "discover"})
      EXPECT_EQ(
        parsed<guest_search>(request(method, R"({"server":"fs","limit":)" + std::string{more} + "}")).query.limit, 100u)
        << more;
  EXPECT_EQ(parsed<guest_search>(request("discover", R"({"search":["read","file"],"detail":"minimal","limit":null})"))
              .query.text,
            "read file");
  EXPECT_EQ(parsed<guest_search>(request("discover", R"({"search":"read"})")).query.text, "read");
  EXPECT_EQ(parsed<guest_search>(request("discover", R"({"search":[]})")).query.text, "");
}

TEST(guest_frames, schema_and_signature) {
  EXPECT_FALSE(parsed<guest_schema>(request("schema", R"({"name":"mcp__a__b"})")).with_signature);
  EXPECT_TRUE(parsed<guest_schema>(request("signature", R"({"server":"a","tool":"b"})")).with_signature);
  EXPECT_EQ(parsed<guest_schema>(request("signature", R"({"server":"a","tool":"b"})")).lang, msg::language::typescript);
  EXPECT_EQ(parsed<guest_schema>(request("signature", R"({"server":"a","tool":"b","language":"python"})")).lang,
            msg::language::python);
}

TEST(guest_frames, done_carries_a_result_or_an_error) {
  auto empty = parsed<guest_done>(R"({"type":"done"})");
  EXPECT_FALSE(empty.has_result);
  EXPECT_FALSE(empty.failed);
  EXPECT_EQ(empty.exit_code, 0);
  EXPECT_FALSE(empty.exits);
  EXPECT_TRUE(parsed<guest_done>(R"({"type":"done","exits":true})").exits);
  EXPECT_FALSE(parsed<guest_done>(R"({"type":"done","exits":1})").exits);
  EXPECT_TRUE(parsed<guest_done>(R"({"type":"done","exits":true,"error":{"message":"m"}})").exits);
  auto null = parsed<guest_done>(R"({"type":"done","result":null})");
  EXPECT_TRUE(null.has_result);
  EXPECT_EQ(null.result.text(), "null");
  EXPECT_EQ(parsed<guest_done>(R"({"type":"done","result":{"a":1}})").result.text(), R"({"a":1})");
  auto failed = parsed<guest_done>(
    R"({"type":"done","error":{"name":"TypeError","message":"m","stack":"s","line":3,"column":5,"exitCode":4}})");
  EXPECT_TRUE(failed.failed);
  EXPECT_EQ(failed.error.name + failed.error.message + failed.error.stack, "TypeErrorms");
  EXPECT_EQ(failed.error.line, 3u);
  EXPECT_EQ(failed.error.column, 5u);
  EXPECT_EQ(failed.exit_code, 4);
  EXPECT_EQ(failed.error.code, msg::errc::none);
}

TEST(guest_frames, a_done_with_odd_fields_is_still_a_failure) {
  auto odd = parsed<guest_done>(
    R"({"type":"done","error":{"name":5,"message":null,"stack":[],"line":-1,"column":"x","exitCode":"y"}})");
  EXPECT_TRUE(odd.failed);
  EXPECT_EQ(odd.error.name + odd.error.message + odd.error.stack, "");
  EXPECT_EQ(odd.error.line, 0u);
  EXPECT_EQ(odd.error.column, 0u);
  EXPECT_EQ(odd.exit_code, 1);
  EXPECT_EQ(parsed<guest_done>(R"({"type":"done","error":{"line":4294967296,"column":1.5}})").error.line, 0u);
  EXPECT_EQ(parsed<guest_done>(R"({"type":"done","error":{"line":4294967295}})").error.line, UINT32_MAX);
  for (auto* text :
       {R"({"type":"done","error":null})", R"({"type":"done","error":"x"})", R"({"type":"done","error":[]})"})
    parsed<guest_violation>(text);
}

TEST(guest_frames, an_exit_code_that_is_none_does_not_become_zero) { // 2^32 truncated is 0: success of a failed program
  EXPECT_NE(parsed<guest_done>(R"({"type":"done","error":{"exitCode":4294967296}})").exit_code, 0);
}

// ---- what a guest is told ------------------------------------------------------------------------

TEST(guest_frames, run_carries_the_code) {
  EXPECT_EQ(run_frame({"a\"\n\\é", false}).text(), R"({"type":"run","code":"a\"\n\\é"})");
  EXPECT_EQ(run_frame({"1", true}).text(), R"({"type":"run","code":"1","keep":true})");
}

TEST(guest_frames, displayed_blocks_are_checked) {
  auto image =
    parsed<guest_display>(R"({"type":"display","block":{"type":"image","data":"aGk=","mimeType":"image/svg+xml"}})");
  EXPECT_EQ(image.block.kind, msg::block_kind::image);
  EXPECT_EQ(image.block.mime_type, "image/svg+xml");
  EXPECT_EQ(parsed<guest_display>(R"({"type":"display","block":{"type":"text","text":"x"}})").block.value.text(),
            R"("x")");
  EXPECT_EQ(parsed<guest_display>(R"({"type":"display","block":{"type":"json","value":null}})").block.kind,
            msg::block_kind::json);
  for (auto* bad : {
         R"({"type":"display"})",
         R"({"type":"display","block":5})",
         R"({"type":"display","block":{"type":"text","text":5}})",
         R"({"type":"display","block":{"type":"json"}})",
         R"({"type":"display","block":{"type":"image","data":"aGk=","mimeType":"text/html"}})",
         R"({"type":"display","block":{"type":"audio","data":"aGk=","mimeType":"audio/x\n"}})",
         R"({"type":"display","block":{"type":"video","data":"aGk=","mimeType":"video/mp4"}})",
       })
    parsed<guest_violation>(bad);
}

TEST(guest_frames, only_base64_can_be_shown_as_an_image) {
  auto shown = [](std::string_view data, std::string_view type = "image") {
    return proxy::can_be_shown(parsed<guest_display>(R"({"type":"display","block":{"type":")" + std::string{type}
                                                     + R"(","data":")" + std::string{data} + R"(","mimeType":")"
                                                     + std::string{type} + R"(/x"}})")
                                 .block);
  };
  for (auto* good : {"", "aGk=", "aA==", "+/09", "azAZ"})
    EXPECT_TRUE(shown(good) && shown(good, "audio")) << good;
  for (auto* bad : {"a*k=", "aGk", "====", "a===", "=aGk", "aG=k", "\u00e9aa"})
    EXPECT_FALSE(shown(bad) || shown(bad, "audio")) << bad;
  EXPECT_TRUE(
    proxy::can_be_shown(parsed<guest_display>(R"({"type":"display","block":{"type":"text","text":"*"}})").block));
  EXPECT_TRUE(
    proxy::can_be_shown(parsed<guest_display>(R"({"type":"display","block":{"type":"json","value":[1]}})").block));
}

TEST(guest_frames, what_is_wrong_is_not_read_to_its_end) {
  std::string words = R"("")";
  for (int i = 0; i < 200'000; ++i)
    words += R"(,"")";
  auto list = "[" + words + "]";
  for (auto& [method, params] :
       {std::pair{"discover", R"({"search":)" + list + "}"}, std::pair{"output", R"({"handle":)" + list + "}"},
        std::pair{"prompt", R"({"server":"s","name":"p","args":{"a":)" + list + ",\"b\":" + list + "}}"},
        std::pair{"sample", R"({"messages":)" + list + "}"}}) {
    auto frame = doc(request(method, params));
    auto begin = test::cpu_time();
    auto read = proxy::parse_frame(frame);
    EXPECT_LT(test::cpu_time() - begin, std::chrono::milliseconds{20}) << method;
    ASSERT_TRUE(std::holds_alternative<guest_mistake>(read)) << method;
    EXPECT_LT(std::get<guest_mistake>(read).why.message.size(), 1'000u) << method;
  }
}

TEST(guest_frames, no_text_is_copied_before_it_is_measured) {
  const std::string huge(20'000'000, 'A');
  auto takes = [&](const std::string& head, const std::string& tail) {
    auto frame = doc(head + huge + tail);
    auto fastest = std::chrono::nanoseconds::max();
    for (int i = 0; i < 3; ++i) {
      auto begin = test::cpu_time();
      auto read = proxy::parse_frame(frame);
      fastest = std::min(fastest, test::cpu_time() - begin);
    }
    EXPECT_LT(fastest, std::chrono::milliseconds{2}) << head;
  };
  for (auto& [method, head, tail] :
       {std::tuple{"discover", R"({"search":[")", "\"]}"}, std::tuple{"discover", R"({"search":["a",")", "\"]}"},
        std::tuple{"search", R"({"query":")", "\"}"}, std::tuple{"output", R"({"handle":")", "\"}"},
        std::tuple{"memory_load", R"({"key":")", "\"}"}, std::tuple{"sample", R"({"model":")", "\"}"},
        std::tuple{"call", R"({"args":{},"name":")", "\"}"}, std::tuple{"schema", R"({"language":")", "\"}"},
        std::tuple{"resource", R"({"server":")", "\"}"}}) {
    auto whole = request(method, std::string{head} + "@" + tail);
    auto at = whole.find('@');
    takes(whole.substr(0, at), whole.substr(at + 1));
  }
  takes(R"({"type":"display","block":{"type":"image","mimeType":"image/png","data":")", "\"}}");
  takes(R"({"type":"display","block":{"type":")", "\",\"data\":\"\"}}");
  takes(R"({"type":"display","block":{"type":"image","data":"","mimeType":")", "\"}}");
  takes(R"({"type":"done","error":{"message":")", "\"}}");
  takes(R"({"type":")", "\"}");
}

TEST(guest_frames, replies_carry_a_result_or_a_fault) {
  EXPECT_EQ(reply_frame(7, doc(R"({"a":1})")).text(), R"({"type":"reply","id":7,"result":{"a":1}})");
  EXPECT_EQ(reply_frame(UINT64_MAX, msg::document{}).text(),
            R"({"type":"reply","id":18446744073709551615,"result":null})");
  msg::fault f{msg::errc::unknown_tool, "no \"such\" tool"};
  EXPECT_EQ(reply_frame(1, f).text(),
            R"({"type":"reply","id":1,"error":{"code":"unknown_tool","message":"no \"such\" tool"}})");
  f.server = "s";
  f.tool = "t";
  f.suggestions = {"a", "b\""};
  f.retry_after_ms = 200;
  EXPECT_EQ(
    value(reply_frame(1, f).text()),
    value(
      R"({"type":"reply","id":1,"error":{"code":"unknown_tool","message":"no \"such\" tool","server":"s","tool":"t","suggestions":["a","b\""],"retryAfterMs":200}})"));
}

TEST(guest_frames, any_value_is_some_frame) {
  for (uint64_t seed = 1; seed <= 2'000; ++seed) {
    test::random_values random{seed};
    static constexpr std::string_view types[] = {"ready", "request", "done"},
                                      methods[] = {"call", "search", "discover", "schema", "signature", "servers"};
    boost::json::object frame{{"type", types[random.below(3)]},
                              {"id", static_cast<int64_t>(random.below(3))},
                              {"method", methods[random.below(6)]}};
    boost::json::object params;
    for (auto* key : {"name", "server", "tool", "args", "query", "search", "limit", "detail"})
      if (random.below(3) == 0)
        params[key] = random.value(2);
    frame["params"] = random.below(5) ? boost::json::value(params) : random.value(1);
    for (auto* key : {"result", "error"})
      if (random.below(3) == 0)
        frame[key] = random.value(2);
    auto parsed = parse_frame(msg::document{frame});
    EXPECT_FALSE(parsed.valueless_by_exception()) << "seed " << seed;
  }
}

} // namespace proxy_guest_frames_test
