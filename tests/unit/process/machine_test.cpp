#include "process/machine.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

namespace process_machine_test {

TEST(machine, tells_what_the_process_has) {
  auto before = process::look_at_machine("/");
  EXPECT_GT(before.resident_bytes, 1u << 20);
  EXPECT_GE(before.threads, 1u);
  EXPECT_GE(before.descriptors, 3u);
  auto fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(process::look_at_machine("/").descriptors, before.descriptors + 1);
  ::close(fd);
}

TEST(machine, tells_the_disk_of_a_folder_that_is_not_there_yet) {
  test::folder folder;
  auto there = process::look_at_machine(folder.path());
  auto later = process::look_at_machine(folder.path("not/yet"));
  EXPECT_GT(there.disk_bytes, 0u);
  EXPECT_EQ(later.disk_bytes, there.disk_bytes);
  EXPECT_GE(there.disk_bytes, there.disk_free_bytes);
  EXPECT_EQ(process::look_at_machine("").disk_bytes, 0u);
}

} // namespace process_machine_test
