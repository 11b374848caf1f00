#include "proxy/artifacts/sample.hpp"

#include "tests/unit/support/values.hpp"
#include "text/json_text.hpp"

#include <gtest/gtest.h>

namespace outputs_sample_test {

namespace json = boost::json;

constexpr size_t texts_bytes_max = 1'300; ///< a text on its own may have 200 bytes, each of them escaped

void expect_small(const json::value& value, size_t bytes_max, const std::string& what) {
  auto sample = artifacts::sample_of(value, bytes_max);
  auto text = text::to_text(sample);
  EXPECT_LE(text.size(), std::max(bytes_max, texts_bytes_max)) << what;
  EXPECT_TRUE(msg::document::parse(text).ok()) << what;
  EXPECT_EQ(sample.kind(), value.kind()) << what;
}

TEST(sample, has_the_first_elements_and_the_fields) {
  auto value =
    test::value(R"({"items":[{"id":1,"n":"a"},{"id":2,"n":"b"},{"id":3,"n":"c"},{"id":4,"n":"d"}],"next":null})");
  EXPECT_EQ(artifacts::sample_of(value, 2'000),
            test::value(R"({"items":[{"id":1,"n":"a"},{"id":2,"n":"b"},{"id":3,"n":"c"}],"next":null})"));
}

TEST(sample, has_the_beginnings_of_texts) {
  auto value = json::value(json::array{std::string(1'000, 'x')});
  EXPECT_EQ(artifacts::sample_of(value, 2'000), json::value(json::array{std::string(200, 'x') + "..."}));
  std::string two_bytes_each;
  for (int i = 0; i < 200; ++i)
    two_bytes_each += "é";
  EXPECT_TRUE(test::is_valid_utf8(text::to_text(artifacts::sample_of(json::array{"a" + two_bytes_each}, 2'000))));
}

TEST(sample, keeps_room_for_the_fields_behind_a_large_one) {
  json::object value{{"big", json::array(1'000, json::value(std::string(150, 'x')))}, {"last", 7}};
  auto sample = artifacts::sample_of(value, 500).as_object();
  EXPECT_FALSE(sample.at("big").as_array().empty());
  EXPECT_EQ(sample.at("last"), json::value(7));
}

TEST(sample, is_small_whatever_the_value) {
  for (size_t bytes_max : {100u, 500u, 2'000u}) {
    expect_small(json::array(10'000, json::value("element")), bytes_max, "a list");
    expect_small(json::array(100, json::value(std::string(10'000, '\x01'))), bytes_max, "a list of long texts");
    json::object object;
    for (int i = 0; i < 1'000; ++i)
      object[std::string(50, '\x01') + std::to_string(i)] = json::array(100, json::value(i));
    expect_small(object, bytes_max, "an object with keys that are escaped");
    expect_small(json::object{{std::string(100'000, 'k'), 1}}, bytes_max, "a long key");
    json::value deep(std::string(100'000, 'z'));
    for (int i = 0; i < 150; ++i)
      deep = json::object{{"a", json::array(1, deep)}};
    expect_small(deep, bytes_max, "a deep value");
    expect_small(json::value(std::string(100'000, '\x01')), bytes_max, "a text");
  }
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    test::random_values random{seed};
    expect_small(random.value(6), 100 + random.below(500), "seed " + std::to_string(seed));
  }
}

} // namespace outputs_sample_test
