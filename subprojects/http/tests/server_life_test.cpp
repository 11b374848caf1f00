// The end of a server, of its connections, and of who uses them.
#include "server_fixture.hpp"

#include <asio/steady_timer.hpp>

namespace http_server_test {

struct http_life_test : server_fixture {};

TEST_F(http_life_test, what_is_idle_is_closed_with_the_server) {
  open();
  auto s = connect();
  send(s, "GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
  read_answer(s);
  auto silent = connect();
  EXPECT_TRUE(run_until([&] { return server->connections() == 2; }));
  server->close();
  EXPECT_EQ(read_all(s), "");
  EXPECT_EQ(read_all(silent), "");
  EXPECT_EQ(server->connections(), 0u);
}

TEST_F(http_life_test, what_comes_after_the_end_is_told_so) {
  open();
  auto s = connect();
  send(s, "GET / HTTP/1.1\r\n");
  auto body = connect();
  send(body, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n");
  run_for(50ms);
  server->close();
  server = nullptr;
  send(s, "Host: localhost\r\n\r\n");
  auto got = read_all(s);
  EXPECT_TRUE(got.starts_with("HTTP/1.1 503")) << got;
  send(body, "x");
  got = read_all(body);
  EXPECT_TRUE(got.starts_with("HTTP/1.1 503")) << got;
  EXPECT_TRUE(taken.empty());
}

TEST_F(http_life_test, answers_that_have_begun_go_on_and_are_the_last) {
  open();
  auto stream = connect();
  auto whole = connect();
  send(stream, "GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  wait_for_exchange(0).begin({200, "", "a", {}});
  send(whole, "GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  auto& later = wait_for_exchange(1);
  server->close();
  server = nullptr;
  open_exchanges[0]->write("b");
  open_exchanges[0]->end();
  EXPECT_TRUE(read_all(stream).ends_with("1\r\nb\r\n0\r\n\r\n"));
  later.answer({200, "", "answer", {}});
  auto got = read_all(whole);
  EXPECT_TRUE(got.ends_with("answer")) << got;
  EXPECT_NE(got.find("Connection: close"), got.npos) << got;
}

TEST_F(http_life_test, nobody_can_connect_after_the_end) {
  open();
  auto port = server->port();
  server->close();
  server->close();
  tcp::socket s{io};
  asio::error_code failed;
  s.connect({asio::ip::make_address("127.0.0.1"), port}, failed);
  EXPECT_TRUE(failed);
}

TEST_F(http_life_test, what_it_held_is_let_go) {
  auto held = std::make_shared<int>();
  options.handle = [held](http::request, std::shared_ptr<http::exchange>) {};
  options.admit = [held](const http::request_head&) { return std::nullopt; };
  open();
  options = {};
  auto s = connect();
  EXPECT_TRUE(run_until([&] { return server->connections() == 1; }));
  EXPECT_GT(held.use_count(), 1);
  server->close();
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(http_life_test, a_handler_may_end_the_server) {
  options.handle = [this](http::request, std::shared_ptr<http::exchange> to) {
    server->close();
    server = nullptr;
    to->answer({200, "", "the last one", {}});
  };
  open();
  EXPECT_TRUE(talk("GET / HTTP/1.1\r\nHost: x\r\n\r\n").ends_with("the last one"));
}

TEST_F(http_life_test, who_admits_may_end_the_server) {
  options.admit = [this](const http::request_head&) -> std::optional<http::response> {
    server = nullptr;
    return std::nullopt;
  };
  open();
  EXPECT_TRUE(talk("GET / HTTP/1.1\r\nHost: x\r\n\r\n").starts_with("HTTP/1.1 503"));
}

TEST_F(http_life_test, an_exchange_may_outlive_everything_but_the_loop) {
  open();
  auto s = connect();
  send(s, "GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  auto& to = wait_for_exchange();
  s.close();
  server = nullptr;
  run_for(50ms);
  to.begin({200, "", "a", {}});
  to.write("b");
  to.end();
  to.abort();
  open_exchanges.clear();
  run_for(20ms);
}

TEST_F(http_life_test, a_loop_may_end_in_the_midst_of_it_all) {
  auto own = std::make_unique<asio::io_context>();
  auto opened = http::server::open(*own, options);
  std::vector<tcp::socket> clients;
  for (auto text : {"", "GET / HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n", "BAD\r\n\r\n"}) {
    tcp::socket s{io};
    s.connect({asio::ip::make_address("127.0.0.1"), opened.value->port()});
    send(s, text);
    clients.push_back(std::move(s));
  }
  own->run_for(100ms);
  EXPECT_EQ(opened.value->connections(), 3u) << "one was refused, and is leaving";
  opened.value = nullptr;
  own = nullptr;
  for (auto& s : clients)
    read_all(s);
}

TEST_F(http_life_test, a_loop_may_end_with_an_exchange_in_it) {
  for (auto first_bytes : {size_t{0}, size_t{32} << 20}) {
    auto own = std::make_unique<asio::io_context>();
    auto timer = std::make_unique<asio::steady_timer>(*own, 1h);
    options.handle = [&](http::request, std::shared_ptr<http::exchange> to) {
      to->when_gone([] {});
      if (first_bytes > 0)
        to->begin({200, "", std::string(first_bytes, 'x'), {}});
      timer->async_wait([to](asio::error_code) {});
    };
    auto opened = http::server::open(*own, options);
    tcp::socket s{io};
    s.connect({asio::ip::make_address("127.0.0.1"), opened.value->port()});
    send(s, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    own->run_for(50ms);
    EXPECT_EQ(opened.value->connections(), 1u);
    opened.value = nullptr;
    timer = nullptr;
    own = nullptr;
    read_all(s);
  }
}

TEST_F(http_life_test, many_requests_leave_nothing) {
  open();
  for (int i = 0; i < 300; ++i)
    EXPECT_TRUE(ask("GET /x HTTP/1.1").ends_with("hello /x"));
  EXPECT_TRUE(run_until([&] { return server->connections() == 0; }));
}

} // namespace http_server_test
