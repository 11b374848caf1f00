// Answers in pieces, answers that come late or not at all, and clients that go.
#include "server_fixture.hpp"

namespace http_server_test {

struct http_answer_test : server_fixture {
  tcp::socket client{io};
  bool gone = false;
  bool sent = false;

  /// A client whose request for /later has come.
  http::exchange& ask_later() {
    open();
    client = connect();
    send(client, "GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
    auto& exchange = wait_for_exchange();
    exchange.when_gone([this] { gone = true; });
    exchange.when_sent([this] { sent = true; });
    return exchange;
  }
  /// More than what the system takes of an answer when nobody reads.
  static constexpr size_t much = 32u << 20;
};

TEST_F(http_answer_test, comes_later) {
  ask_later().answer({503, "text/plain", "not yet", {}});
  EXPECT_TRUE(read_answer(client).ends_with("not yet"));
  EXPECT_TRUE(run_until([&] { return sent; }));
  EXPECT_FALSE(gone);
}

TEST_F(http_answer_test, comes_in_pieces_as_they_are_written) {
  auto& to = ask_later();
  to.begin({200, "text/event-stream", "first", {}});
  auto text = read_bytes(client, 1);
  while (!text.ends_with("5\r\nfirst\r\n"))
    text += read_bytes(client, 1);
  EXPECT_NE(text.find("Transfer-Encoding: chunked\r\n"), text.npos) << text;
  EXPECT_EQ(text.find("Content-Length"), text.npos) << text;
  to.write("second");
  EXPECT_EQ(read_bytes(client, 11), "6\r\nsecond\r\n");
  to.write("");
  EXPECT_FALSE(sent);
  to.end();
  EXPECT_EQ(read_bytes(client, 5), "0\r\n\r\n");
  EXPECT_TRUE(run_until([&] { return sent; }));
  send(client, "GET /next HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(read_answer(client).ends_with("hello /next")) << "the connection stays open";
}

TEST_F(http_answer_test, in_pieces_to_head_is_only_a_head) {
  options.handle = [](http::request, std::shared_ptr<http::exchange> to) {
    to->begin({200, "", "one", {}});
    to->write("two");
    to->end();
  };
  open();
  auto got = ask("HEAD / HTTP/1.1");
  EXPECT_TRUE(got.ends_with("\r\n\r\n")) << got;
  EXPECT_EQ(got.find("one"), got.npos) << got;
}

TEST_F(http_answer_test, only_the_first_answer_counts) {
  auto& to = ask_later();
  to.write("before");
  to.end();
  to.answer({200, "", "first", {}});
  to.answer({200, "", "second", {}});
  to.begin({200, "", "third", {}});
  to.write("fourth");
  to.end();
  auto got = read_answer(client);
  EXPECT_TRUE(got.ends_with("\r\n\r\nfirst")) << got;
  send(client, "GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(read_all(client).starts_with("HTTP/1.1 200"));
}

TEST_F(http_answer_test, that_is_dropped_is_500) {
  open();
  auto got = ask("GET /drop HTTP/1.1");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 500 Internal Server Error\r\n")) << got;
}

TEST_F(http_answer_test, that_is_dropped_in_pieces_looks_incomplete) {
  ask_later().begin({200, "", "first", {}});
  open_exchanges.clear();
  auto got = read_all(client);
  EXPECT_FALSE(got.ends_with("0\r\n\r\n")) << got;
  EXPECT_FALSE(gone) << "whoever has dropped it is told nothing";
}

TEST_F(http_answer_test, may_be_dropped_when_it_has_ended) {
  auto& to = ask_later();
  to.begin({200, "", "", {}});
  to.write(std::string(1u << 20, 'x'));
  to.end();
  open_exchanges.clear();
  std::string got;
  while (!got.ends_with("0\r\n\r\n"))
    got += read_bytes(client, 1u << 10 > got.size() ? 1u << 10 : 1);
  EXPECT_GT(got.size(), 1u << 20);
}

TEST_F(http_answer_test, breaks_off) {
  auto& to = ask_later();
  to.begin({200, "", "first", {}});
  to.abort();
  read_all(client);
  run_for(50ms);
  EXPECT_FALSE(gone);
  EXPECT_EQ(server->connections(), 0u);
  to.write("nothing");
  to.end();
}

TEST_F(http_answer_test, tells_at_once_that_the_client_has_gone_before_it) {
  auto& to = ask_later();
  auto before = std::chrono::steady_clock::now();
  client.close();
  EXPECT_TRUE(run_until([&] { return gone; }));
  EXPECT_LT(std::chrono::steady_clock::now() - before, 2s);
  EXPECT_EQ(server->connections(), 0u);
  to.answer({200, "", "too late", {}});
  run_for(20ms);
  EXPECT_FALSE(sent);
}

TEST_F(http_answer_test, tells_that_the_client_was_reset_or_half_closed) {
  ask_later();
  client.set_option(asio::socket_base::linger(true, 0));
  client.close();
  EXPECT_TRUE(run_until([&] { return gone; }));
  gone = false;
  client = connect();
  send(client, "GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  wait_for_exchange(1).when_gone([this] { gone = true; });
  client.shutdown(tcp::socket::shutdown_send);
  EXPECT_TRUE(run_until([&] { return gone; }));
}

TEST_F(http_answer_test, tells_that_the_client_has_gone_in_the_midst_of_it) {
  auto& to = ask_later();
  to.begin({200, "", "", {}});
  to.write(std::string(much, 'x'));
  run_for(50ms);
  client.close();
  EXPECT_TRUE(run_until([&] { return gone; }));
  EXPECT_EQ(to.unsent_bytes(), 0u) << "there is nobody to send it to";
  EXPECT_FALSE(sent);
}

TEST_F(http_answer_test, tells_somebody_who_asks_late) {
  auto& to = ask_later();
  client.close();
  EXPECT_TRUE(run_until([&] { return gone; }));
  bool told = false;
  to.when_gone([&] { told = true; });
  EXPECT_FALSE(told) << "never from inside a call";
  EXPECT_TRUE(run_until([&] { return told; }));
}

TEST_F(http_answer_test, is_not_told_when_it_was_dropped) {
  ask_later();
  client.close();
  open_exchanges.clear();
  run_for(50ms);
  EXPECT_FALSE(gone);
}

TEST_F(http_answer_test, may_be_dropped_by_who_is_told) {
  auto& to = ask_later();
  to.when_gone([this] {
    gone = true;
    open_exchanges.clear();
  });
  client.close();
  EXPECT_TRUE(run_until([&] { return gone; }));
}

TEST_F(http_answer_test, counts_what_was_not_sent) {
  auto& to = ask_later();
  EXPECT_EQ(to.unsent_bytes(), 0u);
  to.begin({200, "", "", {}});
  for (int i = 0; i < 32; ++i)
    to.write(std::string(much / 32, 'x'));
  run_for(100ms);
  auto stuck = to.unsent_bytes();
  EXPECT_GT(stuck, 0u);
  EXPECT_LT(stuck, much);
  read_bytes(client, much / 2);
  EXPECT_LT(to.unsent_bytes(), stuck);
  to.end();
  read_bytes(client, much / 2);
  EXPECT_TRUE(run_until([&] { return sent; }));
  EXPECT_EQ(to.unsent_bytes(), 0u);
}

TEST_F(http_answer_test, is_broken_off_when_nobody_reads) {
  options.stall_max = 200ms;
  auto& to = ask_later();
  to.answer({200, "", std::string(much, 'x'), {}});
  auto before = std::chrono::steady_clock::now();
  EXPECT_TRUE(run_until([&] { return gone; }));
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  EXPECT_EQ(server->connections(), 0u);
}

TEST_F(http_answer_test, goes_on_as_long_as_somebody_reads) {
  options.stall_max = 1s; // less than the reading takes, more than a pause of it
  auto& to = ask_later();
  to.answer({200, "", std::string(much, 'x'), {}});
  size_t read = 0;
  for (int i = 0; i < 16; ++i) {
    run_for(100ms);
    read += read_bytes(client, much / 16).size();
  }
  EXPECT_EQ(read, much);
  EXPECT_TRUE(run_until([&] { return sent; }));
  EXPECT_FALSE(gone);
}

TEST_F(http_answer_test, may_take_longer_than_any_other_thing) {
  options.head_max = options.body_max = options.idle_max = options.stall_max = 50ms;
  auto& to = ask_later();
  run_for(400ms);
  to.begin({200, "", "a", {}});
  run_for(400ms);
  to.end();
  EXPECT_TRUE(read_all(client).ends_with("1\r\na\r\n0\r\n\r\n"));
  EXPECT_TRUE(sent);
}

} // namespace http_server_test
