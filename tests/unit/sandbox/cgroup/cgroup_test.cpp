#include "sandbox/cgroup/cgroup.hpp"

#include "sandbox/launch/prespawned_process.hpp"
#include "testing/cpu_time.hpp"
#include "tests/unit/sandbox/fake_cgroups.hpp"
#include "tests/unit/support/processes.hpp"

#include <asio/io_context.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sys/mman.h>
#include <sys/wait.h>

namespace sandbox_cgroup_test {

using sandbox::cgroup_version;

constexpr pid_t own_pid = 4711;
constexpr uint64_t own_namespace = 77;
constexpr pid_t no_pid = 4'194'303; // above the kernel's usual pid_max: no process has it

const std::string v2_mounts = "25 1 0:22 / /v2 rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";
const std::string v1_mounts =
  "35 31 0:32 / /memory rw - cgroup cgroup rw,memory\n39 31 0:36 / /pids rw - cgroup cgroup rw,pids\n";
const std::string v1_mounts_with_cpu = v1_mounts + "40 31 0:37 / /cpu rw - cgroup cgroup rw,cpu,cpuacct\n";

class cgroup_place_test : public testing::Test {
protected:
  sandbox::cgroup_place find(const std::string& cgroup, const std::string& mounts) {
    return sandbox::find_cgroup_place(*kernel_, {cgroup, mounts, own_namespace}, own_pid);
  }
  std::shared_ptr<test::fake_cgroups> kernel_ = std::make_shared<test::fake_cgroups>();
};

TEST_F(cgroup_place_test, v1_below_our_own_cgroup) {
  kernel_->folders_.insert("/memory/service");
  auto place = find("4:memory:/service\n8:pids:/\n0::/\n", v1_mounts);
  EXPECT_EQ(place.memory.version, cgroup_version::v1);
  EXPECT_EQ(place.memory.folder, "/memory/service/code-executor-4711-77");
  EXPECT_EQ(place.pids.folder, "/pids/code-executor-4711-77");
  EXPECT_TRUE(kernel_->folders("/memory/service/code-executor-4711-77").empty()) << "the probe is gone";
  sandbox::leave_cgroup_place(*kernel_, place, own_pid);
  EXPECT_TRUE(kernel_->folders("/memory/service").empty());
  EXPECT_TRUE(kernel_->folders("/pids").empty());
}

TEST_F(cgroup_place_test, v1_says_why_not) {
  kernel_->read_only = {"/memory"};
  auto place = find("4:memory:/\n8:pids:/\n", v1_mounts);
  EXPECT_EQ(place.memory.version, cgroup_version::none);
  EXPECT_EQ(place.memory.problem, "can not make a cgroup in /memory: Permission denied");
  EXPECT_EQ(place.pids.version, cgroup_version::v1) << "each on its own";
}

TEST_F(cgroup_place_test, a_limit_that_does_not_stay_is_none) {
  kernel_->keeps_values = false;
  auto place = find("4:memory:/\n8:pids:/\n", v1_mounts);
  EXPECT_EQ(place.memory.version, cgroup_version::none);
  EXPECT_NE(place.memory.problem.find("does not keep"), std::string::npos) << place.memory.problem;
  EXPECT_TRUE(kernel_->folders("/memory").empty()) << "what was tried is gone";
}

TEST_F(cgroup_place_test, a_mount_of_a_part_and_escapes_in_its_name) {
  kernel_->folders_.insert("/memory/a b");
  auto place = find("4:memory:/docker/x/inner\n8:pids:/outside\n",
                    "1 1 0:1 /docker/x /memory/a\\040b rw - cgroup cgroup rw,memory\n"
                    "1 1 0:1 /docker/x /pids rw - cgroup cgroup rw,pids\n");
  EXPECT_NE(place.memory.problem.find("/memory/a b/inner"), std::string::npos) << place.memory.problem;
  EXPECT_NE(place.pids.problem.find("there is no cgroup v1 hierarchy"), std::string::npos)
    << "our cgroup is not in what we see";
}

TEST_F(cgroup_place_test, v2_when_we_are_in_its_root) {
  auto place = find("0::/\n", v2_mounts);
  EXPECT_EQ(place.memory.version, cgroup_version::v2);
  EXPECT_EQ(place.memory.folder, "/v2/code-executor-4711-77");
  EXPECT_EQ(place.pids.folder, place.memory.folder);
  EXPECT_EQ(place.left, "");
}

TEST_F(cgroup_place_test, v2_moves_the_server_to_a_leaf_when_it_is_alone) {
  kernel_->folders_.insert("/v2/service");
  kernel_->files_["/v2/cgroup.subtree_control"] = "memory pids";
  kernel_->processes["/v2/service"] = "4711";
  auto place = find("0::/service\n", v2_mounts);
  EXPECT_EQ(place.memory.version, cgroup_version::v2) << place.memory.problem;
  EXPECT_EQ(place.left, "/v2/service");
  EXPECT_EQ(kernel_->processes["/v2/service"], "");
  EXPECT_EQ(kernel_->processes["/v2/service/code-executor-4711-77/server"], "4711");
  sandbox::leave_cgroup_place(*kernel_, place, own_pid);
  EXPECT_EQ(kernel_->processes["/v2/service"], "4711") << "it is back";
  EXPECT_TRUE(kernel_->folders("/v2/service").empty());
}

TEST_F(cgroup_place_test, v2_does_not_move_others) {
  kernel_->folders_.insert("/v2/session");
  kernel_->files_["/v2/cgroup.subtree_control"] = "memory pids";
  kernel_->processes["/v2/session"] = "4700\n4711";
  auto place = find("0::/session\n", v2_mounts);
  EXPECT_EQ(place.memory.version, cgroup_version::none);
  EXPECT_NE(place.memory.problem.find("other processes"), std::string::npos) << place.memory.problem;
  EXPECT_NE(place.memory.problem.find("Delegate=yes"), std::string::npos);
  EXPECT_EQ(kernel_->processes["/v2/session"], "4700\n4711");
  EXPECT_TRUE(kernel_->folders("/v2/session").empty()) << "nothing is left";
}

TEST_F(cgroup_place_test, v2_without_the_right_to_give_controllers) {
  kernel_->folders_.insert("/v2/user");
  kernel_->files_["/v2/cgroup.subtree_control"] = "memory pids";
  kernel_->read_only = {"/v2/user"};
  auto place = find("0::/user\n", v2_mounts);
  EXPECT_EQ(place.memory.problem, "can not make a cgroup in /v2/user: Permission denied");
}

TEST_F(cgroup_place_test, hybrid_takes_each_controller_where_it_is) {
  kernel_->controllers = {"pids"};
  auto place = find("4:memory:/\n0::/\n", v2_mounts + "35 31 0:32 / /memory rw - cgroup cgroup rw,memory\n");
  EXPECT_EQ(place.memory.version, cgroup_version::v1);
  EXPECT_EQ(place.pids.version, cgroup_version::v2);
  kernel_->controllers = {"hugetlb"};
  EXPECT_NE(find("0::/\n", v2_mounts).memory.problem.find("does not offer"), std::string::npos);
}

TEST_F(cgroup_place_test, guests_together_have_half_the_weight_of_a_process_in_v1) {
  auto place = find("4:memory:/\n8:pids:/\n1:cpu,cpuacct:/\n", v1_mounts_with_cpu);
  EXPECT_EQ(place.cpu.version, cgroup_version::v1) << place.cpu.problem;
  EXPECT_EQ(kernel_->files_["/cpu/code-executor-4711-77/cpu.shares"], "512");
  sandbox::leave_cgroup_place(*kernel_, place, own_pid);
  EXPECT_TRUE(kernel_->folders("/cpu").empty());
}

TEST_F(cgroup_place_test, and_in_v2_also_beside_a_server_that_has_moved) {
  kernel_->controllers = {"memory", "pids", "cpu"};
  kernel_->folders_.insert("/v2/service");
  kernel_->files_["/v2/cgroup.subtree_control"] = "memory pids cpu";
  kernel_->processes["/v2/service"] = "4711";
  auto place = find("0::/service\n", v2_mounts);
  EXPECT_EQ(place.memory.version, cgroup_version::v2) << place.memory.problem;
  EXPECT_EQ(place.cpu.version, cgroup_version::v2) << place.cpu.problem;
  EXPECT_EQ(place.cpu.folder, place.memory.folder);
  EXPECT_EQ(kernel_->files_["/v2/service/code-executor-4711-77/cpu.weight"], "50");
  EXPECT_EQ(kernel_->files_["/v2/service/code-executor-4711-77/server/cpu.weight"], "10000")
    << "the most that there is";
  sandbox::leave_cgroup_place(*kernel_, place, own_pid);
  EXPECT_EQ(kernel_->processes["/v2/service"], "4711") << "it is back";
  EXPECT_TRUE(kernel_->folders("/v2/service").empty());
}

TEST_F(cgroup_place_test, a_processor_that_is_not_given_leaves_the_limits) {
  kernel_->controllers = {"memory", "pids", "cpu"};
  kernel_->refused = {"cpu"};
  kernel_->folders_.insert("/v2/service");
  kernel_->files_["/v2/cgroup.subtree_control"] = "memory pids cpu";
  kernel_->processes["/v2/service"] = "4711";
  auto place = find("0::/service\n", v2_mounts);
  EXPECT_EQ(place.memory.version, cgroup_version::v2) << place.memory.problem;
  EXPECT_EQ(place.pids.version, cgroup_version::v2) << place.pids.problem;
  EXPECT_EQ(place.cpu.version, cgroup_version::none);
  EXPECT_NE(place.cpu.problem.find("can not give controllers"), std::string::npos) << place.cpu.problem;
  sandbox::leave_cgroup_place(*kernel_, place, own_pid);
  EXPECT_TRUE(kernel_->folders("/v2/service").empty());
}

TEST_F(cgroup_place_test, nothing_is_mounted) {
  auto place = find("0::/\n", "");
  EXPECT_EQ(place.memory.version, cgroup_version::none);
  EXPECT_FALSE(place.memory.problem.empty());
}

TEST_F(cgroup_place_test, sweeps_what_dead_servers_left_and_nothing_else) {
  auto dead = "/memory/code-executor-" + std::to_string(no_pid) + "-77",
       living = "/memory/code-executor-" + std::to_string(::getpid()) + "-77";
  for (auto& f :
       {dead, dead + "/guest-1", dead + "/guest-2", living, living + "/guest-1", std::string{"/memory/code-executor-x"},
        std::string{"/memory/code-executor-4711-77"}, std::string{"/memory/code-executor-4711-77/guest-9"}})
    kernel_->folders_.insert(f);
  find("4:memory:/\n8:pids:/\n", v1_mounts);
  EXPECT_FALSE(kernel_->has(dead));
  EXPECT_TRUE(kernel_->has(living + "/guest-1"));
  EXPECT_TRUE(kernel_->has("/memory/code-executor-x"));
  EXPECT_FALSE(kernel_->has("/memory/code-executor-4711-77/guest-9")) << "our number was a dead server's";
}

TEST_F(cgroup_place_test, a_server_of_another_pid_namespace_is_not_taken_for_dead) {
  auto other = "/memory/code-executor-" + std::to_string(no_pid) + "-78";
  auto unknown = "/memory/code-executor-" + std::to_string(no_pid) + "-0";
  auto old = "/memory/code-executor-" + std::to_string(no_pid); // of a version that named no namespace
  for (auto& f : {other, other + "/guest-1", unknown, old, std::string{"/memory/code-executor-4711-78"},
                  std::string{"/memory/code-executor-4711"}})
    kernel_->folders_.insert(f);
  find("4:memory:/\n8:pids:/\n", v1_mounts);
  for (auto& f : {other + "/guest-1", unknown, old, std::string{"/memory/code-executor-4711-78"},
                  std::string{"/memory/code-executor-4711"}})
    EXPECT_TRUE(kernel_->has(f)) << f;
}

TEST_F(cgroup_place_test, nothing_is_swept_where_the_namespace_is_not_known) {
  auto dead = "/memory/code-executor-" + std::to_string(no_pid) + "-0";
  kernel_->folders_.insert(dead);
  auto place = sandbox::find_cgroup_place(*kernel_, {"4:memory:/\n8:pids:/\n", v1_mounts, 0}, own_pid);
  EXPECT_EQ(place.memory.folder, "/memory/code-executor-4711-0");
  EXPECT_TRUE(kernel_->has(dead));
}

// ---- guests ----------------------------------------------------------------------------------

class guest_cgroup_test : public cgroup_place_test {
protected:
  std::shared_ptr<sandbox::cgroups> groups(const std::string& cgroup, const std::string& mounts) {
    return std::make_shared<sandbox::cgroups>(io_.get_executor(), kernel_,
                                              sandbox::cgroup_membership{cgroup, mounts, own_namespace}, own_pid);
  }
  asio::io_context io_;
};

TEST_F(guest_cgroup_test, v1_sets_both_limits_and_joins_both) {
  auto all = groups("4:memory:/\n8:pids:/\n", v1_mounts);
  auto one = all->make();
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->limit({64u << 20, 10}));
  EXPECT_EQ(kernel_->files_["/memory/code-executor-4711-77/guest-1/memory.limit_in_bytes"], "67108864");
  EXPECT_EQ(kernel_->files_["/memory/code-executor-4711-77/guest-1/memory.memsw.limit_in_bytes"], "67108864");
  EXPECT_EQ(kernel_->files_["/memory/code-executor-4711-77/guest-1/memory.kmem.tcp.limit_in_bytes"], "67108864")
    << "buffers of sockets are not counted as memory there";
  EXPECT_EQ(kernel_->files_["/pids/code-executor-4711-77/guest-1/pids.max"], "10");
  EXPECT_EQ(one->joins().size(), 2u);
  one->joined();
  EXPECT_TRUE(one->joins().empty());
}

TEST_F(guest_cgroup_test, each_has_a_part_of_the_processor_that_guests_have_together) {
  auto all = groups("4:memory:/\n8:pids:/\n1:cpu,cpuacct:/\n", v1_mounts_with_cpu);
  auto one = all->make();
  ASSERT_TRUE(one && one->limit({64u << 20, 10}));
  EXPECT_EQ(one->joins().size(), 3u);
  EXPECT_TRUE(kernel_->has("/cpu/code-executor-4711-77/guest-1"));
  one = nullptr;
  EXPECT_FALSE(kernel_->has("/cpu/code-executor-4711-77/guest-1"));
}

TEST_F(guest_cgroup_test, v2_is_one_folder_without_swap_that_dies_together) {
  auto all = groups("0::/\n", v2_mounts);
  auto one = all->make();
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->limit({64u << 20, 10}));
  auto folder = std::string{"/v2/code-executor-4711-77/guest-1/"};
  EXPECT_EQ(kernel_->files_[folder + "memory.max"], "67108864");
  EXPECT_EQ(kernel_->files_[folder + "memory.swap.max"], "0");
  EXPECT_EQ(kernel_->files_[folder + "memory.oom.group"], "1");
  EXPECT_EQ(kernel_->files_[folder + "pids.max"], "10");
  EXPECT_EQ(one->joins().size(), 1u);
}

TEST_F(guest_cgroup_test, tells_what_the_limits_did) {
  auto v2 = groups("0::/\n", v2_mounts);
  auto one = v2->make();
  auto folder = std::string{"/v2/code-executor-4711-77/guest-1/"};
  kernel_->files_[folder + "memory.events"] = "low 0\nmax 12\noom 1\noom_kill 0\noom_group_kill 0";
  EXPECT_FALSE(one->out_of_memory());
  kernel_->files_[folder + "memory.events"] = "low 0\nmax 12\noom 1\noom_kill 2\noom_group_kill 1";
  EXPECT_TRUE(one->out_of_memory());
  EXPECT_EQ(one->processes_refused(), 0u);
  kernel_->files_[folder + "pids.events"] = "max 7";
  EXPECT_EQ(one->processes_refused(), 7u);
}

TEST_F(guest_cgroup_test, v1_does_not_take_anothers_limit_for_ours) {
  auto v1 = groups("4:memory:/\n8:pids:/\n", v1_mounts);
  auto one = v1->make();
  auto folder = std::string{"/memory/code-executor-4711-77/guest-1/"};
  ASSERT_TRUE(one->limit({64u << 20, 10}));
  kernel_->files_[folder + "memory.oom_control"] = "oom_kill_disable 0\nunder_oom 0\noom_kill 1";
  kernel_->files_[folder + "memory.max_usage_in_bytes"] = "30000000";
  EXPECT_FALSE(one->out_of_memory()) << "killed for a limit around ours";
  kernel_->files_[folder + "memory.max_usage_in_bytes"] = "67000000";
  EXPECT_TRUE(one->out_of_memory());
}

TEST_F(guest_cgroup_test, goes_with_its_guest_and_waits_for_the_last_process) {
  auto all = groups("4:memory:/\n8:pids:/\n", v1_mounts);
  auto busy = std::string{"/memory/code-executor-4711-77/guest-1"};
  all->make();
  EXPECT_FALSE(kernel_->has(busy));
  busy = "/memory/code-executor-4711-77/guest-2";
  kernel_->in_use.insert(busy);
  all->make();
  EXPECT_TRUE(kernel_->has(busy));
  EXPECT_FALSE(kernel_->has("/pids/code-executor-4711-77/guest-2"));
  kernel_->in_use.clear();
  io_.run(); // the retries are bounded: this comes back
  EXPECT_FALSE(kernel_->has(busy));
}

TEST_F(guest_cgroup_test, retries_end_and_the_end_tries_again) {
  auto all = groups("4:memory:/\n8:pids:/\n", v1_mounts);
  auto busy = std::string{"/memory/code-executor-4711-77/guest-1"};
  kernel_->in_use.insert(busy);
  all->make();
  io_.run();
  EXPECT_TRUE(kernel_->has(busy));
  kernel_->in_use.clear();
  all = nullptr;
  EXPECT_TRUE(kernel_->folders("/memory").empty());
}

TEST_F(guest_cgroup_test, a_place_that_is_lost_is_given_up_and_told) {
  auto all = groups("4:memory:/\n8:pids:/\n", v1_mounts);
  kernel_->read_only = {"/memory/code-executor-4711-77"};
  auto one = all->make();
  ASSERT_TRUE(one) << "the other controller is still there";
  EXPECT_FALSE(one->limits_memory());
  EXPECT_TRUE(one->limits_processes());
  EXPECT_EQ(all->place().memory.version, cgroup_version::none);
  EXPECT_NE(all->place().memory.problem.find("any more"), std::string::npos);
}

TEST_F(guest_cgroup_test, without_a_place_there_is_none) { EXPECT_FALSE(groups("0::/\n", "")->make()); }

// ---- this very kernel ------------------------------------------------------------------------

class real_cgroup_test : public testing::Test {
protected:
  void SetUp() override {
    all_ = sandbox::find_cgroups(io_.get_executor());
    if (all_->place().memory.version == cgroup_version::none || all_->place().pids.version == cgroup_version::none)
      GTEST_SKIP() << "no cgroups here: " << all_->place().memory.problem << "; " << all_->place().pids.problem;
  }
  /// Forks into the cgroup; gives the wait status of `work`'s process.
  template <class Work>
  int status_in(sandbox::guest_cgroup& group, Work work) {
    auto pid = ::fork();
    if (pid == 0) {
      for (auto procs : group.joins())
        if (::write(procs, "0", 1) != 1)
          ::_exit(99);
      ::_exit(work());
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return status;
  }
  asio::io_context io_;
  std::shared_ptr<sandbox::cgroups> all_;
};

TEST_F(real_cgroup_test, memory_is_limited_and_told) {
  auto group = all_->make();
  ASSERT_TRUE(group && group->limit({32u << 20, 10}));
  auto use = [](size_t bytes) {
    return [bytes] {
      auto* area =
        static_cast<char*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
      for (size_t i = 0; i < bytes; i += 4096)
        area[i] = 1;
      return 7;
    };
  };
  auto status = status_in(*group, use(8u << 20));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  EXPECT_FALSE(group->out_of_memory());
  status = status_in(*group, use(128u << 20));
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_TRUE(group->out_of_memory());
}

TEST_F(real_cgroup_test, processes_are_limited_and_counted) {
  auto group = all_->make();
  ASSERT_TRUE(group && group->limit({64u << 20, 4}));
  auto status = status_in(*group, [] {
    int born = 0;
    for (pid_t pid; born < 50 && (pid = ::fork()) >= 0; ++born)
      if (pid == 0) {
        ::pause();
        ::_exit(0);
      }
    ::signal(SIGTERM, SIG_IGN);
    ::kill(0, 0);
    return born;
  });
  EXPECT_EQ(WEXITSTATUS(status), 3) << "four with itself";
  EXPECT_GT(group->processes_refused(), 0u);
  group->kill();
  auto folder = all_->place().pids.folder;
  group = nullptr;
  io_.run();
  EXPECT_TRUE(sandbox::cgroup_files{}.folders(folder).empty());
}

TEST_F(real_cgroup_test, is_made_quickly) {
  // Of the processor: the kernel lets only one process at a time change the hierarchy, and others do.
  std::vector<double> taken;
  for (int i = 0; i < 51; ++i) {
    auto started = test::cpu_time();
    auto group = all_->make();
    ASSERT_TRUE(group && group->limit({64u << 20, 10}));
    taken.push_back(std::chrono::duration<double, std::milli>(test::cpu_time() - started).count());
  }
  std::nth_element(taken.begin(), taken.begin() + 25, taken.end());
  RecordProperty("median_us", static_cast<int>(taken[25] * 1'000));
  EXPECT_LT(taken[25], 3.0) << "0.2 ms here; the rest is for a loaded machine and the sanitizers";
}

} // namespace sandbox_cgroup_test
