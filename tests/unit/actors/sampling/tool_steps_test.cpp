#include "actors/sampling/tool_steps.hpp"

#include "tests/unit/actors/sampling/completion_fixture.hpp"

namespace sampling_tool_steps_test {

using namespace sampling_tests;
using sampling::tool_steps;

msg::tool_info tool(std::string name) {
  msg::tool_info t;
  t.server = "fs";
  t.name = std::move(name);
  t.definition = test::doc(R"({"inputSchema":{"type":"object","required":["path"]}})");
  return t;
}

struct tool_steps_test : testing::Test {
  tool_steps steps;
  msg::model_request request = question_of("read it").request;
  static constexpr uint32_t steps_max = 3;
};

TEST_F(tool_steps_test, offer_names_that_every_provider_takes) {
  EXPECT_EQ(steps
              .offer({tool("read file"), tool("read.file"), tool(std::string(100, 'x')), tool(std::string(101, 'x'))},
                     7, request)
              .code,
            errc::none);
  ASSERT_EQ(request.tools.size(), 4u);
  EXPECT_EQ(request.tools[0].name, "mcp__fs__read_file");
  EXPECT_EQ(request.tools[1].name, "mcp__fs__read_file_2");
  EXPECT_EQ(request.tools[2].name.size(), 64u);
  EXPECT_EQ(request.tools[3].name.size(), 64u);
  EXPECT_TRUE(request.tools[3].name.ends_with("x_2"));
  EXPECT_EQ(request.tools[0].input_schema.value(), test::value(R"({"type":"object","required":["path"]})"));
  auto* meant = steps.find("mcp__fs__read_file_2");
  ASSERT_TRUE(meant);
  EXPECT_EQ(meant->tool, "read.file");
  EXPECT_EQ(meant->run, 7u);
  EXPECT_FALSE(steps.find("mcp__fs__delete"));
}

TEST_F(tool_steps_test, offer_a_bounded_number) {
  EXPECT_EQ(steps.offer(msg::tool_list(sampling::offered_tools_max, tool("t")), 7, request).code, errc::none);
  EXPECT_EQ(tool_steps{}.offer(msg::tool_list(sampling::offered_tools_max + 1, tool("t")), 7, request).code,
            errc::limit_exceeded);
}

TEST_F(tool_steps_test, are_begun_for_what_is_wanted_if_any_were_offered) {
  EXPECT_FALSE(steps.are_wanted(wants("mcp__fs__read")));
  EXPECT_EQ(steps.check(wants("mcp__fs__read")).code, errc::model_failed) << "no text, and nothing can be called";
  EXPECT_EQ(steps.check(says("4")).code, errc::none);
  EXPECT_EQ(steps.offer({tool("read")}, 7, request).code, errc::none);
  EXPECT_TRUE(steps.are_wanted(wants("mcp__fs__read")));
  EXPECT_TRUE(steps.are_wanted(wants("mcp__fs__delete"))) << "which will be answered with an error";
  EXPECT_FALSE(steps.are_wanted(says("4")));
  EXPECT_EQ(steps.check(wants("mcp__fs__read")).code, errc::none);
}

TEST_F(tool_steps_test, go_on_when_all_that_was_wanted_has_come) {
  auto answer = wants("mcp__fs__read");
  answer.uses.push_back({"use_2", "mcp__fs__delete", test::doc("{}"), {}});
  EXPECT_EQ(steps.begin(answer, steps_max, request).code, errc::none);
  EXPECT_FALSE(steps.answered(1, msg::fault{errc::not_allowed, "tool not allowed"}, request));
  EXPECT_TRUE(steps.answered(0, test::doc(R"({"rows":3})"), request));
  ASSERT_EQ(request.messages.size(), 3u);
  EXPECT_EQ(request.messages[1].role, msg::chat_role::assistant);
  EXPECT_EQ(request.messages[1].uses.at(0).id, "use_1");
  auto& answers = request.messages[2].answers;
  EXPECT_EQ(answers.at(0).text, R"({"rows":3})");
  EXPECT_FALSE(answers.at(0).is_error);
  EXPECT_EQ(answers.at(1).id, "use_2");
  EXPECT_EQ(answers.at(1).text, "tool not allowed");
  EXPECT_TRUE(answers.at(1).is_error);
}

TEST_F(tool_steps_test, give_the_model_a_bounded_text) {
  EXPECT_EQ(steps.begin(wants("mcp__fs__read"), steps_max, request).code, errc::none);
  EXPECT_TRUE(steps.answered(0, msg::document{boost::json::value(std::string(1'000'000, 'x'))}, request));
  EXPECT_LE(request.messages.back().answers[0].text.size(), sampling::tool_text_bytes_max + 10);
}

TEST_F(tool_steps_test, are_bounded) {
  for (uint32_t question = 1; question < steps_max; ++question)
    EXPECT_EQ(steps.begin(wants("mcp__fs__read"), steps_max, request).code, errc::none);
  auto why = steps.begin(wants("mcp__fs__read"), steps_max, request);
  EXPECT_EQ(why.code, errc::limit_exceeded);
  EXPECT_NE(why.message.find("after 3 questions, which is the limit (sampling.maxToolSteps)"), std::string::npos)
    << why.message;
}

} // namespace sampling_tool_steps_test
