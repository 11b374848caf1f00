// What a connection over HTTP knows of its server: addresses, headers, the session. Knows no time and no socket.
#pragma once

#include "http/client.hpp"
#include "mcp/http_connection.hpp"
#include "messages/document.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace mcp {

/// What a request of HTTP is for.
enum class http_purpose : uint8_t {
  request, ///< of JSON-RPC: its answer takes what it takes
  quick,   ///< answered at once: what is no request, and a handshake that all others wait for
  stream,  ///< of events
  end,     ///< of the session
};

class http_session {
public:
  explicit http_session(http_target where);

  // ---- requests
  /// `text`: of a POST. `last_event`: of a stream that was cut; empty: none.
  http::client_request request(http_purpose purpose, const std::string& text, const std::string& last_event) const;
  /// The server wants messages at another address of its own. False: it is none.
  bool follow(const http::headers& fields);
  /// Likewise, as HTTP with SSE tells it.
  bool post_to(std::string_view address);

  const std::string& name() const { return where_.name; }

  // ---- the kind of server
  bool is_sse() const { return where_.transport == msg::transport_kind::sse; }
  bool may_be_sse() const { return where_.transport == msg::transport_kind::automatic; }
  void become_sse() { where_.transport = msg::transport_kind::sse; }

  // ---- the session
  /// A message leaves: the first one is `initialize`.
  void note_sent(const std::string& text, uint64_t key);
  /// Whether that request is `initialize`.
  bool begins(uint64_t key) const { return key == initialize_key_; }
  /// Whether that ends the handshake: the first message that is no request. It is kept.
  bool ends_handshake(const std::string& text);
  /// Of an answer to `initialize`.
  void take_head(const http::headers& fields);
  /// Whether a message is the answer to that request; of one to `initialize` the revision is kept.
  bool take_answer(const boost::json::value& message, uint64_t key);
  /// Whether a message is the answer to an `initialize` that was sent once more, and agrees to the same revision.
  bool take_second_answer(const boost::json::value& message);
  bool has_begun() const { return !id_.empty(); }
  /// The server knows the session no longer.
  void forget();
  /// Of sessions that have been forgotten.
  uint64_t number() const { return number_; }
  const std::string& initialize() const { return initialize_; }
  const std::string& initialized() const { return initialized_; }

  /// The request that a notification cancels; 0: it is no such notification.
  static uint64_t cancelled_by(const std::string& text);

private:
  http_target where_;
  std::string post_url_;
  std::string id_;       ///< Mcp-Session-Id; empty: none
  std::string revision_; ///< empty: not agreed upon yet
  std::string initialize_, initialized_;
  uint64_t initialize_key_ = 0;
  uint64_t number_ = 0;
};

/// What a request gets that the server has not answered.
msg::document error_answer(uint64_t key, const std::string& why);
/// What a server says whose tools are others than before.
msg::document tools_have_changed();

} // namespace mcp
