#include "tests/unit/sandbox/egress/egress_fixture.hpp"

namespace network_egress_proxy_test {

using test::listener;
using test::peer;
using namespace std::chrono_literals;

class egress_proxy : public test::egress_test {};

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST_F(egress_proxy, carries_a_tunnel_both_ways) {
  start({"example.com"});
  listener server;
  auto [g, s] = tunnel(server);
  std::string big(3u << 20, 'x');
  EXPECT_TRUE(g.send("ping"));
  EXPECT_EQ(s.read_until("ping"), "ping");
  std::thread sender{[&, server_end = &s] {
    server_end->send(big);
    server_end->end_writing();
  }};
  EXPECT_EQ(g.read_all(), big);
  sender.join();
  g.close();
  auto r = record();
  EXPECT_EQ(r.host, "example.com");
  EXPECT_EQ(r.port, 443);
  EXPECT_EQ(r.address, "93.184.216.34");
  EXPECT_TRUE(r.allowed);
  EXPECT_EQ(r.bytes_out, 4u);
  EXPECT_EQ(r.bytes_in, big.size());
  EXPECT_EQ(dialled(), (std::vector<std::string>{"93.184.216.34 443"}));
}

TEST_F(egress_proxy, passes_on_what_was_sent_before_the_tunnel_was_open) {
  start({"example.com"});
  listener server;
  name("example.com", {{"93.184.216.34"}});
  lead("93.184.216.34", server.port());
  auto g = guest();
  g.send("CONNECT example.com:443 HTTP/1.0\r\n\r\nearly");
  auto s = server.accept();
  EXPECT_EQ(s.read_until("early"), "early");
}

TEST_F(egress_proxy, half_closes) {
  start({"example.com"});
  listener server;
  auto [g, s] = tunnel(server);
  g.send("question");
  g.end_writing();
  EXPECT_EQ(s.read_all(), "question");
  s.send("answer");
  s.end_writing();
  EXPECT_EQ(g.read_all(), "answer");
  EXPECT_EQ(record().reason, "");
}

TEST_F(egress_proxy, half_closes_the_other_way) {
  start({"example.com"});
  listener server;
  auto [g, s] = tunnel(server);
  s.send("greeting");
  s.end_writing();
  EXPECT_EQ(g.read_all(), "greeting");
  g.send("thanks");
  g.end_writing();
  EXPECT_EQ(s.read_all(), "thanks");
}

TEST_F(egress_proxy, passes_on_a_reset) {
  start({"example.com"});
  listener server;
  auto [g, s] = tunnel(server);
  s.reset();
  g.read_all();
  EXPECT_TRUE(record().allowed);
  EXPECT_NE(record().reason, "");
}

TEST_F(egress_proxy, refuses_hosts_outside_the_rules_without_a_lookup) {
  start({"example.com", "*.example.net:8443"});
  for (auto* target : {"example.org:443", "www.example.com:443", "example.com:22", "x.example.net:443",
                       "example.net:8443", "8.8.8.8:443"}) {
    auto answer = ask(std::string{"CONNECT "} + target + " HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 ")) << answer;
    EXPECT_TRUE(has(answer.substr(0, answer.find("\r\n")), "permissions.net"))
      << "clients that show the reason phrase only: " << answer;
    EXPECT_TRUE(has(answer, std::string{target} + " is not in permissions.net")) << answer;
  }
  EXPECT_EQ(lookups_, 0u);
  EXPECT_TRUE(dialled().empty());
  auto r = record();
  EXPECT_EQ(r.host, "example.org");
  EXPECT_FALSE(r.allowed);
  EXPECT_TRUE(has(r.reason, "permissions.net"));
}

TEST_F(egress_proxy, refuses_addresses_that_are_not_public_in_every_spelling) {
  start({"*:*"});
  for (auto* host : {"127.0.0.1",
                     "2130706433",
                     "0x7f.1",
                     "0177.0.0.1",
                     "127.1",
                     "127.0.0.1.",
                     "[::1]",
                     "[::ffff:127.0.0.1]",
                     "[::]",
                     "0",
                     "0.0.0.0",
                     "10.0.0.1",
                     "169.254.169.254",
                     "[fd00:ec2::254]",
                     "[64:ff9b::7f00:1]",
                     "[2002:7f00:1::]",
                     "%31%32%37.0.0.1",
                     "localhost",
                     "localhost.",
                     "a.localhost",
                     "metadata.google.internal",
                     "router",
                     "[::1%25lo]",
                     "[fe80::1%25eth0]"}) {
    auto answer = ask(std::string{"CONNECT "} + host + ":80 HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 ")) << host << ": " << answer;
    EXPECT_TRUE(has(answer, "no permission or setting")) << host << ": " << answer;
    answer = ask(std::string{"GET http://"} + host + ":80/ HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 ")) << host << ": " << answer;
  }
  EXPECT_EQ(lookups_, 0u);
  EXPECT_TRUE(dialled().empty());
}

TEST_F(egress_proxy, refuses_names_that_lead_to_addresses_that_are_not_public) {
  start({"*"});
  our_address_ = "93.184.216.99";
  listener inside;
  lead("127.0.0.1", inside.port());
  lead("93.184.216.34", inside.port());
  const std::vector<addresses> answers{{"127.0.0.1"},
                                       {"10.0.0.1"},
                                       {"169.254.169.254"},
                                       {"::1"},
                                       {"::ffff:10.0.0.1"},
                                       {"fd00::1"},
                                       {"93.184.216.34", "127.0.0.1"},
                                       {"127.0.0.1", "93.184.216.34"},
                                       {"93.184.216.34", "2606:4700::1111", "fe80::1"},
                                       {"93.184.216.99"},
                                       {"64:ff9b::5db8:d822"}};
  for (auto& a : answers) {
    name("evil.example.com", {a});
    auto answer = ask("CONNECT evil.example.com:443 HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 ")) << a[0] << ": " << answer;
    EXPECT_TRUE(has(answer, "it leads to ")) << answer;
    for (auto& address : a)
      EXPECT_FALSE(has(answer, address)) << "the guest need not know the addresses of local networks: " << answer;
  }
  EXPECT_TRUE(dialled().empty());
  EXPECT_FALSE(inside.has_visitor(0));
  EXPECT_EQ(record(0).address, "127.0.0.1") << "the log does know";
  EXPECT_FALSE(record(0).allowed);
}

TEST_F(egress_proxy, connects_to_the_very_address_it_has_checked) {
  start({"*"});
  listener outside, inside;
  lead("93.184.216.34", outside.port());
  lead("127.0.0.1", inside.port());
  name("rebind.example.com", {{"93.184.216.34"}, {"127.0.0.1"}});
  auto g = guest();
  g.send("CONNECT rebind.example.com:443 HTTP/1.1\r\n\r\n");
  auto s = outside.accept();
  EXPECT_TRUE(has(g.read_head(), " 200 "));
  EXPECT_EQ(lookups_, 1u) << "one lookup for each connection";
  auto again = ask("CONNECT rebind.example.com:443 HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(again.starts_with("HTTP/1.1 403 ")) << again;
  EXPECT_FALSE(inside.has_visitor(0));
}

TEST_F(egress_proxy, tries_the_addresses_in_order) {
  start({"*"});
  listener server;
  lead("93.184.216.34", server.port()); // the first one leads nowhere
  name("two.example.com", {{"93.184.216.33", "93.184.216.34", "93.184.216.35"}});
  auto g = guest();
  g.send("CONNECT two.example.com:443 HTTP/1.1\r\n\r\n");
  server.accept();
  EXPECT_TRUE(has(g.read_head(), " 200 "));
  EXPECT_EQ(dialled(), (std::vector<std::string>{"93.184.216.33 443", "93.184.216.34 443"}));
  name("none.example.com",
       {{"93.184.216.40", "93.184.216.41", "93.184.216.42", "93.184.216.43", "93.184.216.44", "93.184.216.45"}});
  auto answer = ask("CONNECT none.example.com:443 HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 502 none.example.com:443 can not be reached")) << answer;
  EXPECT_EQ(dialled().size(), 2 + msg::limits::egress_dial_addresses_max);
}

TEST_F(egress_proxy, looks_at_the_first_addresses_of_many_and_asks_for_routes_of_the_dialled) {
  start({"*"});
  addresses many;
  for (int i = 0; i < 4'000; ++i)
    many.push_back("8.8." + std::to_string(i / 256) + "." + std::to_string(i % 256));
  many[msg::limits::egress_addresses_max] = "10.1.2.3"; // nobody looks so far, nor dials it
  name("many.example.com", {many});
  auto answer = ask("CONNECT many.example.com:443 HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 502 many.example.com:443 can not be reached")) << answer;
  EXPECT_EQ(routes_asked(), (addresses{"8.8.0.0", "8.8.0.1", "8.8.0.2", "8.8.0.3"}));
  EXPECT_EQ(dialled(), (addresses{"8.8.0.0 443", "8.8.0.1 443", "8.8.0.2 443", "8.8.0.3 443"}));
  many[msg::limits::egress_addresses_max - 1] = "10.1.2.3";
  name("many.example.com", {many});
  answer = ask("CONNECT many.example.com:443 HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 ")) << answer;
  EXPECT_EQ(routes_asked().size(), 4u) << "what is not public needs no route";
  EXPECT_EQ(dialled().size(), 4u);
}

TEST_F(egress_proxy, says_that_a_name_is_unknown) {
  start({"*"});
  auto answer = ask("CONNECT nobody.example.com:443 HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 502 ")) << answer;
  EXPECT_TRUE(has(answer, "Name or service not known")) << answer;
  EXPECT_TRUE(record().allowed) << "it was not the rules";
}

TEST_F(egress_proxy, reaches_a_public_address_given_as_one) {
  start({"8.8.8.8"});
  listener server;
  lead("8.8.8.8", server.port());
  auto g = guest();
  g.send("CONNECT 134744072:443 HTTP/1.1\r\n\r\n");
  server.accept();
  EXPECT_TRUE(has(g.read_head(), " 200 "));
  EXPECT_EQ(lookups_, 0u);
}

// ---- bounds ------------------------------------------------------------------------------------

TEST_F(egress_proxy, bounds_the_head_in_bytes) {
  start({"*"});
  auto answer = ask("CONNECT example.com:443 HTTP/1.1\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 431 ")) << answer.substr(0, 200);
  EXPECT_EQ(records(), 1u);
}

TEST_F(egress_proxy, bounds_the_head_in_time) {
  settings_.bounds.head = 50ms;
  start({"*"});
  auto answer = ask("CONNECT example.com:443 HT");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 408 ")) << answer;
  EXPECT_TRUE(has(record().reason, "too long"));
}

TEST_F(egress_proxy, bounds_the_lookup_in_time_and_number) {
  settings_.bounds.lookup = 50ms;
  start({"*"});
  auto slow = [&] { return ask(std::string{"CONNECT "} + stuck + ":443 HTTP/1.1\r\n\r\n"); };
  for (size_t i = 0; i < msg::limits::egress_lookups_max + 2; ++i) {
    auto answer = slow();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 504 ")) << answer;
  }
  EXPECT_EQ(lookups_, msg::limits::egress_lookups_max) << "a lookup counts until it has really ended";
  release_lookups();
  listener server;
  tunnel(server);
  EXPECT_EQ(lookups_, msg::limits::egress_lookups_max + 1);
}

TEST_F(egress_proxy, ends_lookups_that_take_too_long) {
  settings_.bounds.lookup = 50ms;
  start({"*"});
  constexpr size_t count = msg::limits::egress_lookups_max + 2;
  for (size_t i = 0; i < count; ++i) {
    auto answer = ask(std::string{"CONNECT "} + stoppable + ":443 HTTP/1.1\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 504 ")) << answer;
  }
  wait_for_stops(count);
  EXPECT_EQ(lookups_, count) << "the places of those that have ended are free";
}

TEST_F(egress_proxy, ends_lookups_with_the_run) {
  start({"*"});
  constexpr size_t count = msg::limits::egress_lookups_max;
  std::vector<peer> guests;
  for (size_t i = 0; i < count + 2; ++i) {
    guests.push_back(guest());
    guests.back().send(std::string{"CONNECT "} + stoppable + ":443 HTTP/1.1\r\n\r\n");
  }
  wait_for_lookups(count);
  close_proxy();
  wait_for_stops(count);
  for (auto& g : guests)
    g.read_all();
  EXPECT_EQ(lookups_, count) << "those that waited for a place have begun none";
}

TEST_F(egress_proxy, bounds_the_dial_in_time) {
  settings_.bounds.dial = 50ms;
  start({"*"});
  listener full{0}; // its queue takes one connection, and all further ones hang
  auto first = test::connect_to(full.port());
  lead("93.184.216.34", full.port());
  name("slow.example.com", {{"93.184.216.34"}});
  auto answer = ask("CONNECT slow.example.com:443 HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 504 slow.example.com:443 does not answer")) << answer;
}

TEST_F(egress_proxy, ends_what_is_idle) {
  settings_.bounds.idle = 50ms;
  start({"*"});
  listener server;
  auto [g, s] = tunnel(server);
  EXPECT_EQ(g.read_all(), "");
  EXPECT_EQ(s.read_all(), "");
  EXPECT_TRUE(has(record().reason, "nothing was sent"));
}

TEST_F(egress_proxy, lets_connections_above_the_bound_wait) {
  settings_.bounds.connections = 2;
  start({"*"});
  auto a = guest(), b = guest();
  a.send("X");
  b.send("X");
  auto c = guest();
  c.send("broken\r\n\r\n");
  EXPECT_FALSE(c.is_readable(50)) << "nobody has accepted it yet";
  a.close();
  EXPECT_TRUE(c.read_all().starts_with("HTTP/1.1 400 "));
}

TEST_F(egress_proxy, serves_many_at_once) {
  start({"*"});
  listener server;
  constexpr size_t many = 60;
  std::vector<std::pair<peer, peer>> open;
  for (size_t i = 0; i < many; ++i)
    open.push_back(tunnel(server));
  for (size_t i = 0; i < many; ++i)
    open[i].first.send("from " + std::to_string(i) + "\n");
  for (size_t i = 0; i < many; ++i)
    EXPECT_EQ(open[i].second.read_until("\n"), "from " + std::to_string(i) + "\n");
  open.clear();
  for (size_t i = 0; i < 300; ++i)
    EXPECT_TRUE(ask("CONNECT nobody.example.com:443 HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 502 "));
  record(many + 299);
}

// ---- the end -----------------------------------------------------------------------------------

TEST_F(egress_proxy, closes_everything_at_once_whatever_it_does) {
  settings_.bounds.connections = 6;
  start({"*"});
  listener server, full{0};
  auto first = test::connect_to(full.port());
  lead("93.184.216.35", full.port());
  name("slow.example.com", {{"93.184.216.35"}});
  auto [tunnel_guest, tunnel_server] = tunnel(server);
  tunnel_guest.send("x");
  EXPECT_EQ(tunnel_server.read_until("x"), "x");
  auto in_head = guest(), in_lookup = guest(), in_dial = guest(), in_http = guest(), untouched = guest(),
       waiting = guest();
  in_head.send("CONN");
  in_lookup.send(std::string{"CONNECT "} + stuck + ":443 HTTP/1.1\r\n\r\n");
  in_dial.send("CONNECT slow.example.com:443 HTTP/1.1\r\n\r\n");
  in_http.send("POST http://example.com/ HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf");
  auto http_server = server.accept();
  EXPECT_TRUE(http_server.read_until("half").ends_with("half"));
  wait_for_lookups(4);
  close_proxy();
  for (auto* g : {&tunnel_guest, &in_head, &in_lookup, &in_dial, &in_http, &untouched, &waiting})
    EXPECT_FALSE(has(g->read_all(), "<timeout>"));
  tunnel_server.read_all();
  http_server.read_all();
  EXPECT_THROW(guest(), std::runtime_error) << "nobody listens any more";
  auto reported = records();
  EXPECT_GE(reported, 4u);
  for (size_t i = 0; i < reported; ++i)
    EXPECT_EQ(record(i).reason, "the run ended");
  release_lookups();
  close_proxy();
  EXPECT_EQ(records(), reported) << "exactly once, and nothing after the end";
}

TEST_F(egress_proxy, survives_guests_that_leave_at_any_point) {
  start({"*"});
  listener server;
  lead("93.184.216.34", server.port());
  name("example.com", {{"93.184.216.34"}});
  std::string request = "POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
  size_t connected = request.find("\r\n\r\n") + 4;
  for (size_t n = 0; n < request.size(); ++n) {
    auto g = guest();
    g.send(std::string_view{request}.substr(0, n));
    if (n >= connected)
      server.accept();
    n % 2 ? g.reset() : g.close();
  }
  for (size_t i = 0; i + 1 < request.size(); ++i)
    record(i); // all but the one that sent nothing
  EXPECT_TRUE(ask("broken\r\n\r\n").starts_with("HTTP/1.1 400 "));
}

} // namespace network_egress_proxy_test
