#include "mcp/value_size.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <string>

namespace json = boost::json;

TEST(value_size, is_about_that_of_the_text) {
  for (std::string text : {"null", "1", R"("abc")", "[]", "[1,2,3]", R"({"a":1,"b":[{"c":"d"}]})"}) {
    auto value = json::parse(text);
    EXPECT_FALSE(mcp::is_longer_than(text.size() + 8, value)) << text;
    EXPECT_TRUE(mcp::is_longer_than(0, value)) << text;
  }
}

TEST(value_size, counts_names_and_texts_and_small_values) {
  EXPECT_TRUE(mcp::is_longer_than(1'000, json::value{std::string(1'001, 'x')}));
  EXPECT_TRUE(mcp::is_longer_than(1'000, json::object{{std::string(1'001, 'x'), 1}}));
  EXPECT_TRUE(mcp::is_longer_than(1'000, json::value(json::array(600, 1))));
  EXPECT_FALSE(mcp::is_longer_than(1'300, json::value(json::array(600, 1))));
}
