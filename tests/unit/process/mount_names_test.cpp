#include "process/mount_names.hpp"

#include "tests/unit/sandbox/kept_fixture.hpp"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

namespace process_mount_names_test {

namespace fs = std::filesystem;
using paths = std::vector<fs::path>;
using sandbox_kept_tests::kept_test;
using sandbox_kept_tests::strings;

TEST(mount_names, are_of_the_same_file_system) {
  process::mount_names mounts{"21 1 8:1 / / rw - ext4 /dev/a rw\n"
                              "22 21 0:5 / /tmp rw - tmpfs tmpfs rw\n"
                              "23 21 8:1 /home/u/project /mnt/second rw shared:1 - ext4 /dev/a rw\n"
                              "24 21 8:1 /home/u /mnt/with\\040space rw - ext4 /dev/a rw\n"
                              "25 22 0:5 /x /home/u/project/in_it rw - tmpfs tmpfs rw\n"
                              "not a mount\n"};
  EXPECT_EQ(mounts.others("/home/u/project/.mcp.json"),
            (paths{"/mnt/second/.mcp.json", "/mnt/with space/project/.mcp.json"}));
  EXPECT_EQ(mounts.others("/mnt/second/.mcp.json"),
            (paths{"/home/u/project/.mcp.json", "/mnt/with space/project/.mcp.json"}));
  EXPECT_EQ(mounts.others("/home/u/project"), (paths{"/mnt/second", "/mnt/with space/project"}));
  EXPECT_EQ(mounts.others("/home/u"), (paths{"/mnt/with space"}));
  EXPECT_EQ(mounts.others("/tmp/x/y"), (paths{"/home/u/project/in_it/y"}));
  EXPECT_EQ(mounts.others("/tmp/xy"), paths{});
  EXPECT_EQ(mounts.others("/etc/hosts"), paths{});
}

TEST(mount_names, of_what_is_mounted_over_another) { // the latest counts
  process::mount_names mounts{"1 1 8:1 / / rw - ext4 a rw\n2 1 8:2 / /data rw - ext4 b rw\n3 1 8:3 / /data rw - ext4 c "
                              "rw\n4 1 8:3 / /again rw - ext4 c rw\n"};
  EXPECT_EQ(mounts.others("/data/x"), (paths{"/again/x"}));
}

TEST(mount_names, of_what_lies_in_a_folder) {
  process::mount_names mounts{"1 1 8:1 / / rw - ext4 a rw\n"
                              "2 1 8:1 /p/.git/hooks /p/githooks rw - ext4 a rw\n"
                              "3 1 8:1 /p/.git /meta rw - ext4 a rw\n"
                              "4 1 8:1 /p/.git/a /p/.git/b rw - ext4 a rw\n"
                              "5 1 8:1 /p/.github /elsewhere rw - ext4 a rw\n"
                              "6 1 8:2 / /p/.git/objects rw - ext4 b rw\n"
                              "7 1 8:2 / /objects rw - ext4 b rw\n"
                              "8 1 8:2 /pack /pack rw - ext4 b rw\n"
                              "9 1 8:3 /p/.git/x /other rw - ext4 c rw\n"};
  EXPECT_EQ(mounts.others_inside("/p/.git"), (paths{"/p/githooks", "/meta/a", "/pack", "/objects"}));
  EXPECT_EQ(mounts.others_inside("/p/.git/hooks"), paths{}) << "names of the folder itself";
  EXPECT_EQ(mounts.others("/p/.git/hooks"), (paths{"/p/githooks", "/meta/hooks"}));
  EXPECT_EQ(mounts.others_inside("/objects"), (paths{"/pack"}));
  EXPECT_EQ(process::mount_names{}.others_inside("/p"), paths{});
}

TEST(mount_names, can_be_read) {
  auto mounts = process::mount_names::read();
  ASSERT_TRUE(mounts.ok()) << mounts.error.message;
}

/// In a child with mounts of its own; 2: mounts can not be made here.
template <class Work>
int below_a_second_mount(const std::string& folder, const std::string& again, Work work) {
  auto child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
        || ::mount(folder.c_str(), again.c_str(), nullptr, MS_BIND, nullptr) != 0)
      ::_exit(2);
    ::_exit(work() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(kept_test, a_second_mount_in_what_is_granted_is_kept_as_well) {
  fs::create_directories(world_.path("other/second"));
  world_.write("project/.mcp.json", "{}");
  auto seen = below_a_second_mount(world_.path("project"), world_.path("other/second"), [this] {
    auto kept = keep({"other"});
    auto names = kept.ok() ? read_only(kept.value) : strings{kept.error.message};
    return std::find(names.begin(), names.end(), "other/second/.mcp.json") != names.end()
           && std::find(names.begin(), names.end(), "other/second/crush.json") != names.end();
  });
  if (seen == 2)
    GTEST_SKIP() << "needs the right to mount";
  EXPECT_EQ(seen, 0);
}

TEST_F(kept_test, a_second_mount_of_a_part_of_a_kept_folder_is_kept_as_well) {
  fs::create_directories(world_.path("project/rules"));
  world_.write("project/.cursor/rules/x", "");
  for (auto* name : {"project/.cursor/rules", "project/rules"})
    fs::permissions(world_.path(name), fs::perms::all);
  auto seen = below_a_second_mount(world_.path("project/.cursor/rules"), world_.path("project/rules"), [this] {
    auto kept = keep({"project"});
    auto names = kept.ok() ? read_only(kept.value) : strings{kept.error.message};
    return std::find(names.begin(), names.end(), "project/rules") != names.end() && !keep({"project/rules"}).ok();
  });
  if (seen == 2)
    GTEST_SKIP() << "needs the right to mount";
  EXPECT_EQ(seen, 0);
}

} // namespace process_mount_names_test
