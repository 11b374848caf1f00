#include "sandbox/cgroup/memory_watch.hpp"

#include "process/child.hpp"
#include "sandbox/cgroup/process_tree.hpp"
#include "tests/unit/support/processes.hpp"
#include "tests/unit/support/sanitizers.hpp"

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/thread_pool.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sandbox_memory_watch_test {

constexpr uint64_t mebibyte = 1u << 20;
constexpr uint64_t no_limit = ~uint64_t{0};

void fill(void* area, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i += 4096)
    static_cast<volatile char*>(area)[i] = 1;
}
void take_private(uint64_t bytes) {
  fill(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), bytes);
}
void take_shared(uint64_t bytes) {
  fill(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), bytes);
}

/// A process of this program that does `work`, says so, and lives until the end of the test.
class process_of {
public:
  template <class Work>
  explicit process_of(Work work) {
    auto said = process::make_pipe();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setpgid(0, 0);
      work(said.write.get());
      say(said.write.get());
      for (;;)
        ::pause();
    }
    ::setpgid(pid_, pid_);
    said.write = {};
    char byte = 0;
    EXPECT_EQ(::read(said.read.get(), &byte, 1), 1);
  }
  ~process_of() {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  static void say(int to) {
    if (::write(to, "x", 1) != 1)
      ::_exit(1);
  }
  pid_t pid() const { return pid_; }

private:
  pid_t pid_ = 0;
};

/// `count` children of the caller, each of which does `work`; comes back when all have.
template <class Work>
void have_children(int count, Work work) {
  auto said = process::make_pipe();
  for (int i = 0; i < count; ++i)
    if (::fork() == 0) {
      work();
      process_of::say(said.write.get());
      for (;;)
        ::pause();
    }
  for (int i = 0; i < count; ++i) {
    char byte = 0;
    if (::read(said.read.get(), &byte, 1) != 1)
      ::_exit(1);
  }
}

TEST(process_tree, counts_private_and_shared_memory) {
  process_of nothing{[](int) {}}, own{[](int) { take_private(64 * mebibyte); }},
    shared{[](int) { take_shared(64 * mebibyte); }};
  auto base = sandbox::process_tree{nothing.pid()}.memory(no_limit);
  for (auto* p : {&own, &shared})
    for (auto limit : {no_limit, uint64_t{0}}) { // the bound, and the exact number
      auto bytes = sandbox::process_tree{p->pid()}.memory(limit);
      EXPECT_GT(bytes, 63 * mebibyte);
      EXPECT_LT(bytes, base + 80 * mebibyte);
    }
}

TEST(process_tree, counts_page_tables) {
  constexpr uint64_t tables = 8'192, covered_by_one = 2 * mebibyte;
  process_of reader{[](int) {
    constexpr auto bytes = tables * covered_by_one;
    auto* area = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ::madvise(area, bytes, MADV_NOHUGEPAGE);
    for (uint64_t i = 0; i < bytes; i += covered_by_one) [[maybe_unused]]
      char zero = static_cast<volatile char*>(area)[i];
  }};
  for (auto limit : {no_limit, uint64_t{0}})
    EXPECT_GT(sandbox::process_tree{reader.pid()}.memory(limit), tables * 4'096);
}

TEST(process_tree, sums_many_that_are_small) {
  process_of many{[](int) { have_children(8, [] { take_private(16 * mebibyte); }); }};
  sandbox::process_tree tree{many.pid()};
  EXPECT_GT(tree.memory(no_limit), 8 * 16 * mebibyte);
  EXPECT_EQ(tree.look().size(), 9u);
}

TEST(process_tree, is_exact_about_what_several_share) {
#ifdef WITH_ADDRESS_SANITIZER
  GTEST_SKIP() << "AddressSanitizer's shadow makes processes large and their accounts slow";
#endif
  process_of family{[](int) {
    take_private(64 * mebibyte);
    have_children(8, [] {}); // each holds the 64 MiB of its parent, and nothing of its own
  }};
  sandbox::process_tree tree{family.pid()};
  EXPECT_GT(tree.memory(no_limit), 500 * mebibyte) << "the bound counts them nine times";
  auto exact = tree.memory(300 * mebibyte);
  EXPECT_GT(exact, 63 * mebibyte);
  EXPECT_LT(exact, 200 * mebibyte);
}

TEST(process_tree, keeps_those_whose_parents_have_died) {
  process_of root{[](int) {
    auto parent = ::fork();
    if (parent == 0) {
      have_children(1, [] { take_private(32 * mebibyte); });
      for (;;)
        ::pause();
    }
  }};
  sandbox::process_tree tree{root.pid()};
  std::vector<pid_t> all;
  for (int i = 0; i < 3'000 && all.size() < 3; ++i) {
    all = tree.look();
    ::poll(nullptr, 0, 1);
  }
  ASSERT_EQ(all.size(), 3u);
  ::kill(all[1], SIGKILL);
  while (test::alive(all[1]))
    ::poll(nullptr, 0, 1);
  auto left = tree.look();
  EXPECT_NE(std::find(left.begin(), left.end(), all[2]), left.end()) << "the grandchild is init's child now";
}

TEST(process_tree, of_nobody_is_nothing) {
  sandbox::process_tree tree{4'194'303};
  EXPECT_EQ(tree.memory(no_limit), 0u);
  EXPECT_TRUE(tree.look().empty());
}

class memory_watch_test : public testing::Test {
protected:
  ~memory_watch_test() override { worker_.join(); }
  /// Until `done`, or some seconds.
  void run(const bool& done) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{10};
    while (!done && io_.run_one_until(deadline) > 0)
      ;
  }
  asio::io_context io_;
  // While only the worker works.
  asio::executor_work_guard<asio::io_context::executor_type> busy_ = asio::make_work_guard(io_);
  asio::thread_pool worker_{1};
  std::shared_ptr<sandbox::memory_watch> watch_ =
    std::make_shared<sandbox::memory_watch>(io_.get_executor(), worker_.get_executor());
};

TEST_F(memory_watch_test, tells_once_who_is_above) {
#ifdef WITH_ADDRESS_SANITIZER
  GTEST_SKIP() << "AddressSanitizer's shadow makes processes large and their accounts slow";
#endif
  process_of small{[](int) {}}, large{[](int) { take_private(64 * mebibyte); }};
  bool told = false;
  int of_large = 0, of_small = 0, looks = 0;
  auto a = watch_->watch_tree(small.pid(), 60 * mebibyte, [&] { ++of_small; });
  auto b = watch_->watch_tree(large.pid(), 60 * mebibyte, [&] { ++of_large; });
  auto c = watch_->watch([&looks] { return ++looks == 4; }, [&told] { told = true; });
  run(told);
  EXPECT_EQ(of_large, 1);
  EXPECT_EQ(of_small, 0);
}

TEST_F(memory_watch_test, a_ticket_that_is_gone_ends_the_watch) {
  bool told = false, later = false;
  auto ticket = watch_->watch([] { return true; }, [&] { told = true; });
  ticket = {};
  auto other = watch_->watch([] { return true; }, [&] { later = true; });
  run(later);
  EXPECT_TRUE(later);
  EXPECT_FALSE(told);
}

TEST_F(memory_watch_test, is_idle_when_nothing_is_watched) {
  bool told = false;
  auto ticket = watch_->watch([] { return true; }, [&] { told = true; });
  run(told);
  EXPECT_LE(io_.run_for(5 * sandbox::memory_watch::interval), 2u)
    << "the last look, and then nothing that wakes anybody";
}

TEST_F(memory_watch_test, may_go_while_it_looks) {
  bool told = false;
  auto ticket = watch_->watch([] { return true; }, [&] { told = true; });
  io_.run_one(); // the look is on its way to the worker
  watch_ = nullptr;
  worker_.join();
  busy_.reset();
  io_.run();
  EXPECT_FALSE(told);
}

} // namespace sandbox_memory_watch_test
