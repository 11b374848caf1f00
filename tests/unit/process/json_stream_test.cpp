// The reader and the writer over real pipes and sockets.
#include "process/json_reader.hpp"
#include "process/json_writer.hpp"

#include "messages/limits.hpp"
#include "process/child.hpp"
#include "process/offload.hpp"
#include "testing/coroutines.hpp"
#include "tests/unit/support/values.hpp"

#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/read.hpp>
#include <asio/thread_pool.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>
#include <unistd.h>

namespace process_json_stream_test {

using process::framing;
using process::json_event;
using process::json_reader;
using process::json_writer;
using stream = std::shared_ptr<asio::posix::stream_descriptor>;

constexpr size_t bound = 64u << 20;
constexpr size_t large = 2 * msg::limits::json_inline_bytes_max; // goes through the worker

class json_stream : public testing::TestWithParam<framing> {
protected:
  json_stream() { std::signal(SIGPIPE, SIG_IGN); }

  void open_pipe() {
    auto ends = process::make_pipe();
    read_end_ = own(ends.read);
    write_end_ = own(ends.write);
  }
  stream own(process::descriptor& d) { return std::make_shared<asio::posix::stream_descriptor>(io_, d.release()); }

  json_reader reader(size_t bytes_max = bound) { return {read_end_, worker_.get_executor(), GetParam(), bytes_max}; }
  std::shared_ptr<json_writer> start_writer(size_t unsent_bytes_max = bound) {
    auto w = std::make_shared<json_writer>(write_end_, worker_.get_executor(), GetParam(), unsent_bytes_max);
    asio::co_spawn(io_, w->run(), [this](std::exception_ptr) { ended_ = true; });
    return w;
  }
  json_event next(json_reader& from) { return test::run(io_, from.next()); }
  void settle() {
    io_.restart();
    for (int i = 0; i < 200 && (io_.poll() > 0 || i < 20); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  /// Runs until the writer has ended, or some seconds.
  bool has_ended() {
    io_.restart();
    auto busy = asio::make_work_guard(io_); // while only the worker works
    for (auto deadline = std::chrono::steady_clock::now() + test::patience; !ended_ && io_.run_one_until(deadline) > 0;)
      ;
    return ended_;
  }
  void write_raw(const std::string& bytes) {
    ASSERT_EQ(::write(write_end_->native_handle(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  asio::io_context io_;
  asio::thread_pool worker_{1};
  stream read_end_, write_end_;
  bool ended_ = false;
};

INSTANTIATE_TEST_SUITE_P(framings, json_stream, testing::Values(framing::lines, framing::frames),
                         [](auto& info) { return info.param == framing::lines ? "lines" : "frames"; });

msg::spliced_text text(const std::string& json) { return msg::spliced_text{json}; }

std::string large_text() { return "[\"" + std::string(large, 'x') + "\"]"; }

TEST_P(json_stream, keeps_the_order_of_small_and_large_messages) {
  open_pipe();
  auto w = start_writer();
  for (int i = 0; i < 60; ++i) {
    auto head = "{\"i\":" + std::to_string(i) + ",\"x\":";
    if (i % 10 == 3) {
      ASSERT_TRUE(w->push({head, test::doc(large_text()), "}"}));
    } else {
      ASSERT_TRUE(w->push(text(head + "0}")));
    }
  }
  w->finish();
  auto r = reader();
  for (int i = 0; i < 60; ++i) {
    auto e = next(r);
    ASSERT_EQ(e.what, json_event::kind::message) << i << ": " << e.problem;
    ASSERT_EQ(e.value.value().at("i").as_int64(), i);
  }
  auto last = next(r);
  EXPECT_EQ(last.what, json_event::kind::end);
  EXPECT_EQ(last.problem, "");
  EXPECT_TRUE(ended_);
  EXPECT_EQ(w->unsent_bytes(), 0u);
}

TEST_P(json_stream, a_large_message_crosses_unchanged) {
  open_pipe();
  auto w = start_writer();
  test::random_values random{5};
  boost::json::array big;
  while (big.size() < 20'000)
    big.push_back(random.value(2));
  auto original = test::doc(boost::json::serialize(big));
  ASSERT_GT(original.text_bytes(), msg::limits::json_inline_bytes_max);
  ASSERT_TRUE(w->push({"", original, ""}));
  auto r = reader();
  auto e = next(r);
  ASSERT_EQ(e.what, json_event::kind::message) << e.problem;
  EXPECT_EQ(e.value.value(), original.value());
}

TEST_P(json_stream, does_not_parse_what_would_take_too_much_memory) {
  open_pipe();
  auto w = start_writer();
  std::string lists = "[[]";
  while (lists.size() < large)
    lists += ",[]";
  for (auto& message : {lists + "]", large_text(), std::string{"1"}})
    ASSERT_TRUE(w->push(text(message)));
  auto r = reader();
  r.hold_at_most(large + 100'000);
  auto e = next(r);
  EXPECT_EQ(e.what, json_event::kind::unread);
  EXPECT_NE(e.problem.find("bytes that would take more than 0 MiB of memory"), std::string::npos) << e.problem;
  EXPECT_EQ(next(r).what, json_event::kind::message) << "a text takes its own size";
  EXPECT_EQ(next(r).what, json_event::kind::message);
}

TEST_P(json_stream, knows_the_memory_of_what_waits) {
  open_pipe();
  auto w = std::make_shared<json_writer>(write_end_, worker_.get_executor(), GetParam(), bound);
  boost::json::array list;
  for (int i = 0; i < 10'000; ++i)
    list.emplace_back(1);
  ASSERT_TRUE(w->push({"", msg::document{list}, ""}));
  EXPECT_GT(w->held_bytes(), 10'000 * sizeof(boost::json::value));
  w->close();
  EXPECT_EQ(w->held_bytes(), 0u);
}

TEST_P(json_stream, refuses_what_is_over_the_bound_of_the_queue) {
  open_pipe();
  auto w = std::make_shared<json_writer>(write_end_, worker_.get_executor(), GetParam(), 10);
  EXPECT_TRUE(w->push(text("\"12345\""))); // 7
  EXPECT_FALSE(w->push(text("\"123\"")));  // 12
  EXPECT_TRUE(w->push(text("123")));       // 10
  EXPECT_EQ(w->unsent_bytes(), 10u);
  EXPECT_FALSE(w->push(text("1")));
  asio::co_spawn(io_, w->run(), asio::detached);
  auto r = reader();
  EXPECT_EQ(next(r).value.text(), "\"12345\"");
  EXPECT_EQ(next(r).value.text(), "123");
  EXPECT_EQ(w->unsent_bytes(), 0u);
  EXPECT_TRUE(w->push(text("4"))) << "there is room again";
  EXPECT_EQ(next(r).value.text(), "4");
  w->close();
  settle();
}

TEST_P(json_stream, bounds_the_number_of_messages_that_wait) {
  open_pipe();
  auto w = std::make_shared<json_writer>(write_end_, worker_.get_executor(), GetParam(), 4u << 20);
  for (size_t i = 0; i < msg::limits::unsent_messages_max; ++i)
    ASSERT_TRUE(w->push(text("1")));
  EXPECT_EQ(w->refused_for(), process::full::nothing);
  EXPECT_FALSE(w->push(text("1")));
  EXPECT_EQ(w->refused_for(), process::full::messages);
  w->close();
  EXPECT_FALSE(w->push(text("1")));
  EXPECT_EQ(w->refused_for(), process::full::nothing) << "it is closed";
}

TEST_P(json_stream, a_reader_that_does_not_read_fills_the_queue_and_nothing_else) {
  open_pipe();
  auto w = start_writer(1u << 20);
  size_t taken = 0;
  for (int i = 0; i < 4'000; ++i) {
    taken += w->push(text("\"" + std::string(1'000, 'x') + "\""));
    io_.restart();
    io_.poll();
  }
  EXPECT_LT(taken, 4'000u);
  EXPECT_GE(taken, (1u << 20) / 1'002);
  EXPECT_LE(w->unsent_bytes(), 1u << 20);
  w->close();
  EXPECT_TRUE(has_ended()) << "close() ends a write that nobody reads";
}

TEST_P(json_stream, finish_sends_what_is_queued_and_takes_no_more) {
  open_pipe();
  auto w = start_writer();
  ASSERT_TRUE(w->push(text("1")));
  ASSERT_TRUE(w->push({"", test::doc(large_text()), ""}));
  w->finish();
  EXPECT_FALSE(w->push(text("3")));
  auto r = reader();
  EXPECT_EQ(next(r).value.text(), "1");
  EXPECT_EQ(next(r).value.text(), large_text());
  EXPECT_EQ(next(r).what, json_event::kind::end);
  EXPECT_TRUE(ended_);
}

TEST_P(json_stream, close_drops_the_queue) {
  open_pipe();
  auto w = start_writer();
  settle();
  for (int i = 0; i < 300; ++i)
    ASSERT_TRUE(w->push(text("\"" + std::string(1'000, 'x') + "\""))); // a pipe holds 64 KiB
  EXPECT_GT(w->unsent_bytes(), 0u);
  w->close();
  EXPECT_FALSE(w->push(text("2")));
  EXPECT_EQ(w->unsent_bytes(), 0u);
  EXPECT_TRUE(has_ended());
  auto r = reader();
  int received = 0;
  while (next(r).what == json_event::kind::message)
    ++received;
  EXPECT_LT(received, 100);
}

TEST_P(json_stream, nothing_overtakes_what_a_full_pipe_holds_up) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    open_pipe();
    auto w = start_writer();
    settle();
    auto r = reader();
    test::random_values random{seed};
    int pushed = 0, received = 0;
    while (received < 400) {
      for (auto n = random.below(120); n > 0 && pushed < 400; --n, ++pushed)
        ASSERT_TRUE(w->push(
          text("{\"i\":" + std::to_string(pushed) + ",\"x\":\"" + std::string(random.below(2'000), 'x') + "\"}")));
      for (auto n = random.below(80); n > 0 && received < pushed; --n, ++received)
        ASSERT_EQ(next(r).value.value().at("i").as_int64(), received) << "seed " << seed;
    }
    EXPECT_EQ(w->unsent_bytes(), 0u) << "seed " << seed;
    w->finish();
    EXPECT_EQ(next(r).what, json_event::kind::end);
    settle();
  }
}

TEST_P(json_stream, close_while_the_worker_writes_a_large_message) {
  open_pipe();
  auto w = start_writer();
  w->push({"", test::doc(large_text()), ""});
  io_.restart();
  io_.poll();
  w->close();
  EXPECT_TRUE(has_ended());
  EXPECT_EQ(w->unsent_bytes(), 0u);
}

TEST_P(json_stream, ends_when_the_other_side_is_gone) {
  open_pipe();
  auto w = start_writer();
  read_end_->close();
  w->push(text("1"));
  EXPECT_TRUE(has_ended());
  EXPECT_FALSE(w->push(text("2")));
}

TEST_P(json_stream, goes_both_ways_over_one_socket) {
  auto [ours, theirs] = process::make_socket_pair();
  read_end_ = write_end_ = own(ours);
  auto w = start_writer();
  auto r = reader();
  auto peer = own(theirs);
  json_reader peer_reader{peer, worker_.get_executor(), GetParam(), bound};
  auto peer_writer = std::make_shared<json_writer>(peer, worker_.get_executor(), GetParam(), bound);
  asio::co_spawn(io_, peer_writer->run(), asio::detached);
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(w->push(text("{\"question\":" + std::to_string(i) + "}")));
    ASSERT_EQ(test::run(io_, peer_reader.next()).value.value().at("question").as_int64(), i);
    ASSERT_TRUE(peer_writer->push(text("{\"answer\":" + std::to_string(i) + "}")));
    ASSERT_EQ(next(r).value.value().at("answer").as_int64(), i);
  }
  peer_writer->close();
  EXPECT_EQ(next(r).what, json_event::kind::end);
  w->close();
  settle();
}

TEST_P(json_stream, tells_what_is_malformed_and_goes_on) {
  open_pipe();
  write_raw(process::frame(GetParam(), "{\"a\":") + process::frame(GetParam(), "2"));
  auto r = reader();
  auto e = next(r);
  EXPECT_EQ(e.what, json_event::kind::malformed);
  EXPECT_EQ(e.text, "{\"a\":");
  EXPECT_FALSE(e.problem.empty());
  EXPECT_TRUE(e.value.value().is_null());
  EXPECT_EQ(next(r).value.text(), "2");
}

TEST_P(json_stream, quotes_only_the_beginning_of_what_is_malformed) {
  open_pipe();
  for (auto bytes : {10'000u, 60'000u}) {
    write_raw(process::frame(GetParam(), std::string(bytes, 'x')));
    auto r = reader();
    auto e = next(r);
    EXPECT_EQ(e.what, json_event::kind::malformed);
    EXPECT_EQ(e.text, std::string(4'096, 'x'));
  }
}

TEST_P(json_stream, tells_what_is_too_long) {
  open_pipe();
  write_raw(process::frame(GetParam(), "123456789") + process::frame(GetParam(), "1"));
  auto r = reader(8);
  EXPECT_EQ(next(r).what, json_event::kind::too_long);
  if (GetParam() == framing::lines) {
    EXPECT_EQ(next(r).value.text(), "1");
  }
}

TEST_P(json_stream, an_unfinished_message_is_no_message) {
  open_pipe();
  auto whole = process::frame(GetParam(), "123");
  write_raw(whole + whole.substr(0, whole.size() - 1));
  write_end_->close();
  auto r = reader();
  EXPECT_EQ(next(r).value.text(), "123");
  auto end = next(r);
  EXPECT_EQ(end.what, json_event::kind::end);
  EXPECT_TRUE(end.is_cut_off);
}

TEST_P(json_stream, a_finished_message_is_not_cut_off) {
  open_pipe();
  write_raw(process::frame(GetParam(), "123"));
  write_end_->close();
  auto r = reader();
  EXPECT_EQ(next(r).value.text(), "123");
  EXPECT_FALSE(next(r).is_cut_off);
}

TEST_P(json_stream, a_closed_descriptor_ends_the_reader_with_a_problem) {
  open_pipe();
  auto r = reader();
  json_event got;
  got.what = json_event::kind::message;
  asio::co_spawn(io_, r.next(), [&](std::exception_ptr, json_event e) { got = std::move(e); });
  settle();
  EXPECT_EQ(got.what, json_event::kind::message) << "it did not wait";
  read_end_->close();
  settle();
  EXPECT_EQ(got.what, json_event::kind::end);
  EXPECT_FALSE(got.problem.empty());
}

// ---- offload -----------------------------------------------------------------------------------

TEST(offload, works_elsewhere_and_comes_back) {
  asio::io_context io;
  asio::thread_pool worker{1};
  auto work = [&]() -> asio::awaitable<bool> {
    auto where = [] { return std::this_thread::get_id(); };
    auto there = co_await process::offload(worker.get_executor(), where);
    co_return there.value != std::this_thread::get_id();
  };
  auto here = std::this_thread::get_id();
  auto back = [&]() -> asio::awaitable<bool> {
    bool elsewhere = co_await work();
    co_return elsewhere&& std::this_thread::get_id() == here;
  };
  EXPECT_TRUE(test::run(io, back()));
}

TEST(offload, does_not_hold_the_thread) {
  asio::io_context io;
  asio::thread_pool worker{1};
  bool ran_meanwhile = false;
  auto work = [&]() -> asio::awaitable<bool> {
    auto slow = [] {
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
      return 1;
    };
    auto result = co_await process::offload(worker.get_executor(), slow);
    co_return result.value == 1 && ran_meanwhile;
  };
  asio::steady_timer timer{io, std::chrono::milliseconds{5}};
  timer.async_wait([&](asio::error_code) { ran_meanwhile = true; });
  EXPECT_TRUE(test::run(io, work()));
}

TEST(offload, hands_exceptions_to_the_caller_as_faults) {
  asio::io_context io;
  asio::thread_pool worker{1};
  auto fails = []() -> int { throw std::runtime_error{"no"}; };
  auto answer = test::run(io, process::offload(worker.get_executor(), fails));
  EXPECT_EQ(answer.error.code, msg::errc::internal);
  EXPECT_EQ(answer.error.message, "the server failed: no");
}

TEST(offload, moves_what_it_gets) {
  asio::io_context io;
  asio::thread_pool worker{1};
  auto owned = std::make_unique<int>(7);
  auto work = [owned = std::move(owned)]() mutable { return std::move(owned); };
  EXPECT_EQ(*test::run(io, process::offload(worker.get_executor(), std::move(work))).value, 7);
}

} // namespace process_json_stream_test
