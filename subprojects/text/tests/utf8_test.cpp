#include "text/utf8.hpp"

#include "testing/values.hpp"

#include <gtest/gtest.h>

namespace text_utf8_test {

using text::valid_utf8;

/// What Python's `bytes.decode('utf-8', 'replace')` gives, with U+FFFD written as `?`.
std::string with_marks(std::string_view bytes) {
  auto text = valid_utf8(bytes);
  for (size_t at; (at = text.find("\xEF\xBF\xBD")) != text.npos;)
    text.replace(at, 3, "?");
  return text;
}

TEST(valid_utf8, keeps_what_is_valid) {
  for (std::string_view text : {"", "abc", "é", "日本", "😀", "\x7f", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80",
                                "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBD", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"})
    EXPECT_EQ(valid_utf8(text), text);
  EXPECT_EQ(valid_utf8(std::string_view{"a\0b", 3}), (std::string{"a\0b", 3}));
}

TEST(valid_utf8, replaces_what_is_none) {
  struct {
    std::string_view bytes;
    const char* text;
  } const cases[] = {
    {"\x80", "?"},
    {"\xBF", "?"},
    {"\xFF", "?"},
    {"\xFE\xFF", "??"},
    {"a\x80z", "a?z"},
    {"\xC0\xAF", "??"},
    {"\xC1\xBF", "??"},
    {"\xC3(", "?("},
    {"\xED\xA0\x80", "???"},
    {"\xED\xBF\xBF", "???"},
    {"\xE0\x80", "??"},
    {"\xE0\x9F\xBF", "???"},
    {"\xF0\x80\x80\x80", "????"},
    {"\xF4\x90\x80\x80", "????"},
    {"\xF5\x80\x80\x80", "????"},
    {"\xC3", "?"},
    {"é\xFF日", "é?日"},
    {"\xC3\xC3\xA9", "?é"},
  };
  for (auto& c : cases)
    EXPECT_EQ(with_marks(c.bytes), c.text);
}

TEST(valid_utf8, replaces_a_character_that_was_cut_by_one_mark) { // as Python and the WHATWG do
  EXPECT_EQ(with_marks("\xE2\x82"), "?");
  EXPECT_EQ(with_marks("\xE2\x82"
                       "A"),
            "?A");
  EXPECT_EQ(with_marks("\xF0\x9F\x98"), "?");
  EXPECT_EQ(with_marks("\xF0\x9F"
                       "A"),
            "?A");
}

TEST(valid_utf8, gives_valid_text_for_any_bytes_and_is_idempotent) {
  for (uint64_t seed = 1; seed <= 2'000; ++seed) {
    test::random_values random{seed};
    std::string bytes;
    for (auto n = random.below(12); n > 0; --n)
      bytes += static_cast<char>(random.below(3) ? 0x80 + random.below(128) : random.below(256));
    auto text = valid_utf8(bytes);
    EXPECT_TRUE(test::is_valid_utf8(text)) << "seed " << seed;
    EXPECT_EQ(valid_utf8(text), text) << "seed " << seed;
  }
}

TEST(quoted, cuts_long_texts_and_stays_valid) {
  EXPECT_EQ(text::quoted("short", 10), "short");
  std::string text;
  for (int i = 0; i < 20; ++i)
    text += "é日😀";
  for (size_t n = 0; n < text.size(); ++n) {
    auto cut = text::quoted(text, n);
    EXPECT_TRUE(test::is_valid_utf8(cut)) << n;
    EXPECT_LE(cut.size(), n + 12) << n;
  }
}

TEST(utf8_of, is_what_valid_utf8_takes) {
  for (char32_t code : {U'\0', U'a', U'\x7f', U'\x80', U'\u07ff', U'\u0800', U'\ud7ff', U'\ue000', U'\uffff',
                        U'\U00010000', U'\U0010ffff'})
    EXPECT_EQ(text::valid_utf8(text::utf8_of(code)), text::utf8_of(code)) << static_cast<uint32_t>(code);
  EXPECT_EQ(text::utf8_of(U'ä'), "ä");
  EXPECT_EQ(text::utf8_of(U'€'), "€");
  EXPECT_EQ(text::utf8_of(U'😀'), "😀");
  EXPECT_EQ(text::utf8_of(char32_t{0xD800}), "\uFFFD");
  EXPECT_EQ(text::utf8_of(char32_t{0x110000}), "\uFFFD");
}

} // namespace text_utf8_test
