#include "actors/resilience/fair_queue.hpp"

#include <gtest/gtest.h>

#include <string>

namespace proxy_fair_queue_test {

using queue = resilience::fair_queue<std::string>;

queue filled() {
  queue q;
  q.push(1, 1, "a1"), q.push(1, 2, "a2"), q.push(1, 3, "a3");
  q.push(2, 1, "b1");
  q.push(3, 1, "c1"), q.push(3, 2, "c2");
  return q;
}

TEST(fair_queue, parties_take_turns) {
  EXPECT_EQ(filled().take_all(), (std::vector<std::string>{"a1", "b1", "c1", "a2", "c2", "a3"}));
}

TEST(fair_queue, who_comes_back_stands_at_the_end) {
  auto q = filled();
  EXPECT_EQ(q.pop(), "a1");
  EXPECT_EQ(q.pop(), "b1");
  q.push(2, 2, "b2");
  EXPECT_EQ(q.take_all(), (std::vector<std::string>{"c1", "a2", "b2", "c2", "a3"}));
}

TEST(fair_queue, items_are_taken_out) {
  auto q = filled();
  EXPECT_EQ(q.remove(1, 2), "a2");
  EXPECT_EQ(q.remove(1, 2), std::nullopt);
  EXPECT_EQ(q.remove(9, 1), std::nullopt);
  EXPECT_EQ(q.remove(2, 1), "b1");
  EXPECT_EQ(q.remove(uint64_t{3}), "a3");
  EXPECT_EQ(q.size(), 3u);
  EXPECT_EQ(q.take_all(), (std::vector<std::string>{"a1", "c1", "c2"}));
  EXPECT_EQ(q.pop(), std::nullopt);
}

TEST(fair_queue, the_largest_party_gives_way) {
  auto q = filled();
  EXPECT_EQ(q.largest_size(), 3u);
  EXPECT_EQ(q.remove_from_largest(), "a3");
  EXPECT_EQ(q.size_of(1), 2u);
  EXPECT_EQ(q.size_of(9), 0u);
  queue empty;
  EXPECT_EQ(empty.remove_from_largest(), std::nullopt);
}

} // namespace proxy_fair_queue_test
