#include "sqlite/shared_database.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include <sys/stat.h>

namespace sqlite_shared_database_test {

using sqlite::failure_kind;

constexpr int64_t application = 0x436F6445;

sqlite::file_kind kind_of(int64_t format = 1, std::vector<const char*> upgrades = {}) {
  return {"list", "list.db",          application, format, "CREATE TABLE list(item)", sqlite::examination::whole,
          "",     std::move(upgrades)};
}

class shared_database_test : public testing::Test {
protected:
  std::string state() const { return folder.path("state"); }
  sqlite::shared_database open(const sqlite::file_kind& kind = kind_of()) const {
    return {state(), kind, [] { return sqlite::time_point{}; }};
  }
  static sqlite::failure add(sqlite::shared_database& to, std::string_view item) {
    return to.carry_out([&] { sqlite::statement{to.db(), "INSERT INTO list VALUES(?)"}.bind(item).run(); });
  }
  static int64_t count(sqlite::shared_database& of) {
    int64_t out = -1;
    auto why = of.carry_out([&] {
      sqlite::statement all{of.db(), "SELECT count(*) FROM list"};
      out = all.row() ? all.integer(0) : -1;
    });
    EXPECT_EQ(why.text, "");
    return out;
  }

  test::folder folder;
};

TEST_F(shared_database_test, is_made_with_the_first_work_for_its_owner_alone) {
  auto one = open();
  EXPECT_FALSE(one.exists());
  EXPECT_EQ(add(one, "a").text, "");
  EXPECT_TRUE(one.exists());
  struct stat st {};
  ASSERT_EQ(::stat(one.path().c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0600U);
  auto other = open();
  EXPECT_EQ(count(other), 1);
}

TEST_F(shared_database_test, a_damaged_file_is_put_aside_and_the_work_done_again) {
  folder.write("state/list.db", "garbage");
  auto one = open();
  EXPECT_EQ(add(one, "a").text, "");
  EXPECT_EQ(count(one), 1);
  EXPECT_NE(one.take_warning().find("list.db.damaged-1970-01-01T00:00:00.000Z"), std::string::npos);
  EXPECT_EQ(one.take_warning(), "");
}

TEST_F(shared_database_test, work_that_leaves_a_transaction_open_has_done_nothing) {
  auto one = open();
  EXPECT_EQ(one
              .carry_out([&] {
                one.db().execute("BEGIN");
                sqlite::statement{one.db(), "INSERT INTO list VALUES(1)"}.run();
              })
              .text,
            "");
  EXPECT_EQ(count(one), 0);
}

TEST_F(shared_database_test, another_one_that_writes_is_told) {
  auto one = open(), other = open();
  EXPECT_EQ(count(other), 0);
  (void)one.carry_out([&] {
    one.db().execute("BEGIN IMMEDIATE");
    auto why = add(other, "a");
    EXPECT_EQ(why.kind, failure_kind::busy);
    EXPECT_EQ(why.text, "the list is being written by another server");
  });
  EXPECT_EQ(add(other, "a").text, "");
}

TEST_F(shared_database_test, older_formats_are_brought_up_to_date_and_newer_ones_left_alone) {
  {
    auto old = open();
    EXPECT_EQ(add(old, "a").text, "");
  }
  auto now = open(kind_of(2, {"UPDATE list SET item = 'b'"}));
  EXPECT_EQ(count(now), 1);
  auto old = open();
  auto why = add(old, "c");
  EXPECT_EQ(why.kind, failure_kind::unusable);
  EXPECT_NE(why.text.find("a newer version of this program made it"), std::string::npos) << why.text;
}

TEST_F(shared_database_test, a_folder_that_can_not_be_made_is_said) {
  folder.write("state", "a file");
  auto one = open();
  auto why = add(one, "a");
  EXPECT_EQ(why.kind, failure_kind::unusable);
  EXPECT_TRUE(why.text.starts_with(one.path() + ": the folder can not be ")) << why.text;
}

TEST_F(shared_database_test, what_was_deleted_under_an_open_one_is_made_anew) {
  auto one = open();
  EXPECT_EQ(add(one, "a").text, "");
  auto before = one.openings();
  std::filesystem::remove(one.path());
  EXPECT_EQ(count(one), 0);
  EXPECT_GT(one.openings(), before);
}

TEST_F(shared_database_test, an_index_of_the_log_that_is_cut_short_is_made_anew) {
  auto one = open(), other = open();
  EXPECT_EQ(add(one, "a").text, "");
  EXPECT_EQ(count(other), 1);
  for (auto bytes : {0, 100, 5'000}) {
    std::filesystem::resize_file(one.path() + "-shm", static_cast<uintmax_t>(bytes));
    EXPECT_EQ(add(one, "b").text, "");
    std::filesystem::resize_file(one.path() + "-shm", static_cast<uintmax_t>(bytes));
    EXPECT_EQ(add(other, "c").text, "");
  }
  EXPECT_EQ(count(one), 7);
  EXPECT_EQ(count(other), 7);
  std::filesystem::resize_file(one.path() + "-shm", 0); // and they are closed
}

TEST_F(shared_database_test, what_is_no_file_of_its_own_is_left_alone) {
  auto outside = folder.write("outside", "precious");
  std::filesystem::permissions(outside, std::filesystem::perms{0644});
  std::filesystem::create_directory(state());
  auto one = open();
  auto is_refused = [&](const char* what) {
    auto why = add(one, "a");
    EXPECT_EQ(why.kind, failure_kind::unusable);
    EXPECT_EQ(why.text, one.path() + ": is left alone: it is " + what);
    std::filesystem::remove(one.path());
  };
  std::filesystem::create_symlink(outside, one.path());
  is_refused("a symbolic link");
  std::filesystem::create_symlink(folder.path("nothing"), one.path());
  is_refused("a symbolic link");
  std::filesystem::create_directory(one.path());
  is_refused("no regular file");
  EXPECT_EQ(::mkfifo(one.path().c_str(), 0600), 0);
  is_refused("no regular file");
  struct stat st {};
  EXPECT_EQ(::stat(outside.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0644U);
  EXPECT_EQ(st.st_size, 8);
  EXPECT_FALSE(std::filesystem::exists(folder.path("nothing")));
  EXPECT_EQ(add(one, "a").text, "");
}

TEST_F(shared_database_test, who_is_late_to_put_a_file_aside_leaves_the_new_one) {
  folder.write("state/list.db", "garbage");
  sqlite::file first{state(), kind_of()}, late{state(), kind_of()};
  sqlite::database seen_by_first, seen_by_late;
  EXPECT_EQ(first.open(seen_by_first).text, "");
  EXPECT_EQ(late.open(seen_by_late).text, "");
  EXPECT_TRUE(seen_by_first.is_damaged() && seen_by_late.is_damaged());
  std::string name;
  EXPECT_EQ(first.put_aside({}, name).text, "");
  EXPECT_EQ(name, state() + "/list.db.damaged-1970-01-01T00:00:00.000Z");
  EXPECT_EQ(first.open(seen_by_first).text, "");
  EXPECT_TRUE(seen_by_first.ok());
  name.clear();
  EXPECT_EQ(late.put_aside({}, name).text, "");
  EXPECT_EQ(name, "");
  EXPECT_TRUE(first.is_current());
}

} // namespace sqlite_shared_database_test
