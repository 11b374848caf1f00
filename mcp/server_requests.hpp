// What a server of the earlier era asks of us in requests of its own: whether we live, and what it wants to know in the
// middle of a call.
#pragma once

#include "mcp/client_calls.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/server_questions.hpp"
#include "messages/document.hpp"
#include "messages/tool_call.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace mcp {

/// Of one connection.
class server_requests {
public:
  /// The questions outlive it.
  server_requests(std::string server, server_questions& questions, std::function<void(msg::spliced_text)> send)
    : server_(std::move(server)),
      questions_(questions),
      send_(std::move(send)) {}

  /// `request` is of `message`. `in`: the call in the middle of which it came; nothing: there is none, or it can not be
  /// told which: nobody is asked then, as nobody would know what for.
  void take(const message_view& request, const msg::document& message, const std::optional<asked_call>& in);
  /// notifications/cancelled: the server does not wait for that any more.
  void cancelled(const boost::json::object& params);
  /// No answer reaches it any more.
  void end() { open_.clear(); }

private:
  void ask(msg::question_kind kind, const message_view& request, const msg::document& message, const asked_call& in);
  void respond(const boost::json::value& id, msg::question_kind kind, const msg::document& params,
               const server_questions::answer& said);

  std::string server_;
  server_questions& questions_;
  std::function<void(msg::spliced_text)> send_;
  std::map<std::string, uint64_t> open_; ///< questions, by the text of the server's id
};

} // namespace mcp
