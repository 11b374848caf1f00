// The client against a server that does what it is told.
#include "client_fixture.hpp"

#include <algorithm>
#include <deque>

namespace http::testing {

namespace http_client_test {

using http_client_test = client_fixture;

TEST_F(http_client_test, gets_an_answer) {
  serve = [](peer& p, asked) -> awaitable<void> { co_await p.answer("hello"); };
  auto got = start(get("/path?a=b"));
  auto result = finish(got);
  EXPECT_TRUE(result.ok()) << result.message;
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.body, "hello");
  EXPECT_EQ(got->status, 200);
  EXPECT_EQ(find_header(result.fields, "x-test"), "yes");
  EXPECT_EQ(find_header(got->fields, "x-test"), "yes");
  EXPECT_EQ(find_header(result.fields, "x-other"), "");
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_TRUE(heard[0].head.starts_with("GET /path?a=b HTTP/1.1\r\n")) << heard[0].head;
  EXPECT_EQ(heard[0].head.find("Content-Type"), std::string::npos);
}

TEST_F(http_client_test, sends_what_it_is_given) {
  serve = [](peer& p, asked) -> awaitable<void> { co_await p.answer("{}", "429 Too Many Requests"); };
  auto request = get();
  request.method = "POST";
  request.fields = {{"Authorization", "Bearer k"}, {"Content-Type", "application/json"}, {"X-Empty", ""}};
  request.body = std::string(2'000'000, 'x');
  auto result = ask(request);
  EXPECT_TRUE(result.ok()) << "a status is no failure: " << result.message;
  EXPECT_EQ(result.status, 429);
  ASSERT_EQ(heard.size(), 1u);
  auto& head = heard[0].head;
  EXPECT_TRUE(head.starts_with("POST / HTTP/1.1\r\n")) << head;
  for (auto line : {"Authorization: Bearer k\r\n", "Content-Type: application/json\r\n", "X-Empty:\r\n",
                    "Content-Length: 2000000\r\n"})
    EXPECT_NE(head.find(line), std::string::npos) << line << head;
  EXPECT_EQ(head.find("Expect"), std::string::npos);
  EXPECT_EQ(heard[0].body, request.body);
}

TEST_F(http_client_test, other_methods_have_a_body_or_none) {
  serve = [](peer& p, asked) -> awaitable<void> { co_await p.answer(""); };
  auto request = get();
  for (auto method : {"DELETE", "PUT", "POST"}) {
    request.method = method;
    EXPECT_TRUE(ask(request).ok()) << method;
    EXPECT_TRUE(heard.back().head.starts_with(method));
  }
  request.method = "PATCH";
  request.body = "patch";
  EXPECT_TRUE(ask(request).ok());
  EXPECT_EQ(heard.back().body, "patch");
}

TEST_F(http_client_test, what_could_be_another_header_is_not_sent) {
  for (auto& field : headers{
         {"Authorization", "Bearer secret\nX: y"}, {"Authorization", "secret\r"}, {"A: b", "secret"}, {"", "secret"}}) {
    auto request = get();
    request.fields = {field};
    auto result = ask(request);
    EXPECT_EQ(result.failure, client_failure::other);
    EXPECT_NE(result.message.find("header"), std::string::npos) << result.message;
    EXPECT_EQ(result.message.find("secret"), std::string::npos) << result.message;
  }
  auto request = get();
  request.method = "GET / HTTP/1.1\r\nX:";
  EXPECT_EQ(ask(request).failure, client_failure::other);
  EXPECT_EQ(connections, 0);
}

TEST_F(http_client_test, only_http_is_spoken) {
  for (auto url : {"file:///etc/passwd", "ftp://127.0.0.1/", "", "127.0.0.1", "https:/", "http://"}) {
    client_request request;
    request.url = url;
    auto result = ask(request);
    EXPECT_NE(result.failure, client_failure::none) << url;
    EXPECT_EQ(result.status, 0);
    EXPECT_FALSE(result.message.empty()) << url;
  }
}

TEST_F(http_client_test, redirects_are_answers) {
  serve = [this](peer& p, asked) -> awaitable<void> {
    co_await p.say("HTTP/1.1 302 Found\r\nLocation: " + url("/elsewhere") + "\r\nContent-Length: 0\r\n\r\n");
  };
  EXPECT_EQ(ask(get()).status, 302);
  EXPECT_EQ(heard.size(), 1u);
}

TEST_F(http_client_test, interim_answers_and_trailers_are_left_out) {
  serve = [](peer& p, asked) -> awaitable<void> {
    co_await p.say("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                   "5\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n");
  };
  auto result = ask(get());
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.body, "hello");
  ASSERT_EQ(result.fields.size(), 1u);
  EXPECT_EQ(result.fields[0].name, "transfer-encoding");
}

TEST_F(http_client_test, connections_are_used_again) {
  serve = [](peer& p, asked) -> awaitable<void> { co_await p.answer("x"); };
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(ask(get()).body, "x");
  EXPECT_EQ(connections, 1);
}

TEST_F(http_client_test, a_connection_that_was_closed_meanwhile_is_no_failure) {
  serve = [](peer& p, asked) -> awaitable<void> {
    co_await p.answer("x");
    p.close();
  };
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(ask(get()).body, "x");
    run_for(10ms);
  }
  EXPECT_EQ(connections, 5);
}

TEST_F(http_client_test, two_hundred_at_once) {
  long open = 0;
  long most = 0;
  serve = [&](peer& p, asked request) -> awaitable<void> {
    most = std::max(most, ++open);
    co_await p.wait(20ms);
    --open;
    co_await p.answer(request.path());
  };
  std::vector<std::shared_ptr<outcome>> all;
  for (int i = 0; i < 200; ++i)
    all.push_back(start(get("/" + std::to_string(i))));
  for (int i = 0; i < 200; ++i) {
    auto result = finish(all[i]);
    EXPECT_TRUE(result.ok()) << result.message;
    EXPECT_EQ(result.body, "/" + std::to_string(i));
  }
  EXPECT_GT(most, 10);
  EXPECT_LE(most, client_host_connections_max);
}

TEST_F(http_client_test, an_idle_client_keeps_no_loop_alive) {
  serve = [](peer& p, asked) -> awaitable<void> { co_await p.answer("x"); };
  ask(get());
  acceptor.close();
  http = nullptr;
  auto client = std::make_unique<http::client>(io);
  auto began = std::chrono::steady_clock::now();
  io.run_for(5s);
  EXPECT_LT(std::chrono::steady_clock::now() - began, 4s) << "nothing is left to wait for";
}

// ---- bodies ------------------------------------------------------------------------------------

TEST_F(http_client_test, takes_large_bodies) {
  std::string large(10'000'000, 'a');
  for (size_t i = 0; i < large.size(); i += 977)
    large[i] = static_cast<char>('a' + i % 26);
  serve = [&](peer& p, asked) -> awaitable<void> { co_await p.answer(large); };
  EXPECT_TRUE(ask(get()).body == large);
  auto streamed = start(get(), [](outcome&) {});
  EXPECT_EQ(finish(streamed).body, "");
  EXPECT_TRUE(streamed->data == large);
}

TEST_F(http_client_test, what_is_too_large_ends_there) {
  serve = [](peer& p, asked) -> awaitable<void> { co_await p.answer(std::string(1'000'000, 'x')); };
  for (bool is_streamed : {false, true}) {
    auto request = get("/secret");
    request.response_bytes_max = 100'000;
    auto got = start(request, is_streamed ? [](outcome&) {} : std::function<void(outcome&)>{});
    auto result = finish(got);
    EXPECT_EQ(result.failure, client_failure::too_large);
    EXPECT_EQ(result.message, "127.0.0.1: the answer has more than 100000 bytes");
    EXPECT_LE(got->data.size() + result.body.size(), 100'000u);
  }
  auto request = get();
  request.response_bytes_max = 1'000'000;
  EXPECT_TRUE(ask(request).ok()) << "as much as is allowed";
}

TEST_F(http_client_test, heads_are_bounded) {
  std::string fields;
  serve = [&](peer& p, asked) -> awaitable<void> {
    co_await p.say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + fields + "\r\n");
  };
  auto result_with = [&](size_t count, size_t bytes) {
    fields.clear();
    for (size_t i = 0; i < count; ++i)
      fields += "X-" + std::to_string(i) + ": " + std::string(bytes, 'x') + "\r\n";
    return ask(get());
  };
  EXPECT_TRUE(result_with(client_fields_max - 1, 1).ok());
  EXPECT_EQ(result_with(client_fields_max, 1).failure, client_failure::too_large);
  EXPECT_TRUE(result_with(1, 60'000).ok());
  EXPECT_EQ(result_with(2, 40'000).failure, client_failure::too_large);
  auto one_line = result_with(1, 110'000);
  EXPECT_EQ(one_line.failure, client_failure::too_large) << "libcurl says that it has no memory";
  EXPECT_NE(one_line.message.find("the head of the answer has more than 65536 bytes in one line"), std::string::npos)
    << one_line.message;
}

TEST_F(http_client_test, fields_behind_the_body_are_bounded) {
  serve = [&](peer& p, asked) -> awaitable<void> {
    std::string fields;
    for (int i = 0; i < 10'000; ++i)
      fields += "X-A: b\r\n";
    co_await p.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + fields + "\r\n");
  };
  auto result = ask(get());
  EXPECT_EQ(result.failure, client_failure::framing) << "it is not the body that is too large";
  EXPECT_NE(result.message.find("the fields behind its body"), std::string::npos) << result.message;
}

TEST_F(http_client_test, streams_chunk_by_chunk) {
  bool go_on = false;
  serve = [&](peer& p, asked) -> awaitable<void> {
    co_await p.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 3; ++i) {
      co_await p.say("6\r\nevent" + std::to_string(i) + "\r\n");
      while (!std::exchange(go_on, false))
        co_await p.wait(1ms);
    }
    co_await p.say("0\r\n\r\n");
  };
  auto got = start(get(), [](outcome&) {});
  std::string expected;
  for (int i = 0; i < 3; ++i) {
    expected += "event" + std::to_string(i);
    run_until([&] { return got->data == expected; });
    EXPECT_EQ(got->status, 200);
    EXPECT_FALSE(got->result);
    go_on = true;
  }
  EXPECT_TRUE(finish(got).ok());
}

TEST_F(http_client_test, a_paused_request_leaves_the_rest_with_its_sender) {
  constexpr size_t all = 32u << 20;
  size_t sent = 0;
  serve = [&](peer& p, asked) -> awaitable<void> {
    co_await p.say("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(all) + "\r\n\r\n");
    for (size_t i = 0; i < all && !p.is_gone; i += 1u << 16) {
      co_await p.say(std::string(1u << 16, 'x'));
      sent = p.sent;
    }
  };
  auto request = get();
  request.response_bytes_max = all;
  auto got = start(request, [](outcome& o) {
    if (o.chunks == 1)
      o.handle.pause();
  });
  run_until([&] { return got->chunks == 1; });
  run_for(200ms);
  EXPECT_EQ(got->chunks, 1u);
  EXPECT_LT(sent, all / 2) << "more is held by the kernel than it should";
  got->handle.resume();
  run_until([&] { return got->chunks > 10; });
  got->handle.pause();
  auto chunks = got->chunks;
  run_for(50ms);
  EXPECT_EQ(got->chunks, chunks);
  got->handle.resume();
  EXPECT_TRUE(finish(got).ok());
  EXPECT_EQ(got->data.size(), all);
}

TEST_F(http_client_test, pausing_at_every_chunk_loses_nothing) {
  std::string large(1'000'000, 'a');
  for (size_t i = 0; i < large.size(); i += 977)
    large[i] = static_cast<char>('a' + i % 26);
  serve = [&](peer& p, asked) -> awaitable<void> { co_await p.answer(large); };
  auto got = start(get(), [](outcome& o) { o.handle.pause(); });
  while (!got->result) {
    run_for(1ms);
    got->handle.resume();
  }
  EXPECT_TRUE(got->data == large);
}

TEST_F(http_client_test, a_paused_request_can_be_cancelled_and_times_out) {
  serve = [](peer& p, asked) -> awaitable<void> { co_await p.answer(std::string(1'000'000, 'x')); };
  auto cancelled = start(get(), [](outcome& o) { o.handle.pause(); });
  auto request = get();
  request.total_timeout = 3s; // the first bytes come before that
  auto late = start(request, [](outcome& o) { o.handle.pause(); });
  run_until([&] { return cancelled->chunks == 1 && late->chunks == 1; });
  cancelled->handle.cancel();
  EXPECT_EQ(finish(cancelled).failure, client_failure::cancelled);
  EXPECT_EQ(finish(late).failure, client_failure::timeout);
}

// ---- failures ----------------------------------------------------------------------------------

TEST_F(http_client_test, a_slow_first_byte_is_not_waited_for) {
  bool is_gone = false;
  serve = [&](peer& p, asked) -> awaitable<void> {
    co_await p.wait_for_end();
    is_gone = true;
    p.close();
  };
  auto request = get("/secret?key=1");
  request.first_byte_timeout = 50ms;
  auto result = ask(request);
  EXPECT_EQ(result.failure, client_failure::timeout_first_byte);
  EXPECT_EQ(result.message, "127.0.0.1: nothing of an answer after 50 ms");
  run_until([&] { return is_gone; });
}

TEST_F(http_client_test, after_the_first_byte_only_the_total_counts) {
  serve = [](peer& p, asked) -> awaitable<void> {
    co_await p.say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n");
    co_await p.wait(800ms);
    co_await p.say("01234");
    co_await p.wait_for_end();
    p.close();
  };
  auto request = get();
  request.first_byte_timeout = 500ms;
  request.total_timeout = 2s;
  auto result = ask(request);
  EXPECT_EQ(result.failure, client_failure::timeout);
  EXPECT_EQ(result.message, "127.0.0.1: the answer was not complete after 2 s");
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.body, "01234") << "what came of it";
}

TEST_F(http_client_test, a_cut_answer_is_told_from_a_whole_one) {
  std::string answer;
  serve = [&](peer& p, asked) -> awaitable<void> {
    co_await p.say(answer);
    p.close();
  };
  for (auto cut : {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234",
                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n5\r\n0",
                   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n01234\r\n", ""}) {
    answer = cut;
    auto result = ask(get());
    EXPECT_EQ(result.failure, client_failure::cut) << cut << to_string(result.failure) << result.message;
    EXPECT_TRUE(result.message.starts_with("127.0.0.1: ")) << result.message;
  }
  answer = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n01234";
  EXPECT_EQ(ask(get()).body, "01234") << "ends with its connection";
}

TEST_F(http_client_test, garbage_is_no_answer) {
  std::string answer;
  serve = [&](peer& p, asked) -> awaitable<void> {
    co_await p.say(answer);
    p.close();
  };
  for (auto& garbage : {"SSH-2.0-OpenSSH_9.2\r\n"s, "\x15\x03\x01\x00\x02\x02\x46"s, std::string(100'000, 'x'),
                        "HTTP/9.9 abc\r\n\r\n"s, "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"s,
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n"s}) {
    answer = garbage;
    auto result = ask(get());
    EXPECT_NE(result.failure, client_failure::none) << garbage.substr(0, 80);
    EXPECT_NE(result.message, "") << garbage.substr(0, 80);
  }
  answer = "SSH-2.0-OpenSSH_9.2\r\n";
  EXPECT_NE(ask(get()).message.find("does not speak HTTP"), std::string::npos);
}

TEST_F(http_client_test, refused_connections_and_unknown_names_are_told) {
  auto request = get("/secret");
  acceptor.close();
  auto refused = ask(request);
  EXPECT_EQ(refused.failure, client_failure::connect) << refused.message;
  EXPECT_TRUE(refused.message.starts_with("127.0.0.1: ")) << refused.message;
  EXPECT_EQ(refused.message.find("secret"), std::string::npos) << refused.message;
  request.url = "http://user:password@nobody.invalid:1/secret";
  request.connect_timeout = 3s;
  auto unknown = ask(request);
  EXPECT_EQ(unknown.failure, client_failure::resolve) << unknown.message;
  EXPECT_TRUE(unknown.message.starts_with("nobody.invalid: ")) << unknown.message;
  for (auto secret : {"secret", "user", "password"})
    EXPECT_EQ(unknown.message.find(secret), std::string::npos) << unknown.message;
}

TEST_F(http_client_test, a_connection_that_is_not_made_in_time_is_given_up) {
  // A listener whose queue is full answers no client.
  tcp::acceptor full{io, tcp::v4()};
  full.bind({asio::ip::make_address("127.0.0.1"), 0});
  full.listen(0);
  std::deque<tcp::socket> in_queue;
  for (int i = 0; i < 8; ++i) {
    in_queue.emplace_back(io);
    in_queue.back().async_connect(full.local_endpoint(), [](asio::error_code) {});
  }
  run_for(50ms);
  auto request = get();
  request.url = "http://127.0.0.1:" + std::to_string(full.local_endpoint().port());
  request.connect_timeout = 100ms;
  auto result = ask(request);
  EXPECT_EQ(result.failure, client_failure::connect) << result.message;
}

} // namespace http_client_test

} // namespace http::testing
