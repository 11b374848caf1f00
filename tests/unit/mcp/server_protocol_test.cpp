#include "tests/unit/mcp/server_protocol_fixture.hpp"

namespace mcp_server_protocol_test {

// ---- lifecycle ---------------------------------------------------------------------------------

TEST_F(server_protocol_test, negotiates_every_revision) {
  for (auto name : mcp::handshake_names()) {
    request("1", "initialize", R"({"protocolVersion":")" + std::string{name} + "\"}");
    EXPECT_EQ(
      sent_.back(),
      value(
        R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":")" + std::string{name}
        + R"(","capabilities":{"tools":{},"logging":{}},"serverInfo":{"name":"code-executor","version":"1.2.3"},"instructions":"Read me."}})"));
    EXPECT_EQ(mcp::name_of(protocol_.asker(0).spoken), name);
  }
  request("1", "initialize", R"({"protocolVersion":"2099-01-01"})");
  EXPECT_EQ(sent_.back().at("result").at("protocolVersion"), json::value(mcp::name_of(mcp::latest_revision)));
}

TEST_F(server_protocol_test, has_no_instructions_if_there_are_none) {
  mcp::server_protocol p{{"n", "v", {}, false}, callbacks()};
  p.receive(doc(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})"));
  EXPECT_FALSE(sent_.back().at("result").as_object().contains("instructions"));
}

TEST_F(server_protocol_test, initialize_needs_a_version) {
  for (auto* params : {"{}", R"({"protocolVersion":null})", R"({"protocolVersion":20250618})",
                       R"({"protocolVersion":["é日本語😀é日本語😀é日本語😀é日本語😀é日本語😀é日本語😀"]})"}) {
    request("1", "initialize", params);
    EXPECT_TRUE(test::is_valid_utf8(json::serialize(sent_.back())));
    expect_error(code::invalid_params, "1", "protocolVersion");
  }
  receive(R"({"jsonrpc":"2.0","id":1,"method":"initialize"})");
  expect_error(code::invalid_params, "1", "absent");
}

TEST_F(server_protocol_test, answers_only_ping_before_initialize) {
  request("1", "server/discover"); // the probe of clients of 2026
  expect_error(code::method_not_found, "1", "server/discover");
  for (auto* method : {"tools/list", "tools/call", "prompts/list", "nonsense"}) {
    request("1", method);
    expect_error(code::invalid_request, "1", method);
  }
  request("2", "ping");
  EXPECT_EQ(sent_.back(), value(R"({"jsonrpc":"2.0","id":2,"result":{}})"));
  EXPECT_TRUE(calls_.empty());
}

TEST_F(server_protocol_test, works_without_the_initialized_notification) { // some clients are in a hurry
  request("1", "initialize", R"({"protocolVersion":"2025-06-18"})");
  sent_.clear();
  request("2", "tools/list");
  EXPECT_EQ(sent_.back().at("result"), value(R"({"tools":[]})"));
  EXPECT_EQ(listed_for_, mcp::revision::r2025_06_18);
}

// ---- errors by the book ------------------------------------------------------------------------

TEST_F(server_protocol_test, tells_what_is_no_request) {
  initialize();
  struct {
    const char* text;
    const char* id;
  } const cases[] = {
    {"1", "null"},
    {"null", "null"},
    {"\"x\"", "null"},
    {"{}", "null"},
    {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", "1"},
    {R"({"id":"a","method":"ping"})", "\"a\""},
    {R"({"jsonrpc":"2.0","id":1,"method":5})", "1"},
    {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})", "1"},
    {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", "null"},
    {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", "null"},
    {R"({"jsonrpc":"2.0","id":1})", "1"},
  };
  for (auto& c : cases) {
    receive(c.text);
    SCOPED_TRACE(c.text);
    expect_error(code::invalid_request, c.id, "Invalid Request");
  }
}

TEST_F(server_protocol_test, rejects_lines_that_are_no_message) {
  protocol_.reject(code::parse_error, "Parse error: \"x\"");
  expect_error(code::parse_error, "null", "Parse error: \"x\"");
}

TEST_F(server_protocol_test, unknown_methods_are_not_found) {
  initialize();
  for (auto* method : {"prompts/get", "resources/list", "tools/", "TOOLS/LIST", "", "tools/list/x"}) {
    request("9", method);
    expect_error(code::method_not_found, "9", method);
  }
}

TEST_F(server_protocol_test, what_there_is_none_of_is_empty) {
  initialize();
  for (auto& [method, result] : std::vector<std::pair<const char*, const char*>>{
         {"prompts/list", R"({"prompts":[]})"},
         {"completion/complete", R"({"completion":{"values":[],"hasMore":false}})"},
         {"resources/subscribe", "{}"},
         {"resources/unsubscribe", "{}"}}) {
    request("9", method);
    EXPECT_EQ(sent_.back().at("result"), value(result)) << method;
  }
}

TEST_F(server_protocol_test, unknown_notifications_and_stray_answers_are_ignored) {
  initialize();
  for (auto* text :
       {R"({"jsonrpc":"2.0","method":"notifications/unknown"})", R"({"jsonrpc":"2.0","method":"tools/list"})",
        R"({"jsonrpc":"2.0","id":5,"result":{}})", R"({"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"m"}})",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled"})",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})",
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}})"})
    receive(text);
  EXPECT_TRUE(sent_.empty());
  EXPECT_TRUE(cancelled_.empty());
}

TEST_F(server_protocol_test, an_unknown_cursor_is_an_error) {
  initialize();
  request("1", "tools/list", R"({"cursor":"x"})");
  expect_error(code::invalid_params, "1", "cursor");
  request("1", "tools/list", R"({"cursor":null})");
  EXPECT_TRUE(sent_.back().as_object().contains("result"));
}

TEST_F(server_protocol_test, a_call_needs_a_name_and_an_object_of_arguments) {
  initialize();
  struct {
    const char* params;
    const char* says;
  } const cases[] = {
    {"{}", "'name'"},
    {R"({"name":5})", "'name' must be a string, not 5"},
    {R"({"name":null})", "'name'"},
    {R"({"name":"t","arguments":[]})", "'arguments' must be an object, not []"},
    {R"({"name":"t","arguments":"x"})", "'arguments'"},
    {R"({"name":"t","arguments":["日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語"]})", "'arguments'"},
    {R"({"name":"t","arguments":["x日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語"]})", "'arguments'"}};
  for (auto& c : cases) {
    request("3", "tools/call", c.params);
    SCOPED_TRACE(c.params);
    expect_error(code::invalid_params, "3", c.says);
  }
  receive(R"({"jsonrpc":"2.0","id":3,"method":"tools/call"})");
  expect_error(code::invalid_params, "3", "absent");
  EXPECT_TRUE(calls_.empty());
  EXPECT_EQ(protocol_.in_flight(), 0u);
}

// ---- calls -------------------------------------------------------------------------------------

TEST_F(server_protocol_test, hands_calls_over_and_answers_them_later) {
  initialize();
  request("\"x\"", "tools/call", R"({"name":"t","arguments":{"a":1}})");
  ASSERT_EQ(calls_.size(), 1u);
  EXPECT_EQ(calls_[0].name, "t");
  EXPECT_EQ(calls_[0].arguments.text(), R"({"a":1})");
  EXPECT_FALSE(calls_[0].wants_progress);
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(protocol_.in_flight(), 1u);
  protocol_.respond(calls_[0].number, doc(R"({"content":[]})"));
  EXPECT_EQ(sent_.back(), value(R"({"jsonrpc":"2.0","id":"x","result":{"content":[]}})"));
  EXPECT_EQ(protocol_.in_flight(), 0u);
  protocol_.respond(calls_[0].number, doc("{}"));
  protocol_.respond_error(calls_[0].number, {1, "m", {}});
  EXPECT_EQ(sent_.size(), 1u) << "answered once";
}

TEST_F(server_protocol_test, arguments_may_be_absent) {
  initialize();
  request("1", "tools/call", R"({"name":"t"})");
  request("2", "tools/call", R"({"name":"t","arguments":null})");
  ASSERT_EQ(calls_.size(), 2u);
  EXPECT_EQ(calls_[0].arguments.text(), "{}");
  EXPECT_EQ(calls_[1].arguments.text(), "{}");
}

TEST_F(server_protocol_test, an_answer_that_is_too_large_is_an_error_of_its_request) {
  initialize();
  auto number = call("7");
  protocol_.respond(number, msg::document{json::value(json::string(msg::limits::client_answer_bytes_max + 1, 'x'))});
  EXPECT_EQ(sent_.at(0).at("id"), 7);
  EXPECT_NE(json::serialize(sent_[0].at("error")).find("96 MiB at most"), std::string::npos);
}

TEST_F(server_protocol_test, an_answer_without_room_is_an_error_of_its_request) {
  initialize();
  room_ = 1u << 20;
  protocol_.respond(call("7"), msg::document{json::value(json::string(2u << 20, 'x'))});
  expect_error(code::internal_error, "7", "read them, then ask again");
  protocol_.respond(call("8"), msg::document{json::value(json::string(room_ / 2, 'x'))});
  EXPECT_TRUE(sent_.at(0).as_object().contains("result"));
}

TEST_F(server_protocol_test, small_answers_and_errors_have_room_always) {
  initialize();
  room_ = 0;
  protocol_.respond(call("7"), msg::document{json::value(json::string(1'000, 'x'))});
  EXPECT_TRUE(sent_.at(0).as_object().contains("result"));
  protocol_.respond_error(call("8"), {code::internal_error, "why", {}});
  EXPECT_TRUE(sent_.at(1).as_object().contains("error"));
}

// Also when what stands between takes our mark away.
TEST_F(server_protocol_test, a_client_of_our_name_is_a_run_of_ours) {
  initialize();
  call("1");
  EXPECT_FALSE(calls_.back().is_of_a_run);
  receive(
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"code-executor","version":"1"}}})");
  receive(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  call("2");
  EXPECT_TRUE(calls_.back().is_of_a_run);
}

TEST_F(server_protocol_test, answers_in_any_order_with_the_ids_of_the_client) {
  initialize();
  auto a = call("1"), b = call("\"1\""), c = call("18446744073709551615");
  EXPECT_EQ(protocol_.in_flight(), 3u) << "1 and \"1\" are two ids";
  protocol_.respond(c, doc("{}"));
  protocol_.respond_error(a, {code::internal_error, "broken", {}});
  protocol_.respond(b, doc("{}"));
  ASSERT_EQ(sent_.size(), 3u);
  EXPECT_EQ(json::serialize(sent_[0].at("id")), "18446744073709551615");
  EXPECT_EQ(sent_[1], value(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"broken"}})"));
  EXPECT_EQ(json::serialize(sent_[2].at("id")), "\"1\"");
}

TEST_F(server_protocol_test, an_id_in_flight_can_not_be_used_again) {
  initialize();
  auto first = call("7");
  request("7", "tools/call", R"({"name":"t"})");
  EXPECT_EQ(calls_.size(), 1u);
  expect_error(code::invalid_request, "7", "7");
  protocol_.respond(first, doc("{}"));
  sent_.clear();
  auto second = call("7");
  EXPECT_NE(second, first) << "our numbers are never used twice";
  protocol_.respond(second, doc("{}"));
  EXPECT_EQ(sent_.size(), 1u);
}

TEST_F(server_protocol_test, bounds_the_requests_in_flight) {
  initialize();
  for (size_t i = 0; i < msg::limits::client_requests_max; ++i)
    call(std::to_string(i));
  EXPECT_TRUE(sent_.empty());
  request("\"more\"", "tools/call", R"({"name":"t"})");
  EXPECT_EQ(calls_.size(), msg::limits::client_requests_max);
  expect_error(code::internal_error, "\"more\"", std::to_string(msg::limits::client_requests_max));
  request("\"p\"", "ping");
  EXPECT_TRUE(sent_.back().as_object().contains("result")) << "it still answers";
  protocol_.respond(calls_[0].number, doc("{}"));
  call("\"again\"");
  EXPECT_EQ(calls_.size(), msg::limits::client_requests_max + 1);
}

// ---- cancel, progress --------------------------------------------------------------------------

TEST_F(server_protocol_test, a_cancelled_call_is_not_answered) {
  initialize();
  auto a = call("1"), b = call("\"1\"");
  receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"r"}})");
  EXPECT_EQ(cancelled_, std::vector<mcp::request_number>{a});
  receive(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_EQ(cancelled_.size(), 1u);
  protocol_.respond(a, doc("{}"));
  protocol_.respond_error(a, {1, "m", {}});
  EXPECT_TRUE(sent_.empty());
  protocol_.respond(b, doc("{}"));
  EXPECT_EQ(sent_.size(), 1u);
  auto again = call("1");
  protocol_.respond(again, doc("{}"));
  EXPECT_EQ(sent_.size(), 2u) << "the id is free again";
}

TEST_F(server_protocol_test, progress_is_sent_if_it_was_asked_for) {
  initialize();
  auto silent = call("1"), number = call("2", R"(,"_meta":{"progressToken":5})"),
       text = call("3", R"(,"_meta":{"progressToken":"tok"})");
  EXPECT_FALSE(calls_[0].wants_progress);
  EXPECT_TRUE(calls_[1].wants_progress);
  protocol_.progress(silent, 1, "m");
  EXPECT_TRUE(sent_.empty());
  protocol_.progress(number, 1, "m\"");
  protocol_.progress(text, 2.5, "n");
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(
    sent_[0],
    value(
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1.0,"message":"m\""}})"));
  EXPECT_EQ(sent_[1].at("params").at("progressToken"), "tok");
  is_read_ = false;
  protocol_.progress(number, 2, "unread");
  EXPECT_EQ(sent_.size(), 2u) << "others wait to be read";
  is_read_ = true;
  protocol_.respond(number, doc("{}"));
  sent_.clear();
  protocol_.progress(number, 2, "late");
  EXPECT_TRUE(sent_.empty()) << "no progress behind the answer";
}

TEST_F(server_protocol_test, odd_tokens_are_none) {
  initialize();
  for (auto* meta : {R"(,"_meta":{})", R"(,"_meta":[])", R"(,"_meta":{"progressToken":null})",
                     R"(,"_meta":{"progressToken":{}})", R"(,"_meta":{"progressToken":1.5})"}) {
    call(std::to_string(calls_.size()), meta);
    EXPECT_FALSE(calls_.back().wants_progress) << meta;
  }
}

TEST_F(server_protocol_test, old_revisions_have_no_message_in_progress) {
  initialize("2024-11-05");
  protocol_.progress(call("2", R"(,"_meta":{"progressToken":5})"), 1, "m");
  EXPECT_FALSE(sent_.at(0).at("params").as_object().contains("message"));
}

} // namespace mcp_server_protocol_test
