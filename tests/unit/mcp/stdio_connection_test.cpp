// Connections to shells that close their pipes while they live.
#include "mcp/stdio_connection.hpp"

#include "messages/limits.hpp"
#include "testing/coroutines.hpp"

#include <asio/io_context.hpp>
#include <asio/thread_pool.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <optional>
#include <string>

namespace mcp_stdio_connection_test {

class stdio_connection_test : public testing::Test {
protected:
  stdio_connection_test() { std::signal(SIGPIPE, SIG_IGN); }
  ~stdio_connection_test() override {
    if (connection_ && !closed_) {
      connection_->kill();
      run_until_closed();
    }
  }

  /// Each message of the script is answered with one to it.
  void start(const std::string& script) {
    process::launch what;
    what.argv = {"/bin/sh", "-c", script};
    what.environment = {"PATH=/usr/bin:/bin"};
    mcp::connection_events events;
    events.received = [this](msg::document, uint64_t) -> asio::awaitable<void> {
      was_sent_ = send("1") && was_sent_;
      co_return;
    };
    events.non_protocol_line = [](std::string) -> asio::awaitable<void> { co_return; };
    events.ending = [this] { ++endings_; };
    events.closed = [this](msg::fault why) { closed_ = std::move(why); };
    auto opened = mcp::open_stdio(environment_, "kid", what, std::move(events));
    ASSERT_TRUE(opened.ok()) << opened.error.message;
    connection_ = std::move(opened.value);
  }
  bool send(std::string text) { return connection_->send(msg::spliced_text{std::move(text)}, 0, {}); }
  void run_until_closed() {
    auto deadline = std::chrono::steady_clock::now() + test::patience;
    while (!closed_ && io_.run_one_until(deadline) > 0)
      if (endings_ > 0 && !closed_) // its owner may not have heard of it
        was_sent_ = send("1") && was_sent_;
    ASSERT_TRUE(closed_) << "it did not end";
  }

  asio::io_context io_;
  asio::thread_pool worker_{1};
  mcp::stdio_environment environment_{io_.get_executor(),
                                      [this] { return asio::any_io_executor{worker_.get_executor()}; }};
  std::shared_ptr<mcp::connection> connection_;
  bool was_sent_ = true;
  int endings_ = 0;
  std::optional<msg::fault> closed_;
};

TEST_F(stdio_connection_test, one_that_closes_its_stdin_is_stopped_and_says_so) {
  start("exec 0<&-; echo '{}'; exec sleep 60");
  run_until_closed();
  EXPECT_EQ(closed_->code, msg::errc::server_died);
  EXPECT_TRUE(closed_->message.starts_with("closed its stdin, and was stopped: ended with ")) << closed_->message;
  EXPECT_TRUE(was_sent_) << "that would be a full queue";
  EXPECT_EQ(endings_, 1);
}

TEST_F(stdio_connection_test, one_that_closes_its_stdin_before_it_has_read_all_is_stopped_without_another_message) {
  start("read -r first; exec 0<&-; sleep 60");
  EXPECT_TRUE(send("1") && send("2"));
  auto deadline = std::chrono::steady_clock::now() + test::patience;
  while (endings_ == 0 && io_.run_one_until(deadline) > 0)
    ;
  EXPECT_EQ(endings_, 1);
  run_until_closed();
  EXPECT_NE(closed_->message.find("closed its stdin, and was stopped"), std::string::npos) << closed_->message;
}

TEST_F(stdio_connection_test, one_that_closes_its_stdout_is_stopped) {
  start("exec 1>&-; exec sleep 60");
  run_until_closed();
  EXPECT_EQ(closed_->code, msg::errc::server_died);
  EXPECT_TRUE(closed_->message.starts_with("closed its stdout, and was stopped: ended with ")) << closed_->message;
  EXPECT_TRUE(was_sent_) << "that would be a full queue";
  EXPECT_EQ(endings_, 1);
}

TEST_F(stdio_connection_test, one_that_dies_is_not_told_to_have_closed_its_stdin) {
  start("exec 0<&-; echo '{}'; exit 3");
  run_until_closed();
  EXPECT_TRUE(closed_->message.starts_with("ended with ")) << closed_->message;
  EXPECT_NE(closed_->message.find('3'), std::string::npos) << closed_->message;
  EXPECT_TRUE(was_sent_);
  EXPECT_EQ(endings_, 1);
}

TEST_F(stdio_connection_test, lines_that_do_not_end_have_one_bound_for_all_servers) {
  environment_.unread_lines = std::make_shared<process::common_budget>(2u << 20);
  start("head -c 3000000 /dev/zero | tr '\\0' x; exec sleep 60");
  run_until_closed();
  EXPECT_EQ(closed_->code, msg::errc::protocol_violation);
  EXPECT_TRUE(closed_->message.starts_with("was stopped: it had sent 2 MiB of a line, the most of all servers, whose "
                                           "lines together took more than 2 MiB"))
    << closed_->message;
}

TEST_F(stdio_connection_test, a_line_that_has_been_read_takes_nothing_from_the_next) {
  environment_.unread_lines = std::make_shared<process::common_budget>(2u << 20);
  start("for i in 1 2 3; do printf '\"'; head -c 1000000 /dev/zero | tr '\\0' x; echo '\"'; done; exit 3");
  run_until_closed();
  EXPECT_TRUE(closed_->message.starts_with("ended with ")) << closed_->message;
}

TEST_F(stdio_connection_test, a_full_queue_is_told) {
  start("exec sleep 60");
  const std::string message(1u << 20, '1');
  size_t sent_bytes = 0;
  while (sent_bytes <= 2 * msg::limits::child_unsent_bytes_max && send(message))
    sent_bytes += message.size();
  EXPECT_LE(sent_bytes, msg::limits::child_unsent_bytes_max);
  EXPECT_EQ(endings_, 0);
}

} // namespace mcp_stdio_connection_test
