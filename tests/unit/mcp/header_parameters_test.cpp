#include "mcp/header_parameters.hpp"

#include "mcp/field_coding.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace mcp_header_parameters_test {

namespace json = boost::json;

mcp::header_parameters find(const std::string& schema) {
  return mcp::find_header_parameters(test::value(R"({"name":"t","inputSchema":)" + schema + "}").as_object());
}

TEST(header_parameters, are_found_below_properties) {
  auto found = find(R"({"type":"object","properties":{
    "a":{"type":"string","x-mcp-header":"A-b"},
    "o":{"type":"object","properties":{"x-mcp-header":{"type":"integer","x-mcp-header":"N"}}},
    "d":{"type":"string","default":{"x-mcp-header":"data"},"enum":[{"x-mcp-header":1}]}}})");
  EXPECT_EQ(found.problem, "");
  ASSERT_EQ(found.all.size(), 2u);
  EXPECT_EQ(found.all[0].header, "Mcp-Param-A-b");
  EXPECT_EQ(found.all[1].path, (std::vector<std::string>{"o", "x-mcp-header"}));
  EXPECT_TRUE(find(R"(true)").problem.empty());
  EXPECT_TRUE(mcp::find_header_parameters({}).all.empty());
}

TEST(header_parameters, that_break_a_rule_make_the_tool_useless) {
  for (auto properties :
       {R"({"a":{"type":"string","x-mcp-header":""}})", R"({"a":{"type":"string","x-mcp-header":"a b"}})",
        R"({"a":{"type":"string","x-mcp-header":"a\r\nX"}})", R"({"a":{"type":"string","x-mcp-header":7}})",
        R"({"a":{"type":"number","x-mcp-header":"A"}})", R"({"a":{"x-mcp-header":"A"}})",
        R"({"a":{"type":["string"],"x-mcp-header":"A"}})",
        R"({"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}})",
        R"({"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}})",
        R"({"a":{"anyOf":[{"type":"string","x-mcp-header":"A"}]}})",
        R"({"a":{"anyOf":[{"properties":{"b":{"type":"string","x-mcp-header":"A"}}}]}})"}) {
    auto found = find(R"({"type":"object","properties":)" + std::string{properties} + "}");
    EXPECT_FALSE(found.problem.empty()) << properties;
    EXPECT_TRUE(found.all.empty()) << properties;
  }
  EXPECT_FALSE(find(R"({"type":"string","x-mcp-header":"A"})").problem.empty()) << "of no argument";
}

TEST(header_parameters, are_bounded) {
  std::string many = "{", deep = R"({"type":"string","x-mcp-header":"A"})";
  for (int i = 0; i < 101; ++i)
    many += (i ? "," : "") + std::string{R"("a)"} + std::to_string(i) + R"(":{"type":"string","x-mcp-header":"A)"
            + std::to_string(i) + "\"}";
  EXPECT_FALSE(find(R"({"properties":)" + many + "}}").problem.empty());
  for (int i = 0; i < 12; ++i)
    deep = R"({"type":"object","properties":{")" + std::string(6'000, 'n') + "\":" + deep + "}}";
  EXPECT_FALSE(find(deep).problem.empty());
}

TEST(header_parameters, say_what_the_arguments_have) {
  std::vector<mcp::header_parameter> wanted{{"A", {"a"}}, {"B", {"o", "b"}}, {"C", {"c"}}, {"D", {"d"}}, {"E", {"e"}}};
  auto said = mcp::headers_of(wanted, test::value(R"({"a":"x","o":{"b":3.0},"c":null,"d":true,"e":[1]})"));
  using pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(said, (pairs{{"A", "x"}, {"B", "3"}, {"D", "true"}}));
  EXPECT_TRUE(mcp::headers_of(wanted, test::value("[]")).empty());
}

TEST(field_coding, keeps_every_text) {
  for (auto& text :
       {std::string{"plain"}, std::string{"a b"}, std::string{" a"}, std::string{"a\t"}, std::string{"a\r\nX: y"},
        std::string{"ä"}, std::string("a\0b", 3), std::string{"=?base64?eA==?="}, std::string{}}) {
    auto coded = mcp::coded_field(text);
    EXPECT_EQ(mcp::decoded_field(coded), text);
    for (auto c : coded)
      EXPECT_TRUE(c >= ' ' && c < 0x7f) << text;
  }
  EXPECT_EQ(mcp::coded_field("a b"), "a b");
  EXPECT_NE(mcp::coded_field("=?base64?eA==?="), "=?base64?eA==?=");
}

} // namespace mcp_header_parameters_test
