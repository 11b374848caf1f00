#include "sandbox/isolation/box_end.hpp"

#include "testing/coroutines.hpp"
#include "tests/unit/support/processes.hpp"

#include <asio/io_context.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" { // glibc 2.36 forgot it in this header
#include <sys/pidfd.h>
}

namespace sandbox_box_end_test {

/// Like bubblewrap: a process that has one child, which outlives it.
class box_end_test : public testing::Test {
protected:
  box_end_test() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    outer_ = ::fork();
    if (outer_ == 0) {
      auto inner = ::fork();
      if (inner != 0) {
        [[maybe_unused]] auto written = ::write(ends[1], &inner, sizeof inner);
      }
      for (;;)
        ::pause();
    }
    EXPECT_EQ(::read(ends[0], &inner_, sizeof inner_), static_cast<ssize_t>(sizeof inner_));
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~box_end_test() override {
    for (auto pid : {outer_, inner_})
      ::kill(pid, SIGKILL);
    ::waitpid(outer_, nullptr, 0);
  }
  void release(sandbox::box_end& end) {
    auto released = [](sandbox::box_end& of) -> asio::awaitable<bool> {
      co_await of.release();
      co_return true;
    };
    test::run(io_, released(end));
  }
  /// Of a box that asks whether it may begin.
  std::unique_ptr<sandbox::box_end> watch() {
    auto [ours, theirs] = process::make_socket_pair();
    leash_ = std::move(theirs);
    EXPECT_EQ(::write(leash_.get(), "?", 1), 1);
    return std::make_unique<sandbox::box_end>(
      io_.get_executor(), std::vector<std::shared_ptr<const void>>{std::exchange(held_, nullptr)}, std::move(ours));
  }
  /// Whether process 1 may start the guest.
  bool is_admitted(sandbox::box_end& end) {
    end.admit(outer_);
    io_.restart();
    io_.run();
    char told = 0;
    return ::read(leash_.get(), &told, 1) == 1;
  }

  asio::io_context io_;
  pid_t outer_ = 0, inner_ = 0;
  process::descriptor leash_; ///< of process 1
  std::shared_ptr<const int> held_ = std::make_shared<const int>(1);
  std::weak_ptr<const int> still_ = held_;
};

TEST_F(box_end_test, is_that_of_the_last_process) {
  auto end = watch();
  EXPECT_TRUE(is_admitted(*end));
  EXPECT_FALSE(still_.expired()) << "somebody in the box may be in the middle of a rename";
  ::kill(outer_, SIGKILL);
  release(*end); // kills the last one, too: it may not have been told to die with the first
  io_.restart();
  io_.run();
  EXPECT_TRUE(still_.expired());
  EXPECT_FALSE(test::alive(inner_));
}

TEST_F(box_end_test, no_guest_starts_in_a_box_that_has_lost_bubblewrap) {
  auto end = watch();
  ::kill(outer_, SIGKILL);
  ::waitpid(outer_, nullptr, 0);
  EXPECT_FALSE(is_admitted(*end));
  release(*end);
  EXPECT_TRUE(still_.expired());
}

TEST_F(box_end_test, no_guest_starts_in_a_box_that_nobody_waits_for) {
  auto end = watch();
  release(*end);
  EXPECT_TRUE(still_.expired());
  EXPECT_FALSE(is_admitted(*end));
}

TEST_F(box_end_test, is_at_once_where_no_program_has_run) {
  auto end = watch();
  release(*end);
  EXPECT_TRUE(still_.expired());
}

TEST_F(box_end_test, is_brought_about_when_the_server_ends) {
  int process_one = ::pidfd_open(inner_, 0);
  {
    auto end = watch();
    EXPECT_TRUE(is_admitted(*end));
  }
  EXPECT_TRUE(still_.expired());
  pollfd looked{process_one, POLLIN, 0};
  EXPECT_EQ(::poll(&looked, 1, 0), 1) << "and not before";
  ::close(process_one);
}

} // namespace sandbox_box_end_test
