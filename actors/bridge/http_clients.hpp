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

/// Of those who are not told apart by it: no connection has that number.
inline constexpr uint64_t any_connection = 0;

/// Whether a client can be asked anything in the middle of a request.
enum class questions : uint8_t { possible, impossible };

/// Who a client is.
struct http_identity {
  std::string token;                    ///< name of its token; empty: it has none
  uint64_t connection = any_connection; ///< that it comes by
};

struct http_client {
  msg::client_opening opening;
  std::string token;                           ///< see http_identity
  std::string session_id;                      ///< empty: it belongs to the era without sessions
  mcp::revision spoken = mcp::latest_revision; ///< of a session: that was agreed on
  msg::client_connection_actor session;
  std::shared_ptr<mcp::http_streams> streams;
  asio::any_io_executor writing; ///< a line of its own for what is large
  mcp::http_reply::time_point used;
  uint64_t tcp_connection = any_connection; ///< that it came by at first
  uint64_t requests = 0;                    ///< that it has made
  /// `requestState` of calls that wait for it, and until when: it may come back by any connection.
  std::map<std::string, mcp::http_reply::time_point, std::less<>> parked = {};
  /// Of requests that are not answered: what their headers say of arguments, by stream.
  std::map<mcp::stream_number, http::headers> said_headers = {};
  /// Nothing tells it from others: anybody may be behind each of its requests.
  bool is_anybody() const { return session_id.empty() && token.empty() && tcp_connection == any_connection; }
  /// Of one behind which there may be anybody: who comes from now on gets another one.
  void retire() { is_retired = is_anybody(); }
  /// What the headers of a request say of arguments; null: it is answered, or said_headers are not kept of it.
  const http::headers* headers_on(mcp::stream_number stream) const {
    auto found = said_headers.find(stream);
    return found == said_headers.end() ? nullptr : &found->second;
  }

  bool is_retired = false;  ///< it gets nothing new in the middle of which something may be asked
  size_t written_bytes = 0; ///< of messages that are being written into text
  /// How many of a stream are: what comes after them waits for them.
  std::map<mcp::stream_number, size_t> written = {};

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
  /// The client of the era without sessions; null: it is not there yet, or retired, for a request in the middle of
  /// which something may be asked.
  http_client_ptr find(const http_identity& who, questions during = questions::possible) const;
  /// The client of that era without a token whose call waits for who comes back with that `requestState`; null: there
  /// is none. From now on it is who it is.
  http_client_ptr find_parked(std::string_view state, const http_identity& who) const;
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
  /// Of who has no session. The name of one without a token is never that of a later process: memory outlives them.
  std::string sessionless_owner(const http_identity& who) const;
  http_client_ptr add(const http_identity& who, std::string owner);
  bool make_room(const std::string& token);
  bool is_gone(const http_client& c, time_point now) const;

  const config::http_settings& settings_;
  std::function<asio::any_io_executor()> line_;
  std::function<void(const http_client&)> ended_;
  std::function<bool(uint64_t)> is_connected_;
  std::map<uint32_t, http_client_ptr> clients_; ///< by number
  std::map<std::string, uint64_t> numbers_;     ///< of owners that are there
  uint32_t last_connection_ = 1;                ///< that of stdin
  uint64_t last_client_ = 1;
  std::string process_; ///< at random; empty: the kernel gives none, and who has no token is not taken
};

} // namespace bridge
