#include "tests/unit/mcp/client_protocol_fixture.hpp"

#include "mcp/revision.hpp"
#include "messages/limits.hpp"

namespace mcp_client_calls_test {

namespace json = boost::json;
using msg::errc;
using test::client_protocol_test;
using test::doc;
using test::value;

// ---- calls -------------------------------------------------------------------------------------

TEST_F(client_protocol_test, sends_a_call_and_gives_its_answer) {
  handshake();
  auto id = call(1, false, R"({"a":[1,"é"]})");
  EXPECT_EQ(sent_.back(), value(R"({"jsonrpc":"2.0","id":)" + std::to_string(id)
                                + R"(,"method":"tools/call","params":{"name":"tool","arguments":{"a":[1,"é"]}}})"));
  EXPECT_EQ(protocol_.calls().size(), 1u);
  EXPECT_EQ(respond(id, R"({"content":[],"extra":1})"), "");
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].key, (msg::call_key{1, 1}));
  EXPECT_EQ(answers_[0].result.value.text(), R"({"content":[],"extra":1})");
  EXPECT_EQ(protocol_.calls().size(), 0u);
}

TEST_F(client_protocol_test, names_with_quotes_do_not_break_the_message) {
  handshake();
  msg::tool_call c{{1, 1}, "srv", "a\"b\\c\n", doc("{}"), true};
  EXPECT_TRUE(protocol_.calls().call(c));
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
  EXPECT_FALSE(protocol_.calls().call(c));
  EXPECT_EQ(protocol_.calls().size(), 0u);
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
    {R"({"code":-32602,"message":"bad arguments","data":{"field":"a"}})",
     R"(bad arguments (code -32602): {"field":"a"})"},
    {R"({"message":"only text"})", "only text"},
    {R"({"code":"odd"})", "no message"},
    {R"("just a string")", "just a string"},
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

TEST_F(client_protocol_test, long_texts_of_a_server_are_cut) {
  handshake();
  auto text = '"' + std::string(4u << 20, 'x') + '"';
  auto id = call(1, true);
  receive(R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":)" + std::to_string(id)
          + R"(,"progress":1,"message":)" + text + "}}");
  EXPECT_LT(progress_.at(0).message.size(), msg::limits::child_quote_bytes_max + 100);
  fail(id, R"({"code":1,"message":)" + text + "}");
  EXPECT_LT(answers_.at(0).result.error.message.size(), msg::limits::child_error_bytes_max + 100);
  fail(call(2), text);
  EXPECT_LT(answers_.at(1).result.error.message.size(), msg::limits::child_error_bytes_max + 100);
  receive(R"({"jsonrpc":"2.0","id":1,"method":)" + text + "}");
  EXPECT_LT(json::serialize(sent_.back()).size(), msg::limits::child_quote_bytes_max + 200);
  EXPECT_LT(receive(R"({"jsonrpc":"2.0","id":)" + text + R"(,"result":{}})").size(),
            msg::limits::child_quote_bytes_max + 200);
}

TEST_F(client_protocol_test, long_problems_of_a_start_are_cut) {
  auto text = '"' + std::string(4u << 20, 'x') + '"';
  auto start = [&](auto first, auto second) {
    mcp::client_protocol p{"srv", callbacks()};
    p.start();
    for (auto& rest : {std::string{first}, std::string{second}})
      p.receive(doc(R"({"jsonrpc":"2.0","id":)" + std::to_string(last_id()) + "," + rest + "}"));
  };
  auto error = R"("error":{"code":1,"message":)" + text + "}";
  start(R"("result":{"protocolVersion":)" + text + "}", R"("result":{})");
  start(error, error);
  start(R"("result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}})", error);
  ASSERT_EQ(listed_.size(), 3u);
  for (auto& list : listed_)
    EXPECT_LT(list.error.message.size(), msg::limits::child_problem_bytes_max + 200);
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
  EXPECT_EQ(protocol_.calls().size(), 1u);
}

TEST_F(client_protocol_test, a_wrong_request_of_the_server_is_refused_and_is_no_answer) {
  handshake();
  auto id = call(1), given_up = call(2);
  protocol_.calls().cancel({1, 2}, "x");
  struct {
    std::string fields;
    int code;
  } const cases[] = {
    {R"("jsonrpc":"2.0","method":"roots/list","params":[])", -32602},
    {R"("jsonrpc":"2.0","method":5)", -32600},
    {R"("method":"roots/list")", -32600},
  };
  for (auto& c : cases)
    for (auto of : {id, given_up}) {
      EXPECT_NE(receive("{" + c.fields + R"(,"id":)" + std::to_string(of) + "}"), "") << c.fields;
      auto& answer = sent_.back().as_object();
      EXPECT_EQ(answer.at("id"), json::value(of)) << c.fields;
      EXPECT_EQ(answer.at("error").at("code"), json::value(c.code)) << c.fields;
    }
  receive(R"({"jsonrpc":"2.0","id":[],"method":"roots/list"})");
  EXPECT_EQ(sent_.back().at("id"), json::value(nullptr));
  EXPECT_EQ(sent_.back().at("error").at("code"), json::value(-32600));
  auto n = sent_.size();
  receive(R"({"jsonrpc":"2.0","method":"notifications/progress","params":[]})");
  EXPECT_EQ(sent_.size(), n) << "no notification is answered";
  EXPECT_TRUE(answers_.empty());
  EXPECT_TRUE(ended_.empty());
  respond(id, "{}");
  ASSERT_EQ(answers_.size(), 1u) << "its answer is still to come";
  EXPECT_TRUE(answers_[0].result.ok());
}

// ---- cancel, failures --------------------------------------------------------------------------

TEST_F(client_protocol_test, cancel_tells_the_server_and_forgets_the_call) {
  handshake();
  auto id = call(1);
  call(2);
  EXPECT_TRUE(protocol_.calls().cancel({1, 1}, "too \"slow\""));
  EXPECT_EQ(last("notifications/cancelled").at("params"),
            value(R"({"requestId":)" + std::to_string(id) + R"(,"reason":"too \"slow\""})"));
  EXPECT_EQ(protocol_.calls().size(), 1u);
  EXPECT_EQ(respond(id, "{}"), "") << "late, and expected";
  EXPECT_TRUE(answers_.empty());
  EXPECT_EQ(ended_, (std::vector<msg::call_key>{{1, 1}}));
  EXPECT_NE(respond(id, "{}"), "") << "doubled";
  auto n = sent_.size();
  EXPECT_FALSE(protocol_.calls().cancel({1, 1}, "again"));
  EXPECT_FALSE(protocol_.calls().cancel({9, 9}, "never made"));
  EXPECT_EQ(sent_.size(), n);
}

TEST_F(client_protocol_test, whatever_answers_a_cancelled_call_ends_it) {
  handshake();
  auto refused = call(1), invalid = call(2), broken = call(3), forgotten = call(4);
  for (uint64_t i = 1; i <= 4; ++i)
    protocol_.calls().cancel({1, i}, "x");
  EXPECT_EQ(fail(refused, R"({"code":0,"message":"Request cancelled"})"), "");
  EXPECT_NE(receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(invalid) + R"(,"result":{},"error":{}})"), "");
  EXPECT_TRUE(protocol_.fail_broken(R"({"id":)" + std::to_string(broken) + ",", "bad"));
  EXPECT_EQ(ended_, (std::vector<msg::call_key>{{1, 1}, {1, 2}, {1, 3}}));
  protocol_.calls().forget_cancelled([](msg::call_key key) { return key != msg::call_key{1, 4}; });
  EXPECT_NE(respond(forgotten, "{}"), "");
  EXPECT_EQ(ended_.size(), 3u);
  EXPECT_TRUE(answers_.empty());
}

TEST_F(client_protocol_test, of_a_call_that_never_left_the_server_hears_nothing) {
  handshake();
  unsent_ = call(1);
  auto n = sent_.size();
  EXPECT_FALSE(protocol_.calls().cancel({1, 1}, "x"));
  EXPECT_EQ(sent_.size(), n);
  EXPECT_EQ(protocol_.calls().size(), 0u);
  EXPECT_NE(respond(unsent_, "{}"), "");
  EXPECT_TRUE(ended_.empty());
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
  EXPECT_EQ(protocol_.calls().size(), 0u);
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
      EXPECT_TRUE(self->calls().call(msg::tool_call{{2, 2}, "srv", "t", doc("{}"), false}));
    }
  };
  mcp::client_protocol p{"srv", c};
  self = &p;
  p.calls().call(msg::tool_call{{1, 1}, "srv", "t", doc("{}"), false});
  p.fail_all(msg::fault{errc::server_died, "gone"});
  EXPECT_EQ(p.calls().size(), 1u);
}

TEST_F(client_protocol_test, a_broken_line_fails_the_call_it_belonged_to) {
  handshake();
  auto a = call(1);
  call(2);
  EXPECT_TRUE(
    protocol_.fail_broken(R"({"jsonrpc":"2.0", "id" : )" + std::to_string(a) + R"(, "result":{"content":[tru)", "bad"));
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].key.call, 1u);
  EXPECT_EQ(answers_[0].result.error.code, errc::protocol_violation);
  EXPECT_EQ(answers_[0].result.error.server, "srv");
  EXPECT_EQ(protocol_.calls().size(), 1u);
}

TEST_F(client_protocol_test, a_broken_or_invalid_list_ends_the_listing) {
  handshake();
  for (bool is_line : {false, true}) {
    listed_.clear();
    protocol_.list_tools();
    respond(last_id(), R"({"tools":[{"name":"a"}],"nextCursor":"p2"})");
    auto id = R"({"jsonrpc":"2.0","id":)" + std::to_string(last_id());
    if (is_line)
      EXPECT_TRUE(protocol_.fail_broken(id + R"(,"result":{"tools":[})", "bad"));
    else
      EXPECT_NE(receive(id + "}"), "");
    ASSERT_EQ(listed_.size(), 1u);
    EXPECT_EQ(listed_[0].error.code, errc::protocol_violation);
    EXPECT_FALSE(protocol_.listing());
  }
}

TEST_F(client_protocol_test, a_broken_or_invalid_handshake_is_its_end) {
  protocol_.start();
  EXPECT_TRUE(protocol_.fail_broken(R"({"jsonrpc":"2.0","id":)" + std::to_string(last_id()) + R"(,"result":{)", "bad"));
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_EQ(listed_[0].error.message, "server 'srv' sent a broken message: bad");
  EXPECT_FALSE(protocol_.handshaken());
}

TEST_F(client_protocol_test, a_listing_is_given_up) {
  handshake();
  protocol_.list_tools();
  auto id = last_id();
  protocol_.give_up_listing(msg::fault{errc::call_timeout, "late"});
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_EQ(listed_[0].error.message, "late");
  protocol_.give_up_listing(msg::fault{errc::call_timeout, "late"});
  respond(id, R"({"tools":[{"name":"a"}]})");
  EXPECT_EQ(listed_.size(), 1u) << "nothing waits for it any more";
}

TEST_F(client_protocol_test, a_broken_line_of_nobody_fails_none) {
  for (auto* line : {"{\"jsonrpc\"", "", "{\"id\":", "{\"id\":\"x\"", "{\"id\":99999", "{\"id\"",
                     "{\"id\": ", "{\"id\":999999999999999999999999"}) {
    answers_.clear();
    sent_.clear();
    mcp::client_protocol p{"srv", callbacks()};
    for (uint64_t i = 1; i <= 2; ++i)
      p.calls().call(msg::tool_call{{1, i}, "srv", "t", doc("{}"), false});
    EXPECT_FALSE(p.fail_broken(line, "bad")) << line;
    EXPECT_EQ(answers_.size(), 0u) << line;
    EXPECT_EQ(p.calls().size(), 2u) << line;
  }
}

TEST_F(client_protocol_test, an_id_inside_the_content_of_a_broken_line_is_not_the_calls) {
  handshake();
  auto a = call(1), b = call(2);
  // the answer to `b`, whose content speaks of an "id" that happens to be the one of `a`
  protocol_.fail_broken(R"({"jsonrpc":"2.0","result":{"structuredContent":{"id":)" + std::to_string(a) + R"(}},"id":)"
                          + std::to_string(b) + ",",
                        "bad");
  auto failed_b = std::any_of(answers_.begin(), answers_.end(), [](auto& x) { return x.key.call == 2; });
  EXPECT_TRUE(failed_b) << "the call that was answered hangs until its timeout, and another one failed for it";
}

} // namespace mcp_client_calls_test
