#include "sandbox/egress/host_rules.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace network_host_rules_test {

using egress::network_settings;
using msg::errc;
using strings = std::vector<std::string>;

egress::host host_of(std::string_view text) {
  auto parsed = egress::parse_host(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.error.message;
  return parsed.value;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST(parse_rule, and_matches_follow_the_contract) {
  struct {
    const char *pattern, *host;
    uint16_t port;
    bool yes;
  } const cases[] = {
    {"example.com", "example.com", 443, true},
    {"example.com", "example.com", 80, true},
    {"example.com", "EXAMPLE.com.", 443, true},
    {"Example.COM.", "example.com", 443, true},
    {"example.com", "example.com", 8080, false},
    {"example.com", "example.com", 22, false},
    {"example.com", "www.example.com", 443, false},
    {"example.com", "notexample.com", 443, false},
    {"example.com", "example.com.evil.net", 443, false},
    {"example.com:8080", "example.com", 8080, true},
    {"example.com:8080", "example.com", 443, false},
    {"example.com:443", "example.com", 80, false},
    {"example.com:*", "example.com", 1, true},
    {"example.com:*", "example.com", 65535, true},
    {"*.example.com", "www.example.com", 443, true},
    {"*.example.com", "a.b.example.com", 443, true},
    {"*.example.com", "example.com", 443, false},
    {"*.example.com", "notexample.com", 443, false},
    {"*.example.com", "www.example.com", 8080, false},
    {"*.example.com:8080", "www.example.com", 8080, true},
    {"*", "example.com", 443, true},
    {"*", "8.8.8.8", 80, true},
    {"*", "example.com", 22, false},
    {"*:22", "example.com", 22, true},
    {"*:*", "example.com", 25, true},
    {"bücher.example", "xn--bcher-kva.example", 443, true},
    {"*.BÜCHER.example", "www.xn--bcher-kva.example", 443, true},
    {"8.8.8.8", "8.8.8.8", 443, true},
    {"8.8.8.8", "134744072", 443, true},
    {"8.8.8.8:53", "8.8.8.8", 53, true},
    {"8.8.8.8", "8.8.8.9", 443, false},
    {"[2606:4700:4700::1111]:853", "[2606:4700:4700:0::1111]", 853, true},
    {"[2606:4700:4700::1111]", "2606:4700:4700::1111", 443, true},
    {"2606:4700:4700::1111", "2606:4700:4700::1111", 443, true},
    {"*.8.com", "8.8.8.8", 443, false},
  };
  for (auto& c : cases) {
    auto rule = egress::parse_rule(c.pattern);
    ASSERT_TRUE(rule.ok()) << c.pattern << ": " << rule.error.message;
    EXPECT_EQ(egress::matches(rule.value, host_of(c.host), c.port), c.yes)
      << c.pattern << " on " << c.host << ":" << c.port;
  }
}

TEST(parse_rule, says_what_is_wrong_with_nonsense) {
  struct {
    std::string pattern;
    const char* message;
  } const cases[] = {
    {"", "is empty"},
    {"https://example.com", "is a URL"},
    {"example.com/path", "address ranges"},
    {"10.0.0.0/8", "address ranges"},
    {"user@example.com", "user name"},
    {"exam*ple.com", "'*' can only"},
    {"*example.com", "'*' can only"},
    {"**", "'*' can only"},
    {"*.*.com", "'*' can only"},
    {"*.", "is empty"},
    {"example.*", "'*' can only"},
    {".example.com", "empty part"},
    {"example.com:", "the port"},
    {"example.com:0", "the port"},
    {"example.com:65536", "the port"},
    {"example.com:http", "the port"},
    {"example.com:-1", "the port"},
    {"example.com:+80", "the port"},
    {"example.com:8 0", "the port"},
    {"exa mple.com", "only letters"},
    {"*.8.8.8.8", "no subdomains"},
    {"[::1", "IP address"},
    {"1.2.3.4.5", "IP address"},
    {std::string(600, 'a'), "too long"},
  };
  for (auto& c : cases) {
    auto rule = egress::parse_rule(c.pattern);
    EXPECT_EQ(rule.error.code, errc::invalid_argument) << c.pattern;
    EXPECT_TRUE(has(rule.error.message, c.message)) << c.pattern << ": " << rule.error.message;
    EXPECT_LT(rule.error.message.size(), 400u);
  }
}

egress::network_policy policy_of(const network_settings& settings) {
  auto made = egress::make_policy(settings);
  EXPECT_TRUE(made.ok()) << made.error.message;
  return made.value;
}

network_settings allow_all() { return {strings{"*:*"}, {}}; }

TEST(check_request, refuses_with_the_call_what_can_never_be_allowed) {
  auto policy = policy_of(allow_all());
  for (auto* entry : {"127.0.0.1",
                      "127.0.0.1:8080",
                      "localhost",
                      "localhost:3000",
                      "foo.localhost",
                      "10.1.2.3",
                      "2130706433",
                      "0x7f.1",
                      "0177.0.0.1",
                      "[::1]",
                      "[::1]:80",
                      "::1",
                      "169.254.169.254",
                      "metadata.google.internal",
                      "printer.local",
                      "*.local",
                      "*.internal:*",
                      "192.168.1.1:80",
                      "100.100.100.200",
                      "017700000001",
                      "[::ffff:127.0.0.1]",
                      "１２７.0.0.1",
                      "router",
                      "metadata.azure.internal",
                      "localhost.",
                      "198.18.0.1",
                      "%31%32%37.0.0.1"}) {
    auto checked = egress::check_request({"example.com", entry}, policy);
    EXPECT_EQ(checked.error.code, errc::not_allowed) << entry << ": " << checked.error.message;
    EXPECT_TRUE(has(checked.error.message, "permissions.net")) << checked.error.message;
    EXPECT_TRUE(has(checked.error.message, "no permission or setting")) << checked.error.message;
    EXPECT_TRUE(checked.value.lists.empty());
  }
}

TEST(check_request, refuses_nonsense_and_too_much_of_it) {
  auto policy = policy_of(allow_all());
  EXPECT_EQ(egress::check_request({"https://example.com"}, policy).error.code, errc::invalid_argument);
  EXPECT_EQ(egress::check_request({"010.8.8.8"}, policy).error.code, errc::invalid_argument);
  EXPECT_EQ(egress::check_request(strings(101, "example.com"), policy).error.code, errc::invalid_argument);
  EXPECT_TRUE(egress::check_request(strings(100, "example.com"), policy).ok());
}

TEST(check_request, says_when_the_network_is_off) {
  for (auto& off : {network_settings{}, network_settings{strings{}, {}}, network_settings{strings{"*"}, strings{}}}) {
    auto checked = egress::check_request({"example.com"}, policy_of(off));
    EXPECT_EQ(checked.error.code, errc::not_allowed);
    EXPECT_TRUE(has(checked.error.message, "security.allowNetwork")) << checked.error.message;
    EXPECT_TRUE(egress::check_request({}, policy_of(off)).ok()) << "nothing was asked for";
  }
}

errc connects(const strings& requested, const network_settings& settings, std::string_view host, uint16_t port) {
  auto rules = egress::check_request(requested, policy_of(settings));
  EXPECT_TRUE(rules.ok()) << rules.error.message;
  return egress::check_connection(rules.value, host_of(host), port).code;
}

TEST(check_connection, needs_the_run_and_the_settings_to_agree) {
  network_settings both{strings{"*.example.com", "example.net"}, {}};
  EXPECT_EQ(connects({"*"}, both, "www.example.com", 443), errc::none);
  EXPECT_EQ(connects({"*"}, both, "example.net", 443), errc::none);
  EXPECT_EQ(connects({"*"}, both, "example.org", 443), errc::not_allowed);
  EXPECT_EQ(connects({"example.org"}, both, "example.org", 443), errc::not_allowed);
  EXPECT_EQ(connects({"example.net"}, both, "www.example.com", 443), errc::not_allowed);
  EXPECT_EQ(connects({"example.net:*"}, both, "example.net", 8080), errc::not_allowed)
    << "the settings allow 80 and 443";
  EXPECT_EQ(connects({}, both, "example.net", 443), errc::not_allowed);
  network_settings domains{{}, strings{"example.com"}};
  EXPECT_EQ(connects({"*"}, domains, "example.com", 443), errc::none);
  EXPECT_EQ(connects({"*"}, domains, "example.org", 443), errc::not_allowed);
  network_settings narrowed{strings{"*"}, strings{"example.com"}};
  EXPECT_EQ(connects({"*"}, narrowed, "example.com", 443), errc::none);
  EXPECT_EQ(connects({"*"}, narrowed, "example.org", 443), errc::not_allowed);
}

TEST(check_connection, never_allows_what_is_not_public) {
  for (auto* host :
       {"127.0.0.1", "localhost", "10.0.0.1", "[::1]", "169.254.169.254", "metadata.google.internal", "box"})
    EXPECT_EQ(connects({"*:*"}, allow_all(), host, 80), errc::not_allowed) << host;
}

TEST(check_connection, says_who_could_allow_it) {
  auto rules = egress::check_request({"example.com"}, policy_of({strings{"*.com"}, strings{"*.com"}}));
  ASSERT_TRUE(rules.ok());
  auto own = egress::check_connection(rules.value, host_of("www.example.com"), 443).message;
  EXPECT_TRUE(has(own, "permissions.net") && has(own, "'www.example.com'")) << own;
  auto port = egress::check_connection(rules.value, host_of("example.com"), 8443).message;
  EXPECT_TRUE(has(port, "'example.com:8443'")) << port;
  rules = egress::check_request({"*"}, policy_of({strings{"*.com"}, strings{"*.com"}}));
  auto policy = egress::check_connection(rules.value, host_of("example.org"), 443).message;
  EXPECT_TRUE(has(policy, "security.allowNetwork") && has(policy, "'example.org'") && has(policy, "owner")) << policy;
  EXPECT_FALSE(has(policy, "*.com")) << "the settings are not listed to the guest: " << policy;
}

TEST(make_policy, warns_of_what_can_never_match_and_refuses_nonsense) {
  auto policy = policy_of({strings{"localhost", "127.0.0.1", "example.com"}, {}});
  ASSERT_EQ(policy.warnings.size(), 2u);
  EXPECT_TRUE(has(policy.warnings[0], "security.allowNetwork") && has(policy.warnings[0], "localhost"))
    << policy.warnings[0];
  auto broken = egress::make_policy({{}, strings{"example.com", "exam*ple"}});
  EXPECT_EQ(broken.error.code, errc::invalid_argument);
  EXPECT_TRUE(has(broken.error.message, "security.allowedDomains") && has(broken.error.message, "exam*ple"))
    << broken.error.message;
}

} // namespace network_host_rules_test
