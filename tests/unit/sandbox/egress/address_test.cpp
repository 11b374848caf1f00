#include "sandbox/egress/address.hpp"

#include "sandbox/egress/host_name.hpp"

#include <asio/ip/address_v6.hpp>
#include <gtest/gtest.h>

#include <string>

namespace network_address_test {

using asio::ip::make_address;
using egress::host_spelling;
using egress::literal_address;
using egress::why_not_public;

struct classified {
  const char* address;
  const char* why; ///< a part of the reason; "": public
};

const classified classes[] = {
  {"0.0.0.0", "this machine"},
  {"0.255.255.255", "this machine"},
  {"1.0.0.0", ""},
  {"1.1.1.1", ""},
  {"8.8.8.8", ""},
  {"9.255.255.255", ""},
  {"10.0.0.0", "private"},
  {"10.255.255.255", "private"},
  {"11.0.0.0", ""},
  {"93.184.216.34", ""},
  {"100.63.255.255", ""},
  {"100.64.0.0", "carrier-grade"},
  {"100.100.100.199", "carrier-grade"},
  {"100.100.100.200", "metadata"},
  {"100.127.255.255", "carrier-grade"},
  {"100.128.0.0", ""},
  {"126.255.255.255", ""},
  {"127.0.0.0", "loopback"},
  {"127.0.0.1", "loopback"},
  {"127.255.255.255", "loopback"},
  {"128.0.0.0", ""},
  {"168.63.129.15", ""},
  {"168.63.129.16", "metadata"},
  {"169.253.255.255", ""},
  {"169.254.0.0", "link-local"},
  {"169.254.169.253", "metadata"},
  {"169.254.169.254", "metadata"},
  {"169.254.170.2", "metadata"},
  {"169.254.255.255", "link-local"},
  {"169.255.0.0", ""},
  {"172.15.255.255", ""},
  {"172.16.0.0", "private"},
  {"172.31.255.255", "private"},
  {"172.32.0.0", ""},
  {"192.0.0.0", "protocols"},
  {"192.0.0.192", "metadata"},
  {"192.0.0.255", "protocols"},
  {"192.0.1.0", ""},
  {"192.0.2.1", "documentation"},
  {"192.0.3.0", ""},
  {"192.88.99.1", "6to4"},
  {"192.167.255.255", ""},
  {"192.168.0.0", "private"},
  {"192.168.255.255", "private"},
  {"192.169.0.0", ""},
  {"198.17.255.255", ""},
  {"198.18.0.0", "benchmarks"},
  {"198.19.255.255", "benchmarks"},
  {"198.20.0.0", ""},
  {"198.51.100.7", "documentation"},
  {"203.0.113.7", "documentation"},
  {"223.255.255.255", ""},
  {"224.0.0.1", "multicast"},
  {"239.255.255.255", "multicast"},
  {"240.0.0.0", "reserved"},
  {"255.255.255.254", "reserved"},
  {"255.255.255.255", "broadcast"},
  {"::", "unspecified"},
  {"::1", "loopback"},
  {"::2", "IPv4-compatible"},
  {"::8.8.8.8", "IPv4-compatible"},
  {"::127.0.0.1", "IPv4-compatible"},
  {"::ffff:127.0.0.1", "IPv4-mapped"},
  {"::ffff:8.8.8.8", "IPv4-mapped"},
  {"::ffff:7f00:1", "IPv4-mapped"},
  {"::ffff:0:127.0.0.1", "IPv4-translated"},
  {"::1:0:0:0", "reserved"},
  {"64:ff9b::8.8.8.8", "NAT64"},
  {"64:ff9b::7f00:1", "NAT64"},
  {"64:ff9b:1::1", "NAT64"},
  {"64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "NAT64"},
  {"64:ff9b:2::1", "reserved"},
  {"100::1", "discard"},
  {"100:0:0:1::1", "reserved"},
  {"200::1", "reserved"},
  {"1fff:ffff::1", "reserved"},
  {"2000::1", ""},
  {"2001::1", "Teredo"},
  {"2001:0:ffff::1", "Teredo"},
  {"2001:1::1", "protocols"},
  {"2001:2::1", "benchmarks"},
  {"2001:3::1", "protocols"},
  {"2001:10::1", "ORCHID"},
  {"2001:1f:ffff::1", "ORCHID"},
  {"2001:20::1", "ORCHID"},
  {"2001:1ff:ffff::1", "protocols"},
  {"2001:200::1", ""},
  {"2001:4860:4860::8888", ""},
  {"2001:db7:ffff::1", ""},
  {"2001:db8::1", "documentation"},
  {"2001:db9::1", ""},
  {"2002::1", "6to4"},
  {"2002:7f00:1::", "6to4"},
  {"2002:808:808::1", "6to4"},
  {"2003::1", ""},
  {"2606:4700:4700::1111", ""},
  {"2606:4700::5efe:10.0.0.1", "ISATAP"},
  {"2606:4700::200:5efe:8.8.8.8", "ISATAP"},
  {"2620:fe::fe", ""},
  {"3ffe::1", "6bone"},
  {"3fff::1", "documentation"},
  {"3fff:fff:ffff::1", "documentation"},
  {"3fff:1000::1", ""},
  {"4000::1", "reserved"},
  {"5f00::1", "segment routing"},
  {"fbff::1", "reserved"},
  {"fc00::1", "private"},
  {"fd00::1", "private"},
  {"fd00:ec2::254", "metadata"},
  {"fd20:ce::254", "metadata"},
  {"fdff:ffff::1", "private"},
  {"fe00::1", "reserved"},
  {"fe80::1", "link-local"},
  {"febf:ffff::1", "link-local"},
  {"fec0::1", "site-local"},
  {"feff::1", "site-local"},
  {"ff00::1", "multicast"},
  {"ff02::1", "multicast"},
  {"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"},
};

TEST(why_not_public, follows_the_registries) {
  for (auto& c : classes) {
    auto why = std::string{why_not_public(make_address(c.address))};
    if (*c.why == '\0')
      EXPECT_EQ(why, "") << c.address;
    else
      EXPECT_NE(why.find(c.why), why.npos) << c.address << ": " << why;
    EXPECT_EQ(egress::is_public(make_address(c.address)), why.empty());
  }
}

constexpr const char* not_an_address = "name";
constexpr const char* ambiguous = "ambiguous";

struct spelled {
  const char* host;
  const char* meaning; ///< an address in its usual spelling, or one of the above
};

const spelled spellings[] = {
  {"127.0.0.1", "127.0.0.1"},
  {"127.0.0.1.", "127.0.0.1"},
  {"127.0.0.1..", "127.0.0.1"},
  {"127.1", "127.0.0.1"},
  {"127.0.1", "127.0.0.1"},
  {"127.65535", "127.0.255.255"},
  {"127.16777215", "127.255.255.255"},
  {"2130706433", "127.0.0.1"},
  {"0", "0.0.0.0"},
  {"0.", "0.0.0.0"},
  {"00", "0.0.0.0"},
  {"0x0", "0.0.0.0"},
  {"0x", "0.0.0.0"},
  {"4294967295", "255.255.255.255"},
  {"4294967296", ambiguous},
  {"99999999999999999999", ambiguous},
  {"0177.0.0.1", "127.0.0.1"},
  {"0177.1", "127.0.0.1"},
  {"00000000177.0.0.1", "127.0.0.1"},
  {"017700000001", "127.0.0.1"},
  {"0x7f.0.0.1", "127.0.0.1"},
  {"0x7f.1", "127.0.0.1"},
  {"0X7F.0X0.0x0.0x1", "127.0.0.1"},
  {"0x7f000001", "127.0.0.1"},
  {"0x0000000000007f000001", "127.0.0.1"},
  {"0x17f000001", ambiguous},
  {"0xa9fea9fe", "169.254.169.254"},
  {"2852039166", "169.254.169.254"},
  {"169.254.43518", "169.254.169.254"},
  {"0251.0376.0251.0376", "169.254.169.254"},
  {"0xa9.0376.169.254", "169.254.169.254"},
  {"012.1.2.3", "10.1.2.3"},
  {"010.8.8.8", ambiguous},
  {"8.8.8.010", ambiguous},
  {"08.8.8.8", ambiguous},
  {"8.8.8.8", "8.8.8.8"},
  {"8.8.8.7", "8.8.8.7"},
  {"8.8.8.07", "8.8.8.7"},
  {"134744072", "8.8.8.8"},
  {"256.0.0.1", ambiguous},
  {"1.2.3.256", ambiguous},
  {"1.2.3.4.5", ambiguous},
  {"1..2.3", ambiguous},
  {".1.2.3", ambiguous},
  {"1.2.3.-4", not_an_address},
  {"1.2.3.4x", not_an_address},
  {"1.2.3.0x4g", not_an_address},
  {"a.1", ambiguous},
  {"example.0x7f", ambiguous},
  {"1.example", not_an_address},
  {"127.0.0.1.nip.io", not_an_address},
  {"0x7f.example.com", not_an_address},
  {"example.com", not_an_address},
  {"", not_an_address},
  {".", not_an_address},
  {"::1", "::1"},
  {"[::1]", "::1"},
  {"[::1].", "::1"},
  {"0:0:0:0:0:0:0:1", "::1"},
  {"0000:0000:0000:0000:0000:0000:0000:0001", "::1"},
  {"[::1%lo]", "::1"},
  {"[::1%25lo]", "::1"},
  {"fe80::1%eth0", "fe80::1"},
  {"::ffff:127.0.0.1", "::ffff:127.0.0.1"},
  {"[::FFFF:7F00:0001]", "::ffff:127.0.0.1"},
  {"[::127.0.0.1]", "::127.0.0.1"},
  {"[::ffff:0x7f.1]", ambiguous},
  {"[::ffff:0177.0.0.1]", ambiguous},
  {"[2606:4700:4700::1111]", "2606:4700:4700::1111"},
  {"2606:4700:4700:0:0:0:0:1111", "2606:4700:4700::1111"},
  {"[127.0.0.1]", ambiguous},
  {"[example.com]", ambiguous},
  {"[v1.fe80::1]", ambiguous},
  {"[::1", ambiguous},
  {"::1]", ambiguous},
  {"[]", ambiguous},
  {":::1", ambiguous},
  {"1:2", ambiguous},
  {"12345::1", ambiguous},
  {"1:2:3:4:5:6:7:8:9", ambiguous},
};

std::string meaning_of(std::string_view host) {
  auto s = literal_address(host);
  if (s.what == host_spelling::kind::name)
    return not_an_address;
  return s.what == host_spelling::kind::ambiguous ? ambiguous : s.address.to_string();
}

TEST(literal_address, knows_every_spelling) {
  for (auto& s : spellings) {
    auto expected = std::string{s.meaning};
    if (expected != not_an_address && expected != ambiguous)
      expected = make_address(expected).to_string();
    EXPECT_EQ(meaning_of(s.host), expected) << s.host;
  }
}

/// Escapes and other scripts, which parse_host() takes away first.
const spelled hosts[] = {
  {"%31%32%37.0.0.1", "127.0.0.1"},
  {"127%2e0%2E0%2e1", "127.0.0.1"},
  {"%30x7f.1", "127.0.0.1"},
  {"%5b%3a%3a1%5d", "::1"},
  {"１２７.０.０.１", "127.0.0.1"},
  {"①②⑦.⓪.⓪.①", "127.0.0.1"},
  {"127。0。0。1", "127.0.0.1"},
  {"127．0｡0。1", "127.0.0.1"},
  {"０ｘ７ｆ.1", "127.0.0.1"},
  {"%EF%BC%91%EF%BC%92%EF%BC%97.1", "127.0.0.1"},
  {"EXAMPLE.Com", "example.com"},
  {"example.com.", "example.com"},
  {"ⓔⓧⓐⓜⓟⓛⓔ.com", "example.com"},
  {"example。com", "example.com"},
  {"ex\u00ADample.com", "example.com"},
  {"Bücher.example", "xn--bcher-kva.example"},
  {"BU\u0308CHER.example", "xn--bcher-kva.example"},
  {"xn--bcher-kva.example", "xn--bcher-kva.example"},
  {"日本語.jp", "xn--wgv71a119e.jp"},
  {"straße.de", "xn--strae-oqa.de"},
  {"_dmarc.example.com", "_dmarc.example.com"},
  {"LOCALHOST", "localhost"},
  {"ⓛocalhost", "localhost"},
  {"1.2.3.4", "1.2.3.4"},
  {"[2606:4700:4700:0::1111]", "2606:4700:4700::1111"},
};

TEST(parse_host, gives_one_spelling_to_each_host) {
  for (auto& h : hosts) {
    auto parsed = egress::parse_host(h.host);
    EXPECT_TRUE(parsed.ok()) << h.host << ": " << parsed.error.message;
    EXPECT_EQ(parsed.value.name, h.meaning) << h.host;
  }
}

TEST(parse_host, refuses_what_is_no_host) {
  const std::string broken[] = {"",
                                ".",
                                "..",
                                "a..b",
                                ".example.com",
                                "example.com..",
                                "exa mple.com",
                                " example.com",
                                "example.com ",
                                "example.com\t",
                                "example.com\r\n",
                                std::string{"example.com\0.evil", 17},
                                "example.com%00",
                                "example%2ecom",
                                "%65xample.com",
                                "user@example.com",
                                "example.com/",
                                "example.com\\",
                                "example.com#",
                                "-a.example",
                                "a-.example",
                                "a,b.example",
                                "*.example.com",
                                "\xff\xfe.example",
                                "\xED\xA0\x80.example",
                                "1.2.3.4.5",
                                "010.8.8.8",
                                "[example.com]",
                                std::string(64, 'a') + ".example",
                                std::string(2'000, 'a'),
                                "a" + [] {
                                  std::string labels;
                                  for (int i = 0; i < 127; ++i)
                                    labels += ".a";
                                  return labels;
                                }()};
  for (auto& text : broken) {
    auto parsed = egress::parse_host(text);
    EXPECT_FALSE(parsed.ok()) << text << " became " << parsed.value.name;
    EXPECT_EQ(parsed.error.code, msg::errc::invalid_argument);
    for (char c : parsed.error.message)
      EXPECT_TRUE(c >= ' ' && c <= '~') << "hostile text must not reach a log or a header as it is";
  }
}

TEST(why_never_allowed, knows_names_of_local_networks) {
  for (auto* name : {"localhost",
                     "LOCALHOST.",
                     "foo.localhost",
                     "localhost.localdomain",
                     "printer.local",
                     "metadata.google.internal",
                     "instance-data.ec2.internal",
                     "metadata.azure.internal",
                     "router.lan",
                     "nas.home.arpa",
                     "git.corp",
                     "metadata",
                     "intranet",
                     "db",
                     "kubernetes.default.svc.cluster.local",
                     "x.onion",
                     "127.0.0.1",
                     "2130706433",
                     "[::1]",
                     "[::ffff:8.8.8.8]"}) {
    auto parsed = egress::parse_host(name);
    ASSERT_TRUE(parsed.ok()) << name;
    EXPECT_NE(egress::why_never_allowed(parsed.value), "") << name;
  }
  for (auto* name : {"example.com", "localhost.example.com", "local.example", "internal.dev", "8.8.8.8",
                     "[2606:4700:4700::1111]", "mylocalhost.net"}) {
    auto parsed = egress::parse_host(name);
    ASSERT_TRUE(parsed.ok()) << name;
    EXPECT_EQ(egress::why_never_allowed(parsed.value), "") << name;
  }
}

} // namespace network_address_test
