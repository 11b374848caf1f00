// Messages that are taken back before they have begun to leave.
#include "messages/limits.hpp"
#include "process/child.hpp"
#include "process/json_reader.hpp"
#include "process/json_writer.hpp"
#include "testing/coroutines.hpp"
#include "tests/unit/support/values.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/thread_pool.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

namespace process_json_take_back_test {

using process::json_event;

constexpr size_t unsent_max = 128u << 20;
constexpr size_t pipe_bytes = 64u << 10; ///< that it holds

class json_take_back : public testing::Test {
protected:
  json_take_back() {
    std::signal(SIGPIPE, SIG_IGN);
    auto ends = process::make_pipe();
    read_end_ = std::make_shared<asio::posix::stream_descriptor>(io_, ends.read.release());
    write_end_ = std::make_shared<asio::posix::stream_descriptor>(io_, ends.write.release());
    writer_ =
      std::make_shared<process::json_writer>(write_end_, worker_.get_executor(), process::framing::lines, unsent_max);
    asio::co_spawn(io_, writer_->run(), asio::detached);
    settle();
  }
  ~json_take_back() override {
    writer_->close();
    settle();
  }

  void settle() {
    io_.restart();
    for (int i = 0; i < 200 && (io_.poll() > 0 || i < 20); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  bool push(uint64_t key, size_t bytes) {
    auto text = msg::document{boost::json::object{{"n", key}, {"x", std::string(bytes, 'x')}}};
    return writer_->push({"", std::move(text), ""}, key);
  }
  /// What arrives, in order.
  std::vector<uint64_t> arrivals() {
    writer_->finish();
    process::json_reader reader{read_end_, worker_.get_executor(), process::framing::lines, unsent_max};
    std::vector<uint64_t> out;
    for (;;) {
      auto event = test::run(io_, reader.next());
      if (event.what != json_event::kind::message)
        return out;
      out.push_back(event.value.value().at("n").to_number<uint64_t>());
    }
  }

  asio::io_context io_;
  asio::thread_pool worker_{1};
  std::shared_ptr<asio::posix::stream_descriptor> read_end_, write_end_;
  std::shared_ptr<process::json_writer> writer_;
};

TEST_F(json_take_back, what_waits_behind_a_full_pipe_is_not_sent) {
  for (uint64_t key = 1; key <= 9; ++key)
    ASSERT_TRUE(push(key, 2 * pipe_bytes));
  settle();
  EXPECT_FALSE(writer_->take_back(1)) << "it has begun to leave";
  for (uint64_t key : {2, 3, 5, 9})
    EXPECT_TRUE(writer_->take_back(key)) << key;
  EXPECT_FALSE(writer_->take_back(5)) << "twice";
  EXPECT_FALSE(writer_->take_back(100)) << "never sent";
  EXPECT_FALSE(writer_->take_back(0));
  EXPECT_EQ(arrivals(), (std::vector<uint64_t>{1, 4, 6, 7, 8}));
  EXPECT_EQ(writer_->unsent_bytes(), 0u);
  EXPECT_EQ(writer_->held_bytes(), 0u);
}

TEST_F(json_take_back, small_ones_that_are_written_together_are_taken_back_one_by_one) {
  ASSERT_TRUE(push(1, 2 * pipe_bytes));
  for (uint64_t key = 2; key <= 20; ++key)
    ASSERT_TRUE(push(key, 6'000));
  std::string some(pipe_bytes + 30'000, ' '); // so that the first is gone, and those behind it are on their way
  settle();
  for (size_t got = 0; got < 2 * pipe_bytes - 10'000;) {
    got += read_end_->read_some(asio::buffer(some.data(), 10'000));
    settle();
  }
  std::vector<uint64_t> kept;
  for (uint64_t key = 2; key <= 20; ++key)
    if (key % 2 == 0 || !writer_->take_back(key))
      kept.push_back(key);
  EXPECT_LT(kept.size(), 19u);
  writer_->finish();
  std::string rest;
  asio::error_code ec;
  while (!ec) {
    settle();
    rest.append(some.data(), read_end_->read_some(asio::buffer(some), ec));
  }
  std::vector<uint64_t> arrived;
  for (size_t at = rest.find('\n') + 1, end = rest.find('\n', at); end != rest.npos;
       at = end + 1, end = rest.find('\n', at))
    arrived.push_back(test::value(rest.substr(at, end - at)).at("n").to_number<uint64_t>());
  EXPECT_EQ(arrived, kept);
}

TEST_F(json_take_back, one_that_the_worker_writes_into_text_is_not_sent) {
  ASSERT_TRUE(push(1, 2 * msg::limits::json_inline_bytes_max));
  io_.restart();
  io_.poll_one(); // it is with the worker
  EXPECT_TRUE(writer_->take_back(1));
  ASSERT_TRUE(push(2, 10));
  settle();
  EXPECT_EQ(arrivals(), std::vector<uint64_t>{2});
}

TEST_F(json_take_back, its_memory_is_free_at_once) {
  constexpr size_t large = 8u << 20;
  for (uint64_t key = 1; key <= 15; ++key)
    ASSERT_TRUE(push(key, large));
  for (int i = 0; i < 500 && writer_->unsent_bytes() > 14 * (large + 100); ++i)
    settle();
  for (uint64_t key = 1; key <= 15; ++key)
    (void)writer_->take_back(key);
  EXPECT_LE(writer_->held_bytes(), 2 * large) << "only the one that has begun";
  EXPECT_EQ(writer_->unsent_bytes(), 0u);
  EXPECT_TRUE(push(16, 100u << 20)) << "there is room again";
}

TEST_F(json_take_back, it_knows_for_how_long_nothing_was_read) {
  EXPECT_EQ(writer_->unread_for().count(), 0) << "nothing was sent";
  ASSERT_TRUE(push(1, 100));
  std::this_thread::sleep_for(std::chrono::milliseconds{30});
  EXPECT_GE(writer_->unread_for().count(), 30) << "it is in the pipe";
  ASSERT_TRUE(push(2, 100));
  EXPECT_GE(writer_->unread_for().count(), 30);
  std::string some(50, ' ');
  read_end_->read_some(asio::buffer(some));
  EXPECT_LT(writer_->unread_for().count(), 30) << "some of it was read";
  std::this_thread::sleep_for(std::chrono::milliseconds{30});
  EXPECT_GE(writer_->unread_for().count(), 30);
  some.resize(1'000);
  read_end_->read_some(asio::buffer(some));
  EXPECT_EQ(writer_->unread_for().count(), 0) << "all of it";
}

} // namespace process_json_take_back_test
