// An egress proxy on a thread of its own, in a world where names and addresses mean what the test says. The test is the
// guest and the servers, on plain blocking sockets.
#pragma once

#include "sandbox/egress/egress_proxy.hpp"
#include "testing/coroutines.hpp"

#include <asio/executor_work_guard.hpp>
#include <asio/experimental/as_tuple.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace test {

/// A blocking socket; a read or write that takes too long fails.
class peer {
public:
  peer() = default;
  explicit peer(int fd) : fd_(fd) {
    timeval time{patience.count(), 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
  }

  bool send(std::string_view text) {
    while (!text.empty()) {
      auto n = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0)
        return false;
      text.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }
  /// Up to and with `end`; less at the end of the stream.
  std::string read_until(std::string_view end) {
    std::string out;
    for (char c; !out.ends_with(end) && ::recv(fd_.get(), &c, 1, 0) == 1;)
      out += c;
    return out;
  }
  std::string read_head() { return read_until("\r\n\r\n"); }
  /// Everything to the end of the stream; a reset adds "<reset>", a timeout "<timeout>".
  std::string read_all() {
    std::string out;
    char chunk[16 << 10];
    for (;;) {
      auto n = ::recv(fd_.get(), chunk, sizeof chunk, 0);
      if (n < 0)
        out += errno == ECONNRESET ? "<reset>" : "<timeout>";
      if (n <= 0)
        return out;
      out.append(chunk, static_cast<size_t>(n));
    }
  }
  void end_writing() { ::shutdown(fd_.get(), SHUT_WR); }
  void reset() {
    linger hard{1, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close();
  }
  void close() { fd_ = process::descriptor{}; }
  bool is_readable(int wait_ms) {
    pollfd p{fd_.get(), POLLIN, 0};
    return ::poll(&p, 1, wait_ms) == 1;
  }
  int get() const { return fd_.get(); }

private:
  process::descriptor fd_;
};

inline sockaddr_in loopback(uint16_t port) {
  sockaddr_in a{};
  a.sin_family = AF_INET;
  a.sin_port = htons(port);
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return a;
}

/// A listening socket on 127.0.0.1, at a port of the kernel's choice.
class listener {
public:
  explicit listener(int backlog = 128) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    auto a = loopback(0);
    socklen_t size = sizeof a;
    if (::bind(fd_.get(), reinterpret_cast<sockaddr*>(&a), size) != 0 || ::listen(fd_.get(), backlog) != 0
        || ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&a), &size) != 0)
      throw std::runtime_error{"listen"};
    port_ = ntohs(a.sin_port);
  }
  uint16_t port() const { return port_; }
  process::descriptor take() { return std::move(fd_); }
  bool has_visitor(int wait_ms) const {
    pollfd p{fd_.get(), POLLIN, 0};
    return ::poll(&p, 1, wait_ms) == 1;
  }
  peer accept() {
    if (!has_visitor(static_cast<int>(std::chrono::milliseconds{patience}.count())))
      throw std::runtime_error{"nobody connected"};
    return peer{::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
  }

private:
  process::descriptor fd_;
  uint16_t port_ = 0;
};

inline peer connect_to(uint16_t port) {
  peer p{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  auto a = loopback(port);
  if (::connect(p.get(), reinterpret_cast<sockaddr*>(&a), sizeof a) != 0)
    throw std::runtime_error{"connect"};
  return p;
}

class egress_test : public testing::Test {
protected:
  using addresses = std::vector<std::string>;

  ~egress_test() override {
    on_loop([this] { proxy_.reset(); });
    work_.reset();
    io_.stop();
    thread_.join();
  }

  void start(std::vector<std::string> patterns) {
    auto policy = egress::make_policy({std::vector<std::string>{"*:*"}, {}});
    auto rules = egress::check_request(patterns, policy.value);
    ASSERT_TRUE(rules.ok()) << rules.error.message;
    settings_.rules = rules.value;
    settings_.log = [this](auto& record) { log(record); };
    settings_.dependencies.resolve = [this](std::string name, asio::cancellation_slot stop) {
      return resolve(this, std::move(name), stop);
    };
    settings_.dependencies.is_ours = [this](auto& a) {
      routes_asked_.push_back(a.to_string());
      return a.to_string() == our_address_;
    };
    settings_.dependencies.dial = [this](auto& socket, auto to) { return dial(this, socket, to); };
    listener guests;
    port_ = guests.port();
    on_loop([this, &guests] {
      proxy_ = std::make_unique<egress::egress_proxy>(io_.get_executor(), guests.take(), settings_);
      proxy_->start();
    });
  }
  void close_proxy() {
    on_loop([this] { proxy_->close(); });
  }
  /// What a name resolves to: one answer for each lookup, the last one for all that follow.
  void name(const std::string& name, std::vector<addresses> answers) {
    on_loop([&] { names_[name] = std::move(answers); });
  }
  /// Where connections to a public address really go.
  void lead(const std::string& address, uint16_t port) {
    on_loop([&] { ports_[address] = port; });
  }
  std::vector<std::string> dialled() {
    std::vector<std::string> out;
    on_loop([&] { out = dialled_; });
    return out;
  }
  /// Addresses of which it was asked whether they are ours.
  std::vector<std::string> routes_asked() {
    std::vector<std::string> out;
    on_loop([&] { out = routes_asked_; });
    return out;
  }
  template <class F>
  void on_loop(F f) {
    std::promise<void> done;
    asio::post(io_, [&] {
      f();
      done.set_value();
    });
    done.get_future().wait();
  }

  peer guest() { return connect_to(port_); }
  /// The answer to one request, to the end of the connection.
  std::string ask(std::string_view request) {
    auto g = guest();
    g.send(request);
    return g.read_all();
  }
  /// An open tunnel to example.com:443, which leads to `server`.
  std::pair<peer, peer> tunnel(listener& server) {
    name("example.com", {{"93.184.216.34"}});
    lead("93.184.216.34", server.port());
    auto g = guest();
    g.send("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n");
    auto s = server.accept();
    EXPECT_EQ(g.read_head(), "HTTP/1.1 200 Connection established\r\n\r\n");
    return {std::move(g), std::move(s)};
  }

  egress::connection_record record(size_t number = 0) {
    std::unique_lock lock{mutex_};
    if (!recorded_.wait_for(lock, patience, [&] { return records_.size() > number; }))
      throw std::runtime_error{"no record of the connection"};
    return records_[number];
  }
  size_t records() {
    std::lock_guard lock{mutex_};
    return records_.size();
  }
  void wait_for_lookups(size_t count) {
    std::unique_lock lock{mutex_};
    if (!recorded_.wait_for(lock, patience, [&] { return lookups_ >= count; }))
      throw std::runtime_error{"too few lookups"};
  }

  /// Never answered, and ends when it is stopped.
  static constexpr const char* stoppable = "stoppable.example.com";
  void wait_for_stops(size_t count) {
    std::unique_lock lock{mutex_};
    if (!recorded_.wait_for(lock, patience, [&] { return stops_ >= count; }))
      throw std::runtime_error{"too few lookups were stopped"};
  }

  /// Never answered, until release_lookups().
  static constexpr const char* stuck = "stuck.example.com";
  void release_lookups() {
    on_loop([&] { stuck_.cancel(); });
  }

  egress::egress_settings settings_;
  std::string our_address_;
  size_t lookups_ = 0; // under mutex_

private:
  static constexpr auto no_throw = asio::experimental::as_tuple(asio::use_awaitable);

  static asio::awaitable<egress::resolved_name> resolve(egress_test* test, std::string name,
                                                        asio::cancellation_slot stop) {
    test->count(test->lookups_);
    egress::resolved_name out;
    if (name == stoppable) {
      asio::steady_timer stopped{test->io_, asio::steady_timer::time_point::max()};
      stop.assign([&stopped](asio::cancellation_type) { stopped.cancel(); });
      co_await stopped.async_wait(no_throw);
      stop.clear();
      test->count(test->stops_);
    }
    if (name == stuck)
      co_await test->stuck_.async_wait(no_throw);
    auto found = test->names_.find(name);
    if (found == test->names_.end()) {
      out.problem = "Name or service not known";
      co_return out;
    }
    auto& answers = found->second;
    for (auto& text : answers.front())
      out.addresses.push_back(asio::ip::make_address(text));
    if (answers.size() > 1)
      answers.erase(answers.begin());
    co_return out;
  }

  static asio::awaitable<asio::error_code> dial(egress_test* test, asio::ip::tcp::socket& socket,
                                                asio::ip::tcp::endpoint to) {
    auto address = to.address().to_string();
    test->dialled_.push_back(address + " " + std::to_string(to.port()));
    auto found = test->ports_.find(address);
    asio::ip::tcp::endpoint there{asio::ip::address_v4::loopback(),
                                  found == test->ports_.end() ? uint16_t{1} : found->second};
    auto [ec] = co_await socket.async_connect(there, no_throw);
    co_return ec;
  }

  void count(size_t& what) {
    {
      std::lock_guard lock{mutex_};
      ++what;
    }
    recorded_.notify_all();
  }

  void log(const egress::connection_record& record) {
    {
      std::lock_guard lock{mutex_};
      records_.push_back(record);
    }
    recorded_.notify_all();
  }

  asio::io_context io_;
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  asio::steady_timer stuck_{io_, asio::steady_timer::time_point::max()};
  std::thread thread_{[this] { io_.run(); }};
  std::unique_ptr<egress::egress_proxy> proxy_;
  uint16_t port_ = 0;
  std::map<std::string, std::vector<addresses>> names_;
  std::map<std::string, uint16_t> ports_;
  std::vector<std::string> dialled_, routes_asked_;
  size_t stops_ = 0; // under mutex_
  std::mutex mutex_;
  std::condition_variable recorded_;
  std::vector<egress::connection_record> records_;
};

} // namespace test
