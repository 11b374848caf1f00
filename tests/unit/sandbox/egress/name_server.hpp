// A name server on 127.0.0.1, over UDP and TCP. What it answers is said by how a name begins.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/buffer.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/experimental/as_tuple.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>
#include <asio/read.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

namespace test {

/// `silent...` gets no answer, `half...` none for IPv6, `refused...` a refusal, `nowhere...` does not exist, `many...`
/// has 4,000 addresses, `many-trap...` too, but the last one is 10.1.2.3; all others have 8.8.0.0.
class name_server {
public:
  static constexpr size_t many = 4'000;

  explicit name_server(asio::io_context& io) : udp_(io), tcp_(io), asked_(io) {
    open();
    asio::co_spawn(io, serve_udp(), asio::detached);
    asio::co_spawn(io, serve_tcp(), asio::detached);
  }

  std::string place() const { return "127.0.0.1:" + std::to_string(udp_.local_endpoint().port()); }
  /// Names that were asked for, each once whichever of its addresses were.
  size_t questions() const { return names_.size(); }
  asio::awaitable<bool> has_questions(size_t count) {
    while (questions() < count) {
      asked_.expires_at(asio::steady_timer::time_point::max());
      co_await asked_.async_wait(no_throw);
    }
    co_return true;
  }

private:
  /// The same port for both, which may be that of a connection in one of them.
  void open() {
    constexpr int tries = 100;
    asio::error_code failed = asio::error::address_in_use;
    for (int i = 0; i < tries && failed; ++i) {
      tcp_ = asio::ip::tcp::acceptor{tcp_.get_executor(), {asio::ip::address_v4::loopback(), 0}};
      udp_ = asio::ip::udp::socket{tcp_.get_executor(), asio::ip::udp::v4()};
      udp_.bind({asio::ip::address_v4::loopback(), tcp_.local_endpoint().port()}, failed);
    }
    if (failed)
      throw std::system_error{failed};
  }

  static constexpr auto no_throw = asio::experimental::as_tuple(asio::use_awaitable);
  static constexpr size_t head_bytes = 12;

  enum class over : uint8_t { udp, tcp };

  static std::string two_bytes(size_t value) { return {static_cast<char>(value >> 8), static_cast<char>(value)}; }

  /// Empty: none.
  static std::string answer_to(std::string_view query, over transport) {
    auto name = query.substr(head_bytes + 1);
    auto question = query.substr(head_bytes, name.find('\0') + 1 + 1 + 4);
    auto wants_ipv4 = question.ends_with(std::string_view{"\0\1\0\1", 4});
    if (name.starts_with("silent") || (name.starts_with("half") && !wants_ipv4))
      return {};
    bool is_refused = name.starts_with("refused"), is_gone = name.starts_with("nowhere");
    bool is_cut = name.starts_with("many") && transport == over::udp;
    size_t count = !wants_ipv4 || is_cut || is_gone || is_refused ? 0 : name.starts_with("many") ? many : 1;
    auto out = std::string{query.substr(0, 2)} + (is_cut ? '\x83' : '\x81')
               + (is_gone      ? '\x83'
                  : is_refused ? '\x85'
                               : '\x80')
               + two_bytes(1) + two_bytes(count) + two_bytes(0) + two_bytes(0) + std::string{question};
    for (size_t i = 0; i < count; ++i)
      out += std::string{"\xc0\x0c\0\1\0\1\0\0\0\0\0\4\x08\x08", 14} + two_bytes(i);
    if (name.starts_with("many-trap") && count > 0)
      out.replace(out.size() - 4, 4, "\x0a\1\2\3");
    return out;
  }

  void note(std::string_view query) {
    auto name = query.substr(head_bytes + 1);
    names_.emplace(name.substr(0, name.find('\0')));
    asked_.cancel();
  }

  asio::awaitable<void> serve_udp() {
    std::array<char, 512> query{};
    for (;;) {
      asio::ip::udp::endpoint from;
      auto [failed, n] = co_await udp_.async_receive_from(asio::buffer(query), from, no_throw);
      if (failed)
        co_return;
      note({query.data(), n});
      auto text = answer_to({query.data(), n}, over::udp);
      if (!text.empty())
        co_await udp_.async_send_to(asio::buffer(text), from, no_throw);
    }
  }

  asio::awaitable<void> serve_tcp() {
    for (;;) {
      auto [failed, socket] = co_await tcp_.async_accept(no_throw);
      if (failed)
        co_return;
      asio::co_spawn(tcp_.get_executor(), serve(std::move(socket)), asio::detached);
    }
  }

  asio::awaitable<void> serve(asio::ip::tcp::socket socket) {
    for (;;) {
      std::array<unsigned char, 2> size{};
      auto [failed, n] = co_await asio::async_read(socket, asio::buffer(size), no_throw);
      std::string query(size_t{size[0]} * 256 + size[1], '\0');
      auto [query_failed, m] = co_await asio::async_read(socket, asio::buffer(query), no_throw);
      if (failed || query_failed)
        co_return;
      note(query);
      auto text = answer_to(query, over::tcp);
      text.insert(0, two_bytes(text.size()));
      co_await asio::async_write(socket, asio::buffer(text), no_throw);
    }
  }

  asio::ip::udp::socket udp_;
  asio::ip::tcp::acceptor tcp_;
  asio::steady_timer asked_; ///< cancelled by each question
  std::set<std::string> names_;
};

} // namespace test
