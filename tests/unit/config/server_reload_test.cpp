#include "config/server_reload.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace config_server_reload_test {

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
