#include "mcp/client_protocol.hpp"

#include "mcp/revision.hpp"
#include "messages/limits.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace {

namespace json = boost::json;
using msg::errc;
using test::doc;
using test::value;

/// A client side with everything it does written down.
class client_protocol_test : public testing::Test {
protected:
  struct answer {
    msg::call_key key;
    msg::outcome<msg::document> result;
  };

  mcp::client_callbacks callbacks() {
    mcp::client_callbacks c;
    c.send = [this](msg::spliced_text text) {
      if (queue_full_)
        return false;
      sent_.push_back(value(text.text()));
      return true;
    };
    c.listed = [this](auto list) { listed_.push_back(std::move(list)); };
    c.answered = [this](auto key, auto result) { answers_.push_back({key, std::move(result)}); };
    c.progressed = [this](auto p) { progress_.push_back(std::move(p)); };
    c.tools_changed = [this] { ++changed_; };
    c.logged = [this](std::string_view level, std::string text) { log_.push_back(std::string{level} + ": " + text); };
    return c;
  }

  /// The last message, of that method.
  json::object last(std::string_view method) {
    if (sent_.empty() || sent_.back().as_object().at("method") != json::value(method)) {
      ADD_FAILURE() << "expected " << method << ", sent was " << (sent_.empty() ? "nothing" : json::serialize(sent_.back()));
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
    respond(last_id(), R"({"protocolVersion":")" + revision + R"(","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}})");
    last("tools/list");
    respond(last_id(), R"({"tools":)" + tools + "}");
    ASSERT_EQ(listed_.size(), 1u);
    ASSERT_TRUE(listed_.back().ok()) << listed_.back().error.message;
    listed_.clear();
    sent_.clear();
  }
  int64_t call(uint64_t number, bool wants_progress = false, const char* arguments = "{}") {
    msg::tool_call c{{1, number}, "srv", "tool", doc(arguments), wants_progress};
    EXPECT_TRUE(protocol_.call(c));
    return last_id();
  }
  bool ask(msg::child_method method) { return protocol_.call({{1, 1}, "srv", std::string{to_string(method)}, doc("{}"), false, method}); }
  std::vector<std::string> names() {
    std::vector<std::string> out;
    for (auto& t : listed_.back().value)
      out.push_back(t.name);
    return out;
  }

  std::vector<json::value> sent_;
  std::vector<msg::outcome<msg::tool_list>> listed_;
  std::vector<answer> answers_;
  std::vector<msg::tool_progress> progress_;
  std::vector<std::string> log_;
  int changed_ = 0;
  bool queue_full_ = false;
  mcp::client_protocol protocol_{"srv", callbacks()};
};

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
  EXPECT_EQ(respond(last_id(), R"({"tools":[{"name":"a","description":"A.","inputSchema":{"type":"object"},"x":1},{"name":"b"}]})"), "");
  EXPECT_FALSE(protocol_.listing());
  ASSERT_EQ(listed_.size(), 1u);
  ASSERT_TRUE(listed_[0].ok());
  ASSERT_EQ(names(), (std::vector<std::string>{"a", "b"}));
  auto& a = listed_[0].value[0];
  EXPECT_EQ(a.server, "srv");
  EXPECT_EQ(a.description, "A.");
  EXPECT_EQ(a.definition.text(), R"({"name":"a","description":"A.","inputSchema":{"type":"object"},"x":1})") << "nothing of it is lost";
}

TEST_F(client_protocol_test, every_revision_we_know_is_fine) {
  for (auto revision : mcp::revision_names) {
    mcp::client_protocol p{"srv", callbacks()};
    p.start();
    p.receive(doc(R"({"jsonrpc":"2.0","id":)" + std::to_string(last_id()) + R"(,"result":{"protocolVersion":")" + std::string{revision} + "\"}}"));
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
  EXPECT_TRUE(listed_[0].value.empty());
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

// ---- pages -------------------------------------------------------------------------------------

TEST_F(client_protocol_test, collects_all_pages) {
  handshake();
  protocol_.list_tools();
  respond(last_id(), R"({"tools":[{"name":"a"}],"nextCursor":"p2"})");
  EXPECT_EQ(last("tools/list").at("params"), value(R"({"cursor":"p2"})"));
  respond(last_id(), R"({"tools":[],"nextCursor":""})");
  EXPECT_EQ(last("tools/list").at("params"), value(R"({"cursor":""})")) << "the empty string is a cursor like any other";
  EXPECT_TRUE(listed_.empty());
  respond(last_id(), R"({"tools":[{"name":"b"}],"nextCursor":null})");
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(client_protocol_test, a_cursor_that_comes_again_ends_the_listing_with_what_there_is) {
  handshake();
  protocol_.list_tools();
  for (auto* cursor : {"x", "y", "x"})
    respond(last_id(), std::string{R"({"tools":[{"name":"t)"} + cursor + R"("}],"nextCursor":")" + cursor + "\"}");
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_TRUE(listed_[0].ok());
  EXPECT_EQ(names(), (std::vector<std::string>{"tx", "ty"}));
  EXPECT_FALSE(log_.empty());
  EXPECT_FALSE(protocol_.listing());
}

TEST_F(client_protocol_test, endless_pages_are_bounded) {
  handshake();
  protocol_.list_tools();
  for (size_t i = 0; i < msg::limits::child_tool_pages_max + 5 && listed_.empty(); ++i)
    respond(last_id(), R"({"tools":[],"nextCursor":")" + std::to_string(i) + "\"}");
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_TRUE(listed_[0].ok());
  EXPECT_LE(sent_.size(), msg::limits::child_tool_pages_max);
}

TEST_F(client_protocol_test, takes_the_first_of_two_tools_of_one_name_and_skips_what_is_no_tool) {
  handshake();
  protocol_.list_tools();
  respond(
    last_id(),
    R"({"tools":[{"name":"a","description":"1"},{"name":"a","description":"2"},{"name":""},{"name":5},{},null,[],"x",{"description":"no name"}],"nextCursor":"n"})");
  respond(last_id(), R"({"tools":[{"name":"a","description":"3"},{"name":"b","description":5}]})");
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(listed_[0].value[0].description, "1");
  EXPECT_EQ(listed_[0].value[1].description, "");
}

TEST_F(client_protocol_test, a_broken_list_is_a_fault) {
  handshake();
  for (auto* result : {"{}", "[]", "null", R"({"tools":{}})", R"({"tools":null})"}) {
    listed_.clear();
    protocol_.list_tools();
    respond(last_id(), result);
    ASSERT_EQ(listed_.size(), 1u) << result;
    EXPECT_EQ(listed_[0].error.code, errc::server_start_failed) << result;
  }
  listed_.clear();
  protocol_.list_tools();
  fail(last_id(), R"({"code":-32603,"message":"broken"})");
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_NE(listed_[0].error.message.find("broken"), std::string::npos);
}

TEST_F(client_protocol_test, lists_once_at_a_time_and_afresh_each_time) {
  handshake(R"([{"name":"old"}])");
  protocol_.list_tools();
  auto n = sent_.size();
  protocol_.list_tools();
  EXPECT_EQ(sent_.size(), n) << "a listing goes on";
  respond(last_id(), R"({"tools":[{"name":"new"}]})");
  EXPECT_EQ(names(), std::vector<std::string>{"new"});
  protocol_.list_tools();
  EXPECT_EQ(sent_.size(), n + 1);
}

// ---- calls -------------------------------------------------------------------------------------

TEST_F(client_protocol_test, sends_a_call_and_gives_its_answer) {
  handshake();
  auto id = call(1, false, R"({"a":[1,"é"]})");
  EXPECT_EQ(sent_.back(), value(R"({"jsonrpc":"2.0","id":)" + std::to_string(id)
                                + R"(,"method":"tools/call","params":{"name":"tool","arguments":{"a":[1,"é"]}}})"));
  EXPECT_EQ(protocol_.calls_in_flight(), 1u);
  EXPECT_EQ(respond(id, R"({"content":[],"extra":1})"), "");
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].key, (msg::call_key{1, 1}));
  EXPECT_EQ(answers_[0].result.value.text(), R"({"content":[],"extra":1})");
  EXPECT_EQ(protocol_.calls_in_flight(), 0u);
}

TEST_F(client_protocol_test, names_with_quotes_do_not_break_the_message) {
  handshake();
  msg::tool_call c{{1, 1}, "srv", "a\"b\\c\n", doc("{}"), true};
  EXPECT_TRUE(protocol_.call(c));
  EXPECT_EQ(last("tools/call").at("params").at("name"), json::value("a\"b\\c\n"));
}

TEST_F(client_protocol_test, answers_may_come_in_any_order) {
  handshake();
  auto a = call(1), b = call(2), c = call(3);
  respond(b, R"({"n":2})");
  respond(c, R"({"n":3})");
  respond(a, R"({"n":1})");
  ASSERT_EQ(answers_.size(), 3u);
  for (auto& x : answers_)
    EXPECT_EQ(x.result.value.value().at("n").as_int64(), static_cast<int64_t>(x.key.call));
}

TEST_F(client_protocol_test, a_full_queue_is_told_and_nothing_is_kept) {
  handshake();
  queue_full_ = true;
  msg::tool_call c{{1, 1}, "srv", "tool", doc("{}"), false};
  EXPECT_FALSE(protocol_.call(c));
  EXPECT_EQ(protocol_.calls_in_flight(), 0u);
  protocol_.fail_all(msg::fault{errc::server_died, "x"});
  EXPECT_TRUE(answers_.empty());
}

TEST_F(client_protocol_test, answers_to_nothing_are_reported_and_change_nothing) {
  handshake();
  auto id = call(1);
  for (auto* wrong : {"999", "0", "-1", "\"1\"", "1.5", "null", "18446744073709551615", "[]"}) {
    EXPECT_NE(receive(std::string{R"({"jsonrpc":"2.0","id":)"} + wrong + R"(,"result":{}})"), "") << wrong;
    EXPECT_TRUE(answers_.empty()) << wrong;
  }
  EXPECT_NE(receive(R"({"jsonrpc":"2.0","result":{}})"), "");
  EXPECT_EQ(respond(id, "{}"), "");
  EXPECT_EQ(answers_.size(), 1u);
}

TEST_F(client_protocol_test, a_doubled_answer_counts_once) {
  handshake();
  auto id = call(1);
  EXPECT_EQ(respond(id, R"({"first":true})"), "");
  EXPECT_NE(respond(id, R"({"first":false})"), "");
  EXPECT_NE(fail(id, "{}"), "");
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].result.value.text(), R"({"first":true})");
}

TEST_F(client_protocol_test, the_handshake_is_answered_once) {
  protocol_.start();
  auto id = last_id();
  respond(id, R"({"protocolVersion":"2025-11-25"})");
  EXPECT_NE(respond(id, R"({"protocolVersion":"2025-11-25"})"), "");
  auto listing = last_id();
  respond(listing, R"({"tools":[]})");
  EXPECT_NE(respond(listing, R"({"tools":[{"name":"late"}]})"), "");
  EXPECT_EQ(listed_.size(), 1u);
}

TEST_F(client_protocol_test, errors_of_calls_keep_what_the_server_said) {
  handshake();
  struct {
    const char* error;
    const char* says;
  } const cases[] = {
    {R"({"code":-32602,"message":"bad arguments","data":{"field":"a"}})", R"(bad arguments (code -32602): {"field":"a"})"},
    {R"({"message":"only text"})", "only text"},
    {R"({"code":"odd"})", "no message"},
    {R"("just a string")", "\"just a string\""},
    {"null", "null"},
    {"[1]", "[1]"},
  };
  for (auto& c : cases) {
    answers_.clear();
    fail(call(1), c.error);
    ASSERT_EQ(answers_.size(), 1u) << c.error;
    EXPECT_EQ(answers_[0].result.error.code, errc::tool_failed) << c.error;
    EXPECT_EQ(answers_[0].result.error.message, c.says);
    EXPECT_EQ(answers_[0].result.error.server, "srv");
  }
}

TEST_F(client_protocol_test, long_error_data_is_cut_and_stays_valid_text) {
  handshake();
  std::string data;
  for (int i = 0; i < 1'000; ++i)
    data += "日本é";
  for (size_t shift = 0; shift < 4; ++shift) {
    answers_.clear();
    fail(call(1), R"({"code":1,"message":"m","data":")" + std::string(shift, 'x') + data + "\"}");
    ASSERT_EQ(answers_.size(), 1u);
    EXPECT_TRUE(test::is_valid_utf8(answers_[0].result.error.message)) << shift;
    EXPECT_LT(answers_[0].result.error.message.size(), 700u);
  }
}

TEST_F(client_protocol_test, an_answer_that_is_no_object_is_a_violation) {
  handshake();
  for (auto* result : {"null", "[]", "\"text\"", "1"}) {
    answers_.clear();
    respond(call(1), result);
    ASSERT_EQ(answers_.size(), 1u) << result;
    EXPECT_EQ(answers_[0].result.error.code, errc::protocol_violation) << result;
  }
}

TEST_F(client_protocol_test, an_invalid_answer_fails_its_call_at_once) {
  handshake();
  auto a = call(1);
  call(2);
  EXPECT_NE(receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(a) + R"(,"result":{},"error":{}})"), "");
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].key.call, 1u);
  EXPECT_EQ(answers_[0].result.error.code, errc::protocol_violation);
  EXPECT_EQ(protocol_.calls_in_flight(), 1u);
}

// ---- cancel, failures --------------------------------------------------------------------------

TEST_F(client_protocol_test, cancel_tells_the_server_and_forgets_the_call) {
  handshake();
  auto id = call(1);
  call(2);
  protocol_.cancel({1, 1}, "too \"slow\"");
  EXPECT_EQ(last("notifications/cancelled").at("params"), value(R"({"requestId":)" + std::to_string(id) + R"(,"reason":"too \"slow\""})"));
  EXPECT_EQ(protocol_.calls_in_flight(), 1u);
  EXPECT_NE(respond(id, "{}"), "") << "late";
  EXPECT_TRUE(answers_.empty());
  auto n = sent_.size();
  protocol_.cancel({1, 1}, "again");
  protocol_.cancel({9, 9}, "never made");
  EXPECT_EQ(sent_.size(), n);
}

TEST_F(client_protocol_test, fail_all_fails_every_call_once) {
  handshake();
  for (uint64_t i = 1; i <= 3; ++i)
    call(i);
  protocol_.list_tools();
  protocol_.fail_all(msg::fault{errc::server_died, "gone"});
  ASSERT_EQ(answers_.size(), 3u);
  for (auto& a : answers_)
    EXPECT_EQ(a.result.error.code, errc::server_died);
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_EQ(listed_[0].error.message, "gone");
  EXPECT_EQ(protocol_.calls_in_flight(), 0u);
  protocol_.fail_all(msg::fault{errc::server_died, "gone"});
  EXPECT_EQ(answers_.size(), 3u);
  EXPECT_EQ(listed_.size(), 1u);
}

TEST_F(client_protocol_test, fail_all_ends_a_handshake) {
  protocol_.start();
  protocol_.fail_all(msg::fault{errc::server_died, "gone"});
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_EQ(listed_[0].error.code, errc::server_died);
}

TEST_F(client_protocol_test, a_call_may_be_made_while_others_fail) {
  handshake();
  call(1);
  bool again = false;
  auto c = callbacks();
  mcp::client_protocol* self = nullptr;
  c.answered = [&](auto, auto) {
    if (!std::exchange(again, true)) {
      EXPECT_TRUE(self->call(msg::tool_call{{2, 2}, "srv", "t", doc("{}"), false}));
    }
  };
  mcp::client_protocol p{"srv", c};
  self = &p;
  p.call(msg::tool_call{{1, 1}, "srv", "t", doc("{}"), false});
  p.fail_all(msg::fault{errc::server_died, "gone"});
  EXPECT_EQ(p.calls_in_flight(), 1u);
}

TEST_F(client_protocol_test, a_broken_line_fails_the_call_it_belonged_to) {
  handshake();
  auto a = call(1);
  call(2);
  protocol_.fail_broken(R"({"jsonrpc":"2.0", "id" : )" + std::to_string(a) + R"(, "result":{"content":[tru)", "bad");
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].key.call, 1u);
  EXPECT_EQ(answers_[0].result.error.code, errc::protocol_violation);
  EXPECT_EQ(answers_[0].result.error.server, "srv");
  EXPECT_EQ(protocol_.calls_in_flight(), 1u);
}

TEST_F(client_protocol_test, a_broken_line_of_nobody_fails_all) {
  for (auto* line : {"{\"jsonrpc\"", "", "{\"id\":", "{\"id\":\"x\"", "{\"id\":99999", "{\"id\"", "{\"id\": ", "{\"id\":999999999999999999999999"}) {
    answers_.clear();
    sent_.clear();
    mcp::client_protocol p{"srv", callbacks()};
    for (uint64_t i = 1; i <= 2; ++i)
      p.call(msg::tool_call{{1, i}, "srv", "t", doc("{}"), false});
    p.fail_broken(line, "bad");
    EXPECT_EQ(answers_.size(), 2u) << line;
    EXPECT_EQ(p.calls_in_flight(), 0u) << line;
  }
}

TEST_F(client_protocol_test, an_id_inside_the_content_of_a_broken_line_is_not_the_calls) {
  handshake();
  auto a = call(1), b = call(2);
  // the answer to `b`, whose content speaks of an "id" that happens to be the one of `a`
  protocol_.fail_broken(R"({"jsonrpc":"2.0","result":{"structuredContent":{"id":)" + std::to_string(a) + R"(}},"id":)" + std::to_string(b) + ",",
                        "bad");
  auto failed_b = std::any_of(answers_.begin(), answers_.end(), [](auto& x) { return x.key.call == 2; });
  EXPECT_TRUE(failed_b) << "the call that was answered hangs until its timeout, and another one failed for it";
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
  for (auto* params :
       {R"({"progressToken":999,"progress":1})", R"({"progressToken":"x","progress":1})", R"({"progress":1})", "{}", R"({"progressToken":null})"})
    EXPECT_EQ(receive(std::string{R"({"jsonrpc":"2.0","method":"notifications/progress","params":)"} + params + "}"), "") << params;
  EXPECT_EQ(progress_.size(), 1u);
  receive(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + std::to_string(id)
          + R"(,"progress":"x","total":null,"message":5}})");
  ASSERT_EQ(progress_.size(), 2u);
  EXPECT_EQ(progress_[1].progress, 0.0);
  EXPECT_EQ(progress_[1].message, "");
  respond(id, "{}");
  receive(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + std::to_string(id) + R"(,"progress":3}})");
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
  EXPECT_EQ(protocol_.calls_in_flight(), 1u);
}

TEST_F(client_protocol_test, reports_what_is_no_message) {
  handshake();
  call(1);
  for (auto* text : {"1", "null", "{}", R"({"jsonrpc":"1.0","id":1,"result":{}})", R"({"jsonrpc":"2.0"})", R"({"jsonrpc":"2.0","method":1})"})
    EXPECT_NE(receive(text), "") << text;
}

// Revision 2025-03-26: "MCP implementations MUST support receiving JSON-RPC batches".
TEST_F(client_protocol_test, takes_batches_of_a_server_of_2025_03_26) {
  handshake("[]", "2025-03-26");
  auto a = call(1), b = call(2);
  EXPECT_EQ(
    receive(R"([{"jsonrpc":"2.0","id":)" + std::to_string(a) + R"(,"result":{}},{"jsonrpc":"2.0","id":)" + std::to_string(b) + R"(,"result":{}}])"),
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
        p.call(msg::tool_call{{seed, step}, "srv", "t", doc("{}"), false});
        open.emplace_back(last_id(), step);
        expected[step] = 1;
        continue;
      }
      auto at = random.below(open.size());
      auto [id, call] = open[at];
      if (choice < 8) {
        p.receive(doc(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + (random.below(2) ? R"(,"result":{}})" : R"(,"error":{}})")));
        if (random.below(3) == 0)
          p.receive(doc(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{}})"));
      } else {
        p.cancel({seed, call}, "x");
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

// ---- resources and prompts ---------------------------------------------------------------------

TEST_F(client_protocol_test, resources_are_listed_page_after_page_and_then_their_templates) {
  handshake();
  EXPECT_TRUE(ask(msg::child_method::list_resources));
  last("resources/list");
  respond(last_id(), R"({"resources":[{"uri":"a"}],"nextCursor":"2"})");
  EXPECT_EQ(last("resources/list").at("params").at("cursor").as_string(), "2");
  respond(last_id(), R"({"resources":[{"uri":"b"}]})");
  last("resources/templates/list");
  respond(last_id(), R"({"resourceTemplates":[{"uriTemplate":"c/{x}"}]})");
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].result.value.text(), R"([{"uri":"a"},{"uri":"b"},{"uriTemplate":"c/{x}"}])");
  EXPECT_EQ(protocol_.calls_in_flight(), 0u);
}

TEST_F(client_protocol_test, a_server_without_templates_is_no_failure) {
  handshake();
  EXPECT_TRUE(ask(msg::child_method::list_resources));
  respond(last_id(), R"({"resources":[{"uri":"a"}]})");
  fail(last_id(), R"({"code":-32601,"message":"Method not found"})");
  EXPECT_EQ(answers_.at(0).result.value.text(), R"([{"uri":"a"}])");
}

TEST_F(client_protocol_test, a_listing_that_fails_or_never_ends_is_told) {
  handshake();
  EXPECT_TRUE(ask(msg::child_method::list_prompts));
  fail(last_id(), R"({"code":-32601,"message":"Method not found"})");
  EXPECT_EQ(answers_.at(0).result.error.code, errc::tool_failed);
  EXPECT_TRUE(ask(msg::child_method::list_prompts));
  respond(last_id(), R"({"prompts":5})");
  EXPECT_EQ(answers_.at(1).result.error.code, errc::protocol_violation);
  EXPECT_TRUE(ask(msg::child_method::list_prompts));
  for (size_t page = 0; page < msg::limits::child_tool_pages_max; ++page)
    respond(last_id(), R"({"prompts":[{"name":"p"}],"nextCursor":"again"})");
  ASSERT_EQ(answers_.size(), 3u);
  EXPECT_EQ(answers_[2].result.value.value().as_array().size(), msg::limits::child_tool_pages_max);
}

TEST_F(client_protocol_test, a_listing_can_be_cancelled_between_its_pages) {
  handshake();
  EXPECT_TRUE(ask(msg::child_method::list_resources));
  respond(last_id(), R"({"resources":[],"nextCursor":"2"})");
  auto id = last_id();
  protocol_.cancel({1, 1}, "enough");
  EXPECT_EQ(last("notifications/cancelled").at("params").at("requestId").as_int64(), id);
  EXPECT_EQ(protocol_.calls_in_flight(), 0u);
}

} // namespace
