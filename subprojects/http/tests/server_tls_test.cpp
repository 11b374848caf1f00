// Answers over TLS, and clients that go.
#include "server_tls_fixture.hpp"

#include <asio/steady_timer.hpp>

namespace http_server_test {

struct http_tls_test : server_tls_fixture {
  static constexpr size_t much = 16u << 20;
  bool gone = false;
  bool sent = false;

  /// The exchange of a client whose request for /later has come.
  http::exchange& ask_later(tls_client& client, size_t number = 0) {
    client.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    auto& exchange = wait_for_exchange(number);
    exchange.when_gone([this] { gone = true; });
    exchange.when_sent([this] { sent = true; });
    return exchange;
  }
};

TEST_F(http_tls_test, answers) {
  open();
  for (auto version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    auto client = connect_tls({version, "\x08http/1.1"});
    client->send("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    auto got = read_all(*client);
    EXPECT_TRUE(got.starts_with("HTTP/1.1 200 OK\r\n")) << got;
    EXPECT_TRUE(got.ends_with("hello /x")) << got;
    EXPECT_EQ(client->side.protocol(), "http/1.1");
    EXPECT_TRUE(client->side.has_ended);
    EXPECT_EQ(client->end, asio::error::eof);
  }
  EXPECT_TRUE(run_until([&] { return server->connections() == 0; }));
}

TEST_F(http_tls_test, stays_open) {
  open();
  auto client = connect_tls();
  for (int i = 0; i < 20; ++i) {
    client->send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n" + std::to_string(10 + i));
    EXPECT_TRUE(read_answer(*client).ends_with("hello /x" + std::to_string(10 + i)));
  }
  EXPECT_EQ(taken.back().head.connection, taken.front().head.connection);
}

TEST_F(http_tls_test, requests_may_be_sent_ahead) {
  open();
  auto client = connect_tls();
  std::string all;
  for (int i = 0; i < 50; ++i)
    all += "GET /" + std::to_string(10 + i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  client->send(all);
  for (int i = 0; i < 50; ++i)
    EXPECT_TRUE(read_answer(*client).ends_with("hello /" + std::to_string(10 + i)));
}

TEST_F(http_tls_test, large_bodies_go_both_ways) {
  options.body_bytes_max = options.bodies_bytes_max = much;
  std::string body(much, 'x');
  for (size_t i = 0; i < much; ++i)
    body[i] = static_cast<char>('a' + i % 23 + i / 1'000 % 3);
  open();
  auto client = connect_tls();
  client->send("POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 16777216\r\n\r\n");
  client->send(body);
  auto got = read_all(*client);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_TRUE(taken[0].body == body);
  EXPECT_TRUE(got.ends_with(body));
  EXPECT_TRUE(client->side.has_ended);
}

TEST_F(http_tls_test, comes_in_pieces_as_they_are_written) {
  open();
  auto client = connect_tls();
  auto& to = ask_later(*client);
  to.begin({200, "text/event-stream", "first", {}});
  auto text = read_bytes(*client, 1);
  while (!text.ends_with("5\r\nfirst\r\n") && !client->end)
    text += read_bytes(*client, 1);
  to.write("second");
  EXPECT_EQ(read_bytes(*client, 11), "6\r\nsecond\r\n");
  to.write(std::string(0x400000, 'x'));
  to.end();
  run_until([&] { return client->side.received.ends_with("\r\n0\r\n\r\n"); });
  EXPECT_EQ(size_t(std::count(client->side.received.begin(), client->side.received.end(), 'x')), 0x400000u);
  EXPECT_TRUE(run_until([&] { return sent; }));
  client->side.received.clear();
  client->send("GET /next HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(read_answer(*client).ends_with("hello /next")) << "the connection stays open";
}

TEST_F(http_tls_test, tells_that_the_client_has_gone) {
  open();
  auto cut = connect_tls();
  ask_later(*cut).begin({200, "", "first", {}});
  run_for(20ms);
  cut->cut();
  EXPECT_TRUE(run_until([&] { return gone; }));
  gone = false;
  auto polite = connect_tls();
  ask_later(*polite, 1);
  SSL_shutdown(polite->side.ssl());
  polite->send("");
  EXPECT_TRUE(run_until([&] { return gone; }));
  EXPECT_EQ(server->connections(), 0u);
}

TEST_F(http_tls_test, tells_that_the_client_has_gone_in_the_midst_of_it) {
  open();
  auto client = connect_tls();
  client->is_deaf = true;
  auto& to = ask_later(*client);
  to.begin({200, "", std::string(2 * much, 'x'), {}});
  run_for(100ms);
  EXPECT_GT(to.unsent_bytes(), 0u);
  client->cut();
  EXPECT_TRUE(run_until([&] { return gone; }));
  EXPECT_EQ(to.unsent_bytes(), 0u);
  EXPECT_FALSE(sent);
}

TEST_F(http_tls_test, who_reads_slowly_gets_everything) {
  open();
  auto client = connect_tls();
  client->is_deaf = true;
  auto& to = ask_later(*client);
  to.answer({200, "", std::string(2 * much, 'x'), {}});
  run_for(100ms);
  EXPECT_FALSE(sent);
  client->is_deaf = false;
  client->read_on();
  EXPECT_EQ(read_answer(*client).size() / much, 2u);
  EXPECT_TRUE(run_until([&] { return sent; }));
}

TEST_F(http_tls_test, is_broken_off_when_nobody_reads) {
  options.stall_max = 200ms;
  open();
  auto client = connect_tls();
  client->is_deaf = true;
  ask_later(*client).answer({200, "", std::string(2 * much, 'x'), {}});
  EXPECT_TRUE(run_until([&] { return gone; }));
  EXPECT_EQ(server->connections(), 0u);
}

TEST_F(http_tls_test, what_is_broken_off_does_not_look_complete) {
  open();
  auto client = connect_tls();
  client->send("GET /later HTTP/1.0\r\n\r\n");
  wait_for_exchange().begin({200, "", "first", {}});
  run_for(50ms);
  open_exchanges.clear();
  read_all(*client);
  EXPECT_FALSE(client->side.has_ended);
}

TEST_F(http_tls_test, a_body_that_ends_with_the_connection_has_an_end) {
  open();
  auto client = connect_tls();
  client->send("GET /later HTTP/1.0\r\n\r\n");
  auto& to = wait_for_exchange();
  to.begin({200, "", "first", {}});
  to.end();
  EXPECT_TRUE(read_all(*client).ends_with("first"));
  EXPECT_TRUE(client->side.has_ended);
}

TEST_F(http_tls_test, says_that_a_body_may_come) {
  open();
  auto client = connect_tls();
  client->send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(read_bytes(*client, 25), "HTTP/1.1 100 Continue\r\n\r\n");
  client->send("ab");
  EXPECT_TRUE(read_answer(*client).ends_with("hello /xab"));
}

TEST_F(http_tls_test, changing_keys_disturbs_nothing) {
  open();
  auto client = connect_tls();
  ASSERT_TRUE(wait_for_handshake(*client));
  for (int i = 0; i < 5; ++i) {
    client->side.change_keys();
    client->send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(read_answer(*client).ends_with("hello /x"));
  }
}

TEST_F(http_tls_test, what_is_idle_is_closed_with_the_server) {
  open();
  auto client = connect_tls();
  client->send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
  read_answer(*client);
  auto shaking = connect();
  EXPECT_TRUE(run_until([&] { return server->connections() == 2; }));
  server->close();
  EXPECT_EQ(read_all(*client), "");
  EXPECT_TRUE(client->side.has_ended);
  EXPECT_EQ(server_fixture::read_all(shaking), "");
}

TEST_F(http_tls_test, a_loop_may_end_in_the_midst_of_it_all) {
  auto own = std::make_unique<asio::io_context>();
  auto timer = std::make_unique<asio::steady_timer>(*own, 1h);
  options.handle = [&](http::request, std::shared_ptr<http::exchange> to) {
    to->begin({200, "", std::string(much, 'x'), {}});
    timer->async_wait([to](asio::error_code) {});
  };
  auto opened = http::server::open(*own, options);
  ASSERT_TRUE(opened.ok());
  server = opened.value;
  auto silent = connect();
  auto shaking = connect();
  send(shaking, "\x16\x03\x01");
  auto client = connect_tls();
  client->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  for (int i = 0; i < 10; ++i) {
    own->run_for(10ms);
    client->is_deaf = client->side.is_ready();
    run_for(10ms);
  }
  EXPECT_EQ(server->connections(), 3u);
  opened.value = server = nullptr;
  timer = nullptr;
  own = nullptr;
  server_fixture::read_all(silent);
  client->is_deaf = false;
  client->read_on();
  read_all(*client);
}

TEST_F(http_tls_test, wrong_files_are_a_problem) {
  auto opened = http::server::open(io, options);
  EXPECT_TRUE(opened.ok());
  EXPECT_EQ(opened.warning, "");
  options.tls->key_file = folder.path("none");
  opened = http::server::open(io, options);
  EXPECT_FALSE(opened.ok());
  EXPECT_NE(opened.problem.find(options.tls->key_file), opened.problem.npos) << opened.problem;
  auto key = new_key();
  options.tls->certificate_file = folder.file("old.pem", certificate_of(key.get(), -20, -10));
  options.tls->key_file = folder.file("old.key", pem_of(key.get()));
  opened = http::server::open(io, options);
  EXPECT_TRUE(opened.ok()) << opened.problem;
  EXPECT_NE(opened.warning.find("has expired"), opened.warning.npos) << opened.warning;
}

} // namespace http_server_test
