// One HTTP request to an MCP server and the messages that come of it: one in a body of JSON, any number in a stream of
// events.
#pragma once

#include "http/client.hpp"
#include "http/event_stream.hpp"
#include "process/common_budget.hpp"

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mcp {

/// A kind of body, as `Content-Type` names it.
enum class body_kind : uint8_t { none, json, events, other };
body_kind body_kind_of(const http::headers& fields);

struct exchange_event {
  std::string name; ///< of an event of a stream; empty: none, or it is no stream
  std::string data;

  /// Others are of streams that can be come back to, or of other protocols.
  bool is_message() const { return !data.empty() && (name.empty() || name == "message"); }
  /// That it takes while it waits, however short its texts are.
  size_t held_bytes() const { return sizeof(*this) + name.size() + data.size(); }
};

class http_exchange : public std::enable_shared_from_this<http_exchange> {
public:
  /// `unread`: for what has come and was not taken, of all servers together; may be null.
  http_exchange(const asio::any_io_executor& executor, std::shared_ptr<process::common_budget> unread);
  /// Gives up what is left of it.
  ~http_exchange();
  http_exchange(const http_exchange&) = delete;
  http_exchange& operator=(const http_exchange&) = delete;

  /// Once. Of an answer that is none of success, no more than a quote is kept.
  void start(http::client& by, http::client_request request);
  /// Instead: it is over, and that is what came of it.
  void answer(http::client_result result);
  /// Ends it at once: whoever waits goes on.
  void cancel();
  /// Ends it then, if it has not ended before: its server may go on for ever with what nobody waits for.
  void end_within(std::chrono::milliseconds time);

  using time_point = asio::steady_timer::time_point;

  /// Until the head is there, or there will be none; or until that time.
  asio::awaitable<void> until_head(time_point until = time_point::max());
  /// Of an answer that is no success: until its beginning is there, or is late.
  asio::awaitable<void> until_quote();
  /// The next message, in order; empty: there is no other. One caller at a time; what was not taken waits with the
  /// server.
  asio::awaitable<std::optional<exchange_event>> next();

  uint16_t status() const { return status_; } ///< 0: no head has come
  bool is_success() const { return status_ >= 200 && status_ < 300; }
  bool has_ended() const { return has_ended_; }
  /// False: the server has seen nothing of it yet.
  bool has_left() const { return has_ended_ || handle_.has_left(); }
  const http::headers& fields() const { return fields_; }
  body_kind kind() const { return kind_; }
  /// After the end: how it came.
  const http::client_result& result() const { return result_; }
  /// Of an answer that is no success: its beginning.
  const std::string& quote() const { return body_; }
  /// Why it was given up here; empty: it was not.
  const std::string& problem() const { return problem_; }
  const http::event_stream_parser& stream() const { return parser_; }

private:
  void take_head(uint16_t status, const http::headers& fields);
  void take_data(std::string_view bytes);
  void end(http::client_result result);
  void give_up(std::string problem);
  void tell_held();
  asio::awaitable<void> changed(time_point until = time_point::max());

  asio::steady_timer change_;
  asio::steady_timer end_;
  process::common_budget::part unread_;
  http::client_handle handle_;
  uint16_t status_ = 0;
  http::headers fields_;
  body_kind kind_ = body_kind::none;
  http::event_stream_parser parser_;
  std::deque<exchange_event> events_;
  size_t events_bytes_ = 0;
  std::string body_;
  bool is_paused_ = false;
  bool has_ended_ = false;
  http::client_result result_;
  std::string problem_;
};

} // namespace mcp
