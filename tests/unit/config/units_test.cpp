#include "config/units.hpp"

#include <gtest/gtest.h>

namespace config_units_test {

TEST(units, of_sizes) {
  struct {
    const char* text;
    uint64_t bytes;
  } const cases[] = {{"0", 0},
                     {"1", 1},
                     {"64k", 64u << 10},
                     {"512m", 512u << 20},
                     {"512M", 512u << 20},
                     {"1g", 1ull << 30},
                     {"2GB", 2ull << 30},
                     {"3MiB", 3u << 20},
                     {"1048576b", 1048576},
                     {"8589934591g", 8589934591ull << 30}};
  for (auto& c : cases)
    EXPECT_EQ(config::parse_bytes(c.text), c.bytes) << c.text;
  for (auto* text :
       {"", "m", "-1", "+1", "1.5g", "1 g", " 1", "1t", "512mm", "0x10", "8589934592g", "99999999999999999999", "1g\n"})
    EXPECT_EQ(config::parse_bytes(text), std::nullopt) << text;
}

TEST(units, of_time) {
  using std::chrono::milliseconds;
  struct {
    const char* text;
    int64_t ms;
  } const cases[] = {{"0", 0},        {"30", 30'000},    {"30s", 30'000}, {"500ms", 500},
                     {"2m", 120'000}, {"1h", 3'600'000}, {"1S", 1'000}};
  for (auto& c : cases)
    EXPECT_EQ(config::parse_duration(c.text), milliseconds{c.ms}) << c.text;
  for (auto* text : {"", "s", "-1s", "1.5s", "30 s", "1d", "9223372036854775807", "1e3"})
    EXPECT_EQ(config::parse_duration(text), std::nullopt) << text;
}

} // namespace config_units_test
