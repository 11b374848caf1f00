// What a project costs that the user has not looked at: its files have one room together, and the user's own are read
// whatever it does.
#include "config/server_list.hpp"

#include "messages/limits.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <new>

namespace config_project_files_test {

namespace limits = msg::limits;
using strings = std::vector<std::string>;

/// A list of servers of about so many bytes, with one server in it.
std::string padded(const std::string& name, size_t bytes) {
  return R"({"mcpServers":{")" + name + R"(":{"command":"x"}},"x":")" + std::string(bytes, 'x') + "\"}";
}

std::string repeated(const std::string& text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i)
    out += text;
  return out;
}

class project_files_test : public testing::Test {
protected:
  project_files_test() {
    env_.home = folder_.path("home");
    env_.cwd = folder_.path("project");
    std::filesystem::create_directories(env_.cwd);
    folder_.write("home/.cursor/mcp.json", R"({"mcpServers":{"user":{"command":"x"}}})");
  }
  config::server_list load() { return config::load_servers(env_, "/nowhere/code-executor"); }
  static bool has(const config::server_list& l, const std::string& name) {
    return std::any_of(l.entries.begin(), l.entries.end(), [&](auto& e) { return e.name == name; });
  }
  static size_t count(const config::server_list& l, std::string_view what) {
    return static_cast<size_t>(
      std::count_if(l.problems.begin(), l.problems.end(), [&](auto& p) { return p.find(what) != p.npos; }));
  }
  test::folder folder_;
  config::environment env_;
};

TEST_F(project_files_test, have_one_room_together) {
  auto first = folder_.write("project/.mcp.json", padded("first", 5u << 20));
  auto second = folder_.write("project/.cursor/mcp.json", padded("second", 5u << 20));
  folder_.write("project/.vscode/mcp.json", padded("third", 1u << 20));
  folder_.write("home/.claude.json", padded("large", 9u << 20));
  auto l = load();
  EXPECT_TRUE(has(l, "first") && has(l, "third") && has(l, "large") && has(l, "user"));
  EXPECT_FALSE(has(l, "second"));
  EXPECT_EQ(l.problems, strings{second
                                + ": has 5.0 MiB, and there are 2.9 MiB left of the 8 MiB that all files of the "
                                  "project may have together; the file is skipped"});
}

TEST_F(project_files_test, a_link_takes_room_like_its_file) {
  folder_.write("project/big.txt", "{\"mcpServers\":{},\"x\":\"" + std::string(3u << 20, 'x') + "\"}");
  std::filesystem::create_directory(folder_.path("project/mcp-servers"));
  for (size_t i = 10; i < 20; ++i)
    std::filesystem::create_symlink("../big.txt", folder_.path("project/mcp-servers/" + std::to_string(i) + ".json"));
  auto l = load();
  EXPECT_EQ(count(l, "of the 8 MiB"), 8u);
  EXPECT_TRUE(has(l, "user"));
}

TEST_F(project_files_test, what_they_take_when_they_are_parsed_is_bounded) {
  auto text = [](size_t values) { return "{\"mcpServers\":{},\"x\":[" + repeated("[],", values) + "]}"; };
  auto path = folder_.write("project/.mcp.json", text(2'000'000));
  folder_.write("home/.claude.json", text(2'000'000));
  auto l = load();
  ASSERT_EQ(l.problems.size(), 1u);
  EXPECT_TRUE(l.problems[0].starts_with(path + ": would take up to ")) << l.problems[0];
  EXPECT_NE(l.problems[0].find("64 MiB"), std::string::npos) << l.problems[0];
  folder_.write("project/.mcp.json", "//\"\n" + text(2'000'000)); // no quote hides the rest
  EXPECT_EQ(load().problems.size(), 1u);
}

/// Each stands for a hundred thousand values.
TEST_F(project_files_test, small_files_of_many_values_end_soon) {
  std::string bomb = "a: &a [" + repeated("x,", 100) + "]\nb: &b [" + repeated("*a,", 100) + "]\n";
  for (bool is_broken : {false, true}) {
    auto text = bomb + "c: [" + repeated("*b,", is_broken ? 20 : 5) + "]";
    for (size_t i = 0; i < 500; ++i)
      folder_.write("project/.continue/mcpServers/" + std::to_string(i) + ".yaml", text);
    auto begin = std::chrono::steady_clock::now();
    auto l = load();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{20}) << "with sanitizers";
    EXPECT_GT(count(l, "64 MiB"), 300u);
    EXPECT_TRUE(has(l, "user"));
  }
}

TEST_F(project_files_test, a_file_of_the_user_is_read_whatever_room_the_project_has) {
  folder_.write("project/.mcp.json", padded("first", (8u << 20) - 60));
  folder_.write("project/.codex/config.toml", "[mcp_servers.codex]\ncommand = 'x'\n");
  EXPECT_FALSE(has(load(), "codex"));
  env_.places["CODEX_HOME"] = folder_.path("project/.codex");
  EXPECT_TRUE(has(load(), "codex"));
}

TEST_F(project_files_test, at_home_there_are_none) {
  env_.cwd = env_.home;
  folder_.write("home/.mcp.json", padded("large", 9u << 20));
  auto l = load();
  EXPECT_TRUE(has(l, "large") && l.problems.empty());
}

TEST_F(project_files_test, without_memory_for_them_the_users_are_read) {
  auto path = folder_.write("project/.mcp.json", R"({"mcpServers":{"a":{"command":"x"}}})");
  auto in_folder = folder_.write("project/mcp-servers/b.json", R"({"mcpServers":{"b":{"command":"x"}}})");
  auto l = config::load_servers(env_, "/nowhere/code-executor", [](auto& entry) -> config::approval {
    if (!entry.workspace.empty())
      throw std::bad_alloc{};
    return config::approval::none;
  });
  EXPECT_TRUE(has(l, "user"));
  EXPECT_EQ(l.entries.size(), 1u);
  for (auto& file : {path, in_folder}) // each, so that on a reload its servers stay
    EXPECT_EQ(count(l, file + ": can not be read now: std::bad_alloc; the file is skipped"), 1u);
}

TEST_F(project_files_test, an_entry_has_so_many_texts_at_most) {
  auto many = [](const char* each, size_t n) {
    auto out = repeated(each, n);
    out.pop_back();
    return out;
  };
  auto with = [&](const std::string& fields) {
    folder_.write("project/.mcp.json", R"({"mcpServers":{"a":{)" + fields + "}}}");
    return load();
  };
  auto args = [](const std::string& items) { return R"("command":"x","args":[)" + items + "]"; };
  auto l = with(args(many("\"a\",", 1'000)));
  EXPECT_TRUE(has(l, "a") && l.problems.empty());
  std::string big = "\"" + std::string(100'000, 'x') + "\"", variables, headers;
  for (size_t i = 0; i < 1'001; ++i)
    variables += (i > 0 ? ",\"V" : "\"V") + std::to_string(i) + "\":\"x\"";
  for (auto& fields :
       {args(many("\"a\",", 1'001)), args(many((big + ",").c_str(), 11)), R"("command":"x","env":{)" + variables + "}",
        R"("url":"https://x","headers":{)" + variables + "}",
        args(many("\"a\",", 500)) + ",\"env\":{" + variables + "}"}) {
    l = with(fields);
    EXPECT_FALSE(has(l, "a"));
    ASSERT_EQ(l.problems.size(), 1u);
    EXPECT_NE(l.problems[0].find(
                "server 'a': it has more than 1000 arguments, variables and header fields, or more than 1 MiB of them"),
              std::string::npos)
      << l.problems[0];
    EXPECT_NE(l.problems[0].find(": line 1, column "), std::string::npos);
  }
}

TEST_F(project_files_test, a_folder_of_very_many_names_is_not_listed_to_its_end) {
  for (size_t i = 0; i <= limits::config_folder_names_max; ++i)
    std::filesystem::create_symlink("x", folder_.path("project/" + std::to_string(i)));
  std::filesystem::create_directory_symlink(".", folder_.path("project/mcp-servers"));
  auto l = load();
  EXPECT_EQ(l.problems,
            strings{folder_.path("project/mcp-servers") + ": has more than 100000 names; not all were looked at"});
}

} // namespace config_project_files_test
