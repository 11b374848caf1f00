// libcurl's multi handle of one client, and everything that happens to it.
#pragma once

#include "client_transfer.hpp"
#include "curl_library.hpp"
#include "http/client.hpp"
#include "reading_turns.hpp"
#include "socket_watch.hpp"

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace http {

/// Handlers run inside of libcurl, and may call whatever they like: so everything that changes libcurl's state waits
/// for settle(), which runs outside of it.
class client::core : public std::enable_shared_from_this<core> {
public:
  core(asio::io_context& io, client_options options)
    : io_(io),
      options_(std::move(options)),
      timer_(io),
      turn_timer_(io) {}
  core(const core&) = delete;
  core& operator=(const core&) = delete;
  ~core() { destroy(); }

  client_transfer_ptr start(client_request request, client_handlers handlers);
  void close();

private:
  /// While libcurl is at work. A handler that closes the client meanwhile leaves it alone; the last one out destroys
  /// it.
  class inside {
  public:
    explicit inside(core& c) : core_(c) { ++core_.depth_; }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;
    ~inside() {
      if (--core_.depth_ == 0 && core_.closed_)
        core_.destroy();
    }

  private:
    core& core_;
  };
  /// While the loop is at work for transfers.
  class at_work {
  public:
    explicit at_work(core& c) : core_(c) {}
    at_work(const at_work&) = delete;
    at_work& operator=(const at_work&) = delete;
    ~at_work() {
      auto now = reading_turns::clock::now();
      core_.turns_.used(now - began_, now);
      core_.await_turn();
    }

  private:
    core& core_;
    reading_turns::clock::time_point began_ = reading_turns::clock::now();
  };

  static int socket_changed(CURL* easy, curl_socket_t socket, int what, void* self, void*);
  static int timer_changed(CURLM*, long ms, void* self);

  bool open();
  void note(client_transfer_ptr transfer) noexcept;
  client_transfer_ptr take_noted() noexcept;
  void wake() noexcept;
  void act(curl_socket_t socket, int what);
  bool may_read(size_t bytes);
  void begin_turn();
  void await_turn() noexcept;
  void take_messages();
  void settle();
  void settle(const client_transfer_ptr& transfer);
  void settle_in_any_case(const client_transfer_ptr& transfer) noexcept;
  void add(client_transfer& transfer);
  void end(client_transfer_ptr transfer);
  void remove(client_transfer& transfer);
  void watch(CURL* easy, curl_socket_t socket, int what);
  void set_timer(long ms);
  void set_lost_timer() noexcept;
  void destroy();
  client_transfer* transfer_of(CURL* easy) const;

  asio::io_context& io_;
  client_options options_;
  const curl_library* curl_ = nullptr; ///< null: not loaded yet
  CURLM* multi_ = nullptr;
  asio::steady_timer timer_;
  std::map<curl_socket_t, std::shared_ptr<socket_watch>> watches_;
  std::map<client_transfer*, client_transfer_ptr> transfers_; ///< that have not ended
  client_transfer_ptr changed_;           ///< to be looked at: the last one that was noted, and through it all others
  std::vector<client_transfer_ptr> dead_; ///< of a client that was destroyed inside of libcurl
  reading_turns turns_;
  asio::steady_timer turn_timer_; ///< of the next turn
  bool is_turn_awaited_ = false;
  size_t encrypted_at_once_ = 0; ///< bytes that libcurl has read since it was called
  int depth_ = 0;
  std::optional<long> lost_timer_; ///< of libcurl: there was no memory for it
  bool woken_ = false;
  bool closed_ = false;
};

} // namespace http
