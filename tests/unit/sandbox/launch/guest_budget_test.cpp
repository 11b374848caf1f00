// What is held for a guest that does not read has a limit, whatever messages it is made of.
#include "sandbox/launch/guest.hpp"

#include "messages/limits.hpp"
#include "tests/unit/support/loop.hpp"

#include <asio/experimental/as_tuple.hpp>
#include <asio/steady_timer.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <optional>
#include <sys/socket.h>

namespace sandbox_guest_budget_test {

constexpr uint64_t mebibyte = 1u << 20;

/// Lives until it is killed.
struct fake_body final : sandbox::guest_body {
  explicit fake_body(asio::io_context& io) : killed_(io, asio::steady_timer::time_point::max()) {}
  void kill() override { killed_.cancel(); }
  asio::awaitable<msg::guest_exit> wait() override {
    co_await killed_.async_wait(asio::experimental::as_tuple(asio::use_awaitable));
    co_return msg::guest_exit{};
  }
  asio::steady_timer killed_;
};

class guest_budget_test : public testing::Test {
protected:
  explicit guest_budget_test(std::shared_ptr<process::common_budget> budget = nullptr) {
    auto pipes = sandbox::make_guest_pipes();
    theirs_ = std::move(pipes.theirs);
    sandbox::guest_events events;
    events.frame = [](msg::document) -> asio::awaitable<void> { co_return; };
    events.ended = [this](msg::guest_exit how) { ended_ = std::move(how); };
    guest_ = sandbox::drive_guest({io_.get_executor(), workers_.get_executor(), {}, {}, std::move(budget)},
                                  std::make_shared<fake_body>(io_), std::move(pipes.ours),
                                  sandbox::channel_by::descriptor, std::move(events));
    io_.poll();
  }
  ~guest_budget_test() override {
    guest_->finish();
    theirs_ = {};
    until([&] { return ended_.has_value(); });
    io_.run_for(std::chrono::milliseconds{10});
    workers_.join();
  }
  /// About a mebibyte of memory, a tenth of that as text.
  static msg::spliced_text many_small_values() {
    boost::json::array list;
    for (int i = 0; i < 40'000; ++i)
      list.emplace_back(1);
    return {"", msg::document{boost::json::value(std::move(list))}, ""};
  }
  template <class Condition>
  bool until(Condition condition) {
    return test::run_until(io_, condition);
  }

  /// The beginning of a frame that never ends.
  void send_unfinished_frame(size_t bytes) {
    static constexpr unsigned char header[] = {0x04, 0, 0, 0};
    static_assert(msg::limits::frame_bytes_max == 0x04000000);
    ASSERT_EQ(::send(theirs_.channel.get(), header, sizeof header, 0), ssize_t{sizeof header});
    const std::string chunk(64u << 10, ' ');
    auto sent_all = [&, sent = size_t{0}]() mutable {
      auto n = ::send(theirs_.channel.get(), chunk.data(), chunk.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      sent += n > 0 ? static_cast<size_t>(n) : 0;
      return ended_ || sent >= bytes;
    };
    EXPECT_TRUE(until(sent_all));
  }

  asio::io_context io_;
  asio::thread_pool workers_{1};
  sandbox::guest_ends theirs_;
  std::shared_ptr<sandbox::guest> guest_;
  std::optional<msg::guest_exit> ended_;
};

TEST_F(guest_budget_test, answers_that_are_not_read_end_it) {
  guest_->hold_at_most(64 * mebibyte, 0);
  int sent = 0;
  while (sent < 1'000 && guest_->send(many_small_values()))
    ++sent;
  EXPECT_GT(sent, 30);
  EXPECT_LT(sent, 100);
  ASSERT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_EQ(ended_->cause, msg::errc::limit_exceeded);
  for (auto* word : {"64 MiB", "runs.maxHeldMb", "has not read"})
    EXPECT_NE(ended_->problem.find(word), std::string::npos) << ended_->problem;
}

TEST_F(guest_budget_test, the_limit_that_answers_have_reached_is_told) {
  const std::string mebibyte_of_text(mebibyte, 'x');
  size_t sent = 0;
  while (sent < 1'000 && guest_->send(msg::spliced_text{mebibyte_of_text}))
    ++sent;
  ASSERT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_NE(ended_->problem.find(": 128 MiB of them wait"), std::string::npos) << ended_->problem;
}

TEST_F(guest_budget_test, the_number_that_answers_have_reached_is_told) {
  guest_->send(msg::spliced_text{std::string(16 * mebibyte, 'x')}); // so that the others wait
  size_t sent = 0;
  while (sent < 2 * msg::limits::unsent_messages_max && guest_->send(msg::spliced_text{std::string{"1"}}))
    ++sent;
  ASSERT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_NE(ended_->problem.find(": 20000 of them wait"), std::string::npos) << ended_->problem;
}

TEST_F(guest_budget_test, the_end_of_the_channel_within_a_frame_is_known) {
  send_unfinished_frame(1'000);
  theirs_ = {};
  io_.restart();
  io_.run_for(std::chrono::milliseconds{20});
  guest_->finish();
  ASSERT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_TRUE(ended_->in_frame);
}

TEST_F(guest_budget_test, the_end_of_the_channel_between_frames_is_no_such_end) {
  theirs_ = {};
  io_.restart();
  io_.run_for(std::chrono::milliseconds{20});
  guest_->finish();
  ASSERT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_FALSE(ended_->in_frame);
}

TEST_F(guest_budget_test, what_is_held_elsewhere_counts) {
  guest_->hold_at_most(64 * mebibyte, 60 * mebibyte);
  io_.restart();
  io_.poll();
  EXPECT_FALSE(ended_);
  guest_->hold_at_most(64 * mebibyte, 65 * mebibyte);
  ASSERT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_EQ(ended_->cause, msg::errc::limit_exceeded);
}

TEST_F(guest_budget_test, a_frame_that_is_not_finished_counts) {
  guest_->hold_at_most(64 * mebibyte, 40 * mebibyte);
  send_unfinished_frame(63 * mebibyte);
  ASSERT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_EQ(ended_->cause, msg::errc::limit_exceeded);
  EXPECT_NE(ended_->problem.find("that it is sending"), std::string::npos) << ended_->problem;
}

struct guest_common_budget_test : guest_budget_test {
  guest_common_budget_test() : guest_budget_test(std::make_shared<process::common_budget>(16 * mebibyte)) {}
};

TEST_F(guest_common_budget_test, ends_the_one_for_whom_most_is_held) {
  send_unfinished_frame(20 * mebibyte);
  ASSERT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_EQ(ended_->cause, msg::errc::limit_exceeded);
  for (auto* word : {"16 MiB", "all programs together", "process.dataMb"})
    EXPECT_NE(ended_->problem.find(word), std::string::npos) << ended_->problem;
}

TEST_F(guest_budget_test, without_a_limit_anything_is_held) {
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(guest_->send(many_small_values()));
  io_.restart();
  io_.poll();
  EXPECT_FALSE(ended_);
}

} // namespace sandbox_guest_budget_test
