#include "setup/user_file.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include <sys/stat.h>
#include <unistd.h>

namespace setup_user_file_test {

namespace fs = std::filesystem;
using strings = std::vector<std::string>;

mode_t mode_of(const std::string& path) {
  struct stat s {};
  ::stat(path.c_str(), &s);
  return s.st_mode & 07777U;
}

size_t files_in(const std::string& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}));
}

class user_file : public testing::Test {
protected:
  std::string replace(const std::string& name, const std::optional<std::string>& before,
                      const std::optional<std::string>& after) {
    return setup::replace_file(folder_.path(name), before, after, made_).message;
  }

  test::folder folder_;
  strings made_;
};

TEST_F(user_file, keeps_the_mark_apart) {
  auto file = setup::read_user_file(folder_.write("a", "\xEF\xBB\xBF{}\r\n"));
  EXPECT_EQ(file.text, "{}\r\n");
  EXPECT_EQ(file.bytes(), "\xEF\xBB\xBF{}\r\n");
  EXPECT_EQ(setup::read_user_file(folder_.write("b", "{}")).bytes(), "{}");
  EXPECT_EQ(setup::read_user_file(folder_.path("c")).content(), std::nullopt);
}

TEST_F(user_file, keeps_mode_owner_and_links) {
  auto path = folder_.write("dotfiles/a.json", "old");
  ::chmod(path.c_str(), 0640);
  bool is_root = ::geteuid() == 0;
  if (is_root) {
    EXPECT_EQ(::chown(path.c_str(), 65534, 65534), 0);
  }
  fs::create_symlink("dotfiles/a.json", folder_.path("a.json"));
  EXPECT_EQ(replace("a.json", "old", "new"), "");
  EXPECT_EQ(test::read(path), "new");
  EXPECT_TRUE(fs::is_symlink(folder_.path("a.json")));
  EXPECT_EQ(mode_of(path), 0640U);
  struct stat s {};
  ::stat(path.c_str(), &s);
  EXPECT_EQ(s.st_uid, is_root ? 65534 : ::geteuid());
  EXPECT_EQ(files_in(folder_.path("dotfiles")), 1U) << "something was left";
}

TEST_F(user_file, root_leaves_the_homes_of_others) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a folder away";
  auto home = folder_.path("home");
  fs::create_directory(home);
  EXPECT_EQ(setup::check_home(home, 0).message, "");
  ASSERT_EQ(::chown(home.c_str(), 65534, 65534), 0);
  EXPECT_EQ(setup::check_home(home, 0).message, home + ": HOME is of another user; run setup as that user");
  EXPECT_EQ(setup::check_home(home, 65534).message, "");
}

TEST_F(user_file, makes_what_is_absent_for_the_user_alone) {
  EXPECT_EQ(replace("x/y/a.json", std::nullopt, "new"), "");
  EXPECT_EQ(test::read(folder_.path("x/y/a.json")), "new");
  EXPECT_EQ(mode_of(folder_.path("x/y/a.json")), 0600U);
  EXPECT_EQ(mode_of(folder_.path("x")), 0700U);
  EXPECT_EQ(made_, (strings{folder_.path("x"), folder_.path("x/y")}));
  EXPECT_EQ(replace("x/y/a.json", "new", std::nullopt), "");
  EXPECT_FALSE(fs::exists(folder_.path("x/y/a.json")));
}

TEST_F(user_file, leaves_what_has_changed) {
  auto path = folder_.write("a", "theirs");
  auto told = path + ": has been changed meanwhile, and is left as it is now; run this again";
  EXPECT_EQ(replace("a", "old", "new"), told);
  EXPECT_EQ(replace("a", std::nullopt, "new"), told);
  EXPECT_EQ(replace("a", "old", std::nullopt), told);
  EXPECT_EQ(replace("gone", "old", "new"),
            folder_.path("gone") + ": has been changed meanwhile, and is left as it is now; run this again");
  EXPECT_EQ(test::read(path), "theirs");
  EXPECT_EQ(files_in(folder_.path()), 1U);
}

TEST_F(user_file, leaves_what_can_not_be_written) {
  auto path = folder_.write("a", "old");
  ::chmod(path.c_str(), 0444);
  EXPECT_EQ(replace("a", "old", "new"), path + ": is write-protected, and is left as it is");
  EXPECT_EQ(replace("a/b", std::nullopt, "new"),
            path + "/b: can not be written, because no file can be made beside it: Not a directory");
  EXPECT_EQ(test::read(path), "old");
}

} // namespace setup_user_file_test
