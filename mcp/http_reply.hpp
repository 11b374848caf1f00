// The response to one request of a client: a JSON text, or a stream of events once there is more to tell than the
// answer.
#pragma once

#include "http/server.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace mcp {

class http_reply {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `fields`: of the response.
  http_reply(std::shared_ptr<http::exchange> to, http::headers fields, time_point now)
    : to_(std::move(to)),
      fields_(std::move(fields)),
      told_(now) {}

  /// The stream begins with it, if it has not begun. An empty id: the event has none.
  void event(std::string_view id, std::string_view text, time_point now);
  /// Begins the stream, with a place to come back to if there is an id.
  void begin(std::string_view id, time_point now);
  /// Nothing that counts: the connection is in use.
  void keep_alive(time_point now);
  /// The last one. JSON with that status, if no stream has begun.
  void answer(std::string_view id, std::string text, time_point now, uint16_t status = 200);
  /// Nothing more comes: 202 if nothing came at all.
  void end();
  /// The same for who waits for an answer: 503 if nothing came at all.
  void give_up();
  /// Breaks the connection off.
  void abort() { to_->abort(); }

  bool is_stream() const { return is_stream_; }
  /// When something was told last, or it was asked.
  time_point told() const { return told_; }
  size_t unsent_bytes() const { return to_->unsent_bytes(); }

private:
  std::shared_ptr<http::exchange> to_;
  http::headers fields_;
  time_point told_;
  bool is_stream_ = false;
};

/// A response with a JSON text.
http::response json_response(uint16_t status, std::string text, http::headers fields);

} // namespace mcp
