#include "process/fair_threads.hpp"

#include "process/offload.hpp"
#include "testing/coroutines.hpp"

#include <gtest/gtest.h>

#include <asio/post.hpp>

#include <atomic>
#include <future>
#include <latch>
#include <new>
#include <stdexcept>

namespace process_fair_threads_test {

using msg::errc;

/// Work that goes on until it is told to end.
struct gate {
  std::promise<void> begun_, open_;
  std::future<void> begun = begun_.get_future();
  std::shared_future<void> open = open_.get_future().share();
  std::function<void()> work() {
    return [this] {
      begun_.set_value();
      open.wait();
    };
  }
};

TEST(fair_threads, do_the_work_of_one_line_in_order_and_one_at_a_time) {
  std::latch done{200};
  std::atomic<int> at_once{0};
  std::vector<int> order;
  process::fair_threads threads{4};
  auto line = threads.line();
  for (int i = 0; i < 200; ++i)
    asio::post(line, [&, i] {
      EXPECT_EQ(++at_once, 1);
      order.push_back(i);
      --at_once;
      done.count_down();
    });
  done.wait();
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(fair_threads, lines_take_turns) {
  gate first;
  std::atomic<int> hostile_done{0};
  std::promise<int> answered;
  process::fair_threads threads{1};
  auto hostile = threads.line(), other = threads.line();
  asio::post(hostile, first.work());
  first.begun.wait();
  for (int i = 0; i < 1'000; ++i)
    asio::post(hostile, [&] { ++hostile_done; });
  asio::post(other, [&] { answered.set_value(hostile_done); });
  first.open_.set_value();
  EXPECT_LE(answered.get_future().get(), 1);
}

TEST(fair_threads, one_line_never_holds_two_threads) {
  gate held;
  std::atomic<bool> second{false};
  std::promise<void> answered;
  process::fair_threads threads{2};
  auto hostile = threads.line();
  asio::post(hostile, held.work());
  held.begun.wait();
  asio::post(hostile, [&] { second = true; });
  asio::post(threads.line(), [&] { answered.set_value(); });
  answered.get_future().wait();
  EXPECT_FALSE(second);
  held.open_.set_value();
}

TEST(fair_threads, take_nothing_after_their_end) {
  process::fair_threads threads{1};
  auto line = threads.line();
  threads.join();
  auto token = std::make_shared<int>();
  std::weak_ptr<int> alive = token;
  asio::post(line, [token = std::move(token)] { FAIL() << "it was done"; });
  EXPECT_TRUE(alive.expired());
}

TEST(offload, of_a_line_that_was_given_up_answers_at_once) {
  asio::io_context io; // outlives the threads that post to it
  process::fair_threads threads{1};
  auto line = threads.line();
  process::give_up(line);
  auto work = [] { return 7; };
  auto answer = test::run(io, process::offload(line, work));
  EXPECT_EQ(answer.error.code, errc::cancelled);
  EXPECT_EQ(test::run(io, process::offload(threads.line(), work)).value, 7) << "others go on";
}

TEST(offload, says_that_there_was_no_memory) {
  asio::io_context io; // outlives the threads that post to it
  process::fair_threads threads{1};
  auto work = []() -> int { throw std::bad_alloc{}; };
  auto answer = test::run(io, process::offload(threads.line(), work));
  EXPECT_EQ(answer.error.code, errc::limit_exceeded);
  EXPECT_NE(answer.error.message.find("process.dataMb"), std::string::npos) << answer.error.message;
}

} // namespace process_fair_threads_test
