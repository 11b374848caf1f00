// The manual exists twice: in the guest, which prints it, and in the server, whose client reads it.
#include "proxy/surface/capabilities.hpp"
#include "proxy/surface/resources.hpp"

#include "testing/folder.hpp"
#include "tests/unit/support/places.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace tools_capabilities_test {

TEST(capabilities, say_what_the_guest_says) {
  auto source = test::read(test::source("sandbox/guest/python/runtime.py"));
  auto begin = source.find("1. DISCOVER"), end = source.find("\"\"\"", begin);
  ASSERT_NE(begin, source.npos);
  auto manual = source.substr(begin, end - begin);
  EXPECT_NE(surface::capabilities_text().find(manual), std::string_view::npos) << manual;
}

TEST(capabilities, are_a_resource) {
  auto entry = surface::capabilities_resource();
  EXPECT_EQ(entry.at("uri"), "resource://mcp-server-code-execution-mode/capabilities");
  EXPECT_EQ(entry.at("name"), "code-execution-capabilities");
  EXPECT_EQ(entry.at("title"), "Code Execution Sandbox Helpers");
  EXPECT_EQ(entry.at("mimeType"), "text/markdown");
  auto contents = surface::capabilities_contents().at("contents").at(0);
  EXPECT_EQ(contents.at("text").as_string().size(), entry.at("size").to_number<size_t>());
  EXPECT_TRUE(contents.at("text").as_string().starts_with("# Code Execution MCP Capabilities\n"));
}

TEST(resources, are_the_manual_and_what_is_kept) {
  auto list = surface::resource_list({{"out_abcdefghij", {}, 0, 123, true, 0}, {"out_aaaaaaaaaa", {}, 0, 5, false, 0}})
                .at("resources")
                .as_array();
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[1].at("uri"), "code-executor://outputs/out_abcdefghij");
  EXPECT_EQ(list[1].at("mimeType"), "application/json");
  EXPECT_EQ(list[1].at("size"), boost::json::value(123));
  EXPECT_EQ(list[2].at("mimeType"), "text/plain");
  EXPECT_EQ(surface::resource_templates().at("resourceTemplates").at(0).at("uriTemplate"),
            "code-executor://outputs/{handle}");
}

} // namespace tools_capabilities_test
