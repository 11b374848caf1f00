// The clients over HTTP, each with its streams and its session: who is there, and for how long.
#pragma once

#include "config/settings.hpp"
#include "http/server.hpp"
#include "mcp/http_streams.hpp"
#include "mcp/revision.hpp"
#include "messages/actors.hpp"

#include <asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace bridge {

/// Who a client is.
struct http_identity {
  std::string token;       ///< name of its token; empty: it has none
  uint64_t connection = 0; ///< that it comes by
};

struct http_client {
  msg::client_opening opening;
  std::string token;                           ///< see http_identity
  std::string session_id;                      ///< empty: it belongs to the era without sessions
  mcp::revision spoken = mcp::latest_revision; ///< of a session: that was agreed on
  msg::client_session_actor session;
  std::shared_ptr<mcp::http_streams> streams;
  asio::any_io_executor writing; ///< a line of its own for its large answers
  mcp::http_reply::time_point used;
  uint64_t tcp_connection = 0; ///< that it came by at first
  uint64_t requests = 0;       ///< that it has made
  size_t written_bytes = 0;    ///< of answers that are being written into text

  /// Bytes of answers that it has not read.
  size_t unread_bytes() const { return streams->unsent_bytes() + written_bytes; }
};
using http_client_ptr = std::shared_ptr<http_client>;

class http_clients {
public:
  using time_point = mcp::http_reply::time_point;

  /// `ended`: that client is gone for good. `is_connected`: of a connection by its number.
  http_clients(const config::http_settings& settings, std::function<asio::any_io_executor()> line,
               std::function<void(const http_client&)> ended, std::function<bool(uint64_t)> is_connected);

  /// The client of a session; null: there is none of that id, or it is somebody else's.
  http_client_ptr find(std::string_view session_id, const http_identity& who) const;
  /// The client of the era without sessions; null: it is not there yet.
  http_client_ptr find(const http_identity& who) const;
  http_client_ptr numbered(uint32_t connection) const;
  /// A new one, without an actor. Null: there are too many.
  http_client_ptr begin_session(const http_identity& who);
  http_client_ptr begin(const http_identity& who);

  void end(uint32_t connection);
  /// Those that have gone without a word, and those whose token is `revoked`.
  void sweep(const std::function<bool(const std::string& token)>& is_revoked);
  void keep_alive();
  /// Every stream is closed in order.
  void close_streams();
  size_t unread_bytes() const;
  size_t count() const { return clients_.size(); }

private:
  http_client_ptr add(const http_identity& who, std::string owner);
  bool make_room();
  bool is_gone(const http_client& c, time_point now) const;

  const config::http_settings& settings_;
  std::function<asio::any_io_executor()> line_;
  std::function<void(const http_client&)> ended_;
  std::function<bool(uint64_t)> is_connected_;
  std::map<uint32_t, http_client_ptr> clients_; ///< by number
  std::map<std::string, uint64_t> numbers_;     ///< of owners that are there
  uint32_t last_connection_ = 1;                ///< that of stdin
  uint64_t last_client_ = 1;
};

} // namespace bridge
