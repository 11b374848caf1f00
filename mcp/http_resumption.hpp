// When a stream of events that has ended is asked for again, and from where. Knows no time and no socket.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace mcp {

/// A stream, or what came in its place.
struct ended_stream {
  uint16_t status = 0;       ///< 0: there was no answer
  bool is_stream = false;    ///< of events
  bool has_messages = false; ///< some came
  std::string last_id;       ///< empty: none
  std::optional<std::chrono::milliseconds> retry;
};

/// So often without news, as long as the server does not refuse it for good.
inline constexpr int http_resumptions_max = 5;

/// What a stream is read for.
enum class awaited : uint8_t {
  answer,  ///< to a call: somebody waits
  anything ///< that the server says by itself: streams may end without it, again and again
};

class http_resumption {
public:
  explicit http_resumption(awaited what) : what_(what) {}

  void ended(const ended_stream& how);
  /// Where the rest of the same stream begins (Last-Event-ID); empty: nobody knows.
  const std::string& last_id() const { return last_id_; }
  /// False: it is of no use. Where nobody waits, an outage of hours ends at some time, too.
  bool goes_on() const { return !is_refused_ && (what_ == awaited::anything || tries_ < http_resumptions_max); }
  std::chrono::milliseconds pause() const;
  /// After so long, instead of pause(), if something else shows that the server works.
  std::chrono::milliseconds hurried_pause() const;
  /// It was asked for after that: each time that it is of no use, the next one is longer.
  void hurried() { ++hurries_; }

private:
  awaited what_;
  std::optional<std::chrono::milliseconds> retry_;
  std::string last_id_;
  int tries_ = 0;   ///< without news
  int quiet_ = 0;   ///< ends without a message between them
  int hurries_ = 0; ///< without news
  bool is_refused_ = false;
};

} // namespace mcp
