// The client and TLS, against a server that node runs with a certificate of its own.
#include "subprojects/http/tests/client_fixture.hpp"
#include "tests/unit/support/places.hpp"

#include "process/child.hpp"
#include "process/find_executable.hpp"

#include <cstdlib>

namespace http::testing {

namespace http_client_tls_test {

const std::string certificate = test::source("tests/unit/http/self_signed.pem");

struct http_client_tls_test : client_fixture {
  std::unique_ptr<process::child> server;
  std::string address;

  void SetUp() override { serve_with("tests/unit/http/tls_server.js"); }
  void serve_with(const std::string& program) {
    auto* path = std::getenv("PATH");
    auto node = process::find_executable("node", path ? path : "", "/");
    if (node.empty())
      GTEST_SKIP() << "there is no node";
    auto out = process::make_pipe();
    process::launch what;
    what.argv = {node, test::source(program), certificate};
    what.descriptors = {{out.write.get(), 1}, {2, 2}};
    auto started = process::start(io.get_executor(), what);
    ASSERT_TRUE(started.ok()) << started.error.message;
    server = std::move(started.value);
    out.write = {};
    asio::posix::stream_descriptor port{io, out.read.release()};
    std::string text;
    asio::async_read_until(port, asio::dynamic_buffer(text), '\n', [](asio::error_code, size_t) {});
    run_until([&] { return text.ends_with('\n'); });
    address = "https://127.0.0.1:" + text.substr(0, text.find('\n'));
  }
  void trust() {
    client_options options;
    options.ca_file = certificate;
    http = std::make_unique<client>(io, options);
  }
  client_request get(const std::string& path = "/") {
    client_request out;
    out.url = address + path;
    return out;
  }
};

TEST_F(http_client_tls_test, who_is_not_trusted_is_refused) {
  auto request = get("/secret");
  request.fields = {{"Authorization", "Bearer secret"}};
  auto result = ask(request);
  EXPECT_EQ(result.failure, client_failure::tls);
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(result.message.starts_with("127.0.0.1: ")) << result.message;
  for (auto part : {"self-signed certificate", "update-ca-certificates"})
    EXPECT_NE(result.message.find(part), std::string::npos) << result.message;
  EXPECT_EQ(result.message.find("secret"), std::string::npos) << result.message;
}

TEST_F(http_client_tls_test, many_at_once_share_a_connection) {
  trust();
  std::vector<std::shared_ptr<outcome>> all;
  for (int i = 0; i < 100; ++i)
    all.push_back(start(get()));
  for (auto& each : all)
    EXPECT_EQ(finish(each).body, "2.0 1");
}

TEST_F(http_client_tls_test, more_than_share_a_connection) {
  trust();
  std::vector<std::shared_ptr<outcome>> all;
  auto request = get();
  request.connect_timeout = 60s; // dozens of handshakes at once
  for (int i = 0; i < 200; ++i)
    all.push_back(start(request));
  for (auto& each : all) {
    auto result = finish(each);
    ASSERT_TRUE(result.ok()) << result.message;
    ASSERT_TRUE(result.body.starts_with("2.0 ")) << result.body;
    EXPECT_LE(std::stol(result.body.substr(4)), client_host_connections_max);
  }
}

TEST_F(http_client_tls_test, a_paused_stream_does_not_hold_up_the_others) {
  trust();
  auto request = get("/large");
  auto large = start(request, [](outcome& o) {
    if (o.chunks == 1)
      o.handle.pause();
  });
  run_until([&] { return large->chunks == 1; });
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(ask(get()).body, "2.0 1");
  EXPECT_EQ(large->chunks, 1u);
  large->handle.resume();
  EXPECT_TRUE(finish(large).ok());
  EXPECT_EQ(large->data.size(), 5'000'000u);
}

TEST_F(http_client_tls_test, one_of_a_connection_is_cancelled) {
  trust();
  auto first = start(get());
  auto second = start(get("/large"), [](outcome& o) { o.handle.cancel(); });
  auto third = start(get());
  EXPECT_EQ(finish(second).failure, client_failure::cancelled);
  EXPECT_TRUE(finish(first).ok());
  EXPECT_TRUE(finish(third).ok());
}

TEST_F(http_client_tls_test, a_server_that_sends_without_end_what_belongs_to_no_answer_is_cut_off) {
  serve_with("tests/unit/http/flooding_server.js");
  trust();
  auto request = get();
  request.total_timeout = 10s;
  auto result = ask(request);
  EXPECT_EQ(result.failure, client_failure::framing) << result.message;
  EXPECT_EQ(result.message, "127.0.0.1: the server sends without end what belongs to no answer");
}

TEST_F(http_client_tls_test, plain_http_is_not_taken_for_tls) {
  auto request = client_fixture::get();
  serve = [](peer& p, asked) -> awaitable<void> { co_await p.answer("x"); };
  request.url = "https" + request.url.substr(4);
  request.connect_timeout = 2s;
  auto result = ask(request);
  EXPECT_TRUE(result.failure == client_failure::tls || result.failure == client_failure::connect) << result.message;
}

TEST_F(http_client_tls_test, a_file_of_authorities_that_is_not_there_is_told) {
  client_options options;
  options.ca_file = "/nowhere/ca.pem";
  http = std::make_unique<client>(io, options);
  EXPECT_EQ(ask(get()).failure, client_failure::tls);
}

TEST_F(http_client_tls_test, its_end_while_connecting_and_streaming) {
  trust();
  for (int i = 0; i < 4; ++i) {
    auto large = start(get("/large"), [](outcome&) {});
    if (i > 1)
      run_until([&] { return large->chunks > 0; });
    else
      io.run_one_for(5ms * i);
    trust(); // destroys the one before
    ASSERT_TRUE(large->result);
    EXPECT_EQ(large->result->failure, client_failure::cancelled);
  }
}

} // namespace http_client_tls_test

} // namespace http::testing
