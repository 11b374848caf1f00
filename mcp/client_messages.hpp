// Messages of one client, taken apart: requests, alone or in batches, answers to what it was asked, and what is no
// message. Knows no method but the word that a request is given up.
#pragma once

#include "mcp/client_questions.hpp"
#include "mcp/envelope.hpp"
#include "mcp/jsonrpc.hpp"
#include "mcp/replies.hpp"
#include "mcp/requests_in_flight.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace mcp {

/// Of what a client says of itself: all of `initialize`, or `_meta` of a request. The longest seen has 2 KiB.
inline constexpr size_t introduction_bytes_max = size_t{64} << 10;

class client_messages {
public:
  struct handlers {
    std::function<void(const incoming_request&)> request;
    /// All but notifications/cancelled.
    std::function<void(const message_view&, const msg::document&)> notification;
    /// The client, or who reads its stream, has given that request up: no answer is wanted.
    std::function<void(request_number, const request_in_flight&)> cancelled;
  };

  /// All of it outlives it.
  client_messages(handlers to, requests_in_flight& open, replies& answers, client_questions& questions)
    : to_(std::move(to)),
      open_(open),
      replies_(answers),
      questions_(questions) {}

  /// What comes of it goes to that stream.
  void receive(const msg::document& message, stream_number stream);
  /// See server_protocol::reject().
  void reject(int32_t code, std::string_view why, const msg::document& told);
  /// Nobody reads that stream any more: its requests are given up.
  void cancel_stream(stream_number stream);
  /// The number of a request that is answered later; 0: it has been refused.
  request_number open(const incoming_request& request);

  /// Who has shaken hands; null: nobody has.
  const std::shared_ptr<const requester>& client() const { return client_; }
  void shaken_hands(std::shared_ptr<const requester> by) { client_ = std::move(by); }

private:
  void receive_batch(const msg::document& message, stream_number stream);
  void receive_one(const msg::document& message, const reply_path& path);
  void take_cancellation(const message_view& notification, stream_number stream);

  handlers to_;
  requests_in_flight& open_;
  replies& replies_;
  client_questions& questions_;
  std::shared_ptr<const requester> client_;
};

/// Who has said nothing of itself.
const std::shared_ptr<const requester>& unknown_requester();

} // namespace mcp
