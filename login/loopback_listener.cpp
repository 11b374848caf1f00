#include "login/loopback_listener.hpp"

#include "login/callback_page.hpp"
#include "oauth_client/address.hpp"
#include "process/no_throw.hpp"

#include <asio/buffer.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read_until.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>

#include <list>
#include <optional>
#include <utility>

namespace login {

using asio::ip::tcp;

namespace {

/// After the process had no descriptor left for a connection.
constexpr std::chrono::milliseconds accept_pause{100};

void close_socket(tcp::socket& socket) {
  asio::error_code ignored;
  socket.close(ignored);
}

} // namespace

/// Lives as long as its coroutines.
class loopback_listener::listening : public std::enable_shared_from_this<listening> {
public:
  listening(asio::any_io_executor executor, tcp::acceptor acceptor)
    : executor_(std::move(executor)),
      acceptor_(std::move(acceptor)),
      until_(executor_) {}

  uint16_t port() const {
    asio::error_code ignored;
    return acceptor_.local_endpoint(ignored).port();
  }

  void close() {
    is_closed_ = true;
    asio::error_code ignored;
    acceptor_.close(ignored);
    until_.cancel();
    for (auto& each : open_)
      close_socket(*each);
  }

  asio::awaitable<callback> wait(oauth::authorization_expectation expected, std::chrono::milliseconds patience) {
    auto keep = shared_from_this();
    expected_ = std::move(expected);
    port_ = port();
    until_.expires_after(patience);
    asio::co_spawn(executor_, accept(keep), asio::detached);
    if (!is_closed_ && !has_ended_)
      co_await until_.async_wait(process::no_throw);
    close();
    callback out;
    if (answer_ && has_ended_) {
      out.has_come = true;
      out.answer = std::move(*answer_);
    }
    co_return out;
  }

private:
  using connection = std::shared_ptr<tcp::socket>;

  static asio::awaitable<void> accept(std::shared_ptr<listening> self) {
    while (!self->is_closed_) {
      auto [failed, socket] = co_await self->acceptor_.async_accept(process::no_throw);
      if (!failed) {
        auto one = std::make_shared<tcp::socket>(std::move(socket));
        self->admit(one);
        asio::co_spawn(self->executor_, converse(self, one), asio::detached);
      } else if (!self->is_closed_) {
        asio::steady_timer pause{self->executor_, accept_pause};
        co_await pause.async_wait(process::no_throw);
      }
    }
  }

  void admit(const connection& one) {
    if (open_.size() >= callback_connections_max) {
      close_socket(*open_.front());
      open_.pop_front();
    }
    open_.push_back(one);
  }

  static asio::awaitable<void> converse(std::shared_ptr<listening> self, connection with) {
    asio::steady_timer limit{self->executor_, callback_patience};
    limit.async_wait([with](asio::error_code failed) {
      if (!failed)
        close_socket(*with);
    });
    std::string head;
    auto buffer = asio::dynamic_buffer(head, callback_head_bytes_max);
    auto [failed, length] = co_await asio::async_read_until(*with, buffer, "\r\n\r\n", process::no_throw);
    if (!failed && !self->is_closed_) {
      bool is_last = false;
      auto page = self->page_for(std::string_view{head}.substr(0, length), is_last);
      co_await asio::async_write(*with, asio::buffer(page), process::no_throw);
      asio::error_code ignored;
      with->shutdown(tcp::socket::shutdown_send, ignored);
      if (is_last)
        self->end();
    }
    self->open_.remove(with);
    close_socket(*with);
  }

  /// The first answer to our question is the only one.
  std::string page_for(std::string_view head, bool& is_last) {
    auto query = callback_query(head, port_);
    if (!query)
      return not_found_page();
    auto answer = oauth::read_authorization_answer(*query, expected_);
    answer.is_ours = answer.is_ours && !answer_;
    auto page = callback_page(answer);
    is_last = answer.is_ours;
    if (is_last)
      answer_ = std::move(answer);
    return page;
  }

  void end() {
    has_ended_ = true;
    until_.cancel();
  }

  asio::any_io_executor executor_;
  tcp::acceptor acceptor_;
  asio::steady_timer until_;
  std::list<connection> open_; ///< oldest first
  oauth::authorization_expectation expected_;
  std::optional<oauth::authorization_answer> answer_;
  uint16_t port_ = 0;
  bool has_ended_ = false; ///< the browser has its page
  bool is_closed_ = false;
};

msg::outcome<std::unique_ptr<loopback_listener>> loopback_listener::open(asio::any_io_executor executor,
                                                                         uint16_t wished_port) {
  asio::error_code failed;
  for (auto port : {wished_port, uint16_t{0}}) {
    tcp::acceptor acceptor{executor};
    tcp::endpoint where{asio::ip::address_v4::loopback(), port};
    failed.clear();
    acceptor.open(where.protocol(), failed);
    if (!failed) // connections of the last login linger on that port for a minute
      acceptor.set_option(tcp::acceptor::reuse_address{true}, failed);
    if (!failed)
      acceptor.bind(where, failed);
    if (!failed)
      acceptor.listen(tcp::acceptor::max_listen_connections, failed);
    if (!failed)
      return std::unique_ptr<loopback_listener>{
        new loopback_listener{std::make_shared<listening>(executor, std::move(acceptor))}};
  }
  return msg::fault{msg::errc::internal,
                    "no port of this machine for the way back from the browser: " + failed.message()};
}

loopback_listener::~loopback_listener() { listening_->close(); }

std::string loopback_listener::redirect_uri() const {
  return "http://127.0.0.1:" + std::to_string(listening_->port()) + "/callback";
}

asio::awaitable<callback> loopback_listener::wait(oauth::authorization_expectation expected,
                                                  std::chrono::milliseconds patience) {
  return listening_->wait(std::move(expected), patience);
}

uint16_t port_of(const std::string& redirect_uri) {
  auto address = oauth::parse_address(redirect_uri);
  return address ? address->port : uint16_t{0};
}

} // namespace login
