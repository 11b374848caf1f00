#include "config/started_files.hpp"

#include "config/file_look.hpp"
#include "config/launch.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>

namespace config_started_files_test {

namespace fs = std::filesystem;
using strings = std::vector<std::string>;

class started_files_test : public testing::Test {
protected:
  started_files_test() {
    folder_.write_program("bin/npx");
    folder_.write_program("bin/node");
    env_.home = folder_.path("home");
    env_.path = folder_.path("bin");
    env_.cwd = folder_.path("project");
    fs::create_directories(env_.cwd);
  }
  void add(const std::string& name, const strings& words) {
    msg::server_entry entry;
    entry.name = name;
    entry.source = folder_.path("home/.claude.json");
    entry.command = words.at(0);
    entry.args.assign(words.begin() + 1, words.end());
    list_.entries.push_back(std::move(entry));
  }
  std::vector<config::started_file> found() const {
    return config::files_of_servers(list_, env_, [](std::string_view) { return std::string{}; });
  }
  /// Of `path`; "-": it is not among them.
  std::string why(const std::string& path) const {
    auto all = found();
    auto it = std::find_if(all.begin(), all.end(), [&](auto& f) { return f.path == path; });
    return it == all.end() ? "-" : it->why;
  }
  std::string path(const std::string& below) const { return folder_.path("project/" + below); }

  test::folder folder_;
  config::environment env_;
  config::server_list list_;
};

TEST_F(started_files_test, those_of_all_entries_each_once) {
  auto script = folder_.write("project/s.js", "");
  add("a", {"node", "s.js"});
  add("b", {"npx", "x", "s.js"});
  list_.of_clients = {list_.entries.back()};
  list_.entries.pop_back();
  auto all = found();
  for (auto& file : {script, path("package.json"), folder_.path("bin/node"), folder_.path("bin/npx")})
    EXPECT_EQ(std::count_if(all.begin(), all.end(), [&](auto& f) { return f.path == file && f.why.empty(); }), 1)
      << file;
  EXPECT_EQ(why(env_.cwd), "-");
}

TEST_F(started_files_test, of_the_project_without_approval_what_lies_in_it) { // its client may have its own
  auto script = folder_.write("project/s.js", ""), elsewhere = folder_.write("data/d.js", "");
  auto other = folder_.write("project/o.js", "");
  fs::create_symlink(elsewhere, path("link.js"));
  fs::create_directory_symlink(folder_.path("data"), path(".venv"));
  folder_.write("project/variables", "PATH=/x\n");
  add("a", {"node", "${workspaceFolder}/s.js", elsewhere, "link.js", "${X}"});
  add("b", {"uv", "run", "o.js", folder_.path("data")});
  list_.entries[0].syntax = msg::variable_syntax::editor;
  list_.entries[0].env_file = "variables";
  list_.hidden = {list_.entries.back()};
  list_.entries.pop_back();
  for (auto* entries : {&list_.entries, &list_.hidden})
    for (auto& entry : *entries) {
      entry.trust = msg::trust_level::unapproved;
      entry.workspace = env_.cwd;
    }
  std::string asked;
  auto all = config::files_of_servers(list_, env_, [&](std::string_view name) { return asked = name; });
  auto is_there = [&](const std::string& file) {
    return std::any_of(all.begin(), all.end(), [&](auto& f) { return f.path == file && f.why.empty(); });
  };
  EXPECT_TRUE(is_there(script) && is_there(other) && is_there(path("variables")));
  EXPECT_FALSE(is_there(elsewhere) || is_there(path("link.js")) || is_there(path(".venv")));
  EXPECT_FALSE(is_there(folder_.path("bin/node")));
  EXPECT_EQ(asked, "") << "no variable is looked at";
  add("closes", {"sh", "-c", "cd ../data && node $X"});
  list_.entries.back().trust = msg::trust_level::rejected;
  EXPECT_NE(why(env_.cwd).find("what server 'closes' starts is not known, since its command can not be followed: what "
                               "'node' starts names a file or folder that only the shell knows; write it as a plain "
                               "command with its arguments and 'cwd'"),
            std::string::npos)
    << why(env_.cwd);
  EXPECT_EQ(why(folder_.path("data")), "-");
}

TEST_F(started_files_test, a_project_of_many_servers_closes_itself) {
  add("mine", {"node", folder_.write("project/mine.js", "")});
  for (size_t i = 0; i <= config::project_entries_max; ++i) {
    add("p" + std::to_string(i), {"node", "x"});
    list_.entries.back().trust = msg::trust_level::unapproved;
  }
  EXPECT_NE(why(env_.cwd), "-");
  EXPECT_EQ(why(path("mine.js")), "");
}

TEST_F(started_files_test, a_folder_that_is_closed_says_for_whom) {
  folder_.write("project/.yarnrc.yml", "a: b\n#" + std::string(config::typed_bytes_max, 'x'));
  add("plain", {"node", "x"});
  EXPECT_EQ(why(env_.cwd), "-");
  for (auto* name : {"one", "two"})
    add(name, {"npx", "x"});
  EXPECT_EQ(why(env_.cwd),
            path(".yarnrc.yml is larger than 64 KiB, so what server 'one', 'two' would start is not known"));
  EXPECT_EQ(why(path("package.json")), "") << "what is known is kept";
  add("third", {"npx", "x"});
  add("three", {"npx", "x"});
  EXPECT_NE(why(env_.cwd).find(" and 1 more would start"), std::string::npos) << why(env_.cwd);
}

TEST_F(started_files_test, a_file_that_is_not_read_closes_its_own_folder_only) {
  auto data = folder_.path("data");
  folder_.write("data/x", "");
  add("s", {"npx", "-y", "server-filesystem", data});
  auto start = env_.cwd;
  for (auto* below : {"", "/packages/app"}) {
    env_.cwd = start + below;
    fs::create_directories(env_.cwd);
    folder_.write("project/.yarnrc.yml", "a: %\n");
    EXPECT_EQ(why(start),
              path(".yarnrc.yml is no YAML that is read here, so what server 's' would start is not known"));
    folder_.write("project/.yarnrc.yml", "");
    folder_.write("project/package.json", "{\"a\": \"" + std::string(config::package_bytes_max, 'x') + "\"}");
    EXPECT_EQ(why(start), path("package.json is larger than 1 MiB, so what server 's' would start is not known"));
    EXPECT_EQ(why(data), "-") << "what an argument names";
    folder_.write("project/package.json", "{}");
    EXPECT_EQ(why(start), "-");
  }
  std::string far;
  for (int i = 0; i < 600; ++i)
    far += "d/../";
  fs::create_directory(path("d"));
  fs::create_symlink(far + "d", path("node_modules"));
  auto of_names =
    "the names of files that decide what server 's' would start could not all be followed within the bound";
  EXPECT_EQ(why(env_.cwd), of_names);
  EXPECT_EQ(why(data), of_names);
}

TEST_F(started_files_test, workspaces_are_found_beside_one_that_is_not_read) {
  auto size = config::look_cost_max / 2 / 350;
  folder_.write("project/package.json", R"({"workspaces": ["packages/*"]})");
  for (int i = 0; i < 350; ++i)
    folder_.write("project/packages/p" + std::to_string(i) + "/package.json",
                  "{\"name\": \"p" + std::to_string(i) + "\", \"x\": \"" + std::string(size, 'x') + "\"}");
  add("s", {"npm", "run", "x", "-w", "p349"});
  add("other", {"npm", "run", "x", "-w", "far"});
  EXPECT_EQ(why(env_.cwd), "-");
  EXPECT_EQ(why(path("packages/p349/package.json")), "");
  folder_.write("project/packages/p7/package.json", "{\"a\": \"" + std::string(config::package_bytes_max, 'x') + "\"}");
  EXPECT_EQ(why(env_.cwd), "-");
  EXPECT_NE(why(path("packages/p7")).find("p7/package.json is larger than 1 MiB"), std::string::npos);
  EXPECT_EQ(why(path("packages/p349/package.json")), "");
  for (int i = 0; i < 10; ++i)
    folder_.write("project/packages/p" + std::to_string(i) + "/package.json",
                  "{\"a\": \"" + std::string(config::package_bytes_max / 2, 'x') + "\"}");
  EXPECT_NE(
    why(env_.cwd).find("package.json leads to more packages than what is read here, so what server 'other', 's'"),
    std::string::npos)
    << why(env_.cwd);
  EXPECT_EQ(why(fs::path{env_.cwd}.parent_path().string()), "-") << "above it there are none";
}

/// What a repository brings so that each look is long: it ends soon, and the repository is closed.
TEST_F(started_files_test, files_made_to_cost_time_cost_little) {
  std::string yaml = "a: [", json = R"({"main": [)", deep;
  for (size_t i = 0; i < 200'000; ++i)
    yaml += "[1],";
  while (json.size() < config::package_bytes_max - 100)
    json += R"({"a":1},)";
  for (auto* below : {"", "a/", "a/b/", "a/b/c/", "a/b/c/d/", "a/b/c/d/e/"}) {
    folder_.write("project/" + std::string{below} + ".yarnrc.yml", yaml + "1]\n");
    folder_.write("project/" + std::string{below} + "package.json", json + R"(1], "bin": "x.js"})");
  }
  env_.cwd = path("a/b/c/d/e");
  for (int i = 0; i < 40; ++i)
    add("s" + std::to_string(i), {"npx", "-y", "name" + std::to_string(i)});
  auto begin = std::clock();
  EXPECT_NE(why(env_.cwd), "-");
  EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 20) << "0.2 s of a release, where it was a minute";
}

/// 14 folders and settings in JSON, in a project some folders deep.
TEST_F(started_files_test, more_words_of_a_project_than_are_taken_apart_close_it) {
  add("long", {"x", std::string(config::project_words_bytes_max, 'a')});
  EXPECT_EQ(why(env_.cwd), "-") << "the user's word";
  list_.entries[0].trust = msg::trust_level::unapproved;
  EXPECT_NE(why(env_.cwd).find("beyond what is looked at of servers of the project"), std::string::npos);
}

TEST_F(started_files_test, long_command_lines_are_followed) {
  std::string deep = "project";
  for (auto* name : {"work", "clients", "acme", "app", "packages", "server"}) {
    deep += std::string{"/"} + name;
    fs::create_directories(folder_.path(deep + "/node_modules/.bin"));
    folder_.write(deep + "/package.json", R"({"name": "r"})");
  }
  env_.cwd = folder_.path(deep);
  auto named = folder_.write(deep + "/dist/server.js", "");
  strings words{"npx", "-y", "@modelcontextprotocol/server-filesystem"};
  for (int i = 0; i < 14; ++i) {
    words.push_back(env_.cwd + "/d" + std::to_string(i));
    fs::create_directory(words.back());
  }
  std::string json = R"({"run": ["dist/server.js"])";
  for (int i = 0; i < 60; ++i)
    json += ", \"option" + std::to_string(i) + "\": \"value" + std::to_string(i) + "\"";
  words.push_back(json + "}");
  for (int i = 0; i < 30; ++i)
    add("s" + std::to_string(i), words);
  EXPECT_EQ(why(env_.cwd), "-");
  EXPECT_EQ(why(named), "") << "what the JSON names is looked for where the server is started";
}

} // namespace config_started_files_test
