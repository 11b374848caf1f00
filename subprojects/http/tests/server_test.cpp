// What the server lets through, over real sockets of this machine.
#include "http/server.hpp"

#include <asio/connect.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <gtest/gtest.h>

namespace http_server_test {

using namespace std::literals;
using asio::ip::tcp;

struct http_server_test : ::testing::Test {
  asio::io_context io;
  std::vector<http::request> taken;
  std::function<void(http::response)> later; ///< of a request for /later
  std::shared_ptr<http::server> server;

  void open(size_t connections = 4, std::chrono::milliseconds request_max = 5s) {
    auto opened = http::server::open(io, options(connections, request_max));
    ASSERT_TRUE(opened.ok()) << opened.problem;
    server = opened.value;
  }
  http::server_options options(size_t connections, std::chrono::milliseconds request_max) {
    http::server_options o;
    o.host = "127.0.0.1";
    o.connections_max = connections;
    o.header_bytes_max = 1'024;
    o.request_max = request_max;
    o.answer_max = 5s;
    o.handle = [this](http::request r, std::function<void(http::response)> answer) {
      taken.push_back(r);
      if (r.path == "/later")
        later = std::move(answer);
      else
        answer({200, "text/plain", "hello " + r.path});
    };
    return o;
  }
  tcp::socket connect() {
    tcp::socket s{io};
    s.connect({asio::ip::make_address("127.0.0.1"), server->port()});
    return s;
  }
  /// Everything until the other side closes the connection; the server runs meanwhile.
  std::string read_all(tcp::socket& s) {
    std::string text;
    bool done = false;
    asio::async_read(s, asio::dynamic_buffer(text), [&](asio::error_code, size_t) { done = true; });
    auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!done && std::chrono::steady_clock::now() < deadline)
      io.run_one_for(100ms);
    EXPECT_TRUE(done) << "the connection was not closed";
    return text;
  }
  std::string ask(const std::string& head) {
    auto s = connect();
    asio::write(s, asio::buffer(head + "\r\nConnection: close\r\n\r\n"));
    return read_all(s);
  }
};

TEST_F(http_server_test, serves_get_and_head) {
  open();
  auto got = ask("GET /x?y=1 HTTP/1.1\r\nHost: localhost:1");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 200 OK\r\n")) << got;
  EXPECT_TRUE(got.ends_with("\r\n\r\nhello /x")) << got;
  auto head = ask("HEAD /x HTTP/1.1\r\nHost: localhost:1");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200")) << head;
  EXPECT_TRUE(head.ends_with("\r\n\r\n")) << head;
}

TEST_F(http_server_test, refuses_other_methods_and_names) {
  open();
  EXPECT_TRUE(ask("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0").starts_with("HTTP/1.1 405"));
  EXPECT_TRUE(ask("GET / HTTP/1.1\r\nHost: evil.example").starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(taken.empty());
}

TEST_F(http_server_test, an_answer_may_come_later) {
  open();
  auto s = connect();
  asio::write(s, asio::buffer("GET /later HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"sv));
  while (!later)
    io.run_one_for(100ms);
  later({503, "text/plain", "not yet"});
  EXPECT_TRUE(read_all(s).ends_with("not yet"));
}

TEST_F(http_server_test, what_is_too_large_or_no_http_ends_the_connection) {
  open();
  for (auto& head : {"GET /" + std::string(2'000, 'x') + " HTTP/1.1\r\nHost: localhost",
                     "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(2'000, 'x'), "\x16\x03\x01 hello"s}) {
    auto s = connect();
    asio::write(s, asio::buffer(head + "\r\n\r\n"));
    EXPECT_FALSE(read_all(s).starts_with("HTTP/1.1 200"));
  }
  EXPECT_TRUE(taken.empty());
}

TEST_F(http_server_test, who_says_nothing_is_not_waited_for) {
  open(4, 100ms);
  auto s = connect();
  read_all(s);
}

TEST_F(http_server_test, only_so_many_connections_are_served_at_once) {
  open(1);
  auto first = connect();
  auto second = connect();
  EXPECT_EQ(read_all(second), "") << "it is closed";
  first.close();
  for (int i = 0; i < 20; ++i)
    io.run_one_for(10ms);
  auto third = connect();
  asio::write(third, asio::buffer("GET /third HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"sv));
  EXPECT_TRUE(read_all(third).ends_with("/third"));
}

TEST_F(http_server_test, a_port_in_use_is_an_error) {
  open();
  auto o = options(1, 1s);
  o.port = server->port();
  auto again = http::server::open(io, std::move(o));
  EXPECT_FALSE(again.ok());
  EXPECT_NE(again.problem.find("in use"), std::string::npos) << again.problem;
}

TEST_F(http_server_test, a_host_that_is_no_address_is_an_error) {
  auto o = options(1, 1s);
  o.host = "no such host";
  EXPECT_FALSE(http::server::open(io, std::move(o)).ok());
}

TEST_F(http_server_test, a_connection_that_outlives_the_server_is_told_so) {
  open();
  auto s = connect();
  for (int i = 0; i < 5; ++i)
    io.run_one_for(10ms);
  server->close();
  server = nullptr;
  asio::write(s, asio::buffer("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"sv));
  EXPECT_TRUE(read_all(s).starts_with("HTTP/1.1 503"));
}

TEST(http_host, is_an_address_or_a_name_of_ours) {
  for (auto good : {"localhost", "LOCALHOST:80", "127.0.0.1", "127.0.0.1:9000", "[::1]:9000", "[::1]", "10.0.0.7:1",
                    "box.lan", "box.lan:1"})
    EXPECT_TRUE(http::is_own_host(good, "box.lan")) << good;
  for (auto bad : {"evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "", ":80",
                   "[", "[evil]:1", "127.1.evil"})
    EXPECT_FALSE(http::is_own_host(bad, "127.0.0.1")) << bad;
}

} // namespace http_server_test
