#include "sandbox/launch/grants.hpp"

#include "testing/folder.hpp"
#include "text/utf8.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace sandbox_grants_test {

namespace fs = std::filesystem;
using msg::errc;
using strings = std::vector<std::string>;

class grants : public testing::Test {
protected:
  grants() {
    fs::permissions(world_.path(), fs::perms{0755}); // as root, guests are nobody
    for (auto name : {"data", "data/inner", "out", "secret"})
      fs::create_directory(world_.path(name));
    fs::permissions(world_.path("out"), fs::perms::all);
    world_.write("secret/key", "x");
    world_.write("data/file", "x");
    policy_ = {{world_.path("data")}, {world_.path("out")}, world_.path()};
  }

  auto resolve(strings read, strings write = {}) {
    return sandbox::resolve_grants({std::move(read), std::move(write), {}}, policy_);
  }
  msg::fault refusal(strings read, strings write = {}) { return resolve(std::move(read), std::move(write)).error; }
  static strings paths(const std::vector<sandbox::granted_path>& all) {
    strings out;
    for (auto& g : all)
      out.push_back((g.writable ? "w " : "r ") + g.path);
    return out;
  }

  test::folder world_;
  sandbox::path_policy policy_;
};

TEST_F(grants, relative_paths_and_slashes_at_the_end) {
  auto got = resolve({"data/", "./data/../data/file"});
  ASSERT_TRUE(got.ok()) << got.error.message;
  EXPECT_EQ(paths(got.value), (strings{"r " + world_.path("data"), "r " + world_.path("data/file")}));
}

TEST_F(grants, what_may_be_written_may_be_read) {
  EXPECT_EQ(paths(resolve({"out"}).value), strings{"r " + world_.path("out")});
  EXPECT_EQ(paths(resolve({}, {"out"}).value), strings{"w " + world_.path("out")});
  auto refused = refusal({}, {"data"});
  EXPECT_EQ(refused.code, errc::not_allowed);
  EXPECT_NE(refused.message.find("security.allowWrite"), std::string::npos) << refused.message;
}

TEST_F(grants, outer_folders_come_first) {
  auto got = resolve({"data/inner", "data"});
  EXPECT_EQ(paths(got.value), (strings{"r " + world_.path("data"), "r " + world_.path("data/inner")}));
}

TEST_F(grants, a_link_counts_as_what_it_leads_to) {
  fs::create_symlink(world_.path("secret"), world_.path("data/link"));
  auto refused = refusal({"data/link"});
  EXPECT_EQ(refused.code, errc::not_allowed);
  EXPECT_NE(refused.message.find("really " + world_.path("secret")), std::string::npos) << refused.message;
  fs::create_symlink(world_.path("data/inner"), world_.path("near"));
  EXPECT_EQ(paths(resolve({"near"}).value), (strings{"r " + world_.path("near"), "r " + world_.path("data/inner")}));
}

TEST_F(grants, a_link_in_the_place_of_a_folder_of_the_policy_gives_nothing) { // of a repository, or made by a program
  policy_.read.push_back(world_.path("out/later"));
  fs::create_directory(world_.path("out/later"));
  EXPECT_TRUE(resolve({"out/later"}).ok());
  fs::remove(world_.path("out/later"));
  for (auto& target : strings{world_.path("secret"), "../secret", ".."}) {
    fs::create_symlink(target, world_.path("out/later"));
    for (auto* asked : {"out/later", "secret", "out/later/key"}) {
      auto refused = refusal({asked});
      if (refused.code == errc::invalid_argument) // there is no such file in `..`
        continue;
      EXPECT_EQ(refused.code, errc::not_allowed) << asked;
      EXPECT_NE(refused.message.find(world_.path("out/later") + " is a symbolic link (to " + target + ")"),
                std::string::npos)
        << refused.message;
    }
    fs::remove(world_.path("out/later"));
  }
}

TEST_F(grants, neither_does_a_link_on_the_way_to_one) {
  fs::create_directories(world_.path("secret/inner"));
  policy_.write = {world_.path("out/app/inner")};
  fs::create_symlink("../secret", world_.path("out/app"));
  EXPECT_EQ(refusal({"secret/inner"}).code, errc::not_allowed);
}

TEST_F(grants, a_link_that_belongs_to_the_machine_is_followed) { // as /bin, or /home on some systems
  struct stat s {};
  if (::lstat("/bin", &s) != 0 || !S_ISLNK(s.st_mode))
    GTEST_SKIP() << "/bin is no link here";
  policy_.read = {"/bin"};
  EXPECT_TRUE(resolve({"/usr/bin/env"}).ok()) << refusal({"/usr/bin/env"}).message;
}

TEST_F(grants, what_lies_in_a_folder_with_two_names_is_there_under_both) {
  fs::create_directory(world_.path("out/inner"));
  fs::permissions(world_.path("out/inner"), fs::perms::all);
  fs::create_symlink(world_.path("out"), world_.path("near"));
  auto real = world_.path("out");
  auto near = world_.path("near");
  EXPECT_EQ(paths(resolve({"out/inner"}, {"near"}).value),
            (strings{"w " + real, "w " + near, "r " + real + "/inner", "r " + near + "/inner"}));
  EXPECT_EQ(paths(resolve({"near"}, {"out/inner"}).value),
            (strings{"r " + real, "r " + near, "w " + real + "/inner", "w " + near + "/inner"}));
  EXPECT_EQ(paths(resolve({"near/inner"}, {"near/inner"}).value),
            (strings{"r " + real + "/inner", "w " + real + "/inner", "r " + near + "/inner", "w " + near + "/inner"}));
}

TEST_F(grants, many_names_of_nested_folders_are_too_many) {
  strings all{"out"};
  auto nested = std::string{"out"};
  for (int i = 0; i < 40; ++i) {
    fs::create_symlink(world_.path("out"), world_.path("name" + std::to_string(i)));
    all.push_back("name" + std::to_string(i));
    fs::create_directory(world_.path(nested += "/d"));
    all.push_back(nested);
  }
  auto refused = refusal(all);
  EXPECT_EQ(refused.code, errc::invalid_argument);
  EXPECT_NE(refused.message.find("name each once, by its real path"), std::string::npos) << refused.message;
}

TEST_F(grants, hold_what_was_opened_whatever_takes_its_name) {
  auto got = resolve({"data/file"});
  fs::rename(world_.path("data/file"), world_.path("data/moved"));
  fs::create_symlink(world_.path("secret/key"), world_.path("data/file"));
  struct stat held {
  }, moved{};
  ASSERT_EQ(::fstat(got.value[0].opened->get(), &held), 0);
  ASSERT_EQ(::stat(world_.path("data/moved").c_str(), &moved), 0);
  EXPECT_EQ(held.st_ino, moved.st_ino);
}

TEST_F(grants, climbing_and_neighbours_with_the_same_beginning_are_outside) {
  fs::create_directory(world_.path("data-private"));
  for (auto path : {"data/../secret", "../", "secret", "data-private", "/etc/passwd"})
    EXPECT_EQ(refusal({path}).code, errc::not_allowed) << path;
}

TEST_F(grants, without_a_setting_nothing_is_allowed) {
  policy_ = {{}, {}, world_.path()};
  auto refused = refusal({"data"});
  EXPECT_NE(refused.message.find("security.allowRead names no folder"), std::string::npos) << refused.message;
}

TEST_F(grants, folders_that_the_sandbox_makes_itself_are_never_given) {
  policy_.read = {"/"};
  for (auto path : {"/", "/tmp", "/proc", "/proc/self", "/dev", "/sys/kernel"})
    EXPECT_NE(refusal({path}).message.find("which has its own"), std::string::npos) << path;
}

TEST_F(grants, a_missing_path_says_so) {
  auto refused = refusal({"data/none"});
  EXPECT_EQ(refused.code, errc::invalid_argument);
  EXPECT_NE(refusal({}, {"out/new"}).message.find("name its folder"), std::string::npos);
}

TEST_F(grants, as_root_a_folder_that_nobody_may_write_is_refused) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root's guests are somebody else";
  fs::permissions(world_.path("out"), fs::perms{0755});
  EXPECT_NE(refusal({}, {"out"}).message.find("chmod o+rwx"), std::string::npos);
}

TEST_F(grants, as_root_what_lies_in_a_folder_that_nobody_may_walk_through_is_refused) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root's guests are somebody else";
  fs::create_directories(world_.path("data/closed/inner"));
  fs::permissions(world_.path("data/closed"), fs::perms{0700});
  auto refused = refusal({"data/closed/inner"});
  EXPECT_EQ(refused.code, errc::not_allowed);
  EXPECT_NE(refused.message.find("walk through " + text::quoted(world_.path("data/closed"), 1'000)), std::string::npos)
    << refused.message;
  EXPECT_NE(refused.message.find("chmod o+x"), std::string::npos);
  EXPECT_TRUE(resolve({"data"}).ok());
}

TEST_F(grants, a_path_with_a_nul_is_not_what_stands_before_it) {
  auto given = world_.path("data") + std::string{"\0--bind\0/\0/", 11};
  for (auto& refused : {refusal({given}), refusal({}, {given})}) {
    EXPECT_EQ(refused.code, errc::invalid_argument);
    EXPECT_NE(refused.message.find("NUL character"), std::string::npos) << refused.message;
  }
}

TEST_F(grants, deep_paths_are_bounded_together) {
  strings deep;
  std::string path = "data";
  for (int i = 0; i < 100; ++i) {
    path += "/d";
    fs::create_directory(world_.path(path));
    deep.push_back(path);
  }
  auto why = refusal(deep);
  EXPECT_EQ(why.code, errc::invalid_argument);
  EXPECT_NE(why.message.find("parts together, which is more than 2000"), std::string::npos) << why.message;
  EXPECT_TRUE(resolve({deep.back()}).ok());
}

} // namespace sandbox_grants_test
