// What programs have asked of a server and is not answered: calls of tools, and requests for resources and prompts.
#pragma once

#include "mcp/client_callbacks.hpp"
#include "mcp/input_rounds.hpp"
#include "mcp/item_listing.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/own_requests.hpp"
#include "mcp/revision.hpp"
#include "mcp/server_questions.hpp"
#include "mcp/tool_page.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
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

/// The call that a question of its server belongs to.
struct asked_call {
  msg::call_key key;
  bool is_sure = true; ///< else it is one of several
};

/// Whether the server can be asked for a level of its log: it has one, and begins with a handshake.
enum class level_requests : uint8_t { known, unknown };

/// Of one connection.
class client_calls {
public:
  /// The callbacks and the questions outlive it.
  client_calls(std::string server, const client_callbacks& callbacks, client_wire wire, server_questions& questions);

  /// From now on.
  void speak(revision spoken, level_requests levels) {
    spoken_ = spoken;
    levels_ = levels;
  }
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
  /// Of notifications/message: for the client of the call in the middle of which it comes, if that wants to hear it.
  void logged(const boost::json::object& params, int64_t during) const;
  void fail_all(const msg::fault& why);
  size_t size() const { return calls_.size() + rounds_.size(); }
  /// Calls that are not in flight, because their server wants to know something, or a person to be somewhere, first.
  input_rounds& rounds() { return rounds_; }
  /// In the middle of which call a server asks: `during` is the request on whose answer's stream that came, 0: none. A
  /// server with one stream for all does not say: it is the last call, if all that it may still work on, given up or
  /// not, are made for one client. Nothing: it can not be told.
  std::optional<asked_call> asked_in(int64_t during) const;

private:
  struct open_call {
    msg::call_key key;
    msg::child_method method = msg::child_method::call_tool;
    std::optional<item_listing> listing; ///< it is one
    msg::call_asker asker;               ///< that it is made for
    /// As it is made again when the server has been told what it wants to know; nothing: it can not be.
    std::optional<input_rounds::waiting_call> again;
  };

  bool send_call(int64_t id, const msg::tool_call& call, const boost::json::object& more = {});
  void keep(int64_t id, open_call call);
  void want_log(const msg::log_wish& wish);
  void call_again(input_rounds::waiting_call call, const boost::json::object& more);
  bool ends_cancelled(int64_t id);
  void remember_given_up(int64_t id, uint64_t client);
  void answer_unread(msg::call_key key) const;
  void answer_error(open_call call, const boost::json::value& error);
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
  std::unordered_map<int64_t, uint64_t> given_up_;       ///< clients of those and of more, until they are answered
  std::set<uint64_t> forgotten_;                         ///< clients of calls that there was no room for there
  level_requests levels_ = level_requests::unknown;
  msg::log_level told_level_ = msg::log_level::off; ///< the most detailed that the server was asked for
  std::set<int64_t> level_requests_;                ///< without an answer; there are fewer of them than levels
  input_rounds rounds_;
};

} // namespace mcp
