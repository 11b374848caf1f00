#include "mcp/http_outbox.hpp"

#include "messages/limits.hpp"

#include <gtest/gtest.h>

namespace mcp_http_outbox_test {

using mcp::http_outbox;

constexpr auto end_of_handshake = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

class http_outbox_test : public testing::Test {
protected:
  bool push(uint64_t key, std::string text = "{}") { return outbox_.push(msg::spliced_text{std::move(text)}, key); }
  /// Keys of all that can go now; what went is in `out_`.
  std::vector<uint64_t> sent() {
    std::vector<uint64_t> keys;
    while (auto next = outbox_.next()) {
      keys.push_back(next->key);
      out_.push_back(std::move(*next));
    }
    return keys;
  }
  using keys = std::vector<uint64_t>;

  http_outbox outbox_;
  std::vector<mcp::outgoing_message> out_;
};

TEST_F(http_outbox_test, only_the_end_of_the_handshake_holds_others_up) {
  push(0);
  push(1);
  EXPECT_EQ(sent(), (keys{0, 1})) << "an answer to a ping, which is left unanswered";
  push(0, end_of_handshake);
  push(2);
  EXPECT_EQ(sent(), keys{0});
  EXPECT_TRUE(out_.back().ends_handshake);
  EXPECT_EQ(sent(), keys{}) << "until the server has it";
  outbox_.pass();
  EXPECT_EQ(sent(), keys{2});
  push(0, end_of_handshake);
  push(3);
  EXPECT_EQ(sent(), (keys{0, 3})) << "once";
}

TEST_F(http_outbox_test, the_end_of_the_handshake_that_is_never_taken_holds_nobody_up_for_good) {
  push(0, end_of_handshake);
  push(1);
  EXPECT_EQ(sent(), keys{0});
  outbox_.has_left(out_.back());
  EXPECT_EQ(sent(), keys{1});
}

TEST_F(http_outbox_test, requests_go_past_notifications_that_wait) {
  for (size_t i = 0; i < mcp::http_notes_at_once_max + 5; ++i)
    push(0);
  push(1);
  auto first = sent();
  EXPECT_EQ(first.size(), mcp::http_notes_at_once_max + 1);
  EXPECT_EQ(first.back(), 1u);
  outbox_.has_left(out_.front());
  outbox_.has_left(out_.front()); // once counts
  EXPECT_EQ(sent(), keys{0});
}

TEST_F(http_outbox_test, it_is_crowded_by_what_is_no_request) {
  for (uint64_t key = 1; key <= mcp::http_notes_crowded; ++key)
    push(key);
  EXPECT_FALSE(outbox_.is_crowded());
  for (size_t i = 0; i < mcp::http_notes_crowded; ++i)
    push(0);
  EXPECT_TRUE(outbox_.is_crowded());
  outbox_.clear();
  EXPECT_FALSE(outbox_.is_crowded());
}

TEST_F(http_outbox_test, short_messages_take_memory_too) {
  size_t count = 0;
  while (push(0))
    ++count;
  EXPECT_LE(count, msg::limits::child_unsent_bytes_max / mcp::http_message_bytes_min);
}

TEST_F(http_outbox_test, what_waits_can_be_taken_back) {
  push(1);
  outbox_.hold();
  EXPECT_EQ(sent(), keys{});
  EXPECT_TRUE(outbox_.take_back(1));
  EXPECT_FALSE(outbox_.take_back(1));
  outbox_.release();
  EXPECT_EQ(sent(), keys{});
}

} // namespace mcp_http_outbox_test
