#include "recording/difference.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace {

std::string told(const char* was, const char* is, size_t most = 10) {
  std::string out;
  for (auto& one : recording::differences(boost::json::parse(was), boost::json::parse(is), most))
    out += one.path + ": " + one.was + " -> " + one.is + "\n";
  return out;
}

} // namespace

TEST(recording_differences, are_told_with_their_places) {
  EXPECT_EQ(told(R"({"a":1,"b":[1,{"c":"x"}],"d":null})", R"({"d":null,"b":[1,{"c":"y"},2],"a":1.0,"e":true})"),
            "b[1].c: \"x\" -> \"y\"\nb[2]: nothing -> 2\ne: nothing -> true\n");
  EXPECT_EQ(told("1", "\"1\""), ": 1 -> \"1\"\n");
  EXPECT_EQ(told(R"({"a":[1]})", R"({"a":{"0":1}})"), "a: [1] -> {\"0\":1}\n");
}

TEST(recording_differences, are_bounded) {
  EXPECT_EQ(told("[1,2,3]", "[4,5,6]", 2), "[0]: 1 -> 4\n[1]: 2 -> 5\n");
  auto long_text = "\"" + std::string(100'000, 'x') + "\"";
  EXPECT_LT(told(long_text.c_str(), "1").size(), 300U);
}
