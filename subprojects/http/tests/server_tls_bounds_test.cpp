// Sizes, times and counts over TLS, and clients that do not speak it.
#include "process_room.hpp"
#include "server_tls_fixture.hpp"

namespace http_server_test {

struct http_tls_bounds_test : server_tls_fixture {};

TEST_F(http_tls_bounds_test, refusals_are_read) {
  open();
  auto head = talk_tls("GET /" + std::string(200'000, 'x'));
  EXPECT_TRUE(head.starts_with("HTTP/1.1 431 ")) << head;
  auto body = talk_tls("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\n");
  EXPECT_TRUE(body.starts_with("HTTP/1.1 413 ")) << body;
  auto client = connect_tls();
  client->send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8388608\r\n\r\n" + std::string(8u << 20, 'x'));
  EXPECT_TRUE(read_all(*client).starts_with("HTTP/1.1 413 "));
  EXPECT_TRUE(client->side.has_ended);
  EXPECT_TRUE(taken.empty());
}

TEST_F(http_tls_bounds_test, who_says_nothing_is_not_waited_for) {
  options.head_max = 100ms;
  open();
  auto s = connect();
  auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(server_fixture::read_all(s), "");
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_EQ(server->connections(), 0u);
}

TEST_F(http_tls_bounds_test, a_handshake_that_comes_slowly_is_late) {
  options.head_max = 200ms;
  open();
  auto s = connect();
  auto hello = tls_client_side{}.take_output();
  auto before = std::chrono::steady_clock::now();
  asio::error_code failed;
  for (size_t i = 0; i < hello.size() && !failed; ++i) {
    asio::write(s, asio::buffer(&hello[i], 1), failed);
    run_for(20ms);
  }
  EXPECT_TRUE(failed) << "it was waited for";
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_TRUE(run_until([&] { return server->connections() == 0; }));
}

TEST_F(http_tls_bounds_test, after_a_handshake_there_are_the_other_times) {
  options.head_max = 300ms;
  options.idle_max = 1s;
  open();
  auto client = connect_tls();
  ASSERT_TRUE(wait_for_handshake(*client));
  client->send("GET / HTTP/1.1\r\n");
  EXPECT_TRUE(read_all(*client).starts_with("HTTP/1.1 408 "));
  EXPECT_TRUE(client->side.has_ended);
  auto idle = connect_tls();
  EXPECT_EQ(read_all(*idle), "");
  EXPECT_TRUE(idle->side.has_ended);
}

TEST_F(http_tls_bounds_test, handshakes_count_as_connections) {
  options.connections_max = 1;
  open();
  auto first = connect_tls();
  first->send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(run_until([&] { return taken.size() == 1; }));
  EXPECT_EQ(talk_tls("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "");
  EXPECT_EQ(server->connections(), 1u);
  first->cut();
  EXPECT_TRUE(run_until([&] { return server->connections() == 0; }));
  EXPECT_TRUE(talk_tls("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").ends_with("hello /x"));
}

TEST_F(http_tls_bounds_test, handshakes_that_do_not_come_keep_nobody_out) {
  options.connections_max = 1;
  open();
  auto silent = connect();
  EXPECT_TRUE(run_until([&] { return server->connections() == 1; }));
  EXPECT_TRUE(talk_tls("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").ends_with("hello /x"));
}

TEST_F(http_tls_bounds_test, http_without_tls_is_told_so) {
  open();
  auto got = ask("GET / HTTP/1.1");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 400 ")) << got;
  EXPECT_NE(got.find("HTTPS"), got.npos) << got;
  EXPECT_TRUE(taken.empty());
  auto s = connect();
  send(s, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" + std::string(1'000'000, 'x'));
  EXPECT_TRUE(server_fixture::read_all(s).starts_with("HTTP/1.1 400 ")) << "it goes on sending";
  s.close();
  EXPECT_TRUE(run_until([&] { return server->connections() == 0; }));
}

TEST_F(http_tls_bounds_test, what_is_no_tls_is_closed) {
  open();
  for (auto bytes : {std::string(100, '\0'), std::string(100'000, '\xff'), "\r\n\r\n\r\n"s, "SSH-2.0-x\r\n"s}) {
    auto got = talk(bytes);
    EXPECT_LT(got.size(), 8u) << "an alert at most";
  }
  EXPECT_TRUE(run_until([&] { return server->connections() == 0; }));
  EXPECT_TRUE(taken.empty());
}

TEST_F(http_tls_bounds_test, older_versions_hear_why_not) {
  open();
  auto client = connect_tls({TLS1_1_VERSION});
  EXPECT_EQ(read_all(*client), "");
  EXPECT_NE(client->side.problem.find("alert protocol version"), std::string::npos) << client->side.problem;
  EXPECT_EQ(client->end, asio::error::eof);
}

TEST_F(http_tls_bounds_test, http2_hears_why_not) {
  open();
  auto client = connect_tls({TLS1_3_VERSION, "\x02h2"});
  EXPECT_EQ(read_all(*client), "");
  EXPECT_NE(client->side.problem.find("no application protocol"), std::string::npos) << client->side.problem;
}

TEST_F(http_tls_bounds_test, requests_sent_ahead_without_end_are_not_kept) {
  open();
  auto client = connect_tls();
  client->send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  wait_for_exchange();
  auto before = resident_bytes();
  auto piece = std::string(16u << 10, '\n');
  client->socket.non_blocking(true);
  client->is_deaf = true;
  size_t taken_bytes = 0;
  asio::error_code failed;
  while (!failed && taken_bytes < 256u << 20) {
    client->side.write(piece);
    auto bytes = client->side.take_output();
    taken_bytes += client->socket.write_some(asio::buffer(bytes), failed);
    io.poll();
  }
  EXPECT_EQ(failed, asio::error::would_block);
  EXPECT_LT(taken_bytes, 32u << 20);
  EXPECT_LT(resident_bytes(), before + (16u << 20));
}

#if defined(__has_feature)
constexpr bool is_sanitized = __has_feature(address_sanitizer);
#elif defined(__SANITIZE_ADDRESS__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

TEST_F(http_tls_bounds_test, hundreds_of_handshakes_leave_nothing) {
  open();
  auto shake = [&](int times) {
    for (int i = 0; i < times; ++i)
      EXPECT_TRUE(talk_tls("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").ends_with("hello /x"));
    taken.clear();
    EXPECT_TRUE(run_until([&] { return server->connections() == 0; }));
  };
  shake(20);
  auto descriptors_before = descriptors();
  auto before = resident_bytes();
  shake(200);
  EXPECT_EQ(descriptors(), descriptors_before);
  if (!is_sanitized) // a sanitizer keeps what was freed for a while, and finds leaks by itself
    EXPECT_LT(resident_bytes(), before + (2u << 20));
}

} // namespace http_server_test
