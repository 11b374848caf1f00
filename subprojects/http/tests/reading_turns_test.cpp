#include "reading_turns.hpp"

#include <gtest/gtest.h>

namespace http::testing {

namespace reading_turns_test {

using namespace std::literals;

const reading_turns::clock::time_point begin{1'000s};

TEST(reading_turns_test, a_little_is_free) {
  reading_turns turns;
  EXPECT_EQ(turns.rest(begin), 0s);
  turns.used(reading_turns::credit_max, begin);
  EXPECT_EQ(turns.rest(begin), 0s);
}

TEST(reading_turns_test, what_was_used_beyond_is_left_to_others_as_long_again) {
  reading_turns turns;
  turns.used(reading_turns::credit_max + 3ms, begin);
  EXPECT_EQ(turns.rest(begin), 6ms);
  EXPECT_EQ(turns.rest(begin + 4ms), 2ms);
  EXPECT_EQ(turns.rest(begin + 6ms), 0s);
  turns.used(3ms, begin + 9ms); // within these 9 ms: half of the time was earned
  EXPECT_EQ(turns.rest(begin + 9ms), 3ms);
}

TEST(reading_turns_test, neither_credit_nor_debt_grows_without_end) {
  reading_turns turns;
  turns.used(reading_turns::credit_max + 10s, begin);
  EXPECT_EQ(turns.rest(begin), reading_turns::debt_max * reading_turns::share_of_time);
  EXPECT_EQ(turns.rest(begin + 1h), 0s);
  turns.used(reading_turns::credit_max + 1ms, begin + 1h);
  EXPECT_EQ(turns.rest(begin + 1h), 2ms);
}

} // namespace reading_turns_test

} // namespace http::testing
