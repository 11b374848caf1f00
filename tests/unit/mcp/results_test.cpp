#include "mcp/results.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace mcp_results_test {

namespace json = boost::json;
using mcp::cache_hint;
using mcp::revision;
using test::doc;
using test::object;
using test::value;

const json::object& server() {
  static const auto info = object(R"({"name":"n","version":"v"})");
  return info;
}
mcp::requester of(revision spoken) {
  mcp::requester out;
  out.spoken = spoken;
  return out;
}
const auto handshakes = {revision::r2024_11_05, revision::r2025_03_26, revision::r2025_06_18, revision::r2025_11_25};
constexpr cache_hint an_hour{cache_hint::scope::everybody, std::chrono::hours{1}};
constexpr cache_hint for_asker{cache_hint::scope::asker, std::chrono::milliseconds{0}};

json::value listing(const std::string& result, revision spoken, const cache_hint& hint) {
  return value(mcp::listing_response("id", doc(result), of(spoken), server(), hint).text());
}

TEST(results_test, revisions_with_a_handshake_get_the_result_as_it_is) {
  for (auto spoken : handshakes) {
    auto result = object(R"({"content":[]})");
    mcp::complete(result, of(spoken), server());
    EXPECT_EQ(result, object(R"({"content":[]})"));
    EXPECT_EQ(listing(R"({"tools":[1],"more":2})", spoken, an_hour),
              value(R"({"jsonrpc":"2.0","id":"id","result":{"tools":[1],"more":2}})"));
  }
}

TEST(results_test, a_complete_one_says_so_and_whose_it_is) {
  auto result = object(R"({"content":[],"isError":false})");
  mcp::complete(result, of(revision::r2026_07_28), server());
  EXPECT_EQ(result, object(R"({"content":[],"isError":false,"resultType":"complete",)"
                           R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n","version":"v"}}})"));
}

TEST(results_test, what_is_in_meta_already_stays) {
  auto result = object(R"({"_meta":{"code-executor/report":{"a":1}}})");
  mcp::complete(result, of(revision::r2026_07_28), server());
  EXPECT_EQ(result.at("_meta").at("code-executor/report"), value(R"({"a":1})"));
  EXPECT_EQ(result.at("_meta").at("io.modelcontextprotocol/serverInfo"), json::value(server()));
  result = object(R"({"_meta":7})");
  mcp::complete(result, of(revision::r2026_07_28), server());
  EXPECT_TRUE(result.at("_meta").is_object());
}

TEST(results_test, every_large_member_is_spliced_beside_the_hints) {
  for (std::string name : {"contents", "resources", "resourceTemplates", "tools"}) {
    auto response = listing("{\"" + name + R"(":[{"é\"":[]}],"small":true})", revision::r2026_07_28, an_hour);
    EXPECT_EQ(response.at("id"), "id");
    auto& result = response.at("result").as_object();
    EXPECT_EQ(result.at(name), value(R"([{"é\"":[]}])"));
    EXPECT_EQ(result.at("small"), true);
    EXPECT_EQ(result.at("resultType"), "complete");
    EXPECT_EQ(result.at("ttlMs"), 3'600'000);
    EXPECT_EQ(result.at("cacheScope"), "public");
    EXPECT_EQ(result.size(), 6u);
  }
}

TEST(results_test, a_result_without_a_large_member_is_whole) {
  auto response = listing(R"({"prompts":[]})", revision::r2026_07_28, for_asker);
  EXPECT_EQ(response.at("result").at("prompts"), value("[]"));
  EXPECT_EQ(response.at("result").at("ttlMs"), 0);
  EXPECT_EQ(response.at("result").at("cacheScope"), "private");
  EXPECT_EQ(listing("{}", revision::r2026_07_28, mcp::uncached).at("result").at("resultType"), "complete");
}

TEST(results_test, what_nobody_may_keep_has_no_hint) {
  auto response = listing(R"({"tools":[]})", revision::r2026_07_28, mcp::uncached);
  EXPECT_FALSE(response.at("result").as_object().contains("ttlMs"));
  EXPECT_FALSE(response.at("result").as_object().contains("cacheScope"));
}

TEST(results_test, an_id_is_repeated_as_it_was) {
  for (auto* id : {"-1", "18446744073709551615", R"("é\"\\")", "0"}) {
    auto text = mcp::listing_response(value(id), doc(R"({"tools":[]})"), of(revision::r2026_07_28), server(), an_hour);
    EXPECT_EQ(value(text.text()).at("id"), value(id));
  }
}

TEST(results_test, what_is_no_object_is_sent_as_it_is) {
  EXPECT_EQ(listing("[1]", revision::r2026_07_28, an_hour).at("result"), value("[1]"));
}

} // namespace mcp_results_test
