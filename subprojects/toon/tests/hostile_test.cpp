// Texts that are made to harm: each ends with a value or a problem, soon and in bounded memory.
#include "toon/decode.hpp"
#include "toon/encode.hpp"

#include "json.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace toon::test {

namespace {

namespace json = boost::json;

constexpr size_t ten_megabytes = 10'000'000;
/// For what takes half a second, with sanitizers and on a machine that does other things. Anything quadratic takes
/// hours.
constexpr std::chrono::seconds patience{30};

std::string repeated(std::string_view part, size_t bytes) {
  std::string out;
  while (out.size() < bytes)
    out += part;
  return out;
}

decoded decode_soon(std::string_view text, const decode_options& options = {}) {
  auto begin = std::chrono::steady_clock::now();
  auto out = decode(text, options);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, patience);
  return out;
}

decode_options lenient() {
  decode_options options;
  options.checks = checks::lenient;
  return options;
}

std::string objects(size_t depth) {
  std::string out;
  for (size_t i = 0; i < depth; ++i)
    out += std::string(2 * i, ' ') + "k:\n";
  return out;
}

std::string lists(size_t depth) {
  std::string out;
  for (size_t i = 0; i < depth; ++i)
    out += std::string(2 * i, ' ') + (i == 0 ? "[1]:\n" : "- [1]:\n");
  return out + std::string(2 * depth, ' ') + "- 1";
}

TEST(hostile, nesting_is_bounded_exactly) {
  // The last `k:` is an object, too, and so is the root.
  EXPECT_TRUE(decode(objects(depth_max_default - 1)).ok());
  EXPECT_NE(decode(objects(depth_max_default)).problem.what.find("depth_max"), std::string::npos);
  EXPECT_TRUE(decode(lists(depth_max_default)).ok()) << decode(lists(depth_max_default)).problem.text();
  EXPECT_NE(decode(lists(depth_max_default + 1)).problem.what.find("depth_max"), std::string::npos);
  EXPECT_FALSE(decode_soon(objects(4'000)).ok());
  EXPECT_FALSE(decode_soon(lists(4'000), lenient()).ok());
}

TEST(hostile, groups_of_fields_are_bounded_like_objects) {
  auto header = [](size_t depth) {
    return "t[0]{" + repeated("a{", 2 * depth - 1) + "b" + std::string(depth, '}') + "}:";
  };
  EXPECT_TRUE(decode(header(depth_max_default - 3)).ok()) << decode(header(depth_max_default - 3)).problem.text();
  EXPECT_FALSE(decode(header(depth_max_default - 2)).ok());
  for (auto& options : {decode_options{}, lenient()})
    EXPECT_NE(decode_soon(header(ten_megabytes / 3), options).problem.what.find("depth_max"), std::string::npos);
}

TEST(hostile, a_huge_count_reserves_nothing_and_is_wrong) {
  for (std::string_view count : {"4294967296", "18446744073709551615", "99999999999999999999999999999999"}) {
    auto text = "a[" + std::string{count} + "]";
    for (std::string_view rest : {": 1,2", ":\n  - 1", "{b}:\n  1", ":"})
      EXPECT_NE(decode_soon(text + std::string{rest}).problem.what.find("as the header says"), std::string::npos)
        << rest;
    EXPECT_TRUE(decode_soon(text + ": 1,2", lenient()).ok());
  }
  EXPECT_FALSE(decode("a[18446744073709551615:]{b}:\n  c: 1").ok());
}

TEST(hostile, rows_that_repeat_a_long_header_are_bounded) {
  auto name = std::string(1'000'000, 'n');
  auto text = "t[1000000]{" + name + "}:\n" + repeated("  1\n", 4'000'000);
  EXPECT_NE(decode_soon(text).problem.what.find("value_bytes_max"), std::string::npos);
  // Rows without cells for a million fields: no memory, but time.
  auto fields = "t[1000000]{" + repeated("f,", 2'000'000) + "f}:\n" + repeated("  1\n", 4'000'000);
  auto options = lenient();
  options.value_bytes_max = size_t{64} << 20;
  EXPECT_NE(decode_soon(fields, options).problem.what.find("value_bytes_max"), std::string::npos);
}

TEST(hostile, wide_tables_are_read_and_written_soon) {
  json::object wide;
  for (int i = 0; i < 200'000; ++i)
    wide["key " + std::to_string(i)] = i;
  json::value value = json::array{wide, wide};
  auto text = encode(value).text;
  EXPECT_TRUE(text.starts_with("[2]{\"key 0\",\"key 1\""));
  EXPECT_EQ(decode_soon(text).value, value);
  auto again = text;
  again.replace(again.find("\"key 199999\""), 12, "\"key 0\"");
  EXPECT_TRUE(decode_soon(again).problem.what.starts_with("expected each field once, found 'key 0' again"))
    << decode(again).problem.text();
}

/// Objects that are nearly tables, one in the other: each level looks whether it is one.
TEST(hostile, what_is_nearly_a_table_is_written_soon) {
  json::value inner{{"x", json::array{1}}};
  for (size_t i = 0; i < depth_max_default - 2; ++i)
    inner = {{"a", std::move(inner)}, {"b", json::array(100, 1)}};
  auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(encode(inner).ok());
  EXPECT_LT(std::chrono::steady_clock::now() - begin, patience);
}

TEST(hostile, values_are_bounded) {
  decode_options options;
  options.value_bytes_max = 100'000;
  for (std::string_view text : {"1,", "\"\",", ",", "abc,"})
    EXPECT_NE(decode("a[1]: " + repeated(text, 50'000), options).problem.what.find("value_bytes_max"),
              std::string::npos)
      << text;
  EXPECT_FALSE(decode("a[1]{" + repeated("f,", 50'000) + "g}:", options).ok());
  options.text_bytes_max = 10;
  EXPECT_EQ(decode("a: 12345678", options).problem.text(),
            "line 1, column 1: expected at most 10 bytes (text_bytes_max), found 11");
}

TEST(hostile, ten_megabytes_of_anything_end_soon) {
  for (std::string_view part : {"a",      "\"",
                                "[",      "{",
                                ":",      ",",
                                "-",      " ",
                                "\t",     "\n",
                                "\r\n",   "#\n",
                                "- ",     "a:\n",
                                "a: 1\n", "- 1\n",
                                "[1]:\n", "a[1]:\n",
                                "a\"b:",  "\\",
                                "\\\"",   "a[1]{b}:\n  1\n",
                                "x[1]{",  "\xF0\x9F\x9A\x80",
                                "1,",     "k[2:]{a}:\n",
                                "\n  ",   "  - [1]:\n"}) {
    auto text = repeated(part, ten_megabytes);
    decode_soon(text);
    text.resize(ten_megabytes / 10);
    decode_soon(text, lenient());
    text.resize(ten_megabytes / 50);
    for (std::string begin : {"a: \"", "a[9]: ", "a[9]:\n  - ", "a[9]{", "a[9]{b}:\n  ", "[9:]{b}:\n  "}) {
      auto strict = decode_soon(begin + text);
      EXPECT_EQ(strict.ok(), strict.problem.line == 0);
    }
  }
}

TEST(hostile, ten_megabytes_of_data_are_read_and_written) {
  json::array rows;
  for (int i = 0; i < 200'000; ++i)
    rows.push_back(
      {{"id", i}, {"name", "user " + std::to_string(i)}, {"at", {{"x", i * 0.5}, {"y", -i}}}, {"note", "a \"b\", c"}});
  json::value value{{"rows", std::move(rows)}};
  auto text = encode(value).text;
  EXPECT_GT(text.size(), ten_megabytes * 3 / 4);
  auto out = decode_soon(text);
  ASSERT_TRUE(out.ok()) << out.problem.text();
  EXPECT_TRUE(same(out.value, value));
}

TEST(hostile, bytes_that_are_no_utf8_are_a_problem_with_a_place) {
  struct {
    std::string_view text;
    size_t line, column;
  } const cases[] = {{"\xFF", 1, 1},
                     {"a: 1\nb: \xC3", 2, 4},
                     {"a: \xED\xA0\x80", 1, 4},
                     {"a: \xC0\x80", 1, 4},
                     {"\n\n# \x80 comment", 3, 3},
                     {"a: \xF4\x90\x80\x80", 1, 4},
                     {"\xEF\xBB\xBF\xBF", 1, 4}};
  for (auto& c : cases)
    for (auto& options : {decode_options{}, lenient()}) {
      auto out = decode(c.text, options);
      EXPECT_EQ(out.problem.what, "expected UTF-8");
      EXPECT_EQ(std::pair(out.problem.line, out.problem.column), std::pair(c.line, c.column));
    }
}

TEST(hostile, a_problem_quotes_little_of_the_text) {
  auto out = decode("a: 1\n" + repeated("\xF0\x9F\x9A\x80\x01", 100'000));
  EXPECT_FALSE(out.ok());
  EXPECT_LT(out.problem.what.size(), 200u);
  EXPECT_TRUE(encode(json::string(out.problem.what)).ok()); // it is UTF-8
}

TEST(hostile, zero_bytes_are_data) {
  EXPECT_EQ(decode(std::string_view{"a: b\0c", 6}).value.at("a"), json::string_view("b\0c", 3));
}

} // namespace

} // namespace toon::test
