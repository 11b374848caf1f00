// What a server lists, long pages of it, and what its tools promise.
#include "actors/child/known_tools.hpp"

#include "actors/child/page_reading.hpp"
#include "actors/child/result_check.hpp"
#include "messages/limits.hpp"
#include "tests/actors/put_off.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace child_known_tools_test {

namespace json = boost::json;
using testing_support::put_off;

msg::tool_info tool(std::string name, std::string_view definition = "{}") {
  msg::tool_info t;
  t.server = "kid";
  t.name = std::move(name);
  t.definition = msg::document{json::parse(definition)};
  return t;
}

TEST(child_known_tools, the_contract_of_a_tool_is_made_once_for_each_list) {
  child::known_tools tools{nullptr};
  EXPECT_EQ(tools.contract_of("echo"), nullptr) << "it is for the server to say so";
  tools.replace({tool("echo")});
  auto first = tools.contract_of("echo");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(tools.contract_of("echo"), first);
  EXPECT_EQ(tools.contract_of("add"), nullptr);
  tools.replace({tool("echo"), tool("add")});
  EXPECT_NE(tools.contract_of("echo"), first);
  EXPECT_EQ(tools.list()->size(), 2u);
}

TEST(child_known_tools, what_could_not_be_read_is_not_held_against_what_was_there_before) {
  child::known_tools tools{nullptr};
  tools.replace({tool("echo")});
  tools.could_not_be_read();
  EXPECT_EQ(tools.contract_of("echo"), nullptr);
  EXPECT_EQ(tools.list()->size(), 1u) << "it is told as it was";
  tools.replace({tool("echo")});
  EXPECT_NE(tools.contract_of("echo"), nullptr);
}

TEST(child_known_tools, compiled_schemas_are_bounded_together) {
  put_off worker;
  child::known_tools tools{worker};
  json::array values;
  for (int i = 0; i < 50'000; ++i)
    values.emplace_back(std::string(60, 'x') + std::to_string(i));
  auto large = json::serialize(
    json::object{{"inputSchema", json::object{{"properties", json::object{{"a", json::object{{"enum", values}}}}}}}});
  msg::tool_list list;
  for (int i = 0; i < 4; ++i)
    list.push_back(tool("t" + std::to_string(i), large));
  tools.replace(std::move(list));
  size_t bytes = 0;
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(worker.all->empty()) << bytes;
    auto contract = tools.contract_of("t" + std::to_string(i));
    proxy::taken_arguments taken;
    (void)contract->check_arguments(msg::document{json::object{}}, taken);
    bytes += contract->memory_bytes();
    tools.bound_contracts();
  }
  EXPECT_GT(bytes, msg::limits::child_contracts_bytes_max);
  EXPECT_EQ(worker.all->size(), 1u) << "their end is another thread's work";
  EXPECT_EQ(tools.contract_of("t3")->memory_bytes(), 0u) << "it is compiled anew when it is needed";
}

TEST(child_known_tools, another_thread_lets_go_of_long_lists_and_no_others) {
  put_off worker;
  child::known_tools tools{worker};
  tools.drop({tool("echo")});
  EXPECT_TRUE(worker.all->empty());
  tools.drop(msg::tool_list(msg::limits::child_tools_at_once_max + 1, tool("echo")));
  EXPECT_EQ(worker.carry_out(), 1u);
}

// ---- long pages ------------------------------------------------------------------------------

struct child_page_reading : testing::Test {
  put_off worker;
  child::page_reading pages{"kid", worker};
  int gone_on = 0, read = 0;
  std::vector<mcp::tool_page> taken;

  void begin(uint64_t connection) {
    msg::document answer{
      json::parse(R"({"jsonrpc": "2.0", "id": 2, "result": {"tools": [{"name": "echo", "inputSchema": {}}]}})")};
    pages.begin(
      connection, answer, mcp::argument_headers::unsaid, [this] { ++gone_on; }, [this] { ++read; });
  }
  void take(uint64_t connection) {
    pages.take(connection, [this](mcp::tool_page page) { taken.push_back(std::move(page)); });
  }
};

TEST_F(child_page_reading, its_reader_goes_on_when_the_page_has_been_used) {
  begin(1);
  EXPECT_EQ(read + gone_on, 0);
  worker.carry_out();
  EXPECT_EQ(read, 1);
  EXPECT_EQ(gone_on, 0);
  take(1);
  EXPECT_EQ(gone_on, 1);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].tools.at(0).name, "echo");
  take(1);
  EXPECT_EQ(gone_on, 1) << "once";
  EXPECT_EQ(taken.size(), 1u);
}

TEST_F(child_page_reading, one_that_could_not_be_read_says_why) {
  begin(1);
  worker.all->front().done({msg::errc::overloaded, "there is no memory for it"});
  take(1);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].problem.message, "there is no memory for it");
  EXPECT_EQ(taken[0].problem.server, "kid");
  EXPECT_EQ(gone_on, 1);
}

TEST_F(child_page_reading, connections_have_pages_of_their_own_and_nobody_waits_after_the_end) {
  begin(1);
  begin(2);
  worker.carry_out();
  take(2);
  EXPECT_EQ(gone_on, 1);
  pages.end();
  EXPECT_EQ(gone_on, 2);
  take(1);
  EXPECT_EQ(taken.size(), 1u);
}

// ---- long pages of resources and prompts -----------------------------------------------------

struct child_item_pages : testing::Test {
  put_off worker;
  std::vector<msg::outcome<msg::tool_result>> answers;

  static msg::document page(size_t items) { return msg::document{json::array(items, json::string(60, 'x'))}; }
  void join(mcp::item_pages pages, const process::background_work& offload) {
    child::answer_with_items(std::move(pages), offload, [this](auto answer) { answers.push_back(std::move(answer)); });
  }
  size_t items() const { return answers.at(0).value.envelope.value().as_array().size(); }
};

TEST_F(child_item_pages, are_joined_elsewhere_if_that_takes_long) {
  join({page(10'000), page(1)}, worker);
  EXPECT_TRUE(answers.empty());
  EXPECT_EQ(worker.carry_out(), 1u);
  EXPECT_EQ(items(), 10'001u);
}

TEST_F(child_item_pages, are_joined_at_once_if_they_are_short_or_there_is_no_elsewhere) {
  join({page(1), page(2)}, worker);
  EXPECT_EQ(items(), 3u);
  answers.clear();
  join({page(10'000), page(1)}, nullptr);
  EXPECT_EQ(items(), 10'001u);
}

TEST_F(child_item_pages, are_not_touched_if_there_is_one) {
  auto one = page(10'000);
  join({one}, worker);
  EXPECT_EQ(&answers.at(0).value.envelope.value(), &one.value());
  EXPECT_TRUE(worker.all->empty());
}

TEST_F(child_item_pages, for_which_there_is_no_memory_are_a_fault) {
  join({page(10'000), page(1)}, worker);
  worker.all->front().done({msg::errc::overloaded, "there is no memory for it"});
  EXPECT_EQ(answers.at(0).error.code, msg::errc::overloaded);
}

TEST_F(child_item_pages, end_elsewhere_if_they_are_long) {
  child::drop_items({page(1)}, worker);
  EXPECT_TRUE(worker.all->empty());
  child::drop_items({page(10'000)}, worker);
  EXPECT_EQ(worker.carry_out(), 1u);
  EXPECT_EQ(worker.carry_out(), 1u) << "after whatever else holds them now";
}

// ---- results ---------------------------------------------------------------------------------

struct child_result_check : testing::Test {
  put_off worker;
  std::vector<msg::outcome<msg::tool_result>> answers;
  std::shared_ptr<proxy::contract> contract =
    std::make_shared<proxy::contract>(tool("add", R"({"outputSchema": {"type": "object", "required": ["sum"]}})"));

  void answer(std::shared_ptr<proxy::contract> promised, std::string_view result,
              const process::background_work& offload) {
    msg::tool_result r{msg::document{json::parse(result)}, "a note"};
    child::answer_as_promised(std::move(promised), std::move(r), offload,
                              [this](auto a) { answers.push_back(std::move(a)); });
  }
};

TEST_F(child_result_check, where_nothing_is_promised_nothing_is_looked_at) {
  answer(nullptr, R"({"structuredContent": {}})", worker);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].value.warning, "a note");
}

TEST_F(child_result_check, what_breaks_its_promise_comes_with_a_warning) {
  answer(contract, R"({"structuredContent": {}})", nullptr);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_TRUE(answers[0].value.warning.starts_with("a note; ")) << answers[0].value.warning;
  answer(contract, R"({"structuredContent": {"sum": 1}})", nullptr);
  EXPECT_EQ(answers.at(1).value.warning, "a note");
}

TEST_F(child_result_check, another_thread_compiles_what_is_promised) {
  answer(contract, R"({"structuredContent": {"sum": 1}})", worker);
  EXPECT_TRUE(answers.empty());
  worker.carry_out();
  EXPECT_EQ(answers.size(), 1u);
  answer(contract, R"({"structuredContent": {"sum": 1}})", worker);
  EXPECT_EQ(answers.size(), 2u) << "what is compiled is compared at once";
}

TEST_F(child_result_check, one_that_could_not_be_looked_at_says_why) {
  answer(contract, R"({"structuredContent": {}})", worker);
  worker.all->front().done({msg::errc::overloaded, "there is no memory for it"});
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].error.message, "there is no memory for it");
}

} // namespace child_known_tools_test
