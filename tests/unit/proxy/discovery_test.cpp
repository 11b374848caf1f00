#include "proxy/discovery.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <string>
#include <thread>

namespace proxy_discovery_test {

using msg::catalog_operation;
using msg::errc;
using strings = std::vector<std::string>;

msg::server_entry entry(const std::string& name) {
  msg::server_entry e;
  e.name = name;
  return e;
}

msg::tool_info tool(const std::string& server, const std::string& name, const std::string& description) {
  return {server, name, description, test::doc(R"({"name":")" + name + R"("})")};
}

class discovery_test : public testing::Test {
protected:
  discovery_test() {
    tell("fs", {tool("fs", "read_file", "Reads the contents of a file."),
                tool("fs", "write_file", "Writes text to a file on disk."),
                tool("fs", "list_directory", "Lists what is in a folder.")});
    tell("github", {tool("github", "create_issue", "Opens a new issue in a repository."),
                    tool("github", "search_issues", "Finds issues and pull requests."),
                    tool("github", "get_file_contents", "Reads a file of a repository.")});
  }
  msg::catalog_answer ask(msg::catalog_request r) { return tools_.answer(r); }
  void tell(const std::string& server, msg::tool_list tools) {
    msg::catalog_request r;
    r.operation = catalog_operation::update;
    r.entries = {entry(server)};
    r.tools = std::move(tools);
    ask(std::move(r));
  }
  msg::tool_matches search(msg::tool_query q) {
    msg::catalog_request r;
    r.operation = catalog_operation::search;
    r.query = std::move(q);
    return ask(std::move(r)).found.matches;
  }
  strings names(const std::string& text, uint32_t limit = 0, msg::tool_filter allowed = {}) {
    strings out;
    for (auto& t : search({text, "", limit, std::move(allowed)}).tools)
      out.push_back(t.name);
    return out;
  }
  std::string first(const std::string& text) {
    auto all = names(text);
    return all.empty() ? "" : all.front();
  }
  msg::catalog_answer resolve(const std::string& server, const std::string& name, msg::tool_filter allowed = {}) {
    msg::catalog_request r;
    r.operation = catalog_operation::resolve;
    r.server = server;
    r.tool = name;
    r.allowed = std::move(allowed);
    return ask(std::move(r));
  }

  proxy::discovery tools_{"", {entry("fs"), entry("github"), entry("new")}};
};

TEST_F(discovery_test, a_question_ends_when_nobody_waits_for_it_any_more) {
  msg::catalog_request r;
  r.operation = catalog_operation::search;
  r.query = {"read a file", "", 0, {false, {"mcp__*"}, {}}};
  r.is_over = std::make_shared<std::atomic<bool>>(true);
  EXPECT_EQ(ask(r).error.code, errc::cancelled);
  r.is_over = std::make_shared<std::atomic<bool>>(false);
  auto again = ask(r);
  EXPECT_EQ(again.error.code, errc::none);
  EXPECT_EQ(again.found.matches.tools.at(0).name, "read_file") << "what was begun is not kept";
}

/// The machine does something else for longer than any question may take: a signal holds the thread, which sleeps.
TEST_F(discovery_test, a_question_takes_only_what_it_computes) {
  struct sigaction sleeps {};
  struct sigaction before {};
  sleeps.sa_handler = [](int) {
    timespec t{0, 700'000'000};
    ::nanosleep(&t, nullptr);
  };
  ::sigaction(SIGUSR1, &sleeps, &before);
  std::string stars;
  for (int i = 0; i < 240; ++i)
    stars += "*a";
  msg::tool_list tools;
  for (int i = 0; i < 100; ++i)
    tools.push_back(tool("new", std::string(400, 'a') + std::to_string(i), ""));
  tell("new", tools);
  msg::catalog_request r;
  r.operation = catalog_operation::search;
  r.query = {"read a file", "", 0, {false, {"mcp__fs__*"}, {}}};
  for (char c = 'A'; c <= 'Z'; ++c) // 0.1 s for all of the tools
    r.query.allowed.patterns.push_back(stars + '*' + c + '*');
  std::thread somebody{[me = ::pthread_self()] {
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    ::pthread_kill(me, SIGUSR1);
  }};
  auto answer = ask(r);
  somebody.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  EXPECT_EQ(answer.error.message, "");
  EXPECT_EQ(answer.found.matches.tools.at(0).name, "read_file");
}

TEST_F(discovery_test, finds_what_is_asked_for) {
  struct {
    const char *text, *first;
  } const cases[] = {
    {"read_file", "read_file"},
    {"mcp__fs__read_file", "read_file"},
    {"read file", "read_file"},
    {"readFile", "read_file"},
    {"write", "write_file"},
    {"new issue", "create_issue"},
    {"create issue", "create_issue"},
    {"github file", "get_file_contents"},
    {"directory", "list_directory"},
    {"folder", "list_directory"},
    {"pull requests", "search_issues"},
    {"READ FILE", "read_file"},
  };
  for (auto& c : cases)
    EXPECT_EQ(first(c.text), c.first) << c.text;
}

TEST_F(discovery_test, a_typo_still_finds_its_tool) {
  for (auto* text : {"list_directroy", "directry", "list direcory"})
    EXPECT_EQ(first(text), "list_directory") << text;
  EXPECT_EQ(first("crate isue"), "create_issue");
  EXPECT_EQ(first("wirte"), "write_file");
}

TEST_F(discovery_test, finds_nothing_where_there_is_nothing) {
  EXPECT_TRUE(names("kubernetes").empty());
  EXPECT_EQ(search({"kubernetes", "", 0, {}}).fit, msg::search_fit::nothing);
  EXPECT_EQ(search({"read a file", "", 0, {}}).fit, msg::search_fit::good);
  EXPECT_EQ(search({"reboot kubernetes clusters twice weekly, then file", "", 0, {}}).fit, msg::search_fit::poor);
}

TEST_F(discovery_test, an_empty_text_gives_all_in_order_of_name) {
  EXPECT_EQ(names(""), (strings{"list_directory", "read_file", "write_file", "create_issue", "get_file_contents",
                                "search_issues"}));
  EXPECT_EQ(names(" \n"), names(""));
}

TEST_F(discovery_test, limits_and_counts) {
  auto m = search({"", "", 2, {}});
  EXPECT_EQ(m.tools.size(), 2u);
  EXPECT_EQ(m.total, 6u);
  EXPECT_EQ(search({"", "", 100, {}}).tools.size(), 6u);
  EXPECT_EQ(search({"file", "", 1, {}}).tools.size(), 1u);
  EXPECT_GE(search({"file", "", 1, {}}).total, 3u);
}

TEST_F(discovery_test, keeps_to_the_server_and_to_what_is_allowed) {
  auto m = search({"file", "github", 0, {}});
  ASSERT_EQ(m.tools.size(), 1u);
  EXPECT_EQ(m.tools[0].server, "github");
  EXPECT_EQ(search({"", "nothing", 0, {}}).total, 0u);
  EXPECT_EQ(names("file", 0, {false, {"mcp__github__*"}, {}}), strings{"get_file_contents"});
  EXPECT_TRUE(names("file", 0, {false, {}, {}}).empty());
  EXPECT_EQ(names("", 0, {false, {"mcp__*__read_file"}, {}}), strings{"read_file"});
  EXPECT_EQ(names("file", 0, {true, {}, {"github"}}), strings{"get_file_contents"});
  EXPECT_EQ(names("file").size(), 3u) << "the filter of one question is not that of the next";
  EXPECT_EQ(search({"file", "", 0, {false, {"mcp__github__*"}, {}}}).not_indexed, strings{});
  EXPECT_EQ(search({"file", "", 0, {}}).not_indexed, strings{"new"});
}

TEST_F(discovery_test, a_name_or_an_alias_finds_its_tool) {
  EXPECT_EQ(resolve("fs", "read_file").tool.name, "read_file");
  EXPECT_EQ(resolve("fs", "readFile").tool.name, "read_file");
  EXPECT_EQ(resolve("fs", "readFile").tool.definition.text(), R"({"name":"read_file"})");
  EXPECT_EQ(resolve("fs", "create_issue").error.code, errc::unknown_tool);
  EXPECT_EQ(resolve("new", "read_file").error.code, errc::unknown_tool);
  EXPECT_EQ(resolve("nobody", "read_file").error.code, errc::unknown_tool);
  auto refused = resolve("fs", "readFile", {false, {"mcp__fs__readFile"}, {}});
  EXPECT_EQ(refused.error.code, errc::not_allowed);
  EXPECT_NE(refused.error.message.find("mcp__fs__read_file"), std::string::npos);
  EXPECT_EQ(refused.tool.name, "") << "and tells nothing";
}

TEST_F(discovery_test, servers_and_their_tools) {
  msg::catalog_request r;
  r.operation = catalog_operation::servers;
  auto all = ask(r).servers;
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "fs");
  EXPECT_EQ(all[0].tools, (strings{"read_file", "write_file", "list_directory"}));
}

} // namespace proxy_discovery_test
