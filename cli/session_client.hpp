// A client in the same process as its session: a verb asks as any other client does, and is held to the same.
#pragma once

#include "actors/client_wire.hpp"
#include "messages/actors.hpp"

#include <asio/awaitable.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <caf/actor_control_block.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace cli {

/// On the loop's thread. Can not be asked anything: it declares no capability.
class session_client {
public:
  /// `port`: see actors/bridge/ask.hpp. `name`: for the record.
  session_client(asio::io_context& io, caf::strong_actor_ptr port, std::string name);

  /// How its session sends to it.
  actors::client_wire wire();
  void serve(msg::client_connection_actor session) { session_ = std::move(session); }
  /// Introduces itself, and calls a tool of ours: a CallToolResult. The fault says what was answered instead, or that
  /// nothing was within `patience`. Once.
  asio::awaitable<msg::outcome<msg::document>> call_tool(std::string tool, boost::json::object arguments,
                                                         std::chrono::milliseconds patience);
  /// After the loop.
  void forget() { session_ = nullptr; }

private:
  void take(const mcp::outgoing& message);
  asio::awaitable<msg::fault> tell(boost::json::object message);

  caf::strong_actor_ptr port_;
  std::string name_;
  msg::client_connection_actor session_;
  asio::steady_timer answered_; ///< cancelled when there is an answer
  std::optional<msg::outcome<msg::document>> answer_;
};

} // namespace cli
