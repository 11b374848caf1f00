// A server on 127.0.0.1 that does what the test says, and a client on the same loop.
#pragma once

#include "http/client.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/experimental/as_tuple.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/read_until.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace http::testing {

using namespace std::literals;
using asio::awaitable;
using asio::ip::tcp;
constexpr auto no_throw = asio::experimental::as_tuple(asio::use_awaitable);

struct asked {
  std::string head; ///< with the empty line
  std::string body;
  std::string path() const {
    auto from = head.find(' ') + 1;
    return head.substr(from, head.find(' ', from) - from);
  }
};

/// One connection, as the script sees it.
class peer {
public:
  explicit peer(tcp::socket s) : socket_(std::move(s)), timer_(socket_.get_executor()) {}

  awaitable<bool> hear(asked& request) {
    auto [failed, head] = co_await asio::async_read_until(socket_, asio::dynamic_buffer(unread_), "\r\n\r\n", no_throw);
    if (failed)
      co_return false;
    request.head = unread_.substr(0, head);
    unread_.erase(0, head);
    size_t length = 0;
    if (auto at = request.head.find("Content-Length: "); at != std::string::npos)
      length = std::stoul(request.head.substr(at + 16));
    if (unread_.size() < length)
      co_await asio::async_read(socket_, asio::dynamic_buffer(unread_), asio::transfer_exactly(length - unread_.size()),
                                no_throw);
    request.body = unread_.substr(0, length);
    unread_.erase(0, length);
    co_return true;
  }
  awaitable<void> say(std::string text) {
    auto [failed, n] = co_await asio::async_write(socket_, asio::buffer(text), no_throw);
    sent += n;
    is_gone = bool(failed);
  }
  awaitable<void> answer(std::string body, std::string status = "200 OK") {
    co_await say("HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\nX-Test: yes\r\n\r\n"
                 + body);
  }
  awaitable<void> wait(std::chrono::milliseconds time) {
    timer_.expires_after(time);
    co_await timer_.async_wait(no_throw);
  }
  /// Until the client closes the connection.
  awaitable<void> wait_for_end() {
    char byte = 0;
    co_await asio::async_read(socket_, asio::buffer(&byte, 1), no_throw);
    is_gone = true;
  }
  void close() {
    asio::error_code ignored;
    socket_.close(ignored);
  }
  bool is_open() const { return socket_.is_open(); }

  size_t sent = 0;
  bool is_gone = false;

private:
  tcp::socket socket_;
  asio::steady_timer timer_;
  std::string unread_;
};

using script = std::function<awaitable<void>(peer&, asked)>;

/// What came of one request.
struct outcome {
  std::optional<uint16_t> status; ///< of on_head
  headers fields;
  std::string data; ///< of on_data
  size_t chunks = 0;
  std::optional<client_result> result;
  client_handle handle;
};

struct client_fixture : ::testing::Test {
  asio::io_context io;
  tcp::acceptor acceptor{io, {asio::ip::make_address("127.0.0.1"), 0}};
  script serve;
  int connections = 0;
  std::vector<asked> heard;
  std::unique_ptr<client> http = std::make_unique<client>(io);

  client_fixture() { asio::co_spawn(io, accept(), asio::detached); }

  awaitable<void> accept() {
    for (;;) {
      auto [failed, socket] = co_await acceptor.async_accept(no_throw);
      if (failed)
        co_return;
      ++connections;
      asio::co_spawn(io, converse(std::make_shared<peer>(std::move(socket))), asio::detached);
    }
  }
  awaitable<void> converse(std::shared_ptr<peer> with) {
    for (;;) {
      asked request;
      if (!with->is_open() || !co_await with->hear(request))
        co_return;
      heard.push_back(request);
      co_await serve(*with, request);
    }
  }

  std::string url(const std::string& path = "/") {
    return "http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()) + path;
  }
  client_request get(const std::string& path = "/") {
    client_request out;
    out.url = url(path);
    return out;
  }
  /// Every handler notes what it gets. `on_data` empty: the body is collected.
  std::shared_ptr<outcome> start(client_request request, std::function<void(outcome&)> on_data = {}) {
    auto out = std::make_shared<outcome>();
    client_handlers handlers;
    handlers.on_head = [out](uint16_t status, const headers& fields) {
      EXPECT_FALSE(out->status) << "on_head twice";
      EXPECT_FALSE(out->result) << "on_head after the end";
      out->status = status;
      out->fields = fields;
    };
    if (on_data)
      handlers.on_data = [out, on_data](std::string_view bytes) {
        EXPECT_FALSE(out->result) << "on_data after the end";
        EXPECT_FALSE(bytes.empty());
        out->data += bytes;
        ++out->chunks;
        on_data(*out);
      };
    handlers.on_end = [out](client_result result) {
      EXPECT_FALSE(out->result) << "on_end twice";
      out->result = std::move(result);
    };
    out->handle = http->start(std::move(request), std::move(handlers));
    EXPECT_FALSE(out->result) << "on_end from inside start";
    return out;
  }
  template <class Condition>
  void run_until(Condition done) {
    auto deadline = std::chrono::steady_clock::now() + 60s;
    while (!done() && std::chrono::steady_clock::now() < deadline)
      io.run_one_for(20ms);
    EXPECT_TRUE(done()) << "it did not happen";
  }
  void run_for(std::chrono::milliseconds time) {
    for (auto until = std::chrono::steady_clock::now() + time; std::chrono::steady_clock::now() < until;)
      io.run_one_for(5ms);
  }
  client_result finish(const std::shared_ptr<outcome>& of) {
    run_until([&] { return of->result.has_value(); });
    return of->result.value_or(client_result{});
  }
  client_result ask(client_request request) { return finish(start(std::move(request))); }
};

} // namespace http::testing
