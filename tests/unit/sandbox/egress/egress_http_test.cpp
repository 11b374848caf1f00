#include "tests/unit/sandbox/egress/egress_fixture.hpp"

namespace network_egress_http_test {

using test::listener;
using test::peer;
using strings = std::vector<std::string>;
using namespace std::string_literals;

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

class egress_http : public test::egress_test {
protected:
  void SetUp() override {
    start({"example.com", "example.com:8080"});
    name("example.com", {{"93.184.216.34"}});
    lead("93.184.216.34", server_.port());
  }
  /// Sends a request and takes its head where it arrives.
  std::pair<peer, peer> request(std::string_view text, std::string& head) {
    auto g = guest();
    g.send(text);
    auto s = server_.accept();
    head = s.read_head();
    return {std::move(g), std::move(s)};
  }

  listener server_;
  std::string head_;
};

TEST_F(egress_http, forwards_a_request_and_its_response) {
  auto [g, s] =
    request("GET http://Example.com/a/b?c=d HTTP/1.1\r\nAccept: */*\r\nHost: other.example\r\nX-Own: 1\r\n\r\n", head_);
  EXPECT_EQ(head_,
            "GET /a/b?c=d HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\nX-Own: 1\r\nConnection: close\r\n\r\n");
  s.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nConnection: keep-alive\r\nKeep-Alive: "
         "timeout=5\r\n\r\nhello");
  EXPECT_EQ(g.read_all(),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
    << "it ends with its body, though the server keeps its side open";
  auto r = record();
  EXPECT_EQ(r.host, "example.com");
  EXPECT_EQ(r.port, 80);
  EXPECT_TRUE(r.allowed);
  EXPECT_EQ(r.reason, "");
  EXPECT_EQ(r.bytes_out, head_.size());
}

TEST_F(egress_http, removes_what_concerns_the_proxy_and_the_connection) {
  auto [g, s] = request("GET http://example.com:8080 HTTP/1.1\r\nProxy-Authorization: Basic eA==\r\nProxy-Connection: "
                        "keep-alive\r\nConnection: X-Drop, close\r\n"
                        "X-Drop: 1\r\nx-drop: 2\r\nKeep-Alive: 5\r\nTE: trailers\r\nUpgrade: h2c\r\nX-Keep: 1\r\n\r\n",
                        head_);
  EXPECT_EQ(head_, "GET / HTTP/1.1\r\nHost: example.com:8080\r\nX-Keep: 1\r\nConnection: close\r\n\r\n");
}

TEST_F(egress_http, streams_bodies_and_nothing_after_them) {
  auto [g, s] = request(
    "POST http://example.com/ HTTP/1.1\r\nContent-Length: 5\r\n\r\nabcdeGET http://evil.example/ HTTP/1.1\r\n\r\n",
    head_);
  EXPECT_EQ(s.read_until("abcde"), "abcde");
  s.send("HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(g.read_all(), "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(s.read_all(), "") << "the second request went nowhere";
}

TEST_F(egress_http, streams_chunks_and_nothing_after_them) {
  auto [g, s] = request("POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", head_);
  EXPECT_TRUE(has(head_, "Transfer-Encoding: chunked\r\n")) << head_;
  g.send("3\r\nabc\r\n");
  EXPECT_EQ(s.read_until("abc\r\n"), "3\r\nabc\r\n");
  std::string big(200'000, 'y');
  std::thread sender{[&, guest_end = &g] {
    guest_end->send("30d40\r\n" + big + "\r\n0\r\nX-Trailer: 1\r\n\r\nGET / HTTP/1.1\r\n\r\n");
  }};
  EXPECT_EQ(s.read_until("1\r\n\r\n"), "30d40\r\n" + big + "\r\n0\r\nX-Trailer: 1\r\n\r\n");
  sender.join();
  s.send("HTTP/1.1 200 OK\r\n\r\nuntil the end");
  s.close();
  EXPECT_EQ(g.read_all(), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end");
}

TEST_F(egress_http, passes_interim_responses_and_chunked_ones) {
  auto [g, s] =
    request("POST http://example.com/ HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", head_);
  s.send("HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(g.read_head(), "HTTP/1.1 100 Continue\r\n\r\n");
  g.send("ok");
  EXPECT_EQ(s.read_until("ok"), "ok");
  s.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n");
  EXPECT_EQ(g.read_all(),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nhi\r\n0\r\n\r\n");
}

TEST_F(egress_http, knows_responses_without_a_body) {
  auto [g, s] = request("HEAD http://example.com/ HTTP/1.1\r\n\r\n", head_);
  s.send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
  EXPECT_EQ(g.read_all(), "HTTP/1.1 200 OK\r\nContent-Length: 500\r\nConnection: close\r\n\r\n");
}

TEST_F(egress_http, delivers_an_early_answer_to_a_large_upload) {
  auto [g, s] = request("POST http://example.com/ HTTP/1.1\r\nContent-Length: 100000000\r\n\r\npart", head_);
  EXPECT_EQ(s.read_until("part"), "part");
  s.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno");
  EXPECT_EQ(g.read_until("no"), "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
}

TEST_F(egress_http, follows_no_redirect_and_checks_the_next_request) {
  auto [g, s] = request("GET http://example.com/ HTTP/1.1\r\n\r\n", head_);
  s.send("HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/latest\r\nContent-Length: 0\r\n\r\n");
  EXPECT_TRUE(has(g.read_all(), "Location: http://169.254.169.254/latest\r\n"));
  EXPECT_TRUE(ask("GET http://169.254.169.254/latest HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 403 "));
  EXPECT_EQ(dialled().size(), 1u);
}

TEST_F(egress_http, refuses_with_a_text_for_the_program) {
  auto answer = ask("GET http://example.org/ HTTP/1.1\r\n\r\n");
  auto body = answer.substr(answer.find("\r\n\r\n") + 4);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 ") && has(answer, "Content-Type: text/plain")) << answer;
  EXPECT_TRUE(has(answer, "Content-Length: " + std::to_string(body.size()) + "\r\n")) << answer;
  EXPECT_TRUE(has(body, "example.org:80 is not in permissions.net") && has(body, "'example.org' there would allow it"))
    << body;
}

TEST_F(egress_http, delivers_the_refusal_of_a_large_upload) {
  auto g = guest();
  EXPECT_TRUE(
    g.send("POST http://example.org/ HTTP/1.1\r\nContent-Length: 300000\r\n\r\n" + std::string(300'000, 'x')));
  auto answer = g.read_all();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 403 ") && answer.ends_with("\n")) << answer;
}

TEST_F(egress_http, answers_for_servers_that_break_http) {
  for (auto* response : {"", "HTTP/1.1 200", "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 20x OK\r\n\r\n",
                         "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 200 OK\nX: 1\n\n",
                         "HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 200 OK\r\n folded\r\n\r\n"}) {
    auto [g, s] = request("GET http://example.com/ HTTP/1.1\r\n\r\n", head_);
    s.send(response);
    s.end_writing();
    EXPECT_TRUE(g.read_all().starts_with("HTTP/1.1 502 example.com:80 sent no valid HTTP response")) << response;
  }
}

TEST_F(egress_http, refuses_everything_that_is_read_in_two_ways) {
  const strings broken{
    "GET http://example.com/ HTTP/1.1\nHost: x\n\n",
    "GET http://example.com/ HTTP/1.1\r\nA: 1\nB: 2\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nContent-Length: 5, 5\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nContent-Length: +5\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nContent-Length: 0x5\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nContent-Length:\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding: identity\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST http://example.com/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding : chunked\r\n\r\n",
    "POST http://example.com/ HTTP/1.1\r\nConnection: Content-Length\r\nContent-Length: 5\r\n\r\nabcde",
    "GET http://example.com/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "GET http://example.com/ HTTP/1.1\r\nA: 1\r\n folded\r\n\r\n",
    "GET http://example.com/ HTTP/1.1\r\n A: 1\r\n\r\n",
    "GET http://example.com/ HTTP/1.1\r\nA\r\n\r\n",
    "GET http://example.com/ HTTP/1.1\r\n: 1\r\n\r\n",
    "GET http://example.com/ HTTP/1.1\r\nA : 1\r\n\r\n",
    "GET http://example.com/ HTTP/1.1\r\nA\tB: 1\r\n\r\n",
    "GET http://example.com/ HTTP/1.1\r\nA: 1\r2\r\n\r\n",
    "GET http://example.com/ HTTP/1.1\r\nA: \0\r\n\r\n"s,
    "GET http://example.com/\0 HTTP/1.1\r\n\r\n"s,
    "GET http://example.com/\t HTTP/1.1\r\n\r\n",
    "GET  http://example.com/ HTTP/1.1\r\n\r\n",
    "GET http://example.com/  HTTP/1.1\r\n\r\n",
    "GET http://example.com/ x HTTP/1.1\r\n\r\n",
    " GET http://example.com/ HTTP/1.1\r\n\r\n",
    "\r\nGET http://example.com/ HTTP/1.1\r\n\r\n",
    "GET http://example.com/ HTTP/1.1 \r\n\r\n",
    "GET http://example.com/ HTTP/2.0\r\n\r\n",
    "GET http://example.com/ HTTP/1.10\r\n\r\n",
    "GET http://example.com/ http/1.1\r\n\r\n",
    "GET http://example.com/\r\n\r\n",
    "GET /path HTTP/1.1\r\nHost: example.com\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\n\r\n",
    "GET https://example.com/ HTTP/1.1\r\n\r\n",
    "GET ftp://example.com/ HTTP/1.1\r\n\r\n",
    "GET file:///etc/passwd HTTP/1.1\r\n\r\n",
    "GET http:///path HTTP/1.1\r\n\r\n",
    "GET http:example.com HTTP/1.1\r\n\r\n",
    "GET http:\\\\example.com/ HTTP/1.1\r\n\r\n",
    "GET http://example.com\\@127.0.0.1/ HTTP/1.1\r\n\r\n",
    "GET http://user@example.com/ HTTP/1.1\r\n\r\n",
    "GET http://user:pass@example.com/ HTTP/1.1\r\n\r\n",
    "GET http://example.com:80@127.0.0.1/ HTTP/1.1\r\n\r\n",
    "GET http://127.0.0.1:80#@example.com/ HTTP/1.1\r\n\r\n",
    "GET http://example.com:0/ HTTP/1.1\r\n\r\n",
    "GET http://example.com:65536/ HTTP/1.1\r\n\r\n",
    "GET http://example.com:/ HTTP/1.1\r\n\r\n",
    "GET http://example.com:80:80/ HTTP/1.1\r\n\r\n",
    "GET http://example.com:8o/ HTTP/1.1\r\n\r\n",
    "GET http://example.com:+80/ HTTP/1.1\r\n\r\n",
    "GET http://[::1/ HTTP/1.1\r\n\r\n",
    "GET http://[example.com]/ HTTP/1.1\r\n\r\n",
    "GET http://[::1]x:80/ HTTP/1.1\r\n\r\n",
    "GET http://::1/ HTTP/1.1\r\n\r\n",
    "GET http://010.8.8.8/ HTTP/1.1\r\n\r\n",
    "GET http://example.com../ HTTP/1.1\r\n\r\n",
    "GET http://exa%6dple.com/ HTTP/1.1\r\n\r\n",
    "G(T http://example.com/ HTTP/1.1\r\n\r\n",
    "CONNECT example.com HTTP/1.1\r\n\r\n",
    "CONNECT example.com: HTTP/1.1\r\n\r\n",
    "CONNECT example.com:0 HTTP/1.1\r\n\r\n",
    "CONNECT example.com:65536 HTTP/1.1\r\n\r\n",
    "CONNECT example.com:443/ HTTP/1.1\r\n\r\n",
    "CONNECT http://example.com:443 HTTP/1.1\r\n\r\n",
    "CONNECT user@example.com:443 HTTP/1.1\r\n\r\n",
    "CONNECT :443 HTTP/1.1\r\n\r\n",
    "CONNECT ::1:443 HTTP/1.1\r\n\r\n",
    "CONNECT example.com:443 HTTP/1.1\r\nContent-Length: 5\r\n\r\n",
    "CONNECT example.com:443 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "connect example.com:443 HTTP/1.1\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"s,
    "\x05\x01\x00"s,
  };
  for (auto& text : broken) {
    auto answer = ask(text);
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << testing::PrintToString(text) << ": " << answer;
  }
  EXPECT_TRUE(dialled().empty());
  EXPECT_EQ(record(broken.size() - 1).allowed, false);
  EXPECT_EQ(records(), broken.size());
}

TEST_F(egress_http, refuses_broken_chunks) {
  for (auto* chunks : {"x\r\n", "3\nabc\r\n", "3\r\nabcd", "3;ext=1\r\nabc\r\n", "-1\r\n", "ffffffffffffffffff\r\n",
                       " 3\r\nabc\r\n", "3 \r\nabc\r\n", "\r\n", "0\r\nX: 1\n\r\n", "0x3\r\nabc\r\n"}) {
    auto [g, s] = request("POST http://example.com/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", head_);
    g.send(chunks);
    EXPECT_FALSE(has(g.read_all(), "<timeout>")) << chunks;
    EXPECT_FALSE(has(s.read_all(), "<timeout>")) << chunks;
  }
  EXPECT_TRUE(has(record().reason, "chunks"));
}

} // namespace network_egress_http_test
