#include "catalog/catalog.hpp"

#include "messages/limits.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>

#include <sys/stat.h>
#include <unistd.h>

namespace catalog_test {

using catalog::tool_catalog;
using strings = std::vector<std::string>;

msg::server_entry entry(const std::string& name, const std::string& command = "c") {
  msg::server_entry e;
  e.name = name;
  e.command = command;
  return e;
}

msg::tool_info tool(const std::string& server, const std::string& name, const std::string& description = "does") {
  return {server, name, description, test::doc(R"({"name":")" + name + R"(","description":")" + description + R"("})")};
}

class catalog_test : public testing::Test {
protected:
  std::unique_ptr<tool_catalog> open(std::vector<msg::server_entry> servers) const {
    return open(std::move(servers), state());
  }
  static std::unique_ptr<tool_catalog> open(std::vector<msg::server_entry> servers, const std::string& where) {
    return std::make_unique<tool_catalog>(where, servers, [](auto&) { return [](auto&, auto) { return true; }; });
  }
  std::string state() const { return folder.path("state"); }
  strings files(const std::string& with) const {
    strings out;
    for (auto& f : std::filesystem::directory_iterator{state()})
      if (f.path().filename().string().find(with) != std::string::npos)
        out.push_back(f.path().string());
    return out;
  }
  static strings found(tool_catalog& c, const std::string& text) {
    strings out;
    for (auto& t : search_to_the_end(c, {text, "", 0, {}}).matches.tools) {
      EXPECT_EQ(t.definition.value().at("name").as_string(), std::string_view{t.name});
      out.push_back(t.server + "." + t.name);
    }
    return out;
  }

  test::folder folder;
};

TEST_F(catalog_test, looking_makes_no_file) {
  auto c = open({entry("a")});
  EXPECT_EQ(found(*c, "x"), strings{});
  EXPECT_EQ(c->save().message, "");
  EXPECT_FALSE(std::filesystem::exists(state()));
}

TEST_F(catalog_test, keeps_what_it_is_told_across_restarts_with_and_without_the_index) {
  open({entry("a"), entry("b")})->update("a", {tool("a", "alpha"), tool("a", "beta")});
  for (int round = 0; round < 3; ++round) { // the first makes the index of the store, the next ones find it on disk
    auto c = open({entry("a"), entry("b")});
    EXPECT_EQ(found(*c, "alpha"), strings{"a.alpha"});
    EXPECT_EQ(search_to_the_end(*c, {"alpha", "", 0, {}}).matches.not_indexed, strings{"b"});
    EXPECT_EQ(c->save().message, "");
    EXPECT_EQ(files(".index").size(), 1u);
    EXPECT_EQ(c->take_warning(), "");
  }
}

TEST_F(catalog_test, an_edited_entry_is_not_served_stale) {
  {
    auto c = open({entry("a")});
    c->update("a", {tool("a", "alpha")});
    EXPECT_EQ(c->save().message, "");
  }
  auto edited = open({entry("a", "other")});
  EXPECT_EQ(found(*edited, "alpha"), strings{});
  EXPECT_EQ(search_to_the_end(*edited, {"alpha", "", 0, {}}).matches.not_indexed, strings{"a"});
  EXPECT_EQ(found(*open({entry("a")}), "alpha"), strings{"a.alpha"}) << "and the old one is remembered";
}

TEST_F(catalog_test, a_long_list_is_read_bit_by_bit_and_counts_when_all_of_it_is) {
  auto c = open({entry("a")});
  c->update("a", {tool("a", "alpha")});
  const msg::listed_tools next{tool("a", "beta"), tool("a", "gamma"), tool("a", "delta")};
  auto now = std::chrono::steady_clock::now();
  EXPECT_FALSE(c->prepare("a", next, now)) << "one tool at least, and no more";
  EXPECT_EQ(found(*c, "alpha"), strings{"a.alpha"});
  EXPECT_EQ(c->save().message, "");
  EXPECT_FALSE(c->prepare("a", next, now));
  EXPECT_EQ(found(*c, "beta"), strings{});
  EXPECT_TRUE(c->prepare("a", next, now));
  EXPECT_EQ(c->update("a", next).tools->size(), 3u);
  EXPECT_EQ(found(*c, "alpha"), strings{});
  EXPECT_EQ(found(*c, "delta"), strings{"a.delta"});
}

TEST_F(catalog_test, a_list_that_a_newer_one_has_overtaken_is_forgotten) {
  auto c = open({entry("a")});
  const msg::listed_tools first{tool("a", "alpha"), tool("a", "beta")}, second{tool("a", "gamma"), tool("a", "delta")};
  auto now = std::chrono::steady_clock::now();
  EXPECT_FALSE(c->prepare("a", first, now));
  EXPECT_FALSE(c->prepare("a", second, now));
  EXPECT_TRUE(c->prepare("a", second, now));
  c->update("a", second);
  EXPECT_EQ(found(*c, "gamma"), strings{"a.gamma"});
  EXPECT_EQ(found(*c, "alpha"), strings{});
  EXPECT_TRUE(c->prepare("a", second, now)) << "it is known";
  EXPECT_TRUE(c->prepare("nobody", first, now));
}

TEST_F(catalog_test, a_new_list_counts_at_once) {
  auto c = open({entry("a")});
  c->update("a", {tool("a", "alpha")});
  EXPECT_EQ(found(*c, "alpha"), strings{"a.alpha"});
  c->update("a", {tool("a", "gamma")});
  EXPECT_EQ(found(*c, "alpha"), strings{});
  EXPECT_EQ(found(*c, "gamma"), strings{"a.gamma"});
  c->update("a", {});
  EXPECT_EQ(found(*c, "gamma"), strings{});
  EXPECT_TRUE(search_to_the_end(*c, {"gamma", "", 0, {}}).matches.not_indexed.empty()) << "it is known to have none";
  c->update("nobody", {tool("nobody", "alpha")});
  EXPECT_EQ(found(*c, "alpha"), strings{});
}

TEST_F(catalog_test, what_another_program_learns_counts_at_once) {
  auto c = open({entry("a"), entry("b")}), other = open({entry("b"), entry("c")});
  c->update("a", {tool("a", "alpha")});
  EXPECT_EQ(found(*other, "alpha"), strings{}) << "not its server";
  other->update("b", {tool("b", "beta")});
  other->update("c", {tool("c", "gamma")});
  EXPECT_EQ(found(*c, "beta"), strings{"b.beta"});
  EXPECT_EQ(found(*c, "gamma"), strings{});
  other->update("b", {tool("b", "delta"), tool("b", "beta")});
  EXPECT_EQ(found(*c, "beta"), strings{"b.beta"}) << "with the definition from its new place";
  EXPECT_EQ(found(*c, "delta"), strings{"b.delta"});
}

TEST_F(catalog_test, programs_with_other_servers_keep_an_index_of_their_own) {
  auto c = open({entry("a")}), other = open({entry("a"), entry("b")});
  c->update("a", {tool("a", "alpha")});
  EXPECT_EQ(c->save().message, "");
  EXPECT_EQ(found(*other, "alpha"), strings{"a.alpha"});
  EXPECT_EQ(other->save().message, "");
  EXPECT_EQ(files(".index").size(), 2u);
}

TEST_F(catalog_test, only_the_indexes_that_were_used_last_stay) {
  std::filesystem::create_directories(state());
  for (int i = 0; i < 20; ++i) {
    auto path = folder.write("state/catalog-" + std::to_string(1'000 + i) + ".index", "x");
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - std::chrono::hours{i + 1});
  }
  auto unfinished = folder.write("state/catalog-1.index.new-abc", "x"),
       begun = folder.write("state/catalog-1.index.new-def", "x");
  std::filesystem::last_write_time(unfinished, std::filesystem::file_time_type::clock::now() - std::chrono::hours{2});
  auto c = open({entry("a")});
  c->update("a", {tool("a", "alpha")});
  EXPECT_EQ(c->save().message, "");
  EXPECT_EQ(files(".index").size(), msg::limits::catalog_indexes_max + 2)
    << "the new one, and the one that somebody writes";
  EXPECT_FALSE(std::filesystem::exists(unfinished));
  EXPECT_TRUE(std::filesystem::exists(begun));
  EXPECT_TRUE(std::filesystem::exists(state() + "/catalog-1000.index"));
  EXPECT_FALSE(std::filesystem::exists(state() + "/catalog-1019.index"));
}

TEST_F(catalog_test, a_damaged_index_is_made_anew) {
  open({entry("a")})->update("a", {tool("a", "alpha")});
  EXPECT_EQ(open({entry("a")})->save().message, "");
  auto path = files(".index").front();
  std::ofstream{path, std::ios::binary | std::ios::in | std::ios::out}.seekp(200) << "damage";
  auto c = open({entry("a")});
  EXPECT_EQ(found(*c, "alpha"), strings{"a.alpha"});
  EXPECT_EQ(c->take_warning(), "");
  EXPECT_EQ(c->save().message, "");
  EXPECT_TRUE(tool_search::load_snapshot(path));
}

TEST_F(catalog_test, a_damaged_store_is_put_aside_and_the_rest_goes_on) {
  auto running = open({entry("a")});
  running->update("a", {tool("a", "alpha")});
  EXPECT_EQ(running->save().message, "");
  auto size = std::filesystem::file_size(state() + "/catalog.db");
  std::ofstream{state() + "/catalog.db", std::ios::binary} << std::string(size, 'x');
  std::filesystem::remove(state() + "/catalog.db-wal");
  auto c = open({entry("a")});
  EXPECT_EQ(found(*c, "alpha"), strings{}) << "the index says nothing that the store does not";
  EXPECT_NE(c->take_warning().find("damaged"), std::string::npos);
  EXPECT_FALSE(files(".damaged-").empty());
  c->update("a", {tool("a", "alpha")});
  EXPECT_EQ(found(*c, "alpha"), strings{"a.alpha"});
  EXPECT_EQ(found(*running, "alpha"), strings{"a.alpha"}) << "who had the old one open takes the new one";
}

TEST_F(catalog_test, without_a_folder_everything_is_in_memory) {
  auto c = open({entry("a"), entry("b")}, "");
  c->update("a", {tool("a", "alpha")});
  EXPECT_EQ(found(*c, "alpha"), strings{"a.alpha"});
  EXPECT_EQ(c->save().message, "");
  EXPECT_EQ(c->take_warning(), "") << "nobody asked for it";
  EXPECT_EQ(
    c->find("a", "a", [](auto& names) { return [n = names.size()](auto) { return n == 1 ? 0 : -1; }; }).value.name,
    "alpha");
  EXPECT_EQ(c->servers().size(), 1u);
}

TEST_F(catalog_test, spellings_are_worked_out_once_for_a_list) {
  auto c = open({entry("a")});
  int made = 0;
  auto find = [&](const std::string& wanted) {
    return c
      ->find("a", wanted,
             [&](auto& names) {
               ++made;
               return [names = strings{names.begin(), names.end()}](std::string_view w) {
                 auto at = std::find(names.begin(), names.end(), w);
                 return at == names.end() ? -1 : static_cast<int>(at - names.begin());
               };
             })
      .ok();
  };
  c->update("a", {tool("a", "alpha"), tool("a", "beta")});
  EXPECT_TRUE(find("alpha"));
  auto for_one = std::exchange(made, 0);
  EXPECT_TRUE(find("beta"));
  EXPECT_FALSE(find("gamma"));
  EXPECT_EQ(made, 0);
  c->update("a", {tool("a", "gamma")});
  EXPECT_TRUE(find("gamma"));
  EXPECT_FALSE(find("alpha"));
  EXPECT_EQ(made, for_one);
}

TEST_F(catalog_test, where_nothing_can_be_written_everything_is_in_memory_and_a_person_hears_of_it_once) {
  folder.write("state", "a file where the folder should be");
  auto c = open({entry("a")});
  c->update("a", {tool("a", "alpha")});
  EXPECT_EQ(found(*c, "alpha"), strings{"a.alpha"});
  auto warning = c->take_warning();
  EXPECT_NE(warning.find("memory only"), std::string::npos) << warning;
  c->update("a", {tool("a", "beta")});
  EXPECT_EQ(found(*c, "beta"), strings{"a.beta"});
  EXPECT_EQ(c->take_warning(), "");
  EXPECT_NE(c->save().message, "");
  std::filesystem::remove(state());
  EXPECT_EQ(c->save().message, "") << "as soon as it can be written, it is";
  EXPECT_EQ(found(*open({entry("a")}), "beta"), strings{"a.beta"});
}

TEST_F(catalog_test, the_same_tool_of_several_servers_is_one_hit) {
  auto c = open({entry("mail-home"), entry("mail-work"), entry("other")});
  const std::string text = "Sends a letter to somebody at an address with attachments and a subject line";
  for (auto* server : {"mail-home", "mail-work"})
    c->update(server, {tool(server, "send_letter", text)});
  c->update("other", {tool("other", "send_letter", "Posts a parcel with stamps")});
  auto m = search_to_the_end(*c, {"send letter", "", 10, {}}).matches;
  ASSERT_EQ(m.tools.size(), 2u);
  ASSERT_EQ(m.also_on.size(), 2u);
  auto first = m.tools[0].server == "other" ? 1u : 0u;
  EXPECT_EQ(m.also_on[first], strings{m.tools[first].server == "mail-home" ? "mail-work" : "mail-home"});
  EXPECT_TRUE(m.also_on[1 - first].empty());
}

TEST_F(catalog_test, servers_that_can_not_be_used_are_not_searched) {
  auto broken = entry("a");
  open({broken})->update("a", {tool("a", "alpha")});
  broken.unusable = "no command";
  auto c = open({broken});
  EXPECT_EQ(found(*c, "alpha"), strings{});
  EXPECT_TRUE(search_to_the_end(*c, {"alpha a", "", 0, {}}).named.empty());
  EXPECT_TRUE(search_to_the_end(*c, {"alpha", "", 0, {}}).matches.not_indexed.empty());
}

TEST_F(catalog_test, a_list_that_is_too_long_to_send_ends_where_it_is) {
  auto c = open({entry("a")});
  msg::tool_list many;
  for (int i = 0; i < 40; ++i)
    many.push_back(tool("a", "big" + std::to_string(i), std::string(500'000, 'x')));
  c->update("a", many);
  auto m = search_to_the_end(*c, {"", "", 0, {}}).matches;
  EXPECT_EQ(m.total, 40u);
  EXPECT_GT(m.tools.size(), 10u);
  EXPECT_LT(m.tools.size(), 40u);
}

TEST_F(catalog_test, shapes_of_results_belong_to_the_entry) {
  auto c = open({entry("a")});
  c->update("a", {tool("a", "alpha")});
  ASSERT_EQ(c->observe("a", "alpha", {test::doc(R"({"type":"string"})"), 3, 0}).message, "");
  EXPECT_EQ(open({entry("a")})->observed("a", "alpha").value.samples, 3u);
  EXPECT_EQ(open({entry("a", "other")})->observed("a", "alpha").value.samples, 0u);
  EXPECT_EQ(c->observed("nobody", "alpha").value.samples, 0u);
  EXPECT_NE(c->observe("nobody", "alpha", {}).message, "");
}

TEST_F(catalog_test, texts_that_are_gone_do_not_stay_in_the_index_for_ever) {
  auto c = open({entry("a")});
  for (int round = 0; round < 3; ++round) {
    msg::tool_list tools;
    for (int i = 0; i < 300; ++i)
      tools.push_back(tool("a", "t" + std::to_string(i),
                           "word" + std::string(1, static_cast<char>('a' + round)) + "q"
                             + std::string(static_cast<size_t>(i % 20), 'z')));
    c->update("a", tools);
    found(*c, "word");
  }
  c->update("a", {tool("a", "alpha")});
  EXPECT_EQ(c->save().message, "");
  EXPECT_TRUE(files(".index").empty()) << "most of its words are of nobody";
  EXPECT_EQ(found(*open({entry("a")}), "alpha"), strings{"a.alpha"});
}

/// The names are in the index, and what they stand for is in the store.
TEST_F(catalog_test, what_can_not_be_read_just_now_is_not_taken_for_nothing) {
  auto c = open({entry("s")});
  c->update("s", {tool("s", "echo")});
  EXPECT_EQ(found(*c, "echo"), strings{"s.echo"});
  for (auto& f : files("catalog.db"))
    std::filesystem::remove(f);
  ASSERT_EQ(::mkfifo((state() + "/catalog.db").c_str(), 0600), 0);
  for (auto text : {"echo", ""}) {
    auto matches = search_to_the_end(*c, {text, "", 0, {}}).matches;
    EXPECT_TRUE(matches.tools.empty()) << text;
    EXPECT_EQ(matches.total, 1u) << text;
    ASSERT_EQ(matches.failures.size(), 1u) << text;
    EXPECT_NE(matches.failures[0].message.find("can not read what they are"), std::string::npos) << text;
  }
}

} // namespace catalog_test
