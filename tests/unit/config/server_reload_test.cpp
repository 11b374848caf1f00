#include "config/server_reload.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace config_server_reload_test {

using config::server_list;

msg::server_entry entry(std::string name, std::string source, std::string command = "run") {
  msg::server_entry e;
  e.name = std::move(name);
  e.source = std::move(source);
  e.command = std::move(command);
  return e;
}

std::string shown(const server_list& list) {
  std::string out;
  for (auto& e : list.entries)
    out += e.name + "=" + e.source + ":" + e.command + " ";
  return out;
}

const server_list before{
  {entry("a", "/p.json"), entry("b", "/p.json"), entry("c", "/u.json")}, {"/p.json", "/u.json"}, {}};

TEST(in_force, is_what_the_files_say_now) {
  EXPECT_EQ(shown(in_force(before, {{entry("a", "/p.json", "other")}, {}, {}})), "a=/p.json:other ");
}

TEST(in_force, servers_of_a_broken_file_stay) {
  EXPECT_EQ(shown(in_force(before, {{entry("c", "/u.json", "new")}, {}, {"/p.json: line 1, column 3: syntax error"}})),
            "a=/p.json:run b=/p.json:run c=/u.json:new ");
}

TEST(in_force, a_broken_file_still_counts_more_than_others) {
  EXPECT_EQ(
    shown(in_force(
      before, {{entry("a", "/u.json", "hidden until now"), entry("c", "/u.json")}, {}, {"/p.json: line 1: broken"}})),
    "a=/p.json:run b=/p.json:run c=/u.json:run ");
}

TEST(in_force, what_a_file_with_a_broken_entry_says_of_others_counts) {
  EXPECT_EQ(shown(in_force(before, {{entry("a", "/p.json", "new"), entry("c", "/u.json")},
                                    {},
                                    {"/p.json: server 'b': 'args' must be a list"}})),
            "a=/p.json:new b=/p.json:run c=/u.json:run ");
}

TEST(in_force, a_removed_server_is_gone_whatever_is_wrong_with_another_one) {
  EXPECT_EQ(shown(in_force(before, {{entry("b", "/p.json"), entry("c", "/u.json")},
                                    {},
                                    {"/p.json: line 3: server 'x': 'args' must be a list"}})),
            "b=/p.json:run c=/u.json:run ");
}

TEST(in_force, a_problem_of_another_file_saves_nobody) {
  EXPECT_EQ(shown(in_force(before, {{}, {}, {"/other.json: broken", "/p.json.bak: broken"}})), "");
}

TEST(in_force, an_entry_that_nobody_approved_takes_no_name_from_one_of_the_user) {
  auto of_project = entry("c", "/p.json", "project's");
  of_project.trust = msg::trust_level::unapproved;
  const server_list earlier{{of_project}, {"/p.json"}, {}};
  EXPECT_EQ(shown(in_force(earlier, {{entry("c", "/u.json")}, {}, {"/p.json: line 1: broken"}})), "c=/u.json:run ");
}

TEST(new_problems, are_those_that_were_not_told) {
  EXPECT_EQ(config::new_problems({{}, {}, {"a", "b"}}, {{}, {}, {"c", "b", "d"}}),
            (std::vector<std::string>{"c", "d"}));
  EXPECT_TRUE(config::new_problems({{}, {}, {"a"}}, {}).empty());
}

TEST(watched_places, are_the_files_and_the_folders_of_patterns) {
  config::environment env;
  env.home = "/home/u";
  env.cwd = "/project";
  auto places = config::watched_places(env);
  auto has = [&](const char* place) { return std::find(places.begin(), places.end(), place) != places.end(); };
  EXPECT_TRUE(has("/project/.mcp.json"));
  EXPECT_TRUE(has("/home/u/.claude.json"));
  EXPECT_TRUE(has("/home/u/MCPs"));
  EXPECT_TRUE(has("/home/u/.claude/settings.json")) << "approvals in the client";
  EXPECT_FALSE(std::any_of(places.begin(), places.end(), [](auto& p) { return p.find('*') != p.npos; }));
}

} // namespace config_server_reload_test
