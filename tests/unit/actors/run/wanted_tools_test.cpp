#include "actors/run/wanted_tools.hpp"

#include "messages/limits.hpp"

#include <gtest/gtest.h>

namespace actors_run_wanted_tools_test {

using namespace actors::run;
using msg::errc;
using strings = std::vector<std::string>;

msg::tool_info tool(std::string server, std::string name) {
  msg::tool_info t;
  t.server = std::move(server);
  t.name = std::move(name);
  return t;
}

msg::tool_list chosen_by(const wanted_tools& wanted, msg::tool_list tools) {
  auto choice = wanted.choose(std::move(tools));
  EXPECT_TRUE(choice.go_on([] { return false; }));
  return choice.take();
}

TEST(wanted_tools, have_a_bound_on_their_patterns) {
  EXPECT_EQ(check_size({"mcp__s__*"}).code, errc::none);
  EXPECT_EQ(check_size(strings(40, std::string(499, 'x') + "*")).code, errc::invalid_argument);
  EXPECT_EQ(check_size(strings(40, std::string(500, 'x'))).code, errc::none) << "without a star they cost nothing";
}

TEST(wanted_tools, are_searched_on_the_servers_that_their_patterns_name) {
  wanted_tools wanted{{"mcp__a__x", "mcp__a__b__*", "mcp__gone__y", "*"}, {"a", "a__b", "c"}};
  EXPECT_EQ(wanted.begin_searches(), (std::set<std::string>{"", "a", "a__b", "gone"}));
}

TEST(wanted_tools, are_those_that_a_pattern_matches_each_once) {
  wanted_tools wanted{{"mcp__a__x*", "mcp__b__y"}, {"a", "b"}};
  EXPECT_EQ(wanted.begin_searches().size(), 2u);
  wanted.add(chosen_by(wanted, {tool("b", "z"), tool("b", "y")}));
  EXPECT_FALSE(wanted.end_search({}));
  wanted.add(chosen_by(wanted, {tool("a", "x1"), tool("a", "other"), tool("a", "x1")}));
  EXPECT_TRUE(wanted.end_search({errc::server_start_failed, "another server"}));
  auto found = wanted.take();
  ASSERT_TRUE(found.ok()) << "what there is counts more than what went wrong";
  ASSERT_EQ(found.value.size(), 2u);
  EXPECT_EQ(found.value[0].name, "x1");
  EXPECT_EQ(found.value[1].name, "y");
}

TEST(wanted_tools, of_which_there_are_none_have_the_first_fault) {
  wanted_tools wanted{{"mcp__a__*", "mcp__b__*"}, {"a", "b"}};
  wanted.begin_searches();
  wanted.end_search({errc::server_start_failed, "why"});
  wanted.end_search({errc::internal, "later"});
  EXPECT_EQ(wanted.take().error.message, "why");
  wanted_tools other{{"mcp__a__*"}, {"a"}};
  other.begin_searches();
  other.end_search({});
  EXPECT_EQ(other.take().error.code, errc::not_allowed);
}

TEST(tool_choice, goes_on_where_it_was_stopped) {
  wanted_tools wanted{{"mcp__a__*"}, {"a"}};
  auto choice = wanted.choose({tool("a", "1"), tool("a", "2"), tool("a", "3")});
  int asked = 0;
  EXPECT_FALSE(choice.go_on([&] { return ++asked > 2; }));
  EXPECT_TRUE(choice.go_on([] { return false; }));
  EXPECT_EQ(choice.take().size(), 3u);
}

} // namespace actors_run_wanted_tools_test
