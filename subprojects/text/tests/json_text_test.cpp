#include "text/json_text.hpp"

#include "testing/values.hpp"
#include "text/json_parse.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <cfloat>
#include <charconv>
#include <limits>

namespace text_json_text_test {

namespace json = boost::json;
using text::to_text;

TEST(json_text, writes_numbers_the_way_everybody_does) {
  struct {
    json::value value;
    const char* text;
  } const cases[] = {
    {0, "0"},
    {-1, "-1"},
    {INT64_MIN, "-9223372036854775808"},
    {UINT64_MAX, "18446744073709551615"},
    {0.0, "0.0"},
    {-0.0, "-0.0"},
    {2.0, "2.0"},
    {1.5, "1.5"},
    {0.1, "0.1"},
    {1e100, "1e+100"},
    {1e-7, "1e-07"},
    {123456789012.0, "123456789012.0"},
    {DBL_MAX, "1.7976931348623157e+308"},
    {DBL_MIN, "2.2250738585072014e-308"},
    {5e-324, "5e-324"},
  };
  for (auto& c : cases)
    EXPECT_EQ(to_text(c.value), c.text);
}

TEST(json_text, escapes_what_json_wants_escaped) {
  EXPECT_EQ(to_text(json::value("a\"b\\c/d")), R"("a\"b\\c/d")");
  EXPECT_EQ(to_text(json::value("\n\r\t\b\f")), R"("\n\r\t\u0008\u000c")");
  EXPECT_EQ(to_text(json::value(json::string_view{"\0\x1f\x7f", 3})), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(to_text(json::value("é日😀")), "\"é日😀\"");
  EXPECT_EQ(to_text(json::value("")), "\"\"");
  EXPECT_EQ(to_text(json::object{{"k\n\"", 1}}), R"({"k\n\"":1})");
}

TEST(json_text, writes_compact_structures_in_their_order) {
  auto* text = R"({"z":[],"a":{},"m":[1,[null,true,false],{"x":"y"}]})";
  EXPECT_EQ(to_text(test::value(text)), text);
}

TEST(json_text, every_control_character_round_trips) {
  std::string all;
  for (int c = 0; c < 0x80; ++c)
    all += static_cast<char>(c);
  EXPECT_EQ(json::parse(to_text(json::value(all))), json::value(all));
}

TEST(json_text, boost_reads_the_same_value_back) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    test::random_values random{seed};
    auto value = random.value(5);
    auto text = to_text(value);
    json::error_code ec;
    auto back = json::parse(text, ec);
    ASSERT_FALSE(ec) << "seed " << seed << ": " << text;
    EXPECT_EQ(back, value) << "seed " << seed << ": " << text;
    EXPECT_EQ(back, json::parse(json::serialize(value))) << "seed " << seed;
  }
}

TEST(json_text, writes_doubles_without_loss) {
  test::random_values random{7};
  for (int i = 0; i < 20'000; ++i) {
    auto d = random.number();
    auto text = to_text(json::value(d));
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    ASSERT_EQ(back, d) << text;
  }
}

// What a child sends must reach the program unchanged. Boost.JSON 1.81 multiplies by powers of ten and may be off by
// one in the last place.
TEST(json_text, reads_doubles_without_loss) {
  int wrong = 0;
  std::string example;
  test::random_values random{11};
  for (int i = 0; i < 5'000; ++i) {
    auto d = static_cast<double>(static_cast<int64_t>(random.below(1u << 30))) / 1000.0 * (i % 2 == 0 ? 1.1 : 1.0);
    auto text = to_text(json::value(d));
    json::value parsed;
    ASSERT_EQ(text::parse_json(text, text::json_dialect::strict, parsed).what, "") << text;
    if (to_text(parsed) != text) {
      ++wrong;
      example = text + " became " + to_text(parsed);
    }
  }
  EXPECT_EQ(wrong, 0) << "of 5000 ordinary numbers; e.g. " << example;
}

TEST(json_text, what_was_parsed_is_always_written_as_json) {
  for (auto* text : {"1e400", "-1e400", "1e-400", "123456789012345678901234567890", "1e308", "[1e309]", "1E+2", "-0"}) {
    json::value parsed, again;
    if (!text::parse_json(text, text::json_dialect::strict, parsed).what.empty())
      continue; // refusing it is fine
    auto written = to_text(parsed);
    EXPECT_EQ(text::parse_json(written, text::json_dialect::strict, again).what, "")
      << text << " was written as " << written;
  }
}

} // namespace text_json_text_test
