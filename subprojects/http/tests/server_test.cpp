// Requests and whole answers.
#include "server_fixture.hpp"

namespace http_server_test {

struct http_server_test : server_fixture {};

TEST_F(http_server_test, answers_whole) {
  open();
  auto got = ask("GET /x?y=1 HTTP/1.1\r\nX-Two:  words here \t");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 200 OK\r\n")) << got;
  EXPECT_TRUE(got.ends_with("\r\n\r\nhello /x")) << got;
  for (auto field : {"Content-Length: 8\r\n", "Content-Type: text/plain\r\n", "X-Content-Type-Options: nosniff\r\n",
                     "Cache-Control: no-store\r\n", "Connection: close\r\n", " GMT\r\n"})
    EXPECT_EQ(count_of(got, field), 1u) << field << got;
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].head.method, "GET");
  EXPECT_EQ(taken[0].head.path, "/x");
  EXPECT_EQ(taken[0].head.query, "y=1");
  EXPECT_EQ(http::find_header(taken[0].head.fields, "x-two"), "words here");
  EXPECT_EQ(taken[0].head.connection, 1u);
}

TEST_F(http_server_test, head_gets_no_body) {
  open();
  auto got = ask("HEAD /x HTTP/1.1");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 200")) << got;
  EXPECT_NE(got.find("Content-Length: 8\r\n"), got.npos) << got;
  EXPECT_TRUE(got.ends_with("\r\n\r\n")) << got;
}

TEST_F(http_server_test, an_answer_without_a_body_has_no_length) {
  options.handle = [](http::request, std::shared_ptr<http::exchange> to) { to->answer({204, "", "lost", {}}); };
  open();
  auto got = ask("GET / HTTP/1.1");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 204 No Content\r\n")) << got;
  EXPECT_EQ(got.find("Content-Length"), got.npos) << got;
  EXPECT_TRUE(got.ends_with("\r\n\r\n")) << got;
}

TEST_F(http_server_test, bodies_come_whole_with_a_length_and_in_chunks) {
  open();
  auto counted = ask("POST /a HTTP/1.1\r\nContent-Length: 5", "12345");
  EXPECT_TRUE(counted.ends_with("hello /a12345")) << counted;
  auto chunks = ask("POST /b HTTP/1.1\r\nTransfer-Encoding: chunked", "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: v\r\n\r\n");
  EXPECT_TRUE(chunks.ends_with("hello /babcde")) << chunks;
}

TEST_F(http_server_test, a_request_may_come_byte_by_byte) {
  open();
  auto s = connect();
  for (char c : "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"s) {
    send(s, {&c, 1});
    io.poll();
  }
  EXPECT_TRUE(read_all(s).ends_with("hello /ahi"));
}

TEST_F(http_server_test, a_connection_stays_open) {
  open();
  auto s = connect();
  for (auto path : {"/1", "/2", "/3"}) {
    send(s, "GET "s + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    auto got = read_answer(s);
    EXPECT_TRUE(got.ends_with("hello "s + path)) << got;
    EXPECT_NE(got.find("Connection: keep-alive\r\n"), got.npos) << got;
  }
  EXPECT_EQ(server->connections(), 1u);
  EXPECT_EQ(taken[2].head.connection, taken[0].head.connection);
}

TEST_F(http_server_test, requests_sent_ahead_are_answered_in_order) {
  open();
  std::string all;
  for (int i = 0; i < 200; ++i)
    all += "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n.";
  auto got = talk(all + "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(count_of(got, "HTTP/1.1 200 OK"), 201u);
  size_t at = 0;
  for (int i = 0; i < 200; ++i) {
    at = got.find("hello /" + std::to_string(i) + ".", at);
    ASSERT_NE(at, got.npos) << i;
  }
  EXPECT_TRUE(got.ends_with("hello /last"));
}

TEST_F(http_server_test, a_request_sent_ahead_waits_for_the_answer_before_it) {
  open();
  auto s = connect();
  send(s, "GET /later HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  auto& first = wait_for_exchange();
  run_for(50ms);
  EXPECT_EQ(taken.size(), 1u);
  first.answer({200, "", "first", {}});
  auto got = read_all(s);
  EXPECT_LT(got.find("first"), got.find("hello /b")) << got;
}

TEST_F(http_server_test, a_refusal_of_what_was_sent_ahead_comes_after_the_answer) {
  open();
  auto s = connect();
  send(s, "GET /later HTTP/1.1\r\nHost: x\r\n\r\nGARBAGE\r\n\r\n");
  wait_for_exchange().answer({200, "", "first", {}});
  auto got = read_all(s);
  EXPECT_LT(got.find("first"), got.find("HTTP/1.1 400")) << got;
}

TEST_F(http_server_test, http_1_0_is_answered_without_chunks_and_closed) {
  open();
  auto got = talk("GET /x HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(got.ends_with("\r\n\r\nhello /x")) << got;
  options.handle = [](http::request, std::shared_ptr<http::exchange> to) {
    to->begin({200, "", "one", {}});
    to->write("two");
    to->end();
  };
  open();
  auto stream = talk("GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(stream.ends_with("\r\n\r\nonetwo")) << stream;
  EXPECT_NE(stream.find("Connection: close"), stream.npos) << stream;
  EXPECT_EQ(stream.find("Content-Length"), stream.npos) << stream;
}

TEST_F(http_server_test, a_wish_to_speak_something_else_is_ignored) {
  open();
  auto got = ask("GET /x HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade");
  EXPECT_TRUE(got.ends_with("hello /x")) << got;
  auto posted = ask("POST /x HTTP/1.1\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 3", "abc");
  EXPECT_TRUE(posted.ends_with("hello /xabc")) << posted;
  EXPECT_TRUE(talk("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n").starts_with("HTTP/1.1 501"));
}

TEST_F(http_server_test, says_that_the_body_may_come) {
  open();
  auto s = connect();
  send(s, "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(read_bytes(s, 25), "HTTP/1.1 100 Continue\r\n\r\n");
  send(s, "ok");
  EXPECT_TRUE(read_all(s).ends_with("hello /xok"));
  auto at_once = ask("POST /x HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue", "ok");
  EXPECT_TRUE(at_once.starts_with("HTTP/1.1 200")) << at_once;
}

TEST_F(http_server_test, refuses_a_body_before_it_comes) {
  std::vector<std::string> asked;
  options.admit = [&](const http::request_head& head) -> std::optional<http::response> {
    asked.push_back(head.method + head.path);
    if (head.path == "/in")
      return std::nullopt;
    return http::response{401, "text/plain", "who are you", {{"WWW-Authenticate", "Bearer"}}};
  };
  open();
  auto got = talk("POST /out HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(got.starts_with("HTTP/1.1 401 Unauthorized\r\n")) << got;
  EXPECT_NE(got.find("WWW-Authenticate: Bearer\r\n"), got.npos) << got;
  EXPECT_NE(got.find("Connection: close\r\n"), got.npos) << got;
  EXPECT_TRUE(got.ends_with("who are you")) << got;
  EXPECT_TRUE(taken.empty());
  EXPECT_TRUE(ask("GET /in HTTP/1.1").ends_with("hello /in"));
  EXPECT_EQ(asked, (std::vector<std::string>{"POST/out", "GET/in"}));
}

TEST_F(http_server_test, what_is_no_http_is_told_so) {
  open();
  for (auto& text :
       {"\x16\x03\x01 hello"s, "GET / HTTP/1.1\r\n\r\n"s, "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"s,
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"s,
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"s}) {
    auto got = talk(text);
    EXPECT_TRUE(got.starts_with("HTTP/1.1 400 Bad Request\r\n")) << text << got;
    EXPECT_EQ(count_of(got, "HTTP/1.1 "), 1u) << "one answer: " << got;
  }
  EXPECT_TRUE(taken.empty());
}

TEST_F(http_server_test, a_field_of_an_answer_is_one_line) {
  options.handle = [](http::request, std::shared_ptr<http::exchange> to) {
    to->answer({200,
                "text/plain\r\nX-Evil: 1",
                "x",
                {{"X-Good", "1"},
                 {"X-A", "a\r\nX-Evil: 2"},
                 {"X-B\r\nX-Evil", "3"},
                 {"X-C", "a\0X-Evil"s},
                 {"Content-Length", "77"},
                 {"Transfer-Encoding", "chunked"},
                 {"Cache-Control", "max-age=1"}}});
  };
  open();
  auto got = ask("GET / HTTP/1.1");
  EXPECT_EQ(got.find("X-Evil"), got.npos) << got;
  EXPECT_EQ(got.find("77"), got.npos) << got;
  EXPECT_EQ(got.find("chunked"), got.npos) << got;
  EXPECT_EQ(got.find("no-store"), got.npos) << got;
  EXPECT_NE(got.find("X-Good: 1\r\n"), got.npos) << got;
  EXPECT_NE(got.find("Cache-Control: max-age=1\r\n"), got.npos) << got;
}

TEST_F(http_server_test, a_port_in_use_is_an_error) {
  open();
  options.port = server->port();
  auto again = http::server::open(io, options);
  EXPECT_FALSE(again.ok());
  EXPECT_NE(again.problem.find("in use"), std::string::npos) << again.problem;
}

TEST_F(http_server_test, a_host_that_is_no_address_is_an_error) {
  options.host = "no such host";
  EXPECT_FALSE(http::server::open(io, options).ok());
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
