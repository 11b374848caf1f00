#include "tests/unit/mcp/client_protocol_fixture.hpp"

#include "mcp/revision.hpp"
#include "messages/limits.hpp"

namespace mcp_client_listing_test {

namespace json = boost::json;
using msg::errc;
using test::client_protocol_test;
using test::doc;
using test::value;

// ---- pages -------------------------------------------------------------------------------------

TEST_F(client_protocol_test, collects_all_pages) {
  handshake();
  protocol_.list_tools();
  respond(last_id(), R"({"tools":[{"name":"a"}],"nextCursor":"p2"})");
  EXPECT_EQ(last("tools/list").at("params"), value(R"({"cursor":"p2"})"));
  respond(last_id(), R"({"tools":[],"nextCursor":""})");
  EXPECT_EQ(last("tools/list").at("params"), value(R"({"cursor":""})"))
    << "the empty string is a cursor like any other";
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
  EXPECT_EQ(listed_[0].value->at(0).description, "1");
  EXPECT_EQ(listed_[0].value->at(1).description, "");
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

TEST_F(client_protocol_test, a_page_that_others_have_read_counts_like_one_that_came) {
  handshake();
  protocol_.list_tools();
  auto answer = [&](int64_t id, const std::string& rest) {
    return doc(R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + rest + "}");
  };
  auto page = answer(last_id(), R"(,"result":{"tools":[{"name":"a"}],"nextCursor":"p2"})");
  EXPECT_TRUE(protocol_.is_tool_page(page));
  for (auto& other :
       {answer(last_id() + 1, R"(,"result":{"tools":[]})"), answer(last_id(), R"(,"error":{"code":1,"message":"no"})"),
        answer(last_id(), R"(,"result":{"tools":{}})"), answer(last_id(), R"(,"result":[])"),
        doc("[" + page.text() + "]"), doc("5")})
    EXPECT_FALSE(protocol_.is_tool_page(other)) << other.text();
  protocol_.take_tool_page(mcp::read_tool_page("srv", page));
  EXPECT_EQ(last("tools/list").at("params"), value(R"({"cursor":"p2"})"));
  respond(last_id(), R"({"tools":[{"name":"a"},{"name":"b"}]})");
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "b"}));
  listed_.clear();
  protocol_.take_tool_page(mcp::read_tool_page("srv", page));
  EXPECT_TRUE(listed_.empty()) << "no listing goes on";
  protocol_.list_tools();
  mcp::tool_page lost;
  lost.problem = {errc::overloaded, "no memory"};
  protocol_.take_tool_page(lost);
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_EQ(listed_[0].error.message, "no memory");
}

TEST_F(client_protocol_test, names_that_are_too_long_are_left_out_and_told) {
  handshake();
  protocol_.list_tools();
  std::string longest(msg::limits::child_tool_name_bytes_max, 'n');
  respond(last_id(), R"({"tools":[{"name":")" + longest + R"("},{"name":")" + longest + R"(n"},{"name":"b"}]})");
  EXPECT_EQ(names(), (std::vector<std::string>{longest, "b"}));
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_NE(log_[0].find("1 tools without a name, or with one of more than 512 bytes"), std::string::npos) << log_[0];
}

TEST_F(client_protocol_test, definitions_that_are_too_large_are_left_out_and_told) {
  handshake();
  protocol_.list_tools();
  respond(last_id(), R"({"tools":[{"name":"a","description":")" + std::string(msg::limits::child_tool_bytes_max, 'x')
                       + R"("},{"name":"b"}]})");
  EXPECT_EQ(names(), std::vector<std::string>{"b"});
  ASSERT_EQ(log_.size(), 1u);
  EXPECT_NE(log_[0].find("1 tools whose definition takes more than 8 MiB are left out"), std::string::npos) << log_[0];
}

TEST_F(client_protocol_test, tools_beyond_the_bound_are_left_out_and_told) {
  handshake();
  protocol_.list_tools();
  json::array tools;
  for (size_t i = 0; i < msg::limits::child_tools_max + 3; ++i)
    tools.push_back(json::object{{"name", "t" + std::to_string(i)}});
  respond(last_id(), json::serialize(json::object{{"tools", std::move(tools)}, {"nextCursor", "p2"}}));
  respond(last_id(), R"({"tools":[{"name":"late"}]})");
  EXPECT_EQ(names().size(), msg::limits::child_tools_max);
  ASSERT_EQ(log_.size(), 2u);
  EXPECT_NE(log_[0].find("3 tools beyond the first 25000 are left out"), std::string::npos) << log_[0];
  EXPECT_NE(log_[1].find("1 tools beyond the first 25000 are left out"), std::string::npos) << log_[1];
}

TEST_F(client_protocol_test, a_long_list_in_a_batch_is_refused) {
  handshake();
  for (size_t bytes : {size_t{250'000}, size_t{256} << 10}) {
    protocol_.list_tools();
    receive(R"([{"jsonrpc":"2.0","id":)" + std::to_string(last_id())
            + R"(,"result":{"tools":[{"name":"a","description":")" + std::string(bytes, 'x') + R"("}]}}])");
  }
  ASSERT_EQ(listed_.size(), 2u);
  EXPECT_TRUE(listed_[0].ok());
  EXPECT_NE(listed_[1].error.message.find("in a batch of more than 256 KiB"), std::string::npos)
    << listed_[1].error.message;
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
  EXPECT_EQ(protocol_.calls().size(), 0u);
}

TEST_F(client_protocol_test, pages_are_kept_as_they_came) {
  handshake();
  EXPECT_TRUE(ask(msg::child_method::list_prompts));
  auto page = doc(R"({"jsonrpc":"2.0","id":)" + std::to_string(last_id()) + R"(,"result":{"prompts":[{"name":"p"}]}})");
  EXPECT_EQ(protocol_.receive(page), "");
  auto* items = &page.value().at("result").at("prompts");
  ASSERT_EQ(last_pages_.size(), 1u);
  EXPECT_EQ(&last_pages_[0].value(), items);
  EXPECT_EQ(&answers_.at(0).result.value.value(), items) << "one page is the list";
}

TEST_F(client_protocol_test, a_long_page_with_nothing_on_it_is_kept_until_it_can_end_elsewhere) {
  handshake();
  EXPECT_TRUE(ask(msg::child_method::list_prompts));
  respond(last_id(), R"({"prompts":[],"nextCursor":"2"})");
  respond(last_id(), R"({"prompts":[],"x":")" + std::string(msg::limits::json_inline_bytes_max, 'x') + R"("})");
  EXPECT_EQ(last_pages_.size(), 1u);
  EXPECT_EQ(answers_.at(0).result.value.text(), "[]");
}

TEST_F(client_protocol_test, more_items_than_there_may_be_are_left_out) {
  json::array items(msg::limits::child_tools_max + 1, json::value(1));
  mcp::item_pages one{msg::document{items}};
  EXPECT_FALSE(mcp::are_joined(one));
  EXPECT_EQ(mcp::joined(one).value().get_array().size(), msg::limits::child_tools_max);
  one.emplace_back(json::array{2});
  EXPECT_EQ(mcp::joined(one).value().get_array().size(), msg::limits::child_tools_max);
  EXPECT_EQ(mcp::joined({}).text(), "[]");
}

TEST_F(client_protocol_test, pages_of_a_listing_that_fails_are_let_go_of) {
  handshake();
  auto begin = [&] {
    EXPECT_TRUE(ask(msg::child_method::list_resources));
    respond(last_id(), R"({"resources":[{"uri":"a"}],"nextCursor":"2"})");
    return std::exchange(dropped_pages_, 0);
  };
  begin();
  respond(last_id(), R"({"resources":5})");
  EXPECT_EQ(begin(), 1u);
  respond(last_id(), "5");
  EXPECT_EQ(begin(), 1u);
  fail(last_id(), R"({"code":1,"message":"no"})");
  EXPECT_EQ(begin(), 1u);
  protocol_.calls().cancel({1, 1}, "enough");
  EXPECT_EQ(begin(), 1u);
  receive(R"({"jsonrpc":"2.0","id":)" + std::to_string(last_id()) + "}");
  EXPECT_EQ(begin(), 1u);
  queue_full_ = true;
  respond(last_id(), R"({"resources":[{"uri":"a"}],"nextCursor":"3"})");
  queue_full_ = false;
  EXPECT_EQ(begin(), 2u);
  protocol_.fail_all({errc::server_died, "gone"});
  EXPECT_EQ(dropped_pages_, 1u);
  EXPECT_EQ(answers_.size(), 6u) << "and each is answered but the one that was cancelled";
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
  EXPECT_EQ(answers_.at(0).result.error.message.find("prompts/list of server '"), 0u)
    << answers_.at(0).result.error.message;
  EXPECT_TRUE(ask(msg::child_method::list_prompts));
  respond(last_id(), R"({"prompts":5})");
  EXPECT_EQ(answers_.at(1).result.error.code, errc::protocol_violation);
  EXPECT_TRUE(ask(msg::child_method::list_prompts));
  for (size_t page = 0; page < msg::limits::child_tool_pages_max; ++page)
    respond(last_id(), R"({"prompts":[{"name":"p"}],"nextCursor":"again"})");
  ASSERT_EQ(answers_.size(), 3u);
  EXPECT_EQ(answers_[2].result.error.code, errc::limit_exceeded);
  EXPECT_NE(answers_[2].result.error.message.find("lists more than 1000 pages, which is the limit"), std::string::npos)
    << answers_[2].result.error.message;
}

TEST_F(client_protocol_test, a_listing_of_as_many_pages_as_there_may_be_is_told) {
  handshake();
  EXPECT_TRUE(ask(msg::child_method::list_prompts));
  for (size_t page = 1; page < msg::limits::child_tool_pages_max; ++page)
    respond(last_id(), R"({"prompts":[{"name":"p"}],"nextCursor":"again"})");
  respond(last_id(), R"({"prompts":[{"name":"p"}]})");
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_[0].result.value.value().as_array().size(), msg::limits::child_tool_pages_max);
}

TEST_F(client_protocol_test, a_listing_can_be_cancelled_between_its_pages) {
  handshake();
  EXPECT_TRUE(ask(msg::child_method::list_resources));
  respond(last_id(), R"({"resources":[],"nextCursor":"2"})");
  auto id = last_id();
  protocol_.calls().cancel({1, 1}, "enough");
  EXPECT_EQ(last("notifications/cancelled").at("params").at("requestId").as_int64(), id);
  EXPECT_EQ(protocol_.calls().size(), 0u);
}

// ---- bounds ------------------------------------------------------------------------------------

/// A page of about 20 MiB of memory.
std::string large_page(const std::string& field, const std::string& item) {
  std::string values = "0";
  for (int i = 0; i < 900'000; ++i)
    values += ",0";
  return R"({")" + field + R"(":[)" + item + R"(,"x":[)" + values + R"(]}],"nextCursor":"C)";
}

TEST_F(client_protocol_test, tools_that_take_much_memory_are_not_gathered) {
  protocol_.start();
  respond(last_id(), R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}}})");
  std::string values = "0"; // 5 MiB of memory: less than one tool may have
  for (int i = 0; i < 200'000; ++i)
    values += ",0";
  for (int page = 0; page < 10 && listed_.empty(); ++page) {
    std::string tools;
    for (int i = 0; i < 4; ++i)
      tools += (i == 0 ? "" : ",") + (R"({"name":"t)" + std::to_string(4 * page + i)) + R"(","x":[)" + values + "]}";
    respond(last_id(), R"({"tools":[)" + tools + R"(],"nextCursor":"C)" + std::to_string(page) + R"("})");
  }
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_EQ(listed_.back().error.code, errc::server_start_failed);
  EXPECT_NE(listed_.back().error.message.find("more than 64 MiB"), std::string::npos) << listed_.back().error.message;
}

TEST_F(client_protocol_test, cursors_that_take_much_memory_are_not_gathered) {
  handshake();
  protocol_.list_tools();
  for (char c = 'a'; c < 'k' && listed_.empty(); ++c)
    respond(last_id(), R"({"tools":[],"nextCursor":")" + std::string(20u << 20, c) + R"("})");
  ASSERT_EQ(listed_.size(), 1u);
  EXPECT_NE(listed_.back().error.message.find("more than 64 MiB"), std::string::npos) << listed_.back().error.message;
}

TEST_F(client_protocol_test, resources_that_take_much_memory_are_not_gathered) {
  handshake();
  ASSERT_TRUE(ask(msg::child_method::list_resources));
  for (int page = 0; page < 10 && answers_.empty(); ++page)
    respond(last_id(), large_page("resources", R"({"uri":"a:b")") + std::to_string(page) + R"("})");
  ASSERT_EQ(answers_.size(), 1u);
  EXPECT_EQ(answers_.back().result.error.code, errc::limit_exceeded);
  EXPECT_NE(answers_.back().result.error.message.find("more than 64 MiB"), std::string::npos)
    << answers_.back().result.error.message;
}

} // namespace mcp_client_listing_test
