#include "mcp/envelope.hpp"

#include "tests/unit/support/values.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace mcp_envelope_test {

namespace json = boost::json;
namespace code = mcp::rpc_error;
using test::doc;
using test::value;

constexpr auto version_key = R"("io.modelcontextprotocol/protocolVersion")";
constexpr auto capabilities_key = R"("io.modelcontextprotocol/clientCapabilities")";
constexpr auto client_key = R"("io.modelcontextprotocol/clientInfo")";

/// A request that lives as long as the test looks at it.
class request {
public:
  explicit request(const std::string& params)
    : message_(doc(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":)" + params + "}")),
      view_(mcp::classify(message_.value())) {}
  const mcp::message_view& view() const { return view_; }

private:
  msg::document message_;
  mcp::message_view view_;
};

request with_meta(const std::string& meta) { return request{R"({"_meta":{)" + meta + "}}"}; }
std::string of_version(const std::string& version) { return std::string{version_key} + ":" + version; }
std::string complete(const std::string& more = "") {
  return of_version("\"2026-07-28\"") + "," + capabilities_key + ":{}" + more;
}

TEST(envelope_test, who_says_its_revision_has_one) {
  EXPECT_TRUE(mcp::has_envelope(with_meta(complete()).view()));
  EXPECT_TRUE(mcp::has_envelope(with_meta(of_version("7")).view()));
  EXPECT_FALSE(mcp::has_envelope(with_meta(R"("progressToken":1)").view()));
  EXPECT_FALSE(mcp::has_envelope(with_meta(std::string{capabilities_key} + ":{}").view()));
  EXPECT_FALSE(mcp::has_envelope(request{R"({"_meta":["a"]})"}.view()));
  EXPECT_FALSE(mcp::has_envelope(request{"{}"}.view()));
  auto bare = doc(R"({"jsonrpc":"2.0","id":1,"method":"ping"})");
  EXPECT_FALSE(mcp::has_envelope(mcp::classify(bare.value())));
}

TEST(envelope_test, says_what_the_client_can_be_asked) {
  auto can = [](const std::string& capabilities) {
    auto asked = with_meta(of_version("\"2026-07-28\"") + "," + capabilities_key + ":" + capabilities);
    return mcp::read_envelope(asked.view()).from.abilities;
  };
  EXPECT_EQ(can("{}"), msg::client_abilities{});
  EXPECT_TRUE(can(R"({"sampling":{}})").samples);
  EXPECT_TRUE(can(R"({"elicitation":{"url":{}},"roots":{}})").opens_urls);
}

TEST(envelope_test, claimed_is_what_was_said) {
  EXPECT_EQ(mcp::claimed_revision(with_meta(of_version("\"1900-01-01\"")).view()), "1900-01-01");
  EXPECT_EQ(mcp::claimed_revision(with_meta(of_version("5")).view()), "");
  EXPECT_EQ(mcp::claimed_revision(request{"{}"}.view()), "");
}

TEST(envelope_test, a_complete_one_says_who_asks) {
  auto read = mcp::read_envelope(
    with_meta(complete(std::string{","} + client_key + R"(:{"name":"tester","version":"1"})")).view());
  EXPECT_FALSE(read.refused) << read.refused.message;
  EXPECT_EQ(read.from.spoken, mcp::revision::r2026_07_28);
  EXPECT_EQ(read.from.name, "tester");
}

TEST(envelope_test, client_info_is_not_required) {
  for (auto* info : {"null", "5", "{}", R"({"name":7})", "[]"}) {
    auto read = mcp::read_envelope(with_meta(complete(std::string{","} + client_key + ":" + info)).view());
    EXPECT_FALSE(read.refused) << info;
    EXPECT_EQ(read.from.name, "") << info;
  }
}

TEST(envelope_test, a_long_name_is_cut_to_whole_characters) {
  std::string name;
  for (int i = 0; i < 300; ++i)
    name += "é";
  auto info = value(R"({"name":")" + name + "\"}");
  auto cut = mcp::client_name_of(&info);
  EXPECT_FALSE(cut.empty());
  EXPECT_LT(cut.size(), 200u);
  EXPECT_TRUE(test::is_valid_utf8(cut));
  EXPECT_EQ(mcp::client_name_of(nullptr), "");
}

TEST(envelope_test, what_is_required_is_named_when_it_is_missing) {
  struct {
    std::string meta;
    const char* says;
  } const cases[] = {
    {of_version("5"), "protocolVersion\"] must be a string, not 5"},
    {of_version("null"), "protocolVersion"},
    {of_version("\"2026-07-28\""), "clientCapabilities\"] must be an object, not absent"},
    {of_version("\"1900-01-01\""), "clientCapabilities"},
    {of_version("\"2026-07-28\"") + "," + capabilities_key + ":null", "clientCapabilities"},
    {of_version("\"2026-07-28\"") + "," + capabilities_key + ":[]", "clientCapabilities"},
    {of_version("\"2026-07-28\"") + "," + capabilities_key + ":\"x\"", "clientCapabilities"},
  };
  for (auto& c : cases) {
    auto refused = mcp::read_envelope(with_meta(c.meta).view()).refused;
    EXPECT_EQ(refused.code, code::invalid_params) << c.meta;
    EXPECT_NE(refused.message.find(c.says), std::string::npos) << refused.message;
  }
}

TEST(envelope_test, other_revisions_are_refused_with_those_that_are_served) {
  for (std::string asked : {"1900-01-01", "v999.0.0", "2099-12-31", "", "2026-07-28 "}) {
    auto refused =
      mcp::read_envelope(with_meta(of_version("\"" + asked + "\"") + "," + capabilities_key + ":{}").view()).refused;
    EXPECT_EQ(refused.code, code::unsupported_revision) << asked;
    EXPECT_EQ(refused.data.at("requested"), json::value(asked));
    EXPECT_EQ(refused.data.at("supported"), json::value(mcp::served_revisions()));
  }
}

TEST(envelope_test, a_revision_with_a_handshake_is_told_how_it_begins) {
  for (auto name : mcp::handshake_names()) {
    auto version = of_version("\"" + std::string{name} + "\"");
    auto refused = mcp::read_envelope(with_meta(version + "," + capabilities_key + ":{}").view()).refused;
    EXPECT_EQ(refused.code, code::unsupported_revision);
    EXPECT_NE(refused.message.find("initialize"), std::string::npos) << refused.message;
  }
}

TEST(envelope_test, a_long_revision_is_repeated_as_valid_text) {
  std::string asked = "x";
  for (int i = 0; i < 100; ++i)
    asked += "日";
  auto refused = mcp::unsupported_revision(asked);
  EXPECT_TRUE(test::is_valid_utf8(json::serialize(refused.data)));
  EXPECT_TRUE(test::is_valid_utf8(refused.message));
  EXPECT_LT(refused.message.size(), 400u);
}

TEST(envelope_test, the_latest_revision_is_served_first) {
  EXPECT_EQ(json::value(mcp::served_revisions()),
            value(R"(["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"])"));
}

TEST(envelope_test, methods_that_were_removed_are_not_served) {
  for (auto* method : {"server/discover", "tools/list", "tools/call", "resources/list", "resources/templates/list",
                       "resources/read", "prompts/list", "completion/complete", "subscriptions/listen"})
    EXPECT_TRUE(mcp::is_modern_method(method)) << method;
  for (auto* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
                       "notifications/initialized", "tasks/list", "TOOLS/LIST", ""})
    EXPECT_FALSE(mcp::is_modern_method(method)) << method;
}

} // namespace mcp_envelope_test
