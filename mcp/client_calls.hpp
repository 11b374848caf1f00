// What programs have asked of a server and is not answered: calls of tools, and requests for resources and prompts.
#pragma once

#include "mcp/client_callbacks.hpp"
#include "mcp/item_listing.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/own_requests.hpp"
#include "mcp/revision.hpp"
#include "mcp/tool_page.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace mcp {

/// How requests leave.
struct client_wire {
  std::function<int64_t()> next_id;
  std::function<bool(own_request, int64_t id)> send; ///< false: the queue is full. `id`: 0: it is no request
};

/// Of one connection.
class client_calls {
public:
  /// The callbacks outlive it.
  client_calls(std::string server, const client_callbacks& callbacks, client_wire wire)
    : server_(std::move(server)),
      callbacks_(callbacks),
      wire_(std::move(wire)) {}

  /// From now on.
  void speak(revision spoken) { spoken_ = spoken; }
  void say_in_headers(header_arguments headers) { headers_ = std::move(headers); }

  /// False: overloaded, the call was not sent.
  bool call(const msg::tool_call& call);
  /// There is no answer any more. True: the server has got the call, and is told; when it is done with it, and says so,
  /// `ended` is told. False: the call never left, or is not open.
  bool cancel(msg::call_key key, std::string_view reason);
  /// Of cancelled calls that are not answered, all but those: `ended` is not told.
  void forget_cancelled(const std::function<bool(msg::call_key)>& is_kept);

  /// False: no call of that number is open, nor was one cancelled.
  bool take(int64_t id, const message_view& response, const msg::document& message);
  bool fail(int64_t id, msg::fault why);
  /// Of notifications/progress.
  void progressed(const boost::json::object& params) const;
  void fail_all(const msg::fault& why);
  size_t size() const { return calls_.size(); }

private:
  struct open_call {
    msg::call_key key;
    msg::child_method method = msg::child_method::call_tool;
    std::optional<item_listing> listing; ///< it is one
  };

  bool send_call(int64_t id, const msg::tool_call& call);
  bool ends_cancelled(int64_t id);
  void answer(open_call call, const message_view& response, const msg::document& message);
  void take_list_page(open_call call, const message_view& response, const msg::document& message);
  void request_list_page(open_call call, std::string_view cursor);
  void drop_pages(open_call& call) const;

  std::string server_;
  const client_callbacks& callbacks_;
  client_wire wire_;
  revision spoken_ = latest_revision;
  header_arguments headers_;                     ///< of the tools that were listed last
  std::unordered_map<int64_t, open_call> calls_; // by request id, which is the progress token too
  std::map<msg::call_key, int64_t> ids_;
  std::unordered_map<int64_t, msg::call_key> cancelled_; // and not answered
};

} // namespace mcp
