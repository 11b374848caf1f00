#include "text/canonical_json.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace {

std::string canonical(const char* text) { return text::canonical_json(boost::json::parse(text)); }

} // namespace

TEST(canonical_json, is_the_same_for_what_is_equal) {
  EXPECT_EQ(canonical(R"({"a":1,"b":[{"d":2,"c":3.0}]})"), canonical(R"({"b":[{"c":3,"d":2.0}],"a":1.0})"));
  EXPECT_EQ(canonical("-0.0"), canonical("0"));
}

TEST(canonical_json, differs_where_values_do) {
  EXPECT_NE(canonical(R"({"a":1})"), canonical(R"({"a":"1"})"));
  EXPECT_NE(canonical(R"([1,2])"), canonical(R"([2,1])"));
  EXPECT_NE(canonical(R"({"a":1.5})"), canonical(R"({"a":1})"));
  EXPECT_NE(canonical(R"(["a,b"])"), canonical(R"(["a","b"])"));
  EXPECT_NE(canonical("1e300"), canonical("2e300"));
}
