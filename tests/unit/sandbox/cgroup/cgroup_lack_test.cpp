// What goes wrong with cgroups while the server runs: for a moment, or for good.
#include "sandbox/cgroup/cgroup.hpp"
#include "tests/unit/sandbox/fake_cgroups.hpp"

#include <asio/io_context.hpp>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace sandbox_cgroup_lack_test {

using sandbox::cgroup_version;

const std::string v2_mounts = "25 1 0:22 / /v2 rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string v1_mounts =
  "35 31 0:32 / /memory rw - cgroup cgroup rw,memory\n39 31 0:36 / /pids rw - cgroup cgroup rw,pids\n";

class cgroup_lack_test : public testing::Test {
protected:
  std::shared_ptr<sandbox::cgroups> groups(const std::string& cgroup, const std::string& mounts) {
    return std::make_shared<sandbox::cgroups>(io_.get_executor(), kernel_,
                                              sandbox::cgroup_membership{cgroup, mounts, 77}, 4711);
  }
  asio::io_context io_;
  std::shared_ptr<test::fake_cgroups> kernel_ = std::make_shared<test::fake_cgroups>();
};

TEST_F(cgroup_lack_test, what_lacks_for_a_moment_costs_one_guest) {
  for (auto error : {EMFILE, ENFILE, ENOMEM, EINTR, EAGAIN}) {
    auto all = groups("4:memory:/\n8:pids:/\n", v1_mounts);
    kernel_->lacks = error;
    EXPECT_FALSE(all->make()) << "not one without its memory limit";
    EXPECT_NE(all->lack().find(std::strerror(error)), std::string::npos) << all->lack();
    kernel_->lacks = 0;
    auto one = all->make();
    ASSERT_TRUE(one);
    EXPECT_EQ(all->lack(), "");
    EXPECT_TRUE(one->limits_memory() && one->limits_processes());
    kernel_->lacks = error;
    EXPECT_FALSE(one->limit({64u << 20, 10}));
    EXPECT_NE(all->lack().find("/memory/code-executor-4711-77/guest-2"), std::string::npos) << all->lack();
    kernel_->lacks = 0;
    EXPECT_TRUE(one->limit({64u << 20, 10}));
    EXPECT_EQ(all->lack(), "");
    EXPECT_EQ(all->place().memory.version, cgroup_version::v1);
  }
}

TEST_F(cgroup_lack_test, what_can_not_be_joined_for_a_moment_is_gone_again) {
  auto all = groups("4:memory:/\n8:pids:/\n", v1_mounts);
  kernel_->open_lacks = EMFILE;
  EXPECT_FALSE(all->make());
  EXPECT_NE(all->lack().find("raise the limit of open files"), std::string::npos) << all->lack();
  EXPECT_TRUE(kernel_->folders("/memory/code-executor-4711-77").empty());
  kernel_->open_lacks = 0;
  EXPECT_TRUE(all->make());
}

TEST_F(cgroup_lack_test, a_folder_that_was_removed_is_made_again) {
  for (auto& [cgroup, mounts, folder] :
       std::vector<std::array<std::string, 3>>{{"4:memory:/\n8:pids:/\n", v1_mounts, "/memory/code-executor-4711-77"},
                                               {"0::/\n", v2_mounts, "/v2/code-executor-4711-77"}}) {
    auto all = groups(cgroup, mounts);
    ASSERT_EQ(kernel_->remove_folder(folder), 0);
    auto one = all->make();
    ASSERT_TRUE(one) << folder;
    EXPECT_TRUE(one->limits_memory() && one->limits_processes());
    EXPECT_TRUE(one->limit({64u << 20, 10})) << folder;
    EXPECT_TRUE(kernel_->has(folder + "/guest-1"));
  }
}

TEST_F(cgroup_lack_test, one_that_can_not_be_made_again_is_given_up) {
  auto all = groups("4:memory:/\n8:pids:/\n", v1_mounts);
  ASSERT_EQ(kernel_->remove_folder("/memory/code-executor-4711-77"), 0);
  kernel_->read_only = {"/memory"};
  auto one = all->make();
  ASSERT_TRUE(one) << "the other controller is still there";
  EXPECT_FALSE(one->limits_memory());
  EXPECT_EQ(all->lack(), "");
  EXPECT_NE(all->place().memory.problem.find("Permission denied"), std::string::npos) << all->place().memory.problem;
}

} // namespace sandbox_cgroup_lack_test
