#include "config/server_reload.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

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

TEST(watched_places, are_the_files_of_a_folder_that_are_there_now) {
  test::folder home;
  config::environment env;
  env.home = home.path();
  env.cwd = "/project";
  auto has = [&](const std::string& place) {
    auto places = config::watched_places(env);
    return std::count(places.begin(), places.end(), home.path() + place) == 1;
  };
  EXPECT_TRUE(has("/MCPs"));
  std::filesystem::create_directory(home.path() + "/MCPs");
  std::filesystem::create_symlink("/elsewhere/a.json", home.path() + "/MCPs/a.json");
  EXPECT_TRUE(has("/MCPs"));
  EXPECT_TRUE(has("/MCPs/a.json")) << "what it leads to may be there later";
  std::filesystem::remove(home.path() + "/MCPs/a.json");
  EXPECT_FALSE(has("/MCPs/a.json"));
}

} // namespace config_server_reload_test
