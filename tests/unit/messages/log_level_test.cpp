#include "messages/log_level.hpp"

#include <gtest/gtest.h>

namespace messages_log_level_test {

using msg::log_level;

TEST(log_level, every_level_has_the_name_of_the_protocol) {
  auto* names = "debug info notice warning error critical alert emergency";
  std::string all;
  for (auto level = log_level::debug; level < log_level::off; level = static_cast<log_level>(int(level) + 1)) {
    all += (all.empty() ? "" : " ") + std::string{to_string(level)};
    EXPECT_EQ(msg::log_level_of(to_string(level)), level);
  }
  EXPECT_EQ(all, names);
}

TEST(log_level, what_is_no_level_is_none) {
  for (auto* text : {"", "off", "Debug", "warn", "debug "})
    EXPECT_EQ(msg::log_level_of(text), std::nullopt) << text;
  EXPECT_GT(log_level::off, log_level::emergency) << "who wants nothing hears of nothing";
}

} // namespace messages_log_level_test
