// Sizes, times and counts.
#include "process_room.hpp"
#include "server_fixture.hpp"

#include <sys/resource.h>

namespace http_server_test {

struct http_bounds_test : server_fixture {};

TEST_F(http_bounds_test, a_head_has_a_size) {
  open();
  for (auto& head : {"GET /" + std::string(2'000, 'x') + " HTTP/1.1\r\nHost: localhost",
                     "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(2'000, 'x'),
                     "GET / HTTP/1.1\r\nHost: localhost\r\n" + std::string(2'000, 'x')}) {
    auto got = talk(head);
    EXPECT_TRUE(got.starts_with("HTTP/1.1 431 ")) << got;
  }
  options.header_bytes_max = 1u << 20;
  open();
  EXPECT_TRUE(talk("GET / HTTP/1.1\r\nX: " + std::string(200'000, 'x')).starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(taken.empty());
}

TEST_F(http_bounds_test, a_body_has_a_size) {
  open();
  auto announced = talk("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 65537\r\n\r\n");
  EXPECT_TRUE(announced.starts_with("HTTP/1.1 413 Content Too Large\r\n")) << announced;
  auto chunk = talk("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n");
  EXPECT_TRUE(chunk.starts_with("HTTP/1.1 413 ")) << chunk;
  EXPECT_TRUE(taken.empty());
  auto whole = ask("POST /x HTTP/1.1\r\nContent-Length: 65536", std::string(65'536, 'y'));
  EXPECT_TRUE(whole.starts_with("HTTP/1.1 200")) << whole.substr(0, 100);
}

TEST_F(http_bounds_test, who_goes_on_sending_what_was_refused_can_read_why) {
  open();
  auto s = connect();
  std::string much(8u << 20, 'x');
  bool written = false;
  auto text = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8388608\r\n\r\n" + much;
  asio::async_write(s, asio::buffer(text), [&](asio::error_code failed, size_t) { written = !failed; });
  EXPECT_TRUE(run_until([&] { return written; }));
  EXPECT_TRUE(read_all(s).starts_with("HTTP/1.1 413 "));
}

TEST_F(http_bounds_test, who_never_stops_sending_is_not_listened_to) {
  open();
  auto s = connect();
  auto text = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000000\r\n\r\n" + std::string(100'000'000, 'x');
  size_t written = 0;
  bool done = false;
  asio::async_write(s, asio::buffer(text), [&](asio::error_code, size_t count) {
    written = count;
    done = true;
  });
  EXPECT_TRUE(run_until([&] { return done; }));
  EXPECT_LT(written, text.size()) << "it was read to the end";
  EXPECT_TRUE(run_until([&] { return server->connections() == 0; }));
}

TEST_F(http_bounds_test, bodies_that_are_only_announced_take_no_memory) {
  options.body_bytes_max = 16u << 20;
  options.bodies_bytes_max = 512u << 20;
  open();
  auto before = resident_bytes();
  std::vector<tcp::socket> clients;
  for (int i = 0; i < 16; ++i) {
    clients.push_back(connect());
    send(clients.back(), "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 16777216\r\n\r\nabc");
    run_for(10ms);
  }
  EXPECT_EQ(server->connections(), 16u);
  EXPECT_LT(resident_bytes(), before + (16u << 20));
}

TEST_F(http_bounds_test, bodies_have_a_size_together) {
  options.body_bytes_max = 1u << 20;
  options.bodies_bytes_max = 1u << 20;
  open();
  std::string large(700'000, 'x');
  auto post = "POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 700000\r\n\r\n"s;
  auto first = connect();
  auto second = connect();
  send(first, post);
  send(second, post + large);
  wait_for_exchange();
  auto third = talk(post + large);
  EXPECT_TRUE(third.starts_with("HTTP/1.1 503 ")) << third;
  EXPECT_NE(third.find("Retry-After: 1\r\n"), third.npos) << third;
  EXPECT_TRUE(ask("POST /x HTTP/1.1\r\nContent-Length: 5", "small").starts_with("HTTP/1.1 200"));
  taken.clear();
  wait_for_exchange().answer({200, "", "", {}});
  read_answer(second);
  send(first, large);
  wait_for_exchange(1);
}

TEST_F(http_bounds_test, a_head_has_its_time) {
  options.head_max = 100ms;
  open();
  auto s = connect();
  send(s, "GET / HTTP/1.1\r\n");
  auto got = read_all(s);
  EXPECT_TRUE(got.starts_with("HTTP/1.1 408 Request Timeout\r\n")) << got;
}

TEST_F(http_bounds_test, who_asks_for_nothing_is_not_waited_for_like_who_has_asked) {
  options.head_max = 100ms;
  options.idle_max = 20s;
  open();
  auto silent = connect();
  auto asker = connect();
  send(asker, "GET /x HTTP/1.1\r\nHost: x\r\n\r\n");
  read_answer(asker);
  EXPECT_EQ(read_all(silent), "");
  run_for(200ms);
  EXPECT_EQ(server->connections(), 1u);
}

TEST_F(http_bounds_test, a_head_that_comes_slowly_is_late_nevertheless) {
  options.head_max = 200ms;
  open();
  auto s = connect();
  send(s, "GET /");
  auto before = std::chrono::steady_clock::now();
  while (s.available() == 0 && std::chrono::steady_clock::now() - before < 5s) {
    send(s, "x");
    run_for(20ms);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - before, 3s);
  EXPECT_TRUE(read_bytes(s, 12).starts_with("HTTP/1.1 408"));
}

TEST_F(http_bounds_test, a_body_has_its_time) {
  options.body_max = 100ms;
  open();
  auto got = talk("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 408 Request Timeout\r\n")) << got;
}

TEST_F(http_bounds_test, who_says_nothing_is_not_waited_for) {
  options.idle_max = 100ms;
  open();
  auto s = connect();
  EXPECT_EQ(read_all(s), "");
  auto after = connect();
  send(after, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  read_answer(after);
  auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(read_all(after), "");
  EXPECT_LT(std::chrono::steady_clock::now() - before, 3s);
}

TEST_F(http_bounds_test, empty_lines_are_no_request) {
  options.idle_max = 200ms;
  options.head_max = 50ms;
  open();
  auto s = connect();
  send(s, "\r\n");
  EXPECT_EQ(read_all(s), "");
}

TEST_F(http_bounds_test, only_so_many_connections_are_served_at_once) {
  options.connections_max = 1;
  open();
  auto first = connect();
  send(first, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
  read_answer(first);
  auto got = talk("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 503 Service Unavailable\r\n")) << got;
  EXPECT_NE(got.find("Retry-After: 1\r\n"), got.npos) << got;
  first.close();
  EXPECT_TRUE(run_until([&] { return server->connections() == 0; }));
  EXPECT_TRUE(ask("GET /third HTTP/1.1").ends_with("/third"));
}

TEST_F(http_bounds_test, who_has_not_asked_gives_way_to_one_more) {
  options.connections_max = 2;
  open();
  auto half = connect();
  send(half, "GET / HTTP/1.1\r\nHost: x\r\n");
  auto asker = connect();
  send(asker, "GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  auto& open_one = wait_for_exchange();
  for (int i = 0; i < 40; ++i)
    EXPECT_TRUE(ask("GET /third HTTP/1.1").ends_with("/third"));
  EXPECT_EQ(read_all(half), "");
  open_one.answer({200, "", "still there", {}});
  EXPECT_TRUE(read_answer(asker).ends_with("still there"));
}

TEST_F(http_bounds_test, the_oldest_goes_first_and_before_all_who_were_let_in) {
  options.connections_max = 3;
  open();
  auto sender = connect();
  send(sender, "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab");
  EXPECT_TRUE(run_until([&] { return server->connections() == 1; }));
  auto old = connect();
  EXPECT_TRUE(run_until([&] { return server->connections() == 2; }));
  auto young = connect();
  EXPECT_TRUE(run_until([&] { return server->connections() == 3; }));
  EXPECT_TRUE(ask("GET /1 HTTP/1.1").ends_with("/1"));
  EXPECT_EQ(read_all(old), "");
  send(young, "GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(read_answer(young).ends_with("/2"));
  send(sender, "cd");
  EXPECT_TRUE(read_answer(sender).ends_with("/xabcd"));
}

TEST_F(http_bounds_test, bodies_that_do_not_come_keep_nobody_out) {
  options.connections_max = 1;
  open();
  auto sender = connect();
  send(sender, "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab");
  EXPECT_TRUE(run_until([&] { return server->connections() == 1; }));
  run_for(20ms);
  EXPECT_TRUE(ask("GET /1 HTTP/1.1").ends_with("/1"));
  EXPECT_EQ(read_all(sender), "");
}

TEST_F(http_bounds_test, who_was_refused_and_stays_keeps_nobody_out) {
  options.connections_max = 2;
  open();
  std::vector<tcp::socket> refused;
  for (int i = 0; i < 100; ++i) {
    refused.push_back(connect());
    send(refused.back(), "BAD\r\n\r\n");
    EXPECT_TRUE(ask("GET /1 HTTP/1.1").ends_with("/1")) << i;
  }
  EXPECT_TRUE(read_answer(refused.front()).starts_with("HTTP/1.1 400"));
}

TEST_F(http_bounds_test, who_keeps_connections_between_requests_keeps_nobody_out) {
  options.connections_max = 8;
  open();
  std::vector<tcp::socket> kept;
  for (int i = 0; i < 100; ++i) {
    kept.push_back(connect());
    send(kept.back(), "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
    auto got = read_answer(kept.back());
    EXPECT_EQ(got.find("Connection: close") == got.npos, i < 4) << i << got;
  }
  EXPECT_TRUE(ask("GET /2 HTTP/1.1").ends_with("/2"));
  send(kept.front(), "GET /3 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(read_answer(kept.front()).ends_with("/3"));
}

TEST_F(http_bounds_test, thousands_of_connections_too_many_disturb_nobody) {
  options.connections_max = 1;
  open();
  auto first = connect();
  send(first, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
  read_answer(first);
  auto before = descriptors();
  for (int i = 0; i < 2'000; ++i) {
    auto s = connect();
    io.poll();
    s.close();
  }
  run_for(50ms);
  send(first, "GET /2 HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(read_answer(first).ends_with("/2"));
  EXPECT_EQ(server->connections(), 1u);
  EXPECT_TRUE(run_until([&] { return descriptors() <= before; })) << descriptors() << " after " << before;
}

TEST_F(http_bounds_test, connections_too_many_that_stay_are_closed) {
  options.connections_max = 1;
  open();
  auto first = connect();
  send(first, "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n");
  read_answer(first);
  std::vector<tcp::socket> others;
  for (int i = 0; i < 100; ++i) {
    others.push_back(connect());
    io.poll();
  }
  for (auto& s : others)
    EXPECT_TRUE(read_all(s).starts_with("HTTP/1.1 503")) << "they had not sent anything";
  auto with_clients = descriptors();
  EXPECT_TRUE(run_until([&] { return descriptors() < with_clients; }, 5s)) << "they are not waited for any longer";
}

TEST_F(http_bounds_test, without_descriptors_it_waits_and_goes_on) {
  open();
  auto s = connect();
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none{3, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  auto turns = 0;
  auto until = std::chrono::steady_clock::now() + 300ms;
  io.restart();
  while (std::chrono::steady_clock::now() < until)
    turns += static_cast<int>(io.run_one_for(20ms));
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(server->connections(), 0u);
  EXPECT_LT(turns, 20) << "the loop spins";
  send(s, "GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(read_all(s).ends_with("hello /x"));
}

TEST_F(http_bounds_test, requests_sent_ahead_without_end_are_not_kept) {
  open();
  auto s = connect();
  send(s, "GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  wait_for_exchange();
  asio::error_code failed;
  s.non_blocking(true);
  std::string piece(64u << 10, '\n');
  size_t taken_bytes = 0;
  for (int i = 0; i < 2'000; ++i) {
    taken_bytes += s.write_some(asio::buffer(piece), failed);
    io.poll();
  }
  EXPECT_LT(taken_bytes, 32u << 20);
}

} // namespace http_server_test
