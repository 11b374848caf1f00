#include "process/output_capture.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace process_output_capture_test {

using process::output_capture;

/// The same, the slow way: all of it is kept and cut at the end.
msg::captured_text model(std::string_view all, size_t bytes_max) {
  auto half = bytes_max / 2;
  msg::captured_text out;
  if (all.size() <= 2 * half) {
    out.head = all;
    return out;
  }
  out.head = all.substr(0, half);
  out.tail = all.substr(all.size() - half);
  out.dropped_bytes = all.size() - 2 * half;
  return out;
}

void expect_like_model(const std::vector<std::string>& pieces, size_t bytes_max, const std::string& what) {
  output_capture capture{bytes_max};
  std::string all;
  for (auto& p : pieces) {
    capture.append(p);
    all += p;
  }
  auto got = std::move(capture).take();
  auto expected = model(all, bytes_max);
  ASSERT_EQ(got.head, expected.head) << what;
  ASSERT_EQ(got.tail, expected.tail) << what;
  ASSERT_EQ(got.dropped_bytes, expected.dropped_bytes) << what;
  ASSERT_EQ(got.head.size() + got.tail.size() + got.dropped_bytes, all.size()) << what;
}

std::string counting(size_t n, size_t from = 0) {
  std::string out;
  for (size_t i = 0; i < n; ++i)
    out += static_cast<char>('a' + (from + i) % 26);
  return out;
}

TEST(output_capture, keeps_head_and_tail_of_one_piece) {
  for (size_t bytes_max = 0; bytes_max <= 12; ++bytes_max)
    for (size_t n = 0; n <= 40; ++n)
      expect_like_model({counting(n)}, bytes_max, std::to_string(n) + " bytes into " + std::to_string(bytes_max));
}

TEST(output_capture, keeps_head_and_tail_of_two_pieces) {
  for (size_t bytes_max : {0u, 1u, 2u, 7u, 8u})
    for (size_t first = 0; first <= 20; ++first)
      for (size_t second = 0; second <= 20; ++second)
        expect_like_model({counting(first), counting(second, first)}, bytes_max,
                          std::to_string(first) + "+" + std::to_string(second) + " bytes into "
                            + std::to_string(bytes_max));
}

TEST(output_capture, keeps_head_and_tail_of_random_pieces) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    test::random_values random{seed};
    std::vector<std::string> pieces;
    size_t at = 0;
    for (auto n = random.below(40); n > 0; --n) {
      pieces.push_back(counting(random.below(30), at));
      at += pieces.back().size();
    }
    expect_like_model(pieces, random.below(64), "seed " + std::to_string(seed));
  }
}

TEST(output_capture, loses_nothing_within_its_bound) {
  output_capture capture{1'000};
  capture.append("abc");
  capture.append("");
  capture.append("def");
  auto got = std::move(capture).take();
  EXPECT_EQ(got.head, "abcdef");
  EXPECT_EQ(got.tail, "");
  EXPECT_EQ(got.dropped_bytes, 0u);
}

} // namespace process_output_capture_test
