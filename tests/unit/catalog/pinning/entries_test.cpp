#include "catalog/pinning/entries.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <thread>

namespace trust_entries_test {

using tool_pinning::approve_entry;
using tool_pinning::approved_entries;
using tool_pinning::digest_of_entry;
using tool_pinning::standing;

msg::server_entry entry(const std::string& name = "kid") {
  msg::server_entry e;
  e.name = name;
  e.command = "run";
  e.args = {"a", "b"};
  e.env = {{"A", "1"}, {"B", "${SECRET}"}};
  e.source = "/project/.mcp.json";
  e.workspace = "/project";
  return e;
}

class entries_test : public testing::Test {
protected:
  standing of(const msg::server_entry& e) const { return approved_entries::read(state_).of(e); }

  test::folder folder_;
  std::string state_ = folder_.path("state");
};

TEST_F(entries_test, what_is_approved_is_known_from_then_on) {
  EXPECT_EQ(of(entry()), standing::unknown);
  EXPECT_EQ(approve_entry(state_, entry()).code, msg::errc::none);
  EXPECT_EQ(approve_entry(state_, entry("other")).code, msg::errc::none);
  EXPECT_EQ(of(entry()), standing::approved);
  EXPECT_EQ(of(entry("other")), standing::approved);
  EXPECT_EQ(of(entry("third")), standing::unknown);
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(approved_entries::path_in(state_)).permissions(),
            perms::owner_read | perms::owner_write);
  EXPECT_EQ(std::filesystem::status(state_).permissions(), perms::owner_all);
}

TEST_F(entries_test, every_change_of_what_would_be_run_asks_again) {
  ASSERT_EQ(approve_entry(state_, entry()).code, msg::errc::none);
  const std::function<void(msg::server_entry&)> changes[] = {
    [](auto& e) { e.command = "other"; },
    [](auto& e) { e.tools.denied = {"die"}; },
    [](auto& e) { e.tools.everything = false; },
    [](auto& e) { e.rate.requests = 5; },
    [](auto& e) { e.call_timeout_ms = 5; },
    [](auto& e) { e.calls_max = 5; },
    [](auto& e) { e.eager = true; },
    [](auto& e) { e.args = {"ab"}; },
    [](auto& e) {
      e.args = {"a", "b", ""};
    },
    [](auto& e) {
      e.args = {"a"}, e.env.insert(e.env.begin(), {"b", ""});
    },
    [](auto& e) { e.env[0].second = "2"; },
    [](auto& e) { e.env[1].second = "${OTHER_SECRET}"; },
    [](auto& e) { e.env.emplace_back("LD_PRELOAD", "/x"); },
    [](auto& e) { e.env_names = {"SECRET"}; },
    [](auto& e) { e.env_file = ".env"; },
    [](auto& e) { e.cwd = "/elsewhere"; },
    [](auto& e) { e.url = "https://example.com"; },
    [](auto& e) {
      e.headers = {{"Authorization", "x"}};
    },
    [](auto& e) { e.transport = msg::transport_kind::sse; },
    [](auto& e) { e.syntax = msg::variable_syntax::gemini; },
  };
  for (auto& change : changes) {
    auto now = entry();
    change(now);
    EXPECT_EQ(of(now), standing::changed) << &change - changes;
  }
  auto told = entry();
  told.disabled = true;
  told.shadows = {"/x"};
  EXPECT_EQ(of(told), standing::approved);
}

TEST_F(entries_test, the_same_entry_elsewhere_is_another_server) {
  ASSERT_EQ(approve_entry(state_, entry()).code, msg::errc::none);
  auto other_file = entry(), other_project = entry();
  other_file.source = "/project/.cursor/mcp.json";
  other_project.workspace = "/project2";
  EXPECT_EQ(of(other_file), standing::unknown);
  EXPECT_EQ(of(other_project), standing::unknown);
}

TEST_F(entries_test, the_last_approval_counts) {
  auto second = entry();
  second.args = {"c"};
  ASSERT_EQ(approve_entry(state_, entry()).code, msg::errc::none);
  ASSERT_EQ(approve_entry(state_, second).code, msg::errc::none);
  EXPECT_EQ(of(second), standing::approved);
  EXPECT_EQ(of(entry()), standing::changed);
}

TEST_F(entries_test, a_file_that_is_not_ours_approves_nothing_and_is_not_overwritten) {
  for (auto* text : {"", "{", "[]", R"({"servers":[]})", R"({"servers":5})"}) {
    folder_.write("state/approved-servers.json", text);
    auto read = approved_entries::read(state_);
    EXPECT_EQ(read.of(entry()), standing::unknown);
    EXPECT_NE(read.problem().find("approved-servers.json"), std::string::npos) << text;
    EXPECT_NE(approve_entry(state_, entry()).code, msg::errc::none);
    EXPECT_EQ(test::read(approved_entries::path_in(state_)), text);
  }
  folder_.write("state/approved-servers.json", R"({"servers":{"x":5,"y":{"digest":5}}})");
  EXPECT_EQ(of(entry()), standing::unknown);
}

TEST_F(entries_test, several_programs_may_approve_at_once) {
  std::vector<std::thread> others;
  for (int i = 0; i < 8; ++i)
    others.emplace_back(
      [this, i] { EXPECT_EQ(approve_entry(state_, entry("kid" + std::to_string(i))).code, msg::errc::none); });
  for (auto& t : others)
    t.join();
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(of(entry("kid" + std::to_string(i))), standing::approved) << i;
}

TEST_F(entries_test, without_a_folder_nothing_can_be_approved) {
  EXPECT_NE(approve_entry("", entry()).code, msg::errc::none);
  EXPECT_EQ(approved_entries::read("").of(entry()), standing::unknown);
}

} // namespace trust_entries_test
