#include "oauth_client/address.hpp"

#include <gtest/gtest.h>

namespace oauth {
namespace address_test {

constexpr auto far = "https://server.example/mcp";
constexpr auto near = "http://127.0.0.1:4000/mcp";

TEST(address, is_taken_apart) {
  auto a = parse_address("HTTPS://Host.Example:8443/a/b?c=d#e");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->scheme, "https");
  EXPECT_EQ(a->host, "host.example");
  EXPECT_EQ(a->port, 8443);
  EXPECT_EQ(a->path, "/a/b");
  EXPECT_EQ(a->query, "c=d");
  EXPECT_TRUE(a->has_fragment);
  EXPECT_EQ(origin_of(*a), "https://host.example:8443");
  EXPECT_EQ(origin_of(*parse_address("http://[::1]:80")), "http://[::1]");
  EXPECT_EQ(parse_address("https://h")->path, "/");
}

TEST(address, that_can_be_read_in_two_ways_is_none) {
  for (std::string text : {"",
                           "h",
                           "ftp://h/",
                           "javascript:alert(1)",
                           "https://",
                           "https:///a",
                           "https://h:0/",
                           "https://h:99999/",
                           "https://h:/",
                           "https://h:1x/",
                           "https://h ost/",
                           "https://h\\@evil/",
                           "https://h\n/",
                           "https://a..b/",
                           "https://%31%32%37.0.0.1/",
                           "https://2130706433/",
                           "https://0x7f.1/",
                           "https://127.1/",
                           "https://0177.0.0.1/",
                           "https://[::1/",
                           "https://[fe80::1%25eth0]/",
                           "https://\xef\xbc\x91.1.1.1/",
                           "https://.h/"})
    EXPECT_FALSE(parse_address(text)) << text;
  EXPECT_FALSE(parse_address(std::string("https://h/\0x", 12)));
  EXPECT_FALSE(parse_address("https://h/" + std::string(address_bytes_max, 'a')));
}

TEST(address, reach_is_seen_in_every_spelling) {
  for (auto host :
       {"localhost", "localhost.", "x.localhost", "127.0.0.1", "127.255.0.9", "[::1]", "[::ffff:127.0.0.1]"})
    EXPECT_EQ(reach_of(host), reach::this_machine) << host;
  for (auto host : {"10.1.2.3", "172.16.0.1", "172.31.0.1", "192.168.0.1", "100.64.0.1", "[fd00::1]", "[fc00::1]",
                    "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]", "[2002:a00:1::]"})
    EXPECT_EQ(reach_of(host), reach::private_net) << host;
  for (auto host : {"169.254.169.254", "0.0.0.0", "224.0.0.1", "255.255.255.255", "[fe80::1]", "[ff02::1]", "[::]",
                    "[::ffff:169.254.169.254]"})
    EXPECT_EQ(reach_of(host), reach::link_local) << host;
  for (auto host : {"server.example", "172.32.0.1", "8.8.8.8", "100.128.0.1", "[2001:db8::1]", "localhost.example"})
    EXPECT_EQ(reach_of(host), reach::everywhere) << host;
}

TEST(address, of_a_far_server_leads_to_far_ones_by_https_only) {
  EXPECT_EQ(refusal_of("https://auth.example/a?b", far), "");
  for (auto url : {"http://auth.example/", "http://localhost/", "https://localhost/", "https://127.0.0.1/",
                   "https://10.0.0.1/", "https://169.254.169.254/latest", "https://[::1]/", "https://u@auth.example/",
                   "https://u:p@auth.example/", "https://auth.example/#x", "file:///etc/passwd", ""})
    EXPECT_NE(refusal_of(url, far), "") << url;
}

TEST(address, of_a_server_on_this_machine_may_lead_to_this_machine) {
  EXPECT_EQ(refusal_of("http://localhost:5000/token", near), "");
  EXPECT_EQ(refusal_of("https://auth.example/", near), "");
  EXPECT_EQ(refusal_of("https://192.168.0.5/", near), "");
  EXPECT_NE(refusal_of("http://auth.example/", near), "");
  EXPECT_NE(refusal_of("http://192.168.0.5/", near), "");
  EXPECT_NE(refusal_of("https://169.254.169.254/", near), "");
  EXPECT_NE(refusal_of("https://127.0.0.1/", "https://10.0.0.1/mcp"), "");
  EXPECT_EQ(refusal_of("https://10.9.9.9/", "https://10.0.0.1/mcp"), "");
}

} // namespace address_test
} // namespace oauth
