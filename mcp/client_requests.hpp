// What the server asks of its client: requests in the other direction, each answered once.
#pragma once

#include "mcp/jsonrpc.hpp"
#include "mcp/outgoing.hpp"
#include "messages/client_abilities.hpp"
#include "messages/errors.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace mcp {

/// Without an answer at once. As many runs may go on, and each of them asks one thing after the other or a few at a
/// time.
inline constexpr size_t requests_to_client_max = 200;

/// From the `capabilities` of a client; what is no object has none.
msg::client_abilities read_abilities(const boost::json::value* capabilities);

class client_requests {
public:
  /// The client's result, its error as `model_failed`, or `protocol_violation` for what is no response. Called from
  /// within receive().
  using answered = std::function<void(msg::outcome<msg::document>)>;

  /// `room`: bytes that may wait to be read besides.
  client_requests(std::function<void(outgoing)> send, std::function<size_t()> room)
    : send_(std::move(send)),
      room_(std::move(room)) {}

  /// On the stream of what it is asked for. The number of the request; 0: too many are open, or too much waits to be
  /// read, and `done` is dropped.
  uint64_t ask(std::string_view method, const msg::document& params, stream_number stream, answered done);
  /// The same for who hands on what the client says, with codes and all. Without a proper response `response` is null,
  /// and `problem` says why.
  using replied =
    std::function<void(const message_view* response, const msg::document& message, const std::string& problem)>;
  uint64_t relay(std::string_view method, const msg::document& params, stream_number stream, replied done);
  size_t open_count() const { return open_.size(); }
  /// Tells the client that the run waits no more; its answer is not looked at. Nothing happens if it was answered.
  void cancel(uint64_t number, std::string_view reason);
  /// A response of the client. What answers nothing is ignored: it may have been cancelled.
  void receive(const msg::document& message, const message_view& response);
  /// A message with that id that is no proper response: the run that waits hears of `problem` at once. False: none
  /// waits for it.
  bool fail(const boost::json::value& id, const std::string& problem);

private:
  struct question {
    stream_number stream = 0;
    replied done;
  };
  replied take(const boost::json::value& id);

  std::function<void(outgoing)> send_;
  std::function<size_t()> room_;
  uint64_t last_number_ = 0;
  std::map<uint64_t, question> open_;
};

} // namespace mcp
