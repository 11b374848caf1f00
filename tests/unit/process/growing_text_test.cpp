#include "process/growing_text.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <string>

namespace process_growing_text_test {

TEST(growing_text, is_what_was_appended_without_what_was_dropped) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    test::random_values random{seed};
    process::growing_text text;
    std::string expected;
    for (int step = 0; step < 30; ++step) {
      std::string more(random.below(200'000), static_cast<char>('a' + step % 26));
      text.append(more);
      expected += more;
      auto dropped = random.below(expected.size() + 1);
      text.drop_front(dropped);
      expected.erase(0, dropped);
      ASSERT_EQ(text.view(), expected) << seed;
      ASSERT_GE(text.held_bytes(), expected.size());
    }
  }
}

TEST(growing_text, holds_little_more_than_its_text) {
  process::growing_text text;
  std::string chunk(64u << 10, 'x');
  for (size_t size = chunk.size(); size <= 32u << 20; size += chunk.size()) {
    text.append(chunk);
    ASSERT_LE(text.held_bytes(), size + size / 8 + chunk.size());
  }
}

TEST(growing_text, gives_back_what_was_large) {
  process::growing_text text;
  text.append(std::string(8u << 20, 'x'));
  text.drop_front(8u << 20);
  EXPECT_EQ(text.held_bytes(), 0u);
  text.append("small");
  text.drop_front(5);
  EXPECT_LE(text.held_bytes(), 64u << 10);
}

} // namespace process_growing_text_test
