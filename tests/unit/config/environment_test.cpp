#include "config/environment.hpp"

#include <gtest/gtest.h>

#include <map>

namespace config_environment_test {

using strings = std::vector<std::string>;

config::environment read(const std::map<std::string, std::string>& variables) {
  auto lookup = [&](std::string_view name) {
    auto found = variables.find(std::string{name});
    return found == variables.end() ? std::string{} : found->second;
  };
  return config::read_environment(lookup, "/cwd");
}

TEST(environment, knows_where_clients_keep_their_files) {
  auto e = read({{"CODEX_HOME", "/cx"}, {"XDG_CONFIG_HOME", "/xdg"}, {"OPENCODE_CONFIG", ""}, {"OTHER", "x"}});
  EXPECT_EQ(e.places,
            (std::map<std::string, std::string, std::less<>>{{"CODEX_HOME", "/cx"}, {"XDG_CONFIG_HOME", "/xdg"}}));
}

TEST(environment, is_read_from_its_variables) {
  auto e = read({{"HOME", "/home/u"},
                 {"PATH", "/bin"},
                 {"MCP_CONFIG_PATH", "/m.json"},
                 {"DENO_PATH", "/deno"},
                 {"PYTHON_PATH", "/python"}});
  EXPECT_EQ(e.home, "/home/u");
  EXPECT_EQ(e.cwd, "/cwd");
  EXPECT_EQ(e.path, "/bin");
  EXPECT_EQ(e.mcp_config_path, "/m.json");
  EXPECT_EQ(e.deno, "/deno");
  EXPECT_EQ(e.python, "/python");
  EXPECT_TRUE(e.connected_servers.empty());
}

TEST(environment, relative_folders_of_path_are_left_out) {
  EXPECT_EQ(config::absolute_folders("node_modules/.bin:/usr/bin::.:/bin:"), "/usr/bin:/bin");
  EXPECT_EQ(config::absolute_folders("."), "");
  EXPECT_EQ(config::absolute_folders(""), "");
  std::string before = ::getenv("PATH");
  ::setenv("PATH", (".:" + before).c_str(), 1);
  EXPECT_EQ(config::process_environment()("PATH"), before);
  ::setenv("PATH", before.c_str(), 1);
}

TEST(environment, none_is_fine) {
  auto e = read({});
  EXPECT_EQ(e.home + e.path + e.mcp_config_path + e.deno + e.python, "");
}

TEST(environment, connected_servers_are_a_comma_list) {
  struct {
    const char* text;
    strings names;
  } const cases[] = {{"", {}},
                     {"a", {"a"}},
                     {"a,b", {"a", "b"}},
                     {" a , b\t", {"a", "b"}},
                     {",a,,b,", {"a", "b"}},
                     {" , ", {}},
                     {"my server,x", {"my server", "x"}},
                     {"a,a", {"a", "a"}}};
  for (auto& c : cases)
    EXPECT_EQ(read({{"CONNECTED_SERVERS", c.text}}).connected_servers, c.names) << c.text;
}

TEST(process_environment, is_ours) {
  ::setenv("CODE_EXECUTOR_TEST_VARIABLE", "x=y", 1);
  EXPECT_EQ(config::process_environment()("CODE_EXECUTOR_TEST_VARIABLE"), "x=y");
  ::unsetenv("CODE_EXECUTOR_TEST_VARIABLE");
  EXPECT_EQ(config::process_environment()("CODE_EXECUTOR_TEST_VARIABLE"), "");
}

} // namespace config_environment_test
