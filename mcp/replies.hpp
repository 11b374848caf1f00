// What goes to a client: which way, in which batch, and whether there is room for it.
#pragma once

#include "mcp/outgoing.hpp"
#include "mcp/requests_in_flight.hpp"
#include "messages/document.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace mcp {

class replies {
public:
  /// `room`: bytes that may wait to be read besides; empty: any number. `is_read`: false: what the client can do
  /// without is not sent; empty: all is.
  replies(std::function<void(outgoing)> send, std::function<size_t()> room, std::function<bool()> is_read)
    : send_(std::move(send)),
      room_(std::move(room)),
      is_read_(std::move(is_read)) {}

  /// Sends, or keeps until the last request of the batch is answered. An empty text only counts. `status`: of HTTP.
  void answer(const reply_path& path, msg::spliced_text text, uint16_t status = 200);
  /// The same for one whose answer there is no memory for. What waits of its batch is dropped.
  void answer_instead(const reply_path& path, msg::spliced_text text);
  /// The request waits until the client comes back with that `requestState`. Never in a batch.
  void park(const reply_path& path, msg::spliced_text text, std::string state) {
    send_({std::move(text), path.stream, outgoing::kind::answer, 200, std::move(state)});
  }
  void refuse(const incoming_request& request, const rpc_refusal& why) {
    answer(request.path, make_error(request.view.id, why.code, why.message, why.data));
  }
  void send(msg::spliced_text text, stream_number stream, outgoing::kind what) {
    send_({std::move(text), stream, what, 200, {}});
  }
  /// Answers of batches are part of what waits.
  size_t room() const;
  bool is_read() const { return !is_read_ || is_read_(); }
  /// Why it can not be sent; empty: it can.
  std::string problem_of_size(const msg::document& result, const reply_path& path) const;

private:
  std::function<void(outgoing)> send_;
  std::function<size_t()> room_;
  std::function<bool()> is_read_;
  size_t batched_bytes_ = 0; ///< of answers that wait for the rest of their batch
};

} // namespace mcp
