#include "mcp/event_log.hpp"

#include <gtest/gtest.h>

namespace mcp_event_log_test {

constexpr size_t plenty = 1u << 20;

std::vector<std::string> texts(const std::vector<const mcp::event_log::event*>& events) {
  std::vector<std::string> out;
  for (auto* each : events)
    out.push_back(each->text);
  return out;
}

TEST(event_log_test, an_id_says_stream_and_number) {
  for (mcp::event_place place : {mcp::event_place{0, 0}, {1, 2}, {UINT64_MAX, UINT64_MAX}}) {
    auto read = mcp::parse_event_id(mcp::event_id(place));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->stream, place.stream);
    EXPECT_EQ(read->number, place.number);
  }
}

TEST(event_log_test, ids_of_others_are_not_read) {
  for (auto* id : {"", "-", "1", "1-", "-1", "a-1", "1-a", "1-2-3", " 1-2", "1-2 ", "+1-2", "1--2", "1-+2", "0x1-2",
                   "18446744073709551616-1", "1-18446744073709551616"})
    EXPECT_FALSE(mcp::parse_event_id(id)) << id;
  EXPECT_FALSE(mcp::parse_event_id(std::string_view{"1-2\0", 4}));
}

TEST(event_log_test, later_events_of_the_same_stream_come_in_order) {
  mcp::event_log log{plenty, 100};
  log.add({1, 1}, "a");
  log.add({2, 1}, "x");
  log.add({1, 2}, "b");
  log.add({1, 3}, "c");
  EXPECT_EQ(texts(log.after({1, 0})), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(texts(log.after({1, 2})), std::vector<std::string>{"c"});
  EXPECT_EQ(texts(log.after({2, 0})), std::vector<std::string>{"x"});
  EXPECT_TRUE(log.after({1, 3}).empty());
  EXPECT_TRUE(log.after({3, 0}).empty());
}

TEST(event_log_test, the_oldest_are_forgotten_by_their_number) {
  mcp::event_log log{plenty, 2};
  for (uint64_t i = 1; i <= 5; ++i)
    log.add({1, i}, std::to_string(i));
  EXPECT_EQ(texts(log.after({1, 0})), (std::vector<std::string>{"4", "5"}));
}

TEST(event_log_test, the_oldest_are_forgotten_by_their_bytes) {
  constexpr size_t bytes_max = 4'000;
  mcp::event_log log{bytes_max, 1'000};
  for (uint64_t i = 1; i <= 20; ++i) {
    log.add({1, i}, std::string(900, 'x'));
    EXPECT_LE(log.bytes(), bytes_max);
  }
  auto kept = log.after({1, 0});
  EXPECT_GE(kept.size(), 3u);
  EXPECT_EQ(kept.back()->place.number, 20u);
}

TEST(event_log_test, one_that_is_too_large_drives_out_no_others) {
  mcp::event_log log{1'000, 10};
  log.add({1, 1}, "small");
  auto before = log.bytes();
  log.add({1, 2}, std::string(1'000, 'x'));
  EXPECT_EQ(texts(log.after({1, 0})), std::vector<std::string>{"small"});
  EXPECT_EQ(log.bytes(), before);
}

TEST(event_log_test, many_small_ones_count_with_what_keeps_them) {
  constexpr size_t bytes_max = 10'000;
  mcp::event_log log{bytes_max, 1'000'000};
  for (uint64_t i = 1; i <= 10'000; ++i)
    log.add({1, i}, "");
  EXPECT_LT(log.after({1, 0}).size() * sizeof(mcp::event_log::event), bytes_max + 1);
}

} // namespace mcp_event_log_test
