#include "text/numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace text_numbers_test {

using text::whole_part;

TEST(whole_part, is_nothing_where_the_type_ends) {
  EXPECT_EQ(whole_part<int64_t>(-9223372036854775808.0), INT64_MIN);
  EXPECT_EQ(whole_part<int64_t>(9223372036854774784.0), 9223372036854774784);
  EXPECT_EQ(whole_part<uint64_t>(18446744073709549568.0), 18446744073709549568u);
  EXPECT_EQ(whole_part<uint8_t>(255.9), 255);
  EXPECT_EQ(whole_part<uint32_t>(-0.9), 0u);
  for (double beyond :
       {9223372036854775808.0, -9223372036854777856.0, 1e300, -1e300, double(INFINITY), double(-INFINITY), double(NAN)})
    EXPECT_EQ(whole_part<int64_t>(beyond), std::nullopt) << beyond;
  for (double beyond : {18446744073709551616.0, -1.0, double(NAN)})
    EXPECT_EQ(whole_part<uint64_t>(beyond), std::nullopt) << beyond;
  EXPECT_EQ(whole_part<uint8_t>(256), std::nullopt);
}

TEST(number_text, has_a_point_only_if_it_needs_one) {
  EXPECT_EQ(text::number_text(3), "3");
  EXPECT_EQ(text::number_text(-0.5), "-0.5");
  EXPECT_EQ(text::number_text(1e300), "1e+300");
}

} // namespace text_numbers_test
