#include "proxy/surface/truncate.hpp"

#include "testing/cpu_time.hpp"
#include "tests/unit/support/values.hpp"
#include "text/json_text.hpp"

#include <gtest/gtest.h>

namespace tools_fit_test {

namespace json = boost::json;

/// The marker that stands for what is left out.
constexpr size_t marker_bytes_max = 300;

size_t code_points(std::string_view text) {
  return static_cast<size_t>(
    std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

msg::captured_text captured(std::string head, std::string tail = {}, uint64_t dropped = 0) {
  msg::captured_text t;
  t.head = std::move(head);
  t.tail = std::move(tail);
  t.dropped_bytes = dropped;
  return t;
}

TEST(truncate_text, leaves_alone_what_fits) {
  for (auto* text : {"", "a", "0123456789", "日本語日本語日本語日", "é\n"}) {
    auto got = surface::truncate_text(captured(text), 10);
    EXPECT_EQ(got.text, text);
    EXPECT_FALSE(got.truncated);
  }
}

TEST(truncate_text, keeps_head_and_tail_and_says_how_much_there_was) {
  auto got = surface::truncate_text(captured("0123456789abcdefghij"), 10);
  EXPECT_TRUE(got.truncated);
  EXPECT_TRUE(got.text.starts_with("01234\n")) << got.text;
  EXPECT_TRUE(got.text.ends_with("\nfghij")) << got.text;
  EXPECT_NE(got.text.find("20 bytes"), std::string::npos) << got.text;
  got = surface::truncate_text(captured("head", "tail", 1'000'000), 10);
  EXPECT_TRUE(got.truncated);
  EXPECT_TRUE(got.text.starts_with("head\n") && got.text.ends_with("\ntail")) << got.text;
  EXPECT_NE(got.text.find("1000008 bytes"), std::string::npos);
}

TEST(truncate_text, is_valid_and_within_its_bound_for_any_bytes) {
  for (uint64_t seed = 1; seed <= 1'000; ++seed) {
    test::random_values random{seed};
    auto bytes = [&] {
      auto text = random.text(200);
      for (auto n = random.below(5); n > 0 && !text.empty(); --n)
        text[random.below(text.size())] = static_cast<char>(random.below(256));
      return text;
    };
    auto chars_max = random.below(100);
    auto got = surface::truncate_text(
      captured(bytes(), random.below(2) ? bytes() : "", random.below(2) ? random.below(1'000) : 0), chars_max);
    EXPECT_TRUE(test::is_valid_utf8(got.text)) << "seed " << seed;
    EXPECT_LE(code_points(got.text), chars_max + marker_bytes_max) << "seed " << seed;
  }
}

TEST(truncate_text, never_cuts_a_character) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "日😀é";
  for (size_t n = 0; n < 50; ++n)
    EXPECT_EQ(surface::truncate_text(captured(text), n).text.find("\xEF\xBF\xBD"), std::string::npos) << n;
}

TEST(truncate_text, gives_the_advice_in_the_marker) {
  EXPECT_NE(surface::truncate_text(captured(std::string(1'000, 'x')), 10)
              .text.find("1000 bytes in all; the middle is left out: print less"),
            std::string::npos);
  EXPECT_NE(surface::truncate_text(captured(std::string(1'000, 'x')), 10, "do it again")
              .text.find("left out: do it again ...]"),
            std::string::npos);
}

/// What is kept of a text shows the same as the text itself.
TEST(excerpt, shows_what_the_whole_shows) {
  for (uint64_t seed = 1; seed <= 2'000; ++seed) {
    test::random_values random{seed};
    auto bytes = [&](size_t most) {
      auto text = random.text(most);
      for (auto n = random.below(5); n > 0 && !text.empty(); --n)
        text[random.below(text.size())] = static_cast<char>(random.below(256));
      return text;
    };
    auto chars_max = random.below(60);
    auto whole = random.below(2) ? captured(bytes(300)) : captured(bytes(300), bytes(300), 1 + random.below(1'000));
    auto part = surface::excerpt(whole, chars_max);
    EXPECT_EQ(surface::truncate_text(part, chars_max).text, surface::truncate_text(whole, chars_max).text)
      << "seed " << seed;
    EXPECT_EQ(surface::fits(part, chars_max), surface::fits(whole, chars_max)) << "seed " << seed;
    EXPECT_LE(part.head.size() + part.tail.size(), 8 * (chars_max / 2 + 1)) << "seed " << seed;
  }
}

TEST(fits, of_texts_counts_characters) {
  EXPECT_TRUE(surface::fits(captured("日本語"), 3));
  EXPECT_FALSE(surface::fits(captured("日本語"), 2));
  EXPECT_FALSE(surface::fits(captured("a", "b", 1), 100)) << "not all of it is there";
}

TEST(fits, of_values_counts_bytes_of_json) {
  for (auto* text : {"null", "1", "\"abc\"", "[1,2,3]", R"({"a":[{"b":1}]})"}) {
    EXPECT_TRUE(surface::fits(test::value(text), std::string_view{text}.size())) << text;
    EXPECT_FALSE(surface::fits(test::value(text), std::string_view{text}.size() - 1)) << text;
  }
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    test::random_values random{seed};
    auto value = random.value(5);
    auto bytes_max = random.below(300);
    EXPECT_EQ(surface::fits(value, bytes_max), text::to_text(value).size() <= bytes_max) << "seed " << seed;
  }
}

TEST(truncate_string, keeps_head_and_tail) {
  auto text = surface::truncate_string(std::string(1'000, 'a') + std::string(1'000, 'z'), 500);
  EXPECT_TRUE(text.starts_with("aaa") && text.ends_with("zzz"));
  EXPECT_NE(text.find("2000 bytes"), std::string::npos);
}

TEST(truncate_string, stays_within_its_bound_whatever_is_escaped) {
  std::string emoji;
  for (int i = 0; i < 50'000; ++i)
    emoji += "😀";
  for (auto& text : {emoji, std::string(100'000, '\x01'), std::string(100'000, '"'), std::string(100'000, 'x')})
    EXPECT_LE(text::to_text(json::value(surface::truncate_string(text, 25'000))).size(), 25'000u + marker_bytes_max);
}

TEST(fits, does_not_read_a_deep_value_once_per_level) { // a guest chooses the value, and one thread serves all
  json::value deep(std::string(2u << 20, 'x'));
  for (int i = 0; i < 190; ++i)
    deep = json::array(1, std::move(deep));
  auto once = test::cpu_time();
  auto bytes = text::to_text(deep).size();
  auto one_reading = test::cpu_time() - once;
  auto start = test::cpu_time();
  EXPECT_FALSE(surface::fits(deep, 25'000));
  EXPECT_LT(test::cpu_time() - start, one_reading + std::chrono::milliseconds{20}) << bytes << " bytes";
}

} // namespace tools_fit_test
