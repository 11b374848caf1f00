// The client side of one MCP connection: ids, what is in flight, handshake, list of tools. Knows no transport and no
// actor: messages go in, messages to send and events come out.
#pragma once

#include "mcp/item_listing.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/secret_mask.hpp"
#include "mcp/tool_listing.hpp"
#include "mcp/tool_page.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace mcp {

/// What the protocol wants of its owner. All are called from within the calls below.
struct client_callbacks {
  /// false: the queue is full. `id`: of a request; 0: it is none.
  std::function<bool(msg::spliced_text, int64_t id)> send;
  /// That request is not sent; false: it is gone already. May not be set.
  std::function<bool(int64_t id)> take_back;
  std::function<void(msg::outcome<msg::listed_tools>)> listed; ///< handshake or a later listing ended
  /// The raw result.
  std::function<void(msg::call_key, msg::outcome<msg::document>)> answered;
  /// The answer to a listing that did not fail.
  std::function<void(msg::call_key, item_pages)> items_listed;
  /// A call that was cancelled has been answered: the server is done with it; may not be set.
  std::function<void(msg::call_key)> ended;
  std::function<void(msg::tool_progress)> progressed;
  std::function<void()> tools_changed;                                  ///< tools/list_changed
  std::function<void(std::string_view level, std::string text)> logged; ///< notifications/message
  /// Of a listing that has failed; may not be set.
  std::function<void(msg::tool_list)> dropped;
  std::function<void(item_pages)> items_dropped;
  masking masked; ///< of all that the server says in errors, progress and its log, before that is cut; may not be set
};

class client_protocol {
public:
  client_protocol(std::string server, client_callbacks callbacks);

  /// Begins: initialize, initialized, tools/list; ends in `listed`.
  void start();
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
  /// False: overloaded, the call was not sent.
  bool call(const msg::tool_call& call);
  /// There is no answer any more. True: the server has got the call, and is told; when it is done with it, and says so,
  /// `ended` is told. False: the call never left, or is not open.
  bool cancel(msg::call_key key, std::string_view reason);
  /// Of cancelled calls that are not answered, all but those: `ended` is not told.
  void forget_cancelled(const std::function<bool(msg::call_key)>& is_kept);
  /// A message of the server. What breaks the protocol is returned as text for the log, without secrets; empty: fine.
  std::string receive(const msg::document& message);
  /// A line that should have been a message and is broken: fails the request it answers, if that is open. False: no
  /// request can be told from it, and none fails.
  bool fail_broken(std::string_view line, const std::string& problem);
  /// Every call in flight gets this fault.
  void fail_all(const msg::fault& why);
  size_t calls_in_flight() const { return calls_.size(); }
  bool handshaken() const { return handshaken_; }

private:
  std::string receive_one(const msg::document& message);
  int64_t send_request(std::string_view method, boost::json::value params);
  void answer_request(const message_view& request);
  void take_notification(const message_view& notification);
  std::string take_response(const message_view& response, const msg::document& message);
  void initialized(const message_view& response);
  void take_tools(const message_view& response, const msg::document& answer);
  void end_listing(msg::outcome<msg::listed_tools> result);
  void request_tool_page(std::string_view cursor);
  bool fail_request(int64_t id, msg::fault why);
  /// A tools/call, or another request that a program made.
  struct open_call {
    msg::call_key key;
    msg::child_method method = msg::child_method::call_tool;
    std::optional<item_listing> listing; ///< it is one
  };
  bool send_call(int64_t id, const msg::tool_call& call);
  bool ends_cancelled(int64_t id);
  void answer_call(open_call call, const message_view& response, const msg::document& message);
  void take_list_page(open_call call, const message_view& response, const msg::document& message);
  void request_list_page(open_call call, std::string_view cursor);
  void drop_pages(open_call& call) const;

  std::string server_;
  client_callbacks callbacks_;
  int64_t last_id_ = 0;
  int64_t initialize_id_ = 0;
  int64_t listing_id_ = 0; // tools/list in flight, or 0
  bool handshaken_ = false;
  bool in_batch_ = false;
  tool_listing tools_;
  std::unordered_map<int64_t, open_call> calls_; // by request id, which is the progress token too
  std::map<msg::call_key, int64_t> ids_;
  std::unordered_map<int64_t, msg::call_key> cancelled_; // and not answered
};

} // namespace mcp
