#include "sandbox/egress/egress_proxy.hpp"

#include "process/no_throw.hpp"
#include "sandbox/egress/egress_connection.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>

#include <map>
#include <utility>

namespace egress {

namespace {

using asio::awaitable;
using asio::ip::tcp;
using process::no_throw;
/// After a connection that could not be accepted, most likely because this process has no descriptor left.
constexpr std::chrono::milliseconds accept_pause{100};

} // namespace

class egress_proxy::state : public std::enable_shared_from_this<state> {
public:
  state(asio::any_io_executor executor, process::descriptor listener, egress_settings settings)
    : guest_(std::make_shared<egress_guest>(executor, std::move(settings))),
      listener_(executor),
      pause_(executor) {
    asio::error_code ec;
    if (listener_.assign(tcp::v4(), listener.get(), ec); !ec)
      listener.release();
  }

  void start() { asio::co_spawn(guest_->executor, accept(shared_from_this()), asio::detached); }

  void close() {
    closed_ = true;
    asio::error_code ignored;
    listener_.close(ignored);
    pause_.cancel();
    for (auto& [pointer, connection] : std::exchange(connections_, {}))
      connection->finish("the run ended");
    guest_->settings.log = [](auto&) {};
  }

private:
  awaitable<void> accept([[maybe_unused]] std::shared_ptr<state> self) {
    while (!closed_ && listener_.is_open()) {
      if (connections_.size() >= guest_->settings.bounds.connections) {
        co_await wait(std::chrono::milliseconds::max());
        continue;
      }
      auto [ec, socket] = co_await listener_.async_accept(no_throw);
      if (!ec && !closed_)
        add(std::move(socket));
      else
        co_await wait(accept_pause);
    }
  }

  awaitable<void> wait(std::chrono::milliseconds time) {
    pause_.expires_at(time == time.max() ? asio::steady_timer::time_point::max()
                                         : asio::steady_timer::clock_type::now() + time);
    co_await pause_.async_wait(no_throw);
  }

  void add(tcp::socket socket) {
    std::weak_ptr<state> weak = weak_from_this();
    auto ended = [weak](egress_connection* which) {
      if (auto self = weak.lock())
        self->remove(which);
    };
    auto connection = std::make_shared<egress_connection>(guest_, std::move(socket), ended);
    connections_.emplace(connection.get(), connection);
    connection->start();
  }

  void remove(egress_connection* which) {
    connections_.erase(which);
    pause_.cancel();
  }

  std::shared_ptr<egress_guest> guest_;
  tcp::acceptor listener_;
  asio::steady_timer pause_; // cancelled when a connection ends
  std::map<egress_connection*, std::shared_ptr<egress_connection>> connections_;
  bool closed_ = false;
};

egress_proxy::egress_proxy(asio::any_io_executor executor, process::descriptor listener, egress_settings settings)
  : state_(std::make_shared<state>(std::move(executor), std::move(listener), std::move(settings))) {}

egress_proxy::~egress_proxy() { close(); }

void egress_proxy::start() { state_->start(); }

void egress_proxy::close() { state_->close(); }

} // namespace egress
