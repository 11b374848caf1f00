// A server and clients of it, over real sockets of this machine, all on one loop.
#pragma once

#include "http/server.hpp"

#include <asio/buffer.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace http_server_test {

using namespace std::literals;
using asio::ip::tcp;

/// Longer than anything takes, also under a sanitizer on a busy machine.
constexpr auto patience = 20s;

struct server_fixture : ::testing::Test {
  asio::io_context io;
  std::vector<http::request> taken;
  std::vector<std::shared_ptr<http::exchange>> open_exchanges; ///< of requests for /later
  std::shared_ptr<http::server> server;
  http::server_options options = usual_options();

  http::server_options usual_options() {
    http::server_options o;
    o.host = "127.0.0.1";
    o.connections_max = 16;
    o.header_bytes_max = 1'024;
    o.body_bytes_max = 64u << 10;
    o.bodies_bytes_max = 128u << 10;
    o.head_max = o.body_max = o.idle_max = o.stall_max = 10s;
    o.handle = [this](http::request r, std::shared_ptr<http::exchange> to) { handle(std::move(r), std::move(to)); };
    return o;
  }
  virtual void handle(http::request r, std::shared_ptr<http::exchange> to) {
    auto path = r.head.path;
    auto body = r.body;
    taken.push_back(std::move(r));
    if (path == "/later")
      open_exchanges.push_back(std::move(to));
    else if (path != "/drop")
      to->answer({200, "text/plain", "hello " + path + body, {}});
  }

  void open() {
    auto opened = http::server::open(io, options);
    ASSERT_TRUE(opened.ok()) << opened.problem;
    server = opened.value;
  }
  tcp::socket connect() {
    tcp::socket s{io};
    s.connect({asio::ip::make_address("127.0.0.1"), server->port()});
    return s;
  }
  static void send(tcp::socket& s, std::string_view text) { asio::write(s, asio::buffer(text)); }

  bool run_until(const std::function<bool()>& done, std::chrono::milliseconds longest = patience) {
    auto deadline = std::chrono::steady_clock::now() + longest;
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline)
        return false;
      if (io.stopped()) // it had nothing to do
        io.restart();
      io.run_one_for(20ms);
    }
    return true;
  }
  void run_for(std::chrono::milliseconds time) {
    run_until([] { return false; }, time);
  }
  http::exchange& wait_for_exchange(size_t number = 0) {
    EXPECT_TRUE(run_until([&] { return open_exchanges.size() > number; }));
    return *open_exchanges.at(number);
  }

  /// Everything until the other side closes the connection.
  std::string read_all(tcp::socket& s) {
    std::string text;
    bool done = false;
    asio::async_read(s, asio::dynamic_buffer(text), [&](asio::error_code, size_t) { done = true; });
    EXPECT_TRUE(run_until([&] { return done; })) << "the connection was not closed; it said " << text;
    if (!done) {
      s.close();
      run_until([&] { return done; });
    }
    return text;
  }
  /// So many bytes, or what there is when the connection is closed.
  std::string read_bytes(tcp::socket& s, size_t count) {
    std::string text(count, ' ');
    bool done = false;
    asio::async_read(s, asio::buffer(text), [&](asio::error_code, size_t got) {
      text.resize(got);
      done = true;
    });
    EXPECT_TRUE(run_until([&] { return done; })) << "not so much was sent";
    if (!done) {
      s.close();
      run_until([&] { return done; });
    }
    return text;
  }
  /// One answer with a Content-Length, on a connection that stays open.
  std::string read_answer(tcp::socket& s) {
    std::string head;
    while (!head.ends_with("\r\n\r\n")) {
      auto more = read_bytes(s, 1);
      if (more.empty())
        return head;
      head += more;
    }
    auto at = head.find("Content-Length: ");
    return at == head.npos ? head : head + read_bytes(s, std::stoul(head.substr(at + 16)));
  }
  std::string talk(std::string_view text) {
    auto s = connect();
    send(s, text);
    return read_all(s);
  }
  /// A request after which the connection is closed; `head` is without its last line.
  std::string ask(const std::string& head, const std::string& body = "") {
    return talk(head + "\r\nHost: localhost\r\nConnection: close\r\n\r\n" + body);
  }
};

inline size_t count_of(std::string_view text, std::string_view what) {
  size_t found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + what.size()))
    ++found;
  return found;
}

} // namespace http_server_test
