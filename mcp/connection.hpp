// A connection to an MCP server, whatever carries it.
#pragma once

#include "mcp/request_labels.hpp"
#include "mcp/secret_mask.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"

#include <asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace mcp {

/// What a connection tells its owner. The awaitable ones make the reader wait until the owner has dealt with it; if
/// they throw, the owner never will, and the connection is closed.
struct connection_events {
  /// `during`: the key of the request on whose answer's stream it came; 0: it came otherwise, or that is not told.
  std::function<asio::awaitable<void>(msg::document, uint64_t during)> received;
  /// A line that is no JSON: its beginning.
  std::function<asio::awaitable<void>(std::string)> non_protocol_line;
  /// The peer has hung up, or is dead: nothing can be sent any more, and `closed` follows when the rest is read. At
  /// most once; may be empty.
  std::function<void()> ending;
  /// Last event, exactly once: server_died or protocol_violation. The message is the rest of a sentence that begins
  /// with the server's name.
  std::function<void(msg::fault)> closed;
  /// The server may have said what nobody has heard: that its tools are others, say. May be empty.
  std::function<asio::awaitable<void>()> missed = {};
  /// Of the text of what is received; kept for an owner that passes it on.
  msg::spelling text_is = msg::spelling::ours;
};

class connection {
public:
  virtual ~connection() = default;
  /// False when the queue is full. To a peer that ends all counts as sent: `closed` tells what becomes of it. By its
  /// `key`, which no other one that waits has, the message may be taken back; 0: it has none.
  /// `labels`: for what says them.
  virtual bool send(msg::spliced_text message, uint64_t key, request_labels labels) = 0;
  /// Nobody waits for an answer to the message: it is not sent after all. False: it has begun to leave, and goes.
  virtual bool take_back(uint64_t key) = 0;
  /// For so long the peer has read nothing of what was sent, as far as we know. 0: it reads, or there is nothing.
  virtual std::chrono::milliseconds unread_for() = 0;
  /// Whether it has read anything of what it was sent, as far as we know. Also after its end.
  virtual bool was_heard() { return true; }
  /// Whether it says labels.
  virtual bool says_labels() const { return false; }
  /// What takes the peer's own secrets, as they are now, out of a text. On any thread, also when this has ended.
  virtual masking mask() const = 0;
  /// Without what of the peer's own secrets is in it.
  std::string masked(std::string text) const { return mask()(std::move(text)); }
  /// Where it says what is no message, for the log.
  virtual std::string_view voice() const { return "on its stdout"; }
  /// Why a person has to log in, as the peer has refused us last: a sentence. Empty: nobody has to.
  virtual std::string login_wanted() const { return {}; }
  /// Ends in order: what is queued is sent, then the peer may end by itself, then it is made to. `closed` tells the
  /// end.
  virtual void stop() = 0;
  /// Ends at once.
  virtual void kill() = 0;
};

} // namespace mcp
