#include "catalog/tool_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace catalog_tool_text_test {

tool_search::tool_text read(std::string_view definition) {
  return catalog::read_tool("n", "d", msg::document::parse(definition).value);
}

TEST(tool_text, has_names_and_descriptions_of_parameters) {
  auto t = read(
    R"({"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"where"},"limit":{"type":"integer"}}}})");
  EXPECT_EQ(t.name, "n");
  EXPECT_EQ(t.description, "d");
  EXPECT_EQ(t.parameter_names, "path\nlimit\n");
  EXPECT_EQ(t.parameter_descriptions, "where\n");
}

TEST(tool_text, of_objects_inside_of_objects_and_arrays_to_a_bound) {
  std::string inner = R"({"properties":{"d4":{}}})";
  for (auto name : {"d3", "d2", "d1"})
    inner = R"({"properties":{")" + std::string{name} + R"(":)" + inner + "}}";
  EXPECT_EQ(read(R"({"inputSchema":)" + inner + "}").parameter_names, "d1\nd2\nd3\n");
  EXPECT_EQ(read(R"({"inputSchema":{"properties":{"a":{"items":{"properties":{"b":{}}}}}}})").parameter_names,
            "a\nb\n");
}

TEST(tool_text, what_is_not_as_it_should_be_has_no_text) {
  for (auto text : {"{}", "[]", "3", R"({"inputSchema":true})", R"({"inputSchema":{"properties":[1]}})",
                    R"({"inputSchema":{"properties":{}}})"})
    EXPECT_EQ(read(text).parameter_names, "") << text;
  EXPECT_EQ(read(R"({"inputSchema":{"properties":{"a":3,"b":{"description":4}}}})").parameter_names, "a\nb\n");
}

} // namespace catalog_tool_text_test
