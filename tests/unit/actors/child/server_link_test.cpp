#include "actors/child/server_link.hpp"

#include "actors/child/masked_answer.hpp"
#include "mcp/connection.hpp"
#include "mcp/secret_mask.hpp"
#include "messages/limits.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace child_server_link_test {

namespace json = boost::json;
using namespace std::literals;
using msg::errc;

struct recorded_connection final : mcp::connection {
  std::vector<json::object> sent;
  bool stopped = false, killed = false;
  std::chrono::milliseconds unread{0};

  bool send(msg::spliced_text message, uint64_t, mcp::request_labels) override {
    sent.push_back(json::parse(message.text()).as_object());
    return true;
  }
  bool take_back(uint64_t) override { return false; }
  std::chrono::milliseconds unread_for() override { return unread; }
  mcp::masking mask() const override {
    return [](std::string text) { return mcp::secret_mask{{"sk-4711-0815"}}(std::move(text), false); };
  }
  void stop() override { stopped = true; }
  void kill() override { killed = true; }
};

struct server_link_test : testing::Test {
  std::vector<msg::outcome<msg::listed_tools>> lists;
  std::vector<msg::outcome<msg::document>> answers;
  int changes = 0;
  std::shared_ptr<recorded_connection> connection = std::make_shared<recorded_connection>();
  child::server_link link{"kid", events()};

  child::link_events events() {
    child::link_events e;
    e.listed = [this](auto list) { lists.push_back(std::move(list)); };
    e.answered = [this](auto, auto answer) { answers.push_back(std::move(answer)); };
    e.progressed = [](auto) {};
    e.done_with = [](auto) {};
    e.tools_changed = [this] { ++changes; };
    e.dropped = [](auto) {};
    return e;
  }
  static msg::document message(const json::value& id, std::string_view rest) {
    return msg::document{
      json::parse(R"({"jsonrpc": "2.0", "id": )" + json::serialize(id) + ", " + std::string{rest} + "}")};
  }
  /// The last request.
  json::value id() { return connection->sent.back().at("id"); }
  void start() {
    link.open(connection);
    link.receive(message(
      id(),
      R"("result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "k", "version": "1"}})"));
    link.receive(message(id(), R"("result": {"tools": [{"name": "echo", "inputSchema": {}}]})"));
  }
  void call() {
    msg::tool_call made;
    made.key = {1, 1};
    made.tool = "echo";
    made.arguments = msg::document{json::object{}};
    EXPECT_TRUE(link.calls().call(made));
  }
};

TEST_F(server_link_test, an_open_one_shakes_hands_and_lists_tools) {
  EXPECT_FALSE(link.is_open());
  EXPECT_EQ(link.protocol(), nullptr);
  start();
  EXPECT_TRUE(link.is_open());
  ASSERT_EQ(lists.size(), 1u);
  EXPECT_EQ(lists[0].value->at(0).name, "echo");
  EXPECT_FALSE(link.is_listing());
  link.list_tools();
  EXPECT_TRUE(link.is_listing());
}

TEST_F(server_link_test, what_it_says_of_errors_is_masked) {
  link.open(connection);
  link.receive(message(id(), R"("error": {"code": -1, "message": "401: key sk-4711-0815 is not valid"})"));
  link.receive(message(id(), R"("error": {"code": -32601, "message": "no such method"})")); // server/discover
  ASSERT_EQ(lists.size(), 1u);
  EXPECT_NE(lists[0].error.message.find("key *** is"), std::string::npos) << lists[0].error.message;
  start();
  call();
  link.receive(
    message(id(), R"("result": {"isError": true, "content": [{"type": "text", "text": "key sk-4711-0815"}]})"));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].value.text().find("sk-4711"), std::string::npos);
}

TEST_F(server_link_test, calls_stay_open_when_it_is_closed_until_they_are_failed) {
  link.fail_all({errc::internal, "nobody hears this"});
  start();
  call();
  link.closed();
  EXPECT_FALSE(link.is_open());
  EXPECT_NE(link.protocol(), nullptr);
  EXPECT_TRUE(answers.empty());
  link.fail_all({errc::server_died, "gone"});
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].error.message, "gone");
}

TEST_F(server_link_test, it_ends_in_order_or_at_once) {
  start();
  link.stop();
  EXPECT_TRUE(connection->stopped);
  EXPECT_TRUE(link.is_open()) << "until its process is gone";
  link.kill();
  EXPECT_TRUE(connection->killed);
  EXPECT_FALSE(link.is_open());
  link.kill();
}

TEST_F(server_link_test, any_server_reads_a_little_later) {
  EXPECT_EQ(link.unread_ms(), 0u);
  start();
  connection->unread = 499ms;
  EXPECT_EQ(link.unread_ms(), 0u);
  connection->unread = 500ms;
  EXPECT_EQ(link.unread_ms(), 500u);
}

TEST_F(server_link_test, a_broken_message_fails_the_call_it_answers_and_other_lines_none) {
  start();
  call();
  EXPECT_TRUE(link.receive_non_protocol_line("DEBUG: something"));
  EXPECT_FALSE(link.receive_non_protocol_line("{\"half\":")) << "not the first one";
  EXPECT_EQ(link.lines().last(), "{\"half\":");
  EXPECT_TRUE(answers.empty());
  EXPECT_FALSE(
    link.receive_non_protocol_line("{\"jsonrpc\":\"2.0\",\"id\":" + json::serialize(id()) + ",\"result\":{\"con"));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].error.code, errc::protocol_violation);
  EXPECT_EQ(link.lines().last(), "{\"half\":") << "that was for somebody";
  link.receive(message(nullptr, R"("method": "notifications/tools/list_changed")"));
  EXPECT_TRUE(link.lines().is_empty());
}

TEST_F(server_link_test, a_message_that_is_nested_too_deep_is_called_so) {
  start();
  auto answer = [&](const std::string& result) {
    answers.clear();
    call();
    EXPECT_FALSE(
      link.receive_non_protocol_line("{\"jsonrpc\":\"2.0\",\"id\":" + json::serialize(id()) + ",\"result\":" + result));
    return answers.at(0).error.message;
  };
  auto deep = [](size_t levels) { return std::string(levels, '[') + std::string(levels, ']') + "}"; };
  EXPECT_NE(answer(deep(200)).find("it is nested deeper than 200 levels, which is the limit: {"), std::string::npos)
    << answers.at(0).error.message;
  EXPECT_NE(answer(deep(199) + "}").find("it is no valid JSON: {"), std::string::npos);
  EXPECT_NE(answer("\"\\\"" + std::string(300, '[') + "\"").find("it is no valid JSON: {"), std::string::npos)
    << "brackets in texts are none";
}

TEST_F(server_link_test, a_long_page_of_tools_is_for_another_thread) {
  start();
  link.list_tools();
  EXPECT_FALSE(link.receives_long_page(message(id(), R"("result": {"tools": []})"))) << "a short one is not";
  json::array tools;
  tools.emplace_back(
    json::object{{"name", "echo"}, {"description", std::string(msg::limits::json_inline_bytes_max, 'x')}});
  EXPECT_FALSE(link.receives_long_page(message(999, R"("result": {"tools": )" + json::serialize(tools) + "}")))
    << "it answers nothing";
  link.receive_non_protocol_line("noise");
  EXPECT_TRUE(link.receives_long_page(message(id(), R"("result": {"tools": )" + json::serialize(tools) + "}")));
  EXPECT_TRUE(link.lines().is_empty()) << "it is a message";
  mcp::tool_page page;
  page.tools.push_back({"kid", "echo", "", {}, {}, "", false});
  link.take_page(std::move(page));
  EXPECT_EQ(lists.size(), 2u);
}

// ---- masks -----------------------------------------------------------------------------------

TEST(child_masked_answer, errors_are_words_and_the_rest_is_data) {
  auto mask = [](std::string text) { return mcp::secret_mask{{"sk-4711-0815"}}(std::move(text), false); };
  auto masked = [&](std::string_view answer) {
    return child::masked_answer(msg::document{json::parse(answer)}, mask).value.text();
  };
  EXPECT_EQ(child::masked_answer(msg::fault{errc::tool_failed, "key sk-4711-0815"}, mask).error.message, "key ***");
  EXPECT_EQ(masked(R"({"isError":true,"content":[{"text":"key sk-4711-0815"}]})"),
            R"({"isError":true,"content":[{"text":"key ***"}]})");
  auto data = R"({"content":[{"text":"key sk-4711-0815"}]})";
  EXPECT_EQ(masked(data), data);
  auto large =
    R"({"isError":true,"content":[{"text":"sk-4711-0815)" + std::string(child::errors_masked_bytes_max, 'x') + "\"}]}";
  EXPECT_EQ(masked(large), large);
}

} // namespace child_server_link_test
