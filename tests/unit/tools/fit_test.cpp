#include "tools/fit.hpp"

#include "messages/json_text.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace {

namespace json = boost::json;

/// The marker that stands for what is left out.
constexpr size_t marker_bytes_max = 200;

size_t code_points(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

msg::captured_text captured(std::string head, std::string tail = {}, uint64_t dropped = 0) {
  msg::captured_text t;
  t.head = std::move(head);
  t.tail = std::move(tail);
  t.dropped_bytes = dropped;
  return t;
}

TEST(fit_text, leaves_alone_what_fits) {
  for (auto* text : {"", "a", "0123456789", "日本語日本語日本語日", "é\n"}) {
    auto got = tools::fit_text(captured(text), 10);
    EXPECT_EQ(got.text, text);
    EXPECT_FALSE(got.truncated);
  }
}

TEST(fit_text, keeps_head_and_tail_and_says_how_much_there_was) {
  auto got = tools::fit_text(captured("0123456789abcdefghij"), 10);
  EXPECT_TRUE(got.truncated);
  EXPECT_TRUE(got.text.starts_with("01234\n")) << got.text;
  EXPECT_TRUE(got.text.ends_with("\nfghij")) << got.text;
  EXPECT_NE(got.text.find("20 bytes"), std::string::npos) << got.text;
  got = tools::fit_text(captured("head", "tail", 1'000'000), 10);
  EXPECT_TRUE(got.truncated);
  EXPECT_TRUE(got.text.starts_with("head\n") && got.text.ends_with("\ntail")) << got.text;
  EXPECT_NE(got.text.find("1000008 bytes"), std::string::npos);
}

TEST(fit_text, is_valid_and_within_its_bound_for_any_bytes) {
  for (uint64_t seed = 1; seed <= 1'000; ++seed) {
    test::random_values random{seed};
    auto bytes = [&] {
      auto text = random.text(200);
      for (auto n = random.below(5); n > 0 && !text.empty(); --n)
        text[random.below(text.size())] = static_cast<char>(random.below(256));
      return text;
    };
    auto chars_max = random.below(100);
    auto got = tools::fit_text(captured(bytes(), random.below(2) ? bytes() : "", random.below(2) ? random.below(1'000) : 0), chars_max);
    EXPECT_TRUE(test::is_valid_utf8(got.text)) << "seed " << seed;
    EXPECT_LE(code_points(got.text), chars_max + marker_bytes_max) << "seed " << seed;
  }
}

TEST(fit_text, never_cuts_a_character) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "日😀é";
  for (size_t n = 0; n < 50; ++n)
    EXPECT_EQ(tools::fit_text(captured(text), n).text.find("\xEF\xBF\xBD"), std::string::npos) << n;
}

TEST(fit_value, leaves_alone_what_fits) {
  for (auto* text : {"null", "1", "\"abc\"", "[1,2,3]", R"({"a":[{"b":1}]})"}) {
    auto got = tools::fit_value(test::value(text), std::string_view{text}.size());
    EXPECT_EQ(msg::to_text(got.value), text);
    EXPECT_FALSE(got.truncated);
  }
}

TEST(fit_value, keeps_head_and_tail_of_a_text) {
  auto got = tools::fit_value(json::value(std::string(1'000, 'a') + std::string(1'000, 'z')), 500);
  EXPECT_TRUE(got.truncated);
  auto text = std::string{got.value.as_string()};
  EXPECT_TRUE(text.starts_with("aaa") && text.ends_with("zzz"));
  EXPECT_NE(text.find("2000 bytes"), std::string::npos);
}

TEST(fit_value, keeps_the_first_elements_of_a_list_and_counts_the_rest) {
  json::array list;
  for (int i = 0; i < 1'000; ++i)
    list.push_back(i);
  auto got = tools::fit_value(list, 100);
  EXPECT_TRUE(got.truncated);
  auto& out = got.value.as_array();
  ASSERT_GT(out.size(), 10u);
  for (size_t i = 0; i + 1 < out.size(); ++i)
    EXPECT_EQ(out[i], json::value(static_cast<int64_t>(i)));
  auto note = std::string{out.back().as_string()};
  EXPECT_NE(note.find(std::to_string(1'000 - (out.size() - 1)) + " more of 1000"), std::string::npos) << note;
}

TEST(fit_value, keeps_the_fields_that_fit_and_counts_the_rest) {
  json::object object;
  for (int i = 0; i < 100; ++i)
    object["key" + std::to_string(i)] = i;
  object["big"] = std::string(10'000, 'x');
  auto got = tools::fit_value(object, 300);
  EXPECT_TRUE(got.truncated);
  auto& out = got.value.as_object();
  ASSERT_GT(out.size(), 5u);
  EXPECT_EQ(out.at("key0"), json::value(0));
  EXPECT_EQ(std::string{out.at("[...]").as_string()}, std::to_string(101 - (out.size() - 1)) + " more of 101 fields");
}

TEST(fit_value, a_field_of_the_markers_name_is_not_lost_in_silence) {
  json::object object{{"[...]", "mine"}};
  for (int i = 0; i < 100; ++i)
    object["key" + std::to_string(i)] = i;
  auto got = tools::fit_value(object, 300);
  EXPECT_NE(msg::to_text(got.value).find("mine"), std::string::npos);
}

void expect_within(const json::value& value, size_t bytes_max, const std::string& what) {
  auto got = tools::fit_value(value, bytes_max);
  auto text = msg::to_text(got.value);
  EXPECT_LE(text.size(), bytes_max + marker_bytes_max) << what;
  EXPECT_TRUE(msg::document::parse(text).ok()) << what;
  EXPECT_EQ(got.truncated, msg::to_text(value).size() > bytes_max) << what;
}

TEST(fit_value, stays_within_its_bound_for_plain_values) {
  for (size_t bytes_max : {500u, 2'000u, 25'000u}) {
    expect_within(json::value(std::string(200'000, 'x')), bytes_max, "a text");
    expect_within(json::array(10'000, json::value("element")), bytes_max, "a list");
    expect_within(json::array(100, json::value(std::string(10'000, 'y'))), bytes_max, "a list of long texts");
    json::object object;
    for (int i = 0; i < 1'000; ++i)
      object["key" + std::to_string(i)] = json::array(100, json::value(i));
    expect_within(object, bytes_max, "an object");
    json::value deep(std::string(100'000, 'z'));
    for (int i = 0; i < 150; ++i)
      deep = json::object{{"a", json::array(1, deep)}};
    expect_within(deep, bytes_max, "a deep value");
  }
}

TEST(fit_value, stays_within_its_bound_for_long_characters) {
  std::string emoji;
  for (int i = 0; i < 50'000; ++i)
    emoji += "😀";
  expect_within(json::value(emoji), 25'000, "four bytes each");
}

TEST(fit_value, stays_within_its_bound_for_characters_that_are_escaped) {
  expect_within(json::value(std::string(100'000, '\x01')), 25'000, "six bytes each");
  expect_within(json::value(std::string(100'000, '"')), 25'000, "two bytes each");
}

TEST(fit_value, stays_within_its_bound_for_keys_that_are_escaped) {
  json::object object;
  for (int i = 0; i < 1'000; ++i)
    object[std::string(50, '\x01') + std::to_string(i)] = i;
  expect_within(object, 5'000, "keys of control characters");
}

TEST(fit_value, gives_valid_json_for_any_value) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    test::random_values random{seed};
    auto value = random.value(5);
    auto got = tools::fit_value(value, random.below(300));
    EXPECT_TRUE(msg::document::parse(msg::to_text(got.value)).ok()) << "seed " << seed;
    EXPECT_EQ(got.value.kind(), value.is_structured() || value.is_string() ? value.kind() : got.value.kind()) << "seed " << seed;
  }
}

TEST(fit_value, does_not_read_a_deep_value_once_per_level) { // a guest chooses the value, and one thread serves all
  json::value deep(std::string(2u << 20, 'x'));
  for (int i = 0; i < 190; ++i)
    deep = json::array(1, std::move(deep));
  auto once = std::chrono::steady_clock::now();
  auto bytes = msg::to_text(deep).size();
  auto one_reading = std::chrono::steady_clock::now() - once;
  auto start = std::chrono::steady_clock::now();
  tools::fit_value(deep, 25'000);
  auto all = std::chrono::steady_clock::now() - start;
  EXPECT_LT(all, 20 * one_reading + std::chrono::milliseconds{20}) << bytes << " bytes";
}

} // namespace
