// The client side of one MCP connection: ids, what is in flight, handshake, list of tools. Knows no transport and no
// actor: messages go in, messages to send and events come out.
#pragma once

#include "mcp/client_callbacks.hpp"
#include "mcp/client_calls.hpp"
#include "mcp/client_opening.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/own_requests.hpp"
#include "mcp/revision.hpp"
#include "mcp/server_questions.hpp"
#include "mcp/server_requests.hpp"
#include "mcp/tool_listing.hpp"
#include "mcp/tool_page.hpp"
#include "messages/client_abilities.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mcp {

class client_protocol {
public:
  client_protocol(std::string server, client_callbacks callbacks);

  /// Arguments are said in headers from now on, where the revision has that.
  void say_headers() { has_headers_ = true; }
  /// To a question of the server.
  void answer(uint64_t question, server_questions::answer said) { questions_.answered(question, std::move(said)); }
  /// Begins: server/discover, or initialize and initialized; then tools/list. Ends in `listed`.
  /// `abilities`: what a server of the earlier era is told that it may ask.
  void start(opening first = opening::initialize, const msg::client_abilities& abilities = {});
  /// The server had time enough to answer server/discover. Does nothing if that is not what is waited for.
  void stop_waiting_for_discovery();
  const client_opening& how_it_opened() const { return opening_; }
  /// Of a server of 2026-07-28 that announces its changes: asks it to, once more. Its list may have changed meanwhile.
  void listen_again();
  /// Reads the tools again; ends in `listed`. Does nothing while a listing goes on.
  void list_tools();
  bool listing() const { return listing_id_ != 0; }
  /// The listing that goes on ends with that. Does nothing if there is none.
  void give_up_listing(msg::fault why);
  /// A page of the listing that goes on. Instead of being received it may be read by others, and given to
  /// take_tool_page().
  bool is_tool_page(const msg::document& message) const;
  /// Does nothing if no listing goes on.
  void take_tool_page(tool_page page);
  /// What programs ask.
  client_calls& calls() { return calls_; }
  /// A message of the server. What breaks the protocol is returned as text for the log, without secrets; empty: fine.
  /// `during`: the request on whose answer's stream it came; 0: that is not known.
  std::string receive(const msg::document& message, int64_t during = 0);
  /// A line that should have been a message and is broken: fails the request it answers, if that is open. False: no
  /// request can be told from it, and none fails.
  bool fail_broken(std::string_view line, const std::string& problem);
  /// Every call in flight gets this fault.
  void fail_all(const msg::fault& why);
  bool handshaken() const { return handshaken_; }
  /// How pages of tools are read.
  argument_headers said_headers() const {
    return has_headers_ && !has_handshake(spoken_) ? argument_headers::said : argument_headers::unsaid;
  }

private:
  std::string receive_one(const msg::document& message, int64_t during);
  bool send(own_request request, int64_t id);
  int64_t send_request(std::string_view method, const boost::json::value& params);
  int64_t send_opening(std::string_view method);
  void opened(client_opening::end how);
  void listen();
  void end_listening(const boost::json::value* error);
  void take_notification(const message_view& notification, int64_t during);
  std::string take_response(const message_view& response, const msg::document& message);
  void take_tools(const message_view& response, const msg::document& answer);
  void end_listing(msg::outcome<msg::listed_tools> result);
  void request_tool_page(std::string_view cursor);
  bool fail_request(int64_t id, msg::fault why);

  std::string server_;
  client_callbacks callbacks_;
  int64_t last_id_ = 0;
  revision spoken_ = latest_revision;
  client_opening opening_;
  int64_t listing_id_ = 0; // tools/list in flight, or 0
  int64_t listen_id_ = 0;  // subscriptions/listen, or 0
  bool announces_changes_ = false;
  bool has_headers_ = false;
  bool handshaken_ = false;
  bool in_batch_ = false;
  msg::client_abilities abilities_;
  tool_listing tools_;
  server_questions questions_;
  server_requests requests_;
  client_calls calls_;
};

} // namespace mcp
