// One connection of a guest to the egress proxy, from the request to the end of the tunnel.
#pragma once

#include "sandbox/egress/egress_proxy.hpp"
#include "sandbox/egress/http_body.hpp"
#include "sandbox/egress/http_head.hpp"

#include <asio/cancellation_signal.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace egress {

/// What all connections of one guest share.
struct egress_guest {
  egress_guest(asio::any_io_executor e, egress_settings s);

  asio::any_io_executor executor;
  egress_settings settings;
  size_t lookups = 0;             ///< under way
  asio::steady_timer lookup_free; ///< cancelled by one that has ended
};

class egress_connection : public std::enable_shared_from_this<egress_connection> {
public:
  /// `ended` is the connection's last act.
  egress_connection(std::shared_ptr<egress_guest> guest, asio::ip::tcp::socket client,
                    std::function<void(egress_connection*)> ended);

  void start();
  /// Ends and reports the connection, whatever it is doing.
  void finish(std::string_view reason);

private:
  enum class phase : uint8_t { reading, looking_up, dialling, open, answering };
  /// What the client is told instead of getting its connection; status 0: nothing, go on.
  struct refusal {
    int status = 0;
    std::string reason;
  };
  using self_pointer = std::shared_ptr<egress_connection>;
  using addresses = std::vector<asio::ip::address>;
  /// Of one direction: what a tunnel costs while it is idle, twice.
  using buffer = std::array<char, 16u << 10>;

  // Coroutines take `self` so that the connection lives as long as they do.
  asio::awaitable<void> run(self_pointer self);
  asio::awaitable<void> watch(self_pointer self);
  asio::awaitable<refusal> read_head();
  asio::awaitable<refusal> look_up(addresses& found);
  asio::awaitable<void> ask_world(self_pointer self);
  asio::awaitable<refusal> dial(const addresses& to);
  asio::awaitable<void> answer(const refusal& why);
  asio::awaitable<void> open_tunnel();
  asio::awaitable<void> pump(self_pointer self, asio::ip::tcp::socket& from, asio::ip::tcp::socket& to,
                             uint64_t& count);
  asio::awaitable<void> forward_request();
  asio::awaitable<void> send_body(self_pointer self);
  asio::awaitable<refusal> relay_response();
  asio::awaitable<refusal> relay_heads(std::string& rest, body_scanner& body);
  asio::awaitable<void> linger();

  refusal check(addresses& found);
  void give_up_lookup();
  void spawn(asio::awaitable<void> work);
  void enter(phase next, std::chrono::milliseconds time);
  void touch() { deadline_ = clock::now() + guest_->settings.bounds.idle; }
  void on_deadline();
  void report(std::string_view reason);

  using clock = asio::steady_timer::clock_type;

  std::shared_ptr<egress_guest> guest_;
  asio::ip::tcp::socket client_, server_;
  asio::steady_timer alarm_;  // wakes watch()
  asio::steady_timer answer_; // cancelled when the name is looked up, or takes too long
  std::function<void(egress_connection*)> ended_;
  clock::time_point began_ = clock::now(), deadline_;
  phase phase_ = phase::reading;
  bool timed_out_ = false; // of the phase
  bool finished_ = false;
  bool reported_ = false;
  bool was_used_ = false; // the client has sent something
  int directions_ = 0;    // of the tunnel, still open
  std::string unread_;    // bytes of the client after what has been dealt with
  proxy_request request_;
  asio::cancellation_signal stop_lookup_;
  resolved_name resolved_;
  bool is_resolved_ = false;
  connection_record record_;
};

} // namespace egress
