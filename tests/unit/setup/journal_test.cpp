#include "setup/journal.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <sys/stat.h>

namespace setup_journal_test {

namespace fs = std::filesystem;
using strings = std::vector<std::string>;

class journal : public testing::Test {
protected:
  std::string state() const { return folder_.path("state"); }
  setup::written write(const std::vector<setup::file_change>& changes, size_t needed = 0) {
    auto lock = setup::setup_lock::take(state());
    EXPECT_TRUE(lock.ok()) << lock.error.message;
    auto done = setup::write_changes(state(), changes, needed);
    EXPECT_TRUE(done.ok()) << done.error.message;
    return done.value;
  }

  test::folder folder_;
};

TEST_F(journal, brings_files_back_as_they_were) {
  auto a = folder_.write("a", std::string{"old\r\n\0x", 7});
  auto b = folder_.path("new/folder/b");
  EXPECT_EQ(write({{a, test::read(a), "new"}, {b, std::nullopt, "b"}}).failures.size(), 0U);
  EXPECT_EQ(test::read(a) + test::read(b), "newb");
  auto undone = setup::undo_last(state());
  ASSERT_TRUE(undone.ok()) << undone.error.message;
  EXPECT_EQ(undone.value.files, (strings{a, b}));
  EXPECT_EQ(test::read(a), (std::string{"old\r\n\0x", 7}));
  EXPECT_FALSE(fs::exists(folder_.path("new"))) << "folders that were made are gone as well";
  EXPECT_EQ(setup::undo_last(state()).value.made, "") << "there is nothing more to undo";
}

TEST_F(journal, undoes_one_after_the_other) {
  auto a = folder_.write("a", "1");
  write({{a, "1", "2"}});
  write({{a, "2", "3"}});
  EXPECT_TRUE(setup::undo_last(state()).ok());
  EXPECT_EQ(test::read(a), "2");
  EXPECT_TRUE(setup::undo_last(state()).ok());
  EXPECT_EQ(test::read(a), "1");
}

TEST_F(journal, undoes_nothing_if_a_file_has_changed_since) {
  auto a = folder_.write("a", "1"), b = folder_.write("b", "1");
  auto kept = write({{a, "1", "2"}, {b, "1", "2"}}).folder;
  folder_.write("b", "theirs");
  auto told = setup::undo_last(state()).error.message;
  EXPECT_TRUE(told.starts_with(b + ": has been changed since, and can not be undone: others have written to it"))
    << told;
  EXPECT_TRUE(told.ends_with("; nothing is undone. As it was before, it is in " + kept + "/2")) << told;
  fs::remove(b);
  EXPECT_FALSE(setup::undo_last(state()).ok());
  EXPECT_EQ(test::read(a), "2");
  folder_.write("b", "1"); // as it was before
  EXPECT_TRUE(setup::undo_last(state()).ok());
  EXPECT_EQ(test::read(a), "1");
}

TEST_F(journal, takes_entries_back_where_others_have_changed_the_file) {
  auto before = R"({"s": {"x": {"v": 1}, "y": {}}})", after = R"({"s": {"x": {"v": 2}, "us": {"a": 1}}})";
  auto a = folder_.write("a.json", before);
  setup::file_change change{a, before, after, edits::server_place{{"s"}}};
  write({change});
  folder_.write("a.json", R"({"s": {"x": {"v": 2}, "us": {"a": 1}, "z": {}}, "n": 5})");
  auto undone = setup::undo_last(state());
  ASSERT_TRUE(undone.ok()) << undone.error.message;
  EXPECT_EQ(undone.value.changed_files, strings{a});
  EXPECT_EQ(test::read(a), R"({"s": {"z": {}, "x": {"v": 1}, "y": {}}, "n": 5})");
  folder_.write("a.json", before);
  write({change});
  folder_.write("a.json", R"({"s": {"x": {"v": 2}, "us": {"a": "mine"}}})");
  auto told = setup::undo_last(state()).error.message;
  EXPECT_TRUE(
    told.starts_with(a + ": has been changed since, and can not be undone: the entry 'us' has been changed since"))
    << told;
  EXPECT_EQ(test::read(a), R"({"s": {"x": {"v": 2}, "us": {"a": "mine"}}})");
}

TEST_F(journal, others_go_on_when_one_fails) {
  auto a = folder_.write("a", "theirs"), b = folder_.write("b", "1");
  auto done = write({{a, "1", "2"}, {b, "1", "2"}});
  ASSERT_EQ(done.failures.size(), 1U);
  EXPECT_EQ(done.failures[0].path, a);
  EXPECT_EQ(test::read(a) + test::read(b), "theirs2");
}

TEST_F(journal, what_has_failed_is_not_undone) {
  auto a = folder_.write("a", "theirs"), b = folder_.write("b", "1");
  write({{b, "1", "2"}, {a, "1", "2"}});
  auto undone = setup::undo_last(state());
  ASSERT_TRUE(undone.ok()) << undone.error.message;
  EXPECT_EQ(undone.value.files, strings{b});
  EXPECT_EQ(test::read(a) + test::read(b), "theirs1");
}

TEST_F(journal, a_file_with_two_paths_is_undone_once) {
  auto a = folder_.write("a", "1");
  fs::create_symlink("a", folder_.path("b"));
  write({{a, "1", "2"}, {folder_.path("b"), "2", "2"}});
  auto undone = setup::undo_last(state());
  ASSERT_TRUE(undone.ok()) << undone.error.message;
  EXPECT_EQ(test::read(a), "1");
}

TEST_F(journal, a_number_and_not_the_clock_says_which_was_the_last) {
  auto a = folder_.write("a", "1");
  auto first = write({{a, "1", "2"}}).folder;
  auto second = write({{a, "2", "3"}}).folder;
  fs::rename(first, state() + "/setup/000009-2031-01-01T00-00-00Z"); // a clock that was wrong
  fs::rename(second, state() + "/setup/000010-2030-01-01T00-00-00Z");
  EXPECT_EQ(setup::undo_last(state()).value.made, "2030-01-01T00-00-00Z");
  EXPECT_EQ(test::read(a), "2");
  EXPECT_NE(write({{a, "2", "4"}}).folder.find("/000011-"), std::string::npos);
}

TEST_F(journal, believes_no_other_paths) {
  auto a = folder_.write("a", "1");
  auto kept = write({{a, "1", "2"}}).folder;
  auto nothing = [](const std::string&) { return false; };
  EXPECT_NE(setup::undo_last(state(), nothing).error.message.find("names " + a), std::string::npos);
  auto text = test::read(kept + "/journal.json");
  for (auto [right, wrong] :
       {std::pair{R"("kept":"1")", R"("kept":"../../1")"}, std::pair{R"("left":"1.left")", R"("left":"x.left")"},
        std::pair{R"("folders":[])", R"("folders":["/tmp/another"])"}}) {
    auto damaged = text;
    auto at = damaged.find(right);
    ASSERT_NE(at, damaged.npos) << text;
    damaged.replace(at, std::string_view{right}.size(), wrong);
    std::ofstream{kept + "/journal.json"} << damaged;
    EXPECT_NE(setup::undo_last(state()).error.message.find("is damaged"), std::string::npos) << wrong;
  }
  EXPECT_EQ(test::read(a), "2");
}

TEST_F(journal, sweeps_what_killed_set_ups_have_left) {
  auto a = folder_.write("a", "1");
  auto kept = write({{a, "1", "2"}}).folder;
  folder_.write("a.code-executor-new-Ab1Cd2", "secret");
  folder_.write("a.code-executor-backup", "mine");
  folder_.write("state/setup/000007-2026-01-01T00-00-00Z/1", "secret");
  setup::sweep_leftovers(state(), {a});
  EXPECT_FALSE(fs::exists(folder_.path("a.code-executor-new-Ab1Cd2")));
  EXPECT_FALSE(fs::exists(folder_.path("state/setup/000007-2026-01-01T00-00-00Z")));
  EXPECT_TRUE(fs::exists(folder_.path("a.code-executor-backup")));
  EXPECT_TRUE(fs::exists(kept + "/1"));
}

TEST_F(journal, a_lock_leaves_nothing) {
  { ASSERT_TRUE(setup::setup_lock::take(state()).ok()); }
  EXPECT_FALSE(fs::exists(state()));
  fs::create_directories(state());
  { ASSERT_TRUE(setup::setup_lock::take(state()).ok()); }
  EXPECT_TRUE(fs::exists(state()) && fs::is_empty(state()));
}

TEST_F(journal, nothing_goes_on_without_what_is_needed) {
  auto a = folder_.write("a", "theirs"), b = folder_.write("b", "1");
  auto done = write({{a, "1", "2"}, {b, "1", "2"}}, 1);
  EXPECT_EQ(done.failures.size(), 1U);
  EXPECT_EQ(done.folder, "");
  EXPECT_EQ(test::read(a) + test::read(b), "theirs1");
  EXPECT_EQ(setup::undo_last(state()).value.made, "");
}

TEST_F(journal, what_can_not_be_kept_is_not_changed) {
  auto a = folder_.write("a", "1");
  folder_.write("state", "a file");
  EXPECT_FALSE(setup::setup_lock::take(state()).ok());
  EXPECT_FALSE(setup::write_changes(state(), {{a, "1", "2"}}).ok());
  EXPECT_EQ(test::read(a), "1");
}

TEST_F(journal, is_the_users_alone) {
  auto a = folder_.write("a", "1");
  auto kept = write({{a, "1", "2"}}).folder;
  struct stat s {};
  ::stat(kept.c_str(), &s);
  EXPECT_EQ(s.st_mode & 0777U, 0700U);
  ::stat((kept + "/1").c_str(), &s);
  EXPECT_EQ(s.st_mode & 0777U, 0600U);
}

TEST_F(journal, keeps_no_more_than_there_is_room_for) {
  auto a = folder_.write("a", "0");
  for (size_t i = 0; i < setup::journals_max + 3; ++i)
    fs::create_directories(state() + "/setup/1999-01-01T00-00-" + std::to_string(1000 + i)),
      folder_.write("state/setup/1999-01-01T00-00-" + std::to_string(1000 + i) + "/journal.json", "{}");
  write({{a, "0", "1"}});
  auto folders = std::distance(fs::directory_iterator{state() + "/setup"}, fs::directory_iterator{});
  EXPECT_EQ(static_cast<size_t>(folders), setup::journals_max);
  EXPECT_TRUE(setup::undo_last(state()).ok());
  EXPECT_EQ(test::read(a), "0");
  EXPECT_FALSE(setup::undo_last(state()).ok()) << "a damaged one is told";
}

TEST_F(journal, one_set_up_at_a_time) {
  auto first = setup::setup_lock::take(state());
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(setup::setup_lock::take(state(), std::chrono::milliseconds{1}).error.message,
            "another `code-executor setup` has not ended yet; nothing is changed");
  first = msg::fault{};
  EXPECT_TRUE(setup::setup_lock::take(state(), std::chrono::milliseconds{1}).ok());
}

} // namespace setup_journal_test
