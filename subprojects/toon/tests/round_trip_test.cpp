// Random values: what is written reads back the same, with every delimiter and indentation.
#include "toon/decode.hpp"
#include "toon/encode.hpp"

#include "json.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

namespace toon::test {

namespace {

namespace json = boost::json;

constexpr unsigned seeds = 40'000;

class generator {
public:
  explicit generator(unsigned seed) : random_(seed) {}

  json::value value(int depth) {
    switch (below(depth > 0 ? 9 : 5)) {
      case 0: return nullptr;
      case 1: return below(2) == 0;
      case 2: return number();
      case 3:
      case 4: return json::value(text());
      case 5: return array(depth);
      case 6: return table(depth);
      case 7: return entries(depth);
      default: return object(depth);
    }
  }

  size_t below(size_t end) { return random_() % end; }

private:
  json::value number() {
    switch (below(5)) {
      case 0: return static_cast<int64_t>(random_() ^ random_() << 32);
      case 1: return static_cast<uint64_t>(random_() ^ random_() << 32);
      case 2: return static_cast<int64_t>(below(200)) - 100;
      case 3: return static_cast<double>(below(100'000)) / 1'000;
      default: {
        auto any = std::bit_cast<double>(static_cast<uint64_t>(random_() ^ random_() << 32));
        return std::isfinite(any) ? any : 0.5;
      }
    }
  }

  /// Of pieces that mean something in TOON.
  json::string text() {
    constexpr std::string_view pieces[] = {
      "a",  "b",  " ",        "\t",           ",",    "|",  ":",    "\"",  "\\", "[", "]",    "{",    "}",
      "-",  "#",  "\n",       "\r",           "\x01", "1",  "05",   "1e5", ".5", "+", "true", "null", "é",
      "日", "🚀", "\xC2\xA0", "\xEF\xBB\xBF", "[]",   "- ", "[2]: "};
    json::string out;
    for (auto count = below(4); count > 0; --count) {
      auto piece = pieces[below(std::size(pieces))];
      out.append(json::string_view(piece.data(), piece.size()));
    }
    return out;
  }

  json::value array(int depth) {
    json::array out;
    for (auto count = below(4); count > 0; --count)
      out.push_back(value(depth - 1));
    return out;
  }

  json::value object(int depth) {
    json::object out;
    for (auto count = below(4); count > 0; --count)
      out.insert_or_assign(text(), value(depth - 1));
    return out;
  }

  /// Objects with the same keys, some of them of the same shape in depth.
  json::value table(int depth) {
    json::array out;
    auto shape = object(depth);
    for (auto count = 1 + below(3); count > 0; --count)
      out.push_back(like(shape, depth));
    return out;
  }

  json::value entries(int depth) {
    json::object out;
    auto shape = object(depth);
    for (auto count = 1 + below(3); count > 0; --count)
      out.insert_or_assign(text(), like(shape, depth));
    return out;
  }

  json::value like(const json::value& shape, int depth) {
    if (!shape.is_object())
      return below(10) == 0 ? value(depth - 1) : value(0);
    json::object out;
    for (auto& [key, part] : shape.get_object())
      out.emplace(key, like(part, depth - 1));
    return out;
  }

  std::mt19937_64 random_;
};

void expect_round_trip(const json::value& value, const encode_options& options) {
  auto written = encode(value, options);
  ASSERT_TRUE(written.ok()) << written.problem;
  for (auto mode : {checks::strict, checks::lenient}) {
    decode_options back;
    back.indent_spaces = options.indent_spaces;
    back.checks = mode;
    auto read = decode(written.text, back);
    ASSERT_TRUE(read.ok()) << read.problem.text() << '\n' << written.text;
    ASSERT_TRUE(same(read.value, value)) << json::serialize(value) << '\n' << written.text;
  }
}

TEST(round_trip, of_random_values) {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    generator random{seed};
    encode_options options;
    constexpr delimiter delimiters[] = {delimiter::comma, delimiter::tab, delimiter::pipe};
    options.delimiter = delimiters[random.below(3)];
    options.indent_spaces = static_cast<unsigned>(1 + random.below(4));
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_round_trip(random.value(5), options);
    if (testing::Test::HasFatalFailure())
      return;
  }
}

TEST(round_trip, of_every_character_in_strings_and_keys) {
  for (int c = 0; c < 128; ++c)
    for (const std::string& text : {std::string(1, static_cast<char>(c)), "a" + std::string(1, static_cast<char>(c)),
                                    std::string(1, static_cast<char>(c)) + "a"}) {
      expect_round_trip(json::string(text), {});
      expect_round_trip({{text, text}}, {});
      expect_round_trip(json::array{text, text}, {});
      expect_round_trip(json::array{{{text, text}, {"z z", text}}}, {});
    }
}

} // namespace

} // namespace toon::test
