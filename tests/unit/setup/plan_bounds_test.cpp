#include "tests/unit/setup/plan_fixture.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

namespace setup_plan_bounds_test {

using setup::entry_change;
using setup::own_entry_wish;
using setup::servers_wish;
using strings = std::vector<std::string>;

class plan_bounds : public test::setup_plan {};

TEST_F(plan_bounds, thousands_of_servers_are_moved_at_once) {
  constexpr size_t count = 3'000;
  std::string in_json, in_toml;
  for (size_t i = 0; i < count; ++i) {
    auto name = "s" + std::to_string(i);
    in_json += (i == 0 ? "\"" : ", \"") + name + R"(": {"command": "x"})";
    in_toml += "[mcp_servers." + name + "]\ncommand = 'x'\n";
  }
  folder_.write("home/.cursor/mcp.json", R"({"mcpServers": {)" + in_json + "}}");
  folder_.write("home/.codex/config.toml", in_toml);
  auto begin = std::chrono::steady_clock::now();
  auto p = make({"cursor", "codex"}, servers_wish::move);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{60})
    << "it took minutes as it was quadratic";
  EXPECT_EQ(p.own.added.size(), count);
  for (auto& c : p.clients)
    EXPECT_EQ(c.moved.size(), count) << c.problem;
  EXPECT_EQ(p.clients[1].after.find("[mcp_servers.s"), std::string::npos);
}

TEST_F(plan_bounds, our_list_that_is_no_list_keeps_them_in_their_client) {
  folder_.write("home/.config/code-executor/servers.json", R"({"mcpServers": []})");
  folder_.write("home/.cursor/mcp.json", R"({"mcpServers": {"a": {"command": "x"}}})");
  auto p = make({"cursor"}, servers_wish::move);
  EXPECT_EQ(p.clients[0].moved, strings{});
  EXPECT_NE(stays(p.clients[0], "a").find("must be an object"), std::string::npos) << stays(p.clients[0], "a");
  EXPECT_EQ(p.clients[0].change, entry_change::added);
  EXPECT_TRUE(p.own.added.empty());
}

TEST_F(plan_bounds, a_file_with_several_names_is_left) {
  auto path = folder_.write("home/.cursor/mcp.json", "{}");
  std::filesystem::create_hard_link(path, folder_.path("home/other.json"));
  auto p = make({"cursor"});
  EXPECT_TRUE(p.clients[0].problem.starts_with(path + ": has 2 names (hard links)")) << p.clients[0].problem;
  EXPECT_TRUE(p.changes().empty());
  std::vector<std::string> made;
  EXPECT_NE(setup::replace_file(path, "{}", "{ }", made).message.find("2 names"), std::string::npos);
  EXPECT_EQ(test::read(path), "{}");
}

TEST_F(plan_bounds, options_without_a_verb_are_those_of_the_server) {
  auto change_with = [&](const std::string& args) {
    folder_.write("home/.cursor/mcp.json",
                  R"({"mcpServers": {"ours": {"command": ")" + own() + R"(", "args": )" + args + "}}}");
    return make({"cursor"}).clients[0].change;
  };
  EXPECT_EQ(change_with(R"(["--http", "127.0.0.1:1"])"), entry_change::none);
  EXPECT_EQ(change_with(R"(["--anything"])"), entry_change::none);
  EXPECT_EQ(change_with(R"(["--version"])"), entry_change::added);
  EXPECT_EQ(change_with(R"(["doctor"])"), entry_change::added);
}

TEST_F(plan_bounds, a_toml_list_in_one_line_is_changed) {
  folder_.write("home/.codex/config.toml", "mcp_servers = {a = {command = 'x'}} # mine\n");
  folder_.write("home/.vibe/config.toml", "mcp_servers = [\n  {name = 'a', command = 'x'}, # mine\n]\n");
  auto p = make({"codex", "vibe"});
  EXPECT_EQ(p.clients[0].problem + p.clients[1].problem, "");
  EXPECT_TRUE(p.clients[0].after.starts_with("mcp_servers = {a = {command = 'x'}, code-executor = {command = \""));
  EXPECT_TRUE(p.clients[1].after.starts_with(
    "mcp_servers = [\n  {name = 'a', command = 'x'}, # mine\n  {name = \"code-executor\", "))
    << p.clients[1].after;
  write(p);
  EXPECT_TRUE(make({"codex", "vibe"}).changes().empty());
  auto gone = make({"codex", "vibe"}, servers_wish::stay, own_entry_wish::remove);
  EXPECT_EQ(gone.clients[0].after, "mcp_servers = {a = {command = 'x'}} # mine\n");
  EXPECT_EQ(gone.clients[1].after, "mcp_servers = [\n  {name = 'a', command = 'x'}, # mine\n]\n");
}

} // namespace setup_plan_bounds_test
