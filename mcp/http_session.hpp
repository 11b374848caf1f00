// What a connection over HTTP knows of its server: addresses, headers, the session. Knows no time and no socket.
#pragma once

#include "http/client.hpp"
#include "mcp/http_connection.hpp"
#include "mcp/request_labels.hpp"
#include "messages/document.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mcp {

/// What a request of HTTP is for.
enum class http_purpose : uint8_t {
  request,   ///< of JSON-RPC: its answer takes what it takes
  handshake, ///< once more: all others wait for it
  note,      ///< what is no request: answered at once
  stream,    ///< of events
  listen,    ///< the same, asked for by a request of JSON-RPC
  end,       ///< of the session
};

class http_session {
public:
  explicit http_session(http_target where);

  // ---- requests
  /// `text`: of a POST. With labels it is of no session.
  http::client_request request(http_purpose purpose, const std::string& text = {},
                               const request_labels& labels = {}) const;
  /// `Authorization` of all requests from now on; empty: none.
  void authorize(std::string value) { authorization_ = std::move(value); }
  const std::string& authorization() const { return authorization_; }
  /// `last_event`: of one that was cut; empty: none.
  http::client_request stream(const std::string& last_event) const;
  /// Of a redirect: another address of the same server. Empty: it is none, or can not be used. `from`: where the
  /// message was sent; empty: where all go.
  std::string redirected(const std::string& from, const http::headers& fields) const;
  /// From now on messages go there. False: that is no address of the same server.
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
  /// What ends the handshake leaves.
  void note_initialized(const std::string& text) { initialized_ = text; }
  /// Of an answer to `initialize`. What is wrong with it, as the rest of a sentence about the server; empty: nothing.
  std::string take_head(const http::headers& fields);
  /// Of the answer to `initialize` the revision is kept, and whether the server tells when its tools change.
  void take_message(const boost::json::value& message);
  bool announces_changes() const { return announces_changes_; }
  /// Whether a message is the answer to an `initialize` that was sent once more, and agrees to the same revision.
  bool take_second_answer(const boost::json::value& message);
  bool has_begun() const { return !id_.empty(); }
  /// The server knows the session no longer.
  void forget();
  /// Of sessions that have been forgotten.
  uint64_t number() const { return number_; }
  const std::string& initialize() const { return initialize_; }
  const std::string& initialized() const { return initialized_; }

private:
  void add_session(http::headers& fields) const;

  http_target where_;
  std::string post_url_;
  std::string authorization_;
  std::string id_;       ///< Mcp-Session-Id; empty: none
  std::string revision_; ///< empty: not agreed upon yet
  bool announces_changes_ = false;
  std::string initialize_, initialized_;
  uint64_t initialize_key_ = 0;
  uint64_t number_ = 0;
};

/// The requests that a message, or one of a batch, answers.
std::vector<uint64_t> keys_answered_by(const boost::json::value& message);
/// What a request gets that the server has not answered.
msg::document error_answer(uint64_t key, const std::string& why, int32_t code);
/// What a server says whose tools are others than before.
msg::document tools_have_changed();

} // namespace mcp
