// One connection to a server, as a relay has it: the handshake, what is open on it, and what the server says by itself.
// Knows no client and no method but those of the handshake.
#pragma once

#include "mcp/client_opening.hpp"
#include "mcp/connection.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/own_requests.hpp"
#include "mcp/relay/introduction.hpp"
#include "mcp/revision.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace mcp::relay {

/// A number of a request that the server has got; 0: none.
using server_request = uint64_t;

class server_end {
public:
  /// The response, which may be an error that is none of the server's: it has not answered.
  using answered = std::function<void(const message_view&, const msg::document&)>;

  struct handlers {
    /// The handshake has ended. errc::none: it serves.
    std::function<void(msg::fault)> opened;
    /// `during`: on whose answer's stream it came; 0: that is not known.
    std::function<void(const message_view&, const msg::document&, server_request during)> request, notification;
  };

  server_end(std::string server, handlers to) : server_(std::move(server)), to_(std::move(to)) {}

  // ---- the connection
  void open(std::shared_ptr<connection> by, opening first, introduction who);
  void stop_waiting_for_discovery();
  /// Ends the handshake, if there is one.
  void give_up_handshake(const std::string& why);
  bool is_connected() const { return connection_ != nullptr; }
  /// The handshake is over, and it serves.
  bool serves() const { return serves_; }
  bool is_opening() const { return is_connected() && !serves_; }
  /// In order, or at once.
  void stop();
  void kill();
  /// There is no connection any more; all that is open fails with that.
  void closed(const msg::fault& why);

  // ---- what it is
  revision spoken() const { return spoken_; }
  bool is_modern() const { return !has_handshake(spoken_); }
  /// The result of `initialize` or `server/discover`.
  const msg::document& hello() const { return hello_; }
  const introduction& introduced_as() const { return who_; }
  bool says_labels() const { return connection_ && connection_->says_labels(); }
  /// `capabilities` of it; null: none.
  const boost::json::object* capabilities() const;
  std::string masked(std::string text) const;

  // ---- to the server
  /// `make` is called once, with the number. 0: it does not read its requests, and `done` is dropped.
  server_request ask(const std::function<own_request(server_request)>& make, answered done);
  /// Nobody waits for the answer. True: the server has nothing of it, or its stream was closed.
  bool give_up(server_request number, std::string_view reason);
  /// Dropped, where it does not read.
  void tell(msg::spliced_text notification);

  // ---- from the server
  /// What breaks the protocol is returned as text for the log.
  std::string receive(const msg::document& message, server_request during);
  /// A line that is no message. False: it would have answered no request that is open.
  bool fail_broken(std::string_view line, const std::string& quote);
  /// notifications/cancelled: it will not answer that request (a stream of changes, 2026-07-28).
  void cancelled(const message_view& notification);

private:
  int64_t send_opening(std::string_view method);
  void take_opening(server_request number, const message_view& response, const msg::document& message);
  void has_opened(client_opening::end how);
  void take_response(const message_view& response, const msg::document& message);
  bool fail(server_request number, const std::string& why);
  std::string receive_one(const msg::document& message, server_request during);
  std::string what_it_is() const { return "server '" + server_ + "' "; }

  std::string server_;
  handlers to_;
  std::shared_ptr<connection> connection_;
  std::unique_ptr<client_opening> opening_;
  introduction who_;
  revision spoken_ = latest_revision;
  msg::document discovered_, initialized_, hello_;
  bool serves_ = false;
  bool in_batch_ = false;
  server_request last_ = 0;
  std::map<server_request, answered> open_;
};

/// A response that the server has not given.
msg::document unanswered(server_request number, const std::string& why);

} // namespace mcp::relay
