// What a call must pass before it is sent, and its result when it comes.
#include "tests/actors/child_server_fixture.hpp"

using namespace std::literals;
using namespace testing_support;
namespace limits = msg::limits;
using msg::errc;

TEST_F(child_server_test, arguments_that_the_tool_does_not_take_never_reach_the_server) {
  start();
  list_again(
    R"([{"name": "echo", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}}])");
  auto refused = call("echo").get();
  EXPECT_EQ(refused.error.code, errc::invalid_argument);
  EXPECT_NE(refused.error.message.find("Missing required parameter: text"), std::string::npos) << refused.error.message;
  EXPECT_TRUE(servers.last().take("tools/call").empty());
  EXPECT_EQ(status().calls_in_flight, 0u);
}

TEST_F(child_server_test, a_changed_schema_counts_for_calls_made_after_the_change_was_announced) {
  start();
  servers.last().say(json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
  settle();
  auto c = call("echo");
  EXPECT_TRUE(servers.last().take("tools/call").empty()) << "it waits for the list";
  auto lists = servers.last().take("tools/list");
  ASSERT_EQ(lists.size(), 1u) << "which is asked for at once";
  servers.last().answer(lists[0],
                        json::parse(R"({"tools": [{"name": "echo", "inputSchema": {"required": ["now"]}}]})"));
  settle();
  EXPECT_EQ(c.get().error.code, errc::invalid_argument);
  advance(1s);
  EXPECT_TRUE(servers.last().take("tools/list").empty());
}

TEST_F(child_server_test, a_change_that_is_announced_during_the_handshake_lets_no_call_slip_by) {
  auto c = call("echo");
  fake_servers::answer_handshake(servers.last(), {});
  settle();
  servers.last().say(json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
  settle();
  servers.last().answer(servers.last().take("tools/list").at(0),
                        json::parse(R"({"tools": [{"name": "echo", "inputSchema": {"required": ["now"]}}]})"));
  settle();
  EXPECT_EQ(c.get().error.code, errc::invalid_argument);
}

TEST_F(child_server_test, a_number_that_was_given_as_text_reaches_the_server_as_one) {
  start();
  list_again(R"([{"name": "echo", "inputSchema": {"properties": {"n": {"type": "integer"}}}}])");
  auto made = make_call("echo");
  made.arguments = msg::document{json::object{{"n", "5"}}};
  auto c = send<call_result>(server, msg::call_atom::value, std::move(made));
  settle();
  auto request = servers.last().take("tools/call").at(0);
  EXPECT_EQ(request.at("params").at("arguments").at("n"), 5);
  servers.last().answer(request, text_result("ok"));
  settle();
  EXPECT_NE(c.get().value.warning.find("\"n\" was given as text"), std::string::npos) << c.get().value.warning;
}

TEST_F(child_server_test, what_could_not_be_read_is_not_checked_against_what_was_there_before) {
  start();
  list_again(R"([{"name": "echo", "inputSchema": {"required": ["old"]}}])");
  servers.last().say(json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
  settle();
  advance(limits::child_list_debounce);
  auto request = servers.last().take("tools/list").at(0);
  servers.last().say(json::object{
    {"jsonrpc", "2.0"}, {"id", request.at("id")}, {"error", json::object{{"code", -32603}, {"message", "no"}}}});
  settle();
  auto sent = call("echo");
  EXPECT_EQ(servers.last().take("tools/call").size(), 1u);
  list_again(R"([{"name": "echo", "inputSchema": {"required": ["new"]}}])");
  EXPECT_EQ(call("echo").get().error.code, errc::invalid_argument) << "what is read again counts again";
}

TEST_F(child_server_test, a_call_that_waits_for_a_list_is_sent_when_there_is_none) {
  start();
  servers.last().say(json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
  settle();
  auto sent = call("echo"), lost = call("echo");
  auto request = servers.last().take("tools/list").at(0);
  servers.last().say(json::object{
    {"jsonrpc", "2.0"}, {"id", request.at("id")}, {"error", json::object{{"code", -32603}, {"message", "no"}}}});
  settle();
  EXPECT_EQ(servers.last().take("tools/call").size(), 2u);
  die();
  EXPECT_EQ(sent.get().error.code, errc::server_died);
  EXPECT_EQ(lost.get().error.code, errc::server_died);
}

TEST_F(child_server_test, a_list_that_does_not_come_holds_calls_up_for_seconds_and_later_ones_for_a_minute) {
  start();
  auto announce = [&] {
    servers.last().say(json::object{{"jsonrpc", "2.0"}, {"method", "notifications/tools/list_changed"}});
    settle();
  };
  announce();
  advance(msg::limits::child_list_debounce);
  EXPECT_EQ(servers.last().take("tools/list").size(), 1u);
  announce();
  auto waits = call("echo");
  EXPECT_EQ(servers.last().take("tools/call").size(), 0u);
  advance(child::list_answer_max);
  EXPECT_EQ(servers.last().take("tools/call").size(), 1u);
  EXPECT_EQ(servers.last().take("tools/list").size(), 0u) << "one at a time";
  advance(msg::limits::child_handshake_timeout);
  advance(msg::limits::child_list_debounce);
  EXPECT_EQ(servers.last().take("tools/list").size(), 1u) << "it had its time, and something else was announced";
  die();
  EXPECT_EQ(waits.get().error.code, errc::server_died);
}

TEST_F(child_server_test, what_is_large_is_checked_by_the_worker) {
  auto work = std::make_shared<std::vector<std::pair<std::function<void()>, std::function<void(msg::fault)>>>>();
  auto o = options();
  o.offload = [work](auto w, auto done) { work->emplace_back(std::move(w), std::move(done)); };
  self->send_exit(server, caf::exit_reason::user_shutdown);
  settle();
  server = sys.spawn(actors::child_server, entry("kid"), std::move(o));
  start();
  list_again(R"([{"name": "echo", "inputSchema": {"properties": {"text": {"type": "string"}}}}])");
  auto large = [&](json::value text) {
    auto made = make_call("echo");
    made.arguments =
      msg::document{json::object{{"text", std::move(text)}, {"more", std::string(limits::json_inline_bytes_max, 'x')}}};
    auto p = send<call_result>(server, msg::call_atom::value, std::move(made));
    settle();
    return p;
  };
  auto good = large("x"), bad = large(5), cancelled = large("y"), late = large("z");
  EXPECT_EQ(status().calls_in_flight, 4u);
  EXPECT_TRUE(servers.last().take("tools/call").empty());
  self->send(server, msg::cancel_atom::value, msg::call_key{1, last_call - 1});
  settle();
  EXPECT_EQ(cancelled.get().error.code, errc::cancelled);
  ASSERT_EQ(work->size(), 4u);
  for (size_t i = 0; i < 3; ++i) {
    (*work)[i].first();
    (*work)[i].second({});
    settle();
  }
  EXPECT_EQ(servers.last().take("tools/call").size(), 1u);
  EXPECT_EQ(bad.get().error.code, errc::invalid_argument);
  die();
  EXPECT_EQ(good.get().error.code, errc::server_died);
  EXPECT_EQ(late.get().error.code, errc::server_died);
  (*work)[3].first();
  (*work)[3].second({});
  settle();
}

TEST_F(child_server_test, a_schema_is_never_compiled_on_the_main_thread) {
  put_off worker;
  auto o = options();
  o.offload = worker;
  serve(entry("kid"), std::move(o));
  start();
  auto* tools =
    R"([{"name": "echo", "inputSchema": {"properties": {"text": {"type": "string"}}}, "outputSchema": {"required": ["sum"]}}])";
  list_again(tools);
  worker.carry_out();
  auto first = call("echo");
  EXPECT_TRUE(servers.last().take("tools/call").empty()) << "small as it is, it is a stranger's";
  EXPECT_EQ(worker.carry_out(), 1u);
  settle();
  auto request = servers.last().take("tools/call");
  ASSERT_EQ(request.size(), 1u);
  servers.last().answer(request[0], json::parse(R"({"content": [], "structuredContent": {"sum": 1}})"));
  settle();
  EXPECT_EQ(first.count(), 0u) << "what was promised is compiled likewise";
  ASSERT_EQ(worker.all->size(), 1u);
  worker.all->front().work(); // its end answers from within CAF's own scheduler, which these tests do not have
  worker.all->clear();
  auto second = call("echo");
  request = servers.last().take("tools/call");
  ASSERT_EQ(request.size(), 1u) << "what is compiled is compared at once";
  servers.last().answer(request[0], json::parse(R"({"content": [], "structuredContent": {"sum": 1}})"));
  settle();
  EXPECT_TRUE(second.get().ok());
  list_again(tools);
  EXPECT_EQ(worker.carry_out(), 1u) << "its end takes long as well";
}

TEST_F(child_server_test, compiled_schemas_of_one_server_are_bounded) {
  put_off worker;
  auto o = options();
  o.offload = worker;
  serve(entry("kid"), std::move(o));
  start();
  json::array values, tools;
  for (int i = 0; i < 50'000; ++i)
    values.emplace_back(std::string(60, 'x') + std::to_string(i));
  json::object schema{{"properties", json::object{{"a", json::object{{"enum", values}}}}}};
  for (int i = 0; i < 4; ++i)
    tools.push_back(json::object{{"name", "t" + std::to_string(i)}, {"inputSchema", schema}});
  list_again(json::serialize(tools));
  worker.carry_out();
  std::vector<size_t> given;
  for (int i : {0, 1, 2, 3, 3}) {
    auto sent = call("t" + std::to_string(i));
    given.push_back(worker.carry_out());
    settle();
    worker.carry_out();
    EXPECT_EQ(servers.last().take("tools/call").size(), 1u);
  }
  EXPECT_EQ(given, (std::vector<size_t>{1, 1, 1, 1, 1}))
    << "the fourth was too much: all were forgotten, and are compiled anew";
}

TEST_F(child_server_test, a_result_that_breaks_its_promise_comes_with_a_warning) {
  start();
  list_again(R"([{"name": "echo", "outputSchema": {"properties": {"sum": {"type": "number"}}}}])");
  auto c = call("echo");
  servers.last().answer(servers.last().take("tools/call").at(0),
                        json::parse(R"({"content": [], "structuredContent": {"sum": "3"}})"));
  settle();
  EXPECT_TRUE(c.get().ok());
  EXPECT_NE(c.get().value.warning.find("outputSchema"), std::string::npos) << c.get().value.warning;
}

TEST_F(child_server_test, resources_are_asked_for_like_tools_and_checked_by_nobody) {
  start();
  auto made = make_call("resources/read");
  made.method = msg::child_method::read_resource;
  made.arguments = msg::document{json::object{{"uri", "test://a"}}};
  auto c = send<call_result>(server, msg::call_atom::value, std::move(made));
  settle();
  auto request = servers.last().take("resources/read").at(0);
  EXPECT_EQ(json::serialize(request.at("params")), R"({"uri":"test://a"})");
  servers.last().answer(request, json::parse(R"({"contents": []})"));
  settle();
  EXPECT_EQ(c.get().value.envelope.text(), R"({"contents":[]})");
}
