#include "proxy/artifacts/part.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace outputs_part_test {

using msg::artifact_query;

std::string part(std::string_view json, std::string path, uint64_t offset = 0,
                 uint64_t limit = artifact_query::no_limit) {
  auto got = artifacts::part(test::doc(json), {"h", std::move(path), offset, limit});
  return got.ok() ? got.value.text() : "error: " + got.error.message;
}

TEST(part, of_a_list_is_elements) {
  EXPECT_EQ(part("[1,2,3,4]", "", 1, 2), "[2,3]");
  EXPECT_EQ(part("[1,2,3,4]", "", 2), "[3,4]");
  EXPECT_EQ(part("[1,2,3,4]", "", 0, 0), "[]");
  EXPECT_EQ(part("[1,2,3,4]", "", 9, 9), "[]");
  EXPECT_EQ(part("[1,2,3,4]", "", 3, UINT64_MAX - 1), "[4]");
  EXPECT_EQ(part(R"({"a":[[1,2],[3]]})", "a[0]", 1), "[2]");
}

TEST(part, of_a_text_is_characters) {
  EXPECT_EQ(part("\"日本語😀é\"", "", 1, 3), "\"本語😀\"");
  EXPECT_EQ(part("\"abc\"", "", 1), "\"bc\"");
  EXPECT_EQ(part("\"abc\"", "", 0, 0), "\"\"");
  EXPECT_EQ(part("\"abc\"", "", 5, 5), "\"\"");
}

TEST(part, of_an_object_is_fields) {
  EXPECT_EQ(part(R"({"a":1,"b":2,"c":3})", "", 1, 1), R"({"b":2})");
  EXPECT_EQ(part(R"({"a":1,"b":2,"c":3})", "", 2), R"({"c":3})");
  EXPECT_EQ(part(R"({"a":1})", "", 7), "{}");
}

TEST(part, of_a_single_value_is_itself_or_a_mistake) {
  EXPECT_EQ(part(R"({"a":1})", "a"), "1");
  EXPECT_NE(part(R"({"a":1})", "a", 1).find("error: offset and limit are for lists"), std::string::npos);
  EXPECT_NE(part(R"({"a":1})", "b").find("no field 'b'"), std::string::npos);
}

TEST(part, that_is_small_has_its_own_size) {
  auto whole = test::doc("{\"a\":\"" + std::string(10'000, 'x') + "\",\"b\":[1,2,3]}");
  EXPECT_EQ(artifacts::part(whole, {"h", "b", 0, artifact_query::no_limit}).value.text_bytes(), 7u);
  EXPECT_EQ(artifacts::part(whole, {"h", "b", 1, 1}).value.text_bytes(), 3u);
  EXPECT_EQ(artifacts::part(whole, {"h", "a", 5, 5}).value.text_bytes(), 7u);
}

TEST(part, that_is_not_cut_is_not_copied) {
  auto whole = test::doc("[[1,2,3]]");
  auto got = artifacts::part(whole, {"h", "[0]", 0, artifact_query::no_limit});
  EXPECT_EQ(&got.value.value(), &whole.value().get_array()[0]);
  EXPECT_EQ(&artifacts::part(whole, {"h", "", 0, artifact_query::no_limit}).value.value(), &whole.value());
}

} // namespace outputs_part_test
