#include "sandbox/launch/folder_names.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sandbox_folder_names_test {

namespace fs = std::filesystem;

TEST(folder_names, by_their_parts) {
  sandbox::folder_names names;
  EXPECT_EQ(names.place_in("/no/such", "/no/such/a/b"), fs::path{"a/b"});
  EXPECT_EQ(names.place_in("/no/such", "/no/such"), fs::path{"."});
  EXPECT_FALSE(names.place_in("/no/such", "/no/suchlike"));
  EXPECT_FALSE(names.place_in("/no/such/a", "/no/such"));
}

/// In a child with mounts of its own; 2: mounts can not be made here.
int seen_below_a_second_mount(const fs::path& folder, const fs::path& again) {
  auto child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
        || ::mount(folder.c_str(), again.c_str(), nullptr, MS_BIND, nullptr) != 0)
      ::_exit(2);
    sandbox::folder_names names;
    bool is_seen = names.place_in(again, folder / "a/tool.json") == fs::path{"a/tool.json"}
                   && names.place_in(again, folder) == fs::path{"."}
                   && names.place_in(folder, again / "a") == fs::path{"a"} && !names.place_in(folder / "a", again);
    ::_exit(is_seen ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(folder_names, by_a_second_mount) {
  test::folder world;
  fs::create_directories(world.path("project/a"));
  fs::create_directories(world.path("again"));
  auto seen = seen_below_a_second_mount(world.path("project"), world.path("again"));
  if (seen == 2)
    GTEST_SKIP() << "needs the right to mount";
  EXPECT_EQ(seen, 0);
}

} // namespace sandbox_folder_names_test
