#include "catalog/store.hpp"

#include "messages/limits.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace catalog_store_test {

using catalog::store;
using msg::errc;

msg::server_entry entry(const std::string& name) {
  msg::server_entry e;
  e.name = name;
  e.source = "/mcp.json";
  return e;
}

msg::tool_info tool(const std::string& name, const std::string& description = "does") {
  return {"s", name, description, test::doc(R"({"name":")" + name + R"(","inputSchema":{"type":"object"}})")};
}

class catalog_store_test : public testing::Test {
protected:
  store make() {
    return store{state(), [this] { return now; }};
  }
  std::string state() const { return folder.path("state"); }
  std::string file() const { return state() + "/catalog.db"; }
  std::vector<std::string> damaged() const {
    std::vector<std::string> out;
    for (auto& f : std::filesystem::directory_iterator{state()})
      if (f.path().filename().string().find(".damaged-") != std::string::npos)
        out.push_back(f.path().string());
    return out;
  }
  static std::vector<std::string> names(store& s, const std::string& digest) {
    std::vector<std::string> out;
    EXPECT_EQ(s.read(digest, [&](auto name, auto, auto) { out.emplace_back(name); }).message, "");
    return out;
  }
  static size_t count(store& s) {
    auto all = s.servers();
    EXPECT_TRUE(all.ok()) << all.error.message;
    return all.value.size();
  }

  test::folder folder;
  catalog::time_point now = catalog::time_point{} + std::chrono::hours{24 * 365 * 50};
};

using strings = std::vector<std::string>;

TEST_F(catalog_store_test, looking_makes_no_file) {
  auto s = make();
  EXPECT_TRUE(s.has_changed());
  EXPECT_FALSE(s.has_changed());
  EXPECT_EQ(count(s), 0u);
  EXPECT_EQ(s.sweep().message, "");
  EXPECT_EQ(s.observed("d", "t").value.samples, 0u);
  EXPECT_FALSE(std::filesystem::exists(state()));
}

TEST_F(catalog_store_test, keeps_lists_in_order_across_restarts) {
  EXPECT_EQ(make().replace(entry("s"), "d", {tool("b"), tool("a"), tool("c", "")}).message, "");
  auto s = make();
  EXPECT_EQ(names(s, "d"), (strings{"b", "a", "c"}));
  EXPECT_EQ(names(s, "other"), strings{});
  EXPECT_EQ(s.servers().value.front().tools, 3u);
  strings some;
  EXPECT_EQ(s.read({{"d", 2}, {"d", 9}, {"other", 0}, {"d", 0}, {"d", 1}},
                   [&](auto which, auto name, auto description, auto definition) {
                     some.push_back(std::to_string(which) + std::string{name} + "|" + std::string{description} + "|"
                                    + std::string{definition});
                     return which < 3;
                   })
              .message,
            "");
  EXPECT_EQ(some, (strings{R"(0c||{"name":"c","inputSchema":{"type":"object"}})",
                           R"(3b|does|{"name":"b","inputSchema":{"type":"object"}})"}));
  struct stat st {};
  ASSERT_EQ(::stat(file().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0600u);
  ASSERT_EQ(::stat(state().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0700u);
}

TEST_F(catalog_store_test, a_new_list_replaces_the_old_one) {
  auto s = make();
  ASSERT_EQ(s.replace(entry("s"), "d", {tool("a"), tool("b")}).message, "");
  auto before = s.servers().value.front().content;
  ASSERT_EQ(s.replace(entry("s"), "d", {tool("c")}).message, "");
  EXPECT_EQ(names(s, "d"), strings{"c"});
  EXPECT_NE(s.servers().value.front().content, before);
  ASSERT_EQ(s.replace(entry("s"), "d", {}).message, "");
  EXPECT_EQ(names(s, "d"), strings{});
  EXPECT_EQ(count(s), 1u) << "a server without tools is known to have none";
}

TEST_F(catalog_store_test, the_same_list_is_not_written_again) {
  auto s = make(), other = make();
  ASSERT_EQ(s.replace(entry("s"), "d", {tool("a")}).message, "");
  EXPECT_TRUE(other.has_changed());
  ASSERT_EQ(s.replace(entry("s"), "d", {tool("a")}).message, "");
  EXPECT_FALSE(other.has_changed());
  ASSERT_EQ(s.replace(entry("s"), "d", {tool("a", "does more")}).message, "");
  EXPECT_TRUE(other.has_changed()) << "a description is part of it";
  EXPECT_FALSE(other.has_changed());
  EXPECT_FALSE((s.has_changed(), s.has_changed())) << "our own writing is no news";
}

TEST_F(catalog_store_test, what_nobody_has_configured_for_long_is_swept) {
  auto s = make();
  for (auto* digest : {"a", "b", "c"})
    ASSERT_EQ(s.replace(entry(digest), digest, {tool("t")}).message, "");
  ASSERT_EQ(s.observe("b", "t", {test::doc("{}"), 1, 0}).message, "");
  now += msg::limits::catalog_unseen_max - std::chrono::hours{1};
  ASSERT_EQ(s.touch({"a"}).message, "");
  ASSERT_EQ(s.replace(entry("c"), "c", {tool("t")}).message, "");
  now += std::chrono::hours{2};
  ASSERT_EQ(s.sweep().message, "");
  EXPECT_EQ(count(s), 2u);
  EXPECT_EQ(names(s, "b"), strings{});
  EXPECT_EQ(names(s, "a"), strings{"t"});
  EXPECT_EQ(s.observed("b", "t").value.samples, 0u) << "what was learned goes with it";
}

TEST_F(catalog_store_test, what_is_too_much_goes_oldest_first) {
  auto s = make();
  for (auto* digest : {"a", "b", "c"}) {
    ASSERT_EQ(s.replace(entry(digest), digest, {tool("t", std::string(1'000, 'x'))}).message, "");
    now += std::chrono::hours{1};
  }
  ASSERT_EQ(s.sweep(2'500).message, "");
  EXPECT_EQ(count(s), 2u);
  EXPECT_EQ(names(s, "a"), strings{});
  EXPECT_EQ(names(s, "c"), strings{"t"});
}

TEST_F(catalog_store_test, a_list_that_is_too_long_is_refused_and_the_old_one_stays) {
  auto s = make();
  ASSERT_EQ(s.replace(entry("s"), "d", {tool("a")}).message, "");
  msg::tool_list many(65, tool("b", std::string(1 << 20, 'x')));
  auto refused = s.replace(entry("s"), "d", many);
  EXPECT_EQ(refused.code, errc::limit_exceeded);
  EXPECT_NE(refused.message.find("64 MiB"), std::string::npos) << refused.message;
  EXPECT_EQ(names(s, "d"), strings{"a"});
}

TEST_F(catalog_store_test, shapes_of_results_are_kept_and_counted) {
  auto s = make();
  ASSERT_EQ(s.replace(entry("s"), "d", {tool("a")}).message, "");
  EXPECT_EQ(s.observe("nobody", "a", {test::doc("{}"), 1, 0}).code, errc::invalid_argument);
  ASSERT_EQ(s.observe("d", "a", {test::doc(R"({"type":"string"})"), 1, 7}).message, "");
  ASSERT_EQ(s.observe("d", "a", {test::doc(R"({"type":"object"})"), 2, 7}).message, "");
  ASSERT_EQ(s.replace(entry("s"), "d", {tool("a", "new")}).message, "");
  auto found = make().observed("d", "a").value;
  EXPECT_EQ(found.counts.text(), R"({"type":"object"})");
  EXPECT_EQ(found.samples, 2u);
  EXPECT_EQ(found.version, 2u);
  EXPECT_EQ(s.observe("d", "a", {test::doc('"' + std::string(70'000, 'x') + '"'), 1, 0}).code, errc::limit_exceeded);
}

TEST_F(catalog_store_test, without_a_folder_nothing_is_kept_and_nothing_is_lost) {
  store nowhere{""};
  EXPECT_TRUE(nowhere.has_changed());
  EXPECT_EQ(count(nowhere), 0u);
  EXPECT_NE(nowhere.replace(entry("s"), "d", {tool("a")}).code, errc::none);
  EXPECT_EQ(nowhere.sweep().message, "");
}

// ---- damage ------------------------------------------------------------------------------------

TEST_F(catalog_store_test, a_damaged_file_is_put_aside_and_a_new_one_begun) {
  for (auto& content : {std::string{"this is no database, whatever it may be; it is even longer than the header of "
                                    "one, which has a hundred bytes"},
                        std::string("SQLite format 3\0", 16) + std::string(5'000, 'x')}) {
    std::filesystem::remove_all(state());
    folder.write("state/catalog.db", content);
    auto s = make();
    EXPECT_TRUE(s.has_changed());
    EXPECT_EQ(count(s), 0u);
    ASSERT_EQ(damaged().size(), 1u);
    EXPECT_NE(s.take_warning().find(damaged().front()), std::string::npos);
    EXPECT_EQ(s.take_warning(), "");
    EXPECT_EQ(s.replace(entry("s"), "d", {tool("a")}).message, "");
    EXPECT_EQ(names(s, "d"), strings{"a"});
  }
}

TEST_F(catalog_store_test, damage_while_it_is_open_is_seen_when_it_is_met) {
  auto s = make();
  msg::tool_list many;
  for (int i = 0; i < 500; ++i)
    many.push_back(tool("t" + std::to_string(i), std::string(500, 'x')));
  ASSERT_EQ(make().replace(entry("s"), "d", many).message, "");
  auto size = std::filesystem::file_size(file());
  {
    std::fstream f{file(), std::ios::in | std::ios::out | std::ios::binary};
    f.seekp(static_cast<std::streamoff>(4'096));
    f << std::string(size - 4'096, '\xff');
  }
  EXPECT_TRUE(s.has_changed());
  size_t read = 0;
  EXPECT_EQ(s.read("d", [&](auto, auto, auto) { ++read; }).message, "");
  EXPECT_EQ(read, 0u);
  EXPECT_EQ(damaged().size(), 1u);
  EXPECT_TRUE(s.has_changed()) << "what was there is lost";
  EXPECT_EQ(count(s), 0u);
}

TEST_F(catalog_store_test, the_file_of_a_newer_program_is_left_alone) {
  { EXPECT_EQ(make().replace(entry("s"), "d", {tool("a")}).message, ""); }
  sqlite::database db;
  db.open(file());
  db.execute("PRAGMA user_version = 99");
  db.close();
  auto s = make();
  EXPECT_NE(s.replace(entry("s"), "d", {tool("b")}).message.find("newer version"), std::string::npos);
  EXPECT_TRUE(damaged().empty());
}

// ---- several at once -----------------------------------------------------------------------------

/// Every list says in each of its tools how many there are.
msg::tool_list list_of(int n) {
  msg::tool_list out;
  for (int i = 0; i < n; ++i)
    out.push_back(tool("t" + std::to_string(i), std::to_string(n)));
  return out;
}

void write_for_ever(const std::string& folder, int seed) {
  store s{folder};
  for (int i = seed;; i += 7)
    if (auto problem = s.replace(entry("s"), "d" + std::to_string(i % 3), list_of(i % 50)); problem.code != errc::none)
      ::_exit(1);
}

void expect_whole_lists(store& s) {
  for (auto& server : s.servers().value) {
    size_t n = 0;
    ASSERT_EQ(s.read(server.digest,
                     [&](auto, auto description, auto) {
                       ++n;
                       EXPECT_EQ(description, std::to_string(server.tools));
                     })
                .message,
              "");
    EXPECT_EQ(n, server.tools);
  }
}

/// Two write the same servers, and are killed in the middle of it.
TEST_F(catalog_store_test, lists_are_whole_whoever_is_killed) {
  ASSERT_EQ(make().replace(entry("s"), "d0", list_of(1)).message, "");
  for (int round = 0; round < 10; ++round) {
    pid_t writers[2];
    for (int i = 0; i < 2; ++i) {
      writers[i] = ::fork();
      ASSERT_GE(writers[i], 0);
      if (writers[i] == 0)
        write_for_ever(state(), i + round);
    }
    ::poll(nullptr, 0, 20 + 3 * round);
    for (auto writer : writers) {
      int how = 0;
      EXPECT_EQ(::waitpid(writer, &how, WNOHANG), 0) << "it could not write";
      ::kill(writer, SIGKILL);
      ::waitpid(writer, &how, 0);
    }
    auto s = make();
    expect_whole_lists(s);
  }
  EXPECT_TRUE(damaged().empty());
}

TEST_F(catalog_store_test, a_reader_sees_whole_lists_while_others_write) {
  ASSERT_EQ(make().replace(entry("s"), "d0", list_of(1)).message, "");
  auto writer = ::fork();
  ASSERT_GE(writer, 0);
  if (writer == 0)
    write_for_ever(state(), 1);
  auto s = make();
  for (int i = 0; i < 100; ++i) {
    strings told;
    ASSERT_EQ(s.read("d0", [&](auto, auto description, auto) { told.emplace_back(description); }).message, "");
    for (auto& n : told)
      ASSERT_EQ(n, std::to_string(told.size()));
  }
  ::kill(writer, SIGKILL);
  ::waitpid(writer, nullptr, 0);
}

} // namespace catalog_store_test
