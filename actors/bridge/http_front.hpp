// Serving over HTTP: takes requests to the sessions of their clients, and what those say into the responses.
#pragma once

#include "actors/bridge/factories.hpp"
#include "actors/bridge/http_clients.hpp"
#include "actors/bridge/issuer_keys.hpp"
#include "actors/client_wire.hpp"
#include "config/known_tokens.hpp"
#include "config/settings.hpp"
#include "http/server.hpp"
#include "mcp/http_door.hpp"
#include "mcp/http_request_check.hpp"
#include "mcp/outgoing.hpp"
#include "messages/actors.hpp"
#include "messages/errors.hpp"

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace bridge {

/// Where it listens.
struct http_address {
  std::string host;
  uint16_t port = 0;
};

/// What is served.
enum class http_service : uint8_t {
  gateway, ///< our own tools: a client without a token is known by its connection
  relay,   ///< one server as it is: all clients of 2026-07-28 without a token are one
};

/// Only who is at this machine reaches it.
bool is_on_this_machine(const http_address& where);

class http_front : public std::enable_shared_from_this<http_front> {
public:
  /// A request that was let in.
  struct visit {
    http::request_head head;
    std::shared_ptr<http::exchange> to;
    http::headers fields; ///< of the answer
    http_identity who;
  };

  /// Both outlive it.
  http_front(dependencies& w, const config::settings& settings, http_service what = http_service::gateway);

  /// Listens; requests are answered with 503 until serve(). The fault says why it can not be.
  msg::fault open(asio::io_context& io, const http_address& where);
  void serve(msg::clients_actor clients) { clients_actor_ = std::move(clients); }
  /// How the session of that client sends to it.
  actors::client_wire wire(uint32_t connection);
  /// Its session is gone.
  void failed(uint32_t connection) { clients_.end(connection); }
  /// Null: there is no such client.
  http_client_ptr client(uint32_t connection) const { return clients_.numbered(connection); }
  /// Takes no more requests.
  void stop_listening();
  /// Ends every stream in order, after what is owed was sent, or http_close_max.
  asio::awaitable<void> close();
  uint16_t port() const { return listening_ ? listening_->port() : uint16_t{0}; }
  /// Of the endpoint, as clients have it.
  std::string url() const;

private:
  /// Longer texts are parsed and written elsewhere: these take half a millisecond.
  static constexpr size_t text_here_bytes_max = 128u << 10;

  mcp::http_door_rules door_rules(const http_address& where, bool is_loopback);
  std::string name_of_token(std::string_view token);
  bool is_over(const std::string& token_name);

  void handle(http::request request, std::shared_ptr<http::exchange> to);
  void get(const visit& from);
  void end_session(const visit& from);
  asio::awaitable<void> post(visit from, std::string body, std::shared_ptr<void> held);
  asio::awaitable<void> post_message(visit from, msg::document message);
  mcp::http_refusal problem_of(const visit& from, const msg::document& message, const mcp::message_view& view) const;
  mcp::http_refusal problem_of_session(std::string_view id) const;
  asio::awaitable<http_client_ptr> client_for(const visit& from, const msg::document& message);
  asio::awaitable<bool> begin(http_client_ptr client);
  asio::awaitable<void> until_begun(http_client_ptr client);
  asio::awaitable<void> hand_over(http_client_ptr client, msg::document message, mcp::stream_number stream);

  void send(uint32_t connection, mcp::outgoing message);
  void wait_for(http_client& client, std::string state);
  asio::awaitable<void> write_large(http_client_ptr client, mcp::outgoing message);
  void look_after_clients();
  asio::awaitable<void> look_after();

  dependencies& w_;
  const config::settings& settings_;
  http_service what_;
  config::known_tokens tokens_;
  std::shared_ptr<issuer_keys> issuer_;    ///< null: there is none
  std::map<std::string, int64_t> bearers_; ///< of tokens of the issuer: until when they count, by name of who has them
  http_clients clients_;
  std::optional<mcp::http_door> door_;
  std::string host_; ///< that it listens at
  std::shared_ptr<http::server> listening_;
  msg::clients_actor clients_actor_;
  bool is_looked_after_ = false;
  bool is_closed_ = false;
};

} // namespace bridge
