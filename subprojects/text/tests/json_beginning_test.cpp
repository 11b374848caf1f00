#include "text/json_beginning.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace text_json_beginning_test {

namespace json = boost::json;

TEST(json_beginning, is_all_of_what_is_small) {
  for (auto* text : {"null", "1.5", "\"text\"", "[1,2]", "[1.5,0.1]", R"({"a":[true,2.25]})"})
    EXPECT_EQ(text::json_beginning(json::parse(text), 100), text);
}

TEST(json_beginning, is_short_whatever_the_value) {
  json::array list(1'000'000, json::array{0});
  for (auto& large : {json::value(std::string(1'000'000, 'x')), json::value(list), json::value{{"a", list}}}) {
    auto text = text::json_beginning(large, 100);
    EXPECT_GE(text.size(), 100u);
    EXPECT_LE(text.size(), 110u);
  }
}

} // namespace text_json_beginning_test
