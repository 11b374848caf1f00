// Where a server is between two starts of its process, and which of its connections counts.
#pragma once

#include "messages/servers.hpp"

#include <chrono>
#include <cstdint>

namespace child {

/// What is told of it (msg::server_state) takes three of these for one.
enum class stage : uint8_t {
  idle,
  starting, ///< from its start until it has listed its tools
  ready,
  resting,     ///< being stopped because no caller needs it: who comes waits for the next start
  hung_up,     ///< it was ready, and ends by itself: who comes hears why when that is known
  stopping,    ///< for good
  backing_off, ///< it could not be started, or has died
  needs_login, ///< it wants to know who asks: who comes has it asked again
  unusable,    ///< its entry can not be started
};

/// Of one server; each has one connection at a time, and the processes of earlier ones may not have ended yet.
class lifecycle {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit lifecycle(stage first = stage::idle) : stage_(first) {}

  // ---- what happens
  /// A new connection; its number.
  uint64_t start(time_point now);
  void became_ready() { stage_ = stage::ready; }
  /// The start is given up: what its connection still reports is old.
  void start_failed();
  /// The same, for want of a login.
  void login_is_wanted();
  /// From here on it is not called. Only what is ready hangs up: all else ends in its own way.
  void hung_up();
  void rests() { stage_ = stage::resting; }
  void stops() { stage_ = stage::stopping; }
  /// It has ended as it was told to.
  void stopped() { stage_ = stage::idle; }
  void died() { stage_ = stage::backing_off; }
  /// Some connection, perhaps an old one, has reported that its process is gone.
  void process_ended() { --open_processes_; }

  // ---- how it is
  msg::server_state state() const;
  bool is(stage that) const { return stage_ == that; }
  /// Nothing runs, and nothing is about to: who needs it starts it.
  bool is_down() const;
  /// Number of the connection that counts; 0: there was none yet.
  uint64_t connection() const { return connection_; }
  uint32_t starts() const { return starts_; }
  bool has_process() const { return open_processes_ > 0; }
  /// 0: it is not being started. Else at least 1.
  std::chrono::milliseconds starting_for(time_point now) const;

private:
  stage stage_;
  uint64_t connection_ = 0;
  uint32_t starts_ = 0;
  uint32_t open_processes_ = 0; ///< connections that have not reported their end
  time_point starting_since_{};
};

} // namespace child
