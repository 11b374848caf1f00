#include "proxy/artifacts/shape.hpp"

#include "messages/limits.hpp"
#include "testing/cpu_time.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace outputs_shape_test {

namespace json = boost::json;

TEST(shape, of_everything) {
  for (auto [text, expected] : std::initializer_list<std::pair<const char*, const char*>>{
         {"null", "null"},
         {"true", "boolean"},
         {"1.5", "number"},
         {"\"a\"", "string"},
         {"[]", "Array(0)"},
         {"{}", "{}"},
         {"[1,2,3]", "Array(3) of number"},
         {R"([1,"a",null])", "Array(3) of string | number | null"},
         {R"({"a":1,"b-c":true,"":null})", R"({a: number, "b-c": boolean, "": null})"},
         {R"([{"id":1,"tags":["x"]},{"id":2},{"id":3,"tags":[]}])",
          "Array(3) of {id: number, tags?: Array(0..1) of string}"},
         {R"([[1],[1,2]])", "Array(2) of Array(1..2) of number"},
         {R"({"items":[{"id":1,"name":"a"}],"next":null})",
          "{items: Array(1) of {id: number, name: string}, next: null}"}})
    EXPECT_EQ(artifacts::shape_of(test::value(text)), expected);
}

TEST(shape, counts_what_it_does_not_look_at) {
  json::array list;
  for (int i = 0; i < 12'034; ++i)
    list.push_back(json::object{{"id", i}, {"name", "n"}});
  EXPECT_EQ(artifacts::shape_of(json::object{{"items", list}, {"next", nullptr}}),
            "{items: Array(12034) of {id: number, name: string}, next: null}");
}

TEST(shape, of_a_table_has_one_type_for_all_entries) {
  json::object table;
  for (int i = 0; i < 1'200; ++i)
    table["key" + std::to_string(i)] = json::object{{"n", i}};
  EXPECT_EQ(artifacts::shape_of(table), "Record(1200) of {n: number}");
}

TEST(shape, tells_the_size_of_long_texts) {
  EXPECT_EQ(artifacts::shape_of(json::object{{"a", std::string(5'000, 'x')}}), "{a: string(5000)}");
  EXPECT_EQ(artifacts::shape_of(json::array{"short", std::string(5'000, 'x')}), "Array(2) of string(5..5000)");
}

TEST(shape, is_short_and_quick_for_any_value) {
  json::object wide;
  for (int i = 0; i < 40; ++i)
    wide["field_with_a_long_name_" + std::to_string(i)] = json::object{{"a", json::array(10, json::object{{"b", i}})}};
  json::value deep(1);
  for (int i = 0; i < 190; ++i)
    deep = json::array(1, std::move(deep));
  json::value bushy(1);
  for (int i = 0; i < 8; ++i)
    bushy = json::array(8, bushy);
  json::object long_keys;
  for (int i = 0; i < 39; ++i)
    long_keys[std::string(10'000, static_cast<char>('a' + i % 26)) + std::to_string(i)] = i;
  for (auto& value : {json::value(wide), deep, bushy, json::value(long_keys), json::value(json::array(40, wide))}) {
    auto start = test::cpu_time();
    auto shape = artifacts::shape_of(value);
    EXPECT_LT(test::cpu_time() - start, std::chrono::milliseconds{200});
    EXPECT_LE(shape.size(), msg::limits::shape_bytes_max);
    EXPECT_FALSE(shape.empty());
  }
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    test::random_values random{seed};
    auto shape = artifacts::shape_of(random.value(7));
    EXPECT_TRUE(test::is_valid_utf8(shape)) << "seed " << seed;
    EXPECT_LE(shape.size(), msg::limits::shape_bytes_max) << "seed " << seed;
  }
}

} // namespace outputs_shape_test
