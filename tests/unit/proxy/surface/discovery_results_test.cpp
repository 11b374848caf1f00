#include "proxy/surface/discovery_results.hpp"

#include "proxy/listed_servers.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace surface_discovery_results_test {

using boost::json::object;

/// Of a result: the document that its text and its `structuredContent` have alike.
object document_of(const object& result) {
  EXPECT_EQ(test::value(result.at("content").at(0).at("text").as_string()), result.at("structuredContent"));
  return result.at("structuredContent").as_object();
}

msg::server_status server(std::string name) {
  msg::server_status s;
  s.name = std::move(name);
  s.source = "/home/me/.mcp.json";
  s.client = "claude-code";
  return s;
}

TEST(search_result, says_what_was_asked_and_what_it_started) {
  surface::search_arguments asked;
  asked.query.text = "read files";
  msg::tool_matches found;
  auto doc = document_of(surface::search_result(asked, found));
  EXPECT_EQ(doc.at("query"), "read files");
  EXPECT_EQ(doc.at("total"), 0);
  EXPECT_EQ(doc.at("hint"), "No tool was found.");
  EXPECT_FALSE(doc.contains("lazyLoaded"));
  EXPECT_FALSE(doc.contains("errors"));
  found.connected = {"fs"};
  found.failures = {{msg::errc::internal, "git does not start"}};
  found.total = 3;
  doc = document_of(surface::search_result(asked, found));
  EXPECT_EQ(doc.at("total"), 3);
  EXPECT_FALSE(doc.contains("hint")) << "there are some, which could not be read";
  EXPECT_EQ(doc.at("lazyLoaded"), test::value(R"(["fs"])"));
  EXPECT_EQ(doc.at("errors"), test::value(R"(["git does not start"])"));
}

TEST(search_result, of_a_failure_is_an_error) {
  auto result = surface::search_result({}, msg::fault{msg::errc::unknown_server, "no such server"});
  EXPECT_EQ(result.at("isError"), true);
  EXPECT_EQ(result.at("structuredContent").at("error"), "no such server");
}

TEST(signature_result, is_the_tool_or_why_there_is_none) {
  msg::tool_info tool;
  tool.server = "fs";
  tool.name = "read";
  tool.definition = test::doc(R"({"name":"read","inputSchema":{"type":"object"}})");
  EXPECT_EQ(document_of(surface::signature_result(tool)).at("name"), "mcp__fs__read");
  EXPECT_EQ(surface::signature_result(msg::fault{msg::errc::unknown_tool, "no such tool"}).at("isError"), true);
}

TEST(servers_result, says_where_a_server_comes_from_and_how_it_is) {
  auto doc = document_of(surface::servers_result({server("fs")}, {}));
  EXPECT_EQ(doc.at("sources"),
            test::value(R"({"fs":{"file":"/home/me/.mcp.json","client":"claude-code","state":"idle"}})"));
  EXPECT_FALSE(doc.contains("problems"));
  auto broken = server("git");
  broken.disabled = true;
  broken.shadows = {"/etc/mcp.json"};
  broken.breaker = msg::breaker_state::open;
  broken.retry_after_ms = 500;
  broken.last_error = "it died";
  doc = document_of(surface::servers_result({broken}, {"line 3: no such key"}));
  EXPECT_EQ(doc.at("sources").at("git"),
            test::value(R"({"file":"/home/me/.mcp.json","client":"claude-code","state":"idle","disabled":true,)"
                        R"("shadows":["/etc/mcp.json"],"breaker":"open","retryAfterMs":500,"lastError":"it died"})"));
  EXPECT_EQ(doc.at("problems"), test::value(R"(["line 3: no such key"])"));
}

TEST(servers_result, is_bounded_whatever_a_project_names) {
  std::vector<msg::server_status> all(500, server("s"));
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].name += std::to_string(i);
    all[i].state = msg::server_state::unapproved;
    all[i].shadows.assign(1'000, "/other");
  }
  auto doc = document_of(surface::servers_result(all, std::vector<std::string>(1'000, std::string(5'000, 'p'))));
  EXPECT_EQ(doc.at("sources").as_object().size(), proxy::listed_waiting_max);
  EXPECT_EQ(doc.at("sources").at("s0").at("shadows").as_array().back(), "and 990 more files");
  EXPECT_EQ(doc.at("problems").as_array().size(), proxy::listed_problems_max + 1);
  EXPECT_EQ(doc.at("problems").as_array().back(), "and 950 more problems");
  EXPECT_EQ(doc.at("problems").at(0).as_string().size(), 1'000u + std::string{" [... cut after 1000 bytes]"}.size());
}

} // namespace surface_discovery_results_test
