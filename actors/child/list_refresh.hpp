// When the list of a server's tools is read again, and who waits for that: calls, and those who ask for the list.
#pragma once

#include "actors/child/call_intake.hpp"
#include "actors/child/lifecycle.hpp"
#include "actors/child/open_call.hpp"
#include "actors/child/server_link.hpp"
#include "actors/child/timer.hpp"
#include "actors/child/tool_review.hpp"
#include "actors/resilience/back_off.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace child {

/// So long the server has for its list when others wait for it: then they get the one before. Where changed tools are
/// held, calls wait for it.
inline constexpr std::chrono::milliseconds list_answer_max{2'000};

/// Pauses before a server is asked again to say when its tools change: some end their streams every minute, some at
/// once.
inline constexpr std::chrono::milliseconds listen_pause_first{1'000}, listen_pause_max{5 * 60'000};

/// What else is known of the server, and what is done with it.
struct refresh_parts {
  const lifecycle& life;
  server_link& link;
  tool_review& review;
  call_intake& calls;
};

class list_refresh {
public:
  using time_point = tool_review::time_point;

  /// `listing_max`: the server has for the whole of its list; then it has not answered.
  list_refresh(refresh_parts parts, std::chrono::milliseconds listing_max,
               std::function<void(timer, std::chrono::milliseconds after)> set_timer, std::function<time_point()> now);

  // ---- who needs it
  /// The call goes on, now or with a later list.
  void take(open_call call);
  /// Whether no list is read that was asked for after the last announcement.
  bool is_behind() const { return !parts_.review.is_read(parts_.review.last_change()); }
  /// `then` hears when one has been read; or when it could not be, or took too long.
  void wait(std::function<void()> then);
  bool has_waiting() const { return !waiting_.empty(); }

  // ---- what happens
  /// Another process is being started: it has none of the timers before.
  void process_started() { relist_at_ = time_point::max(); }
  /// The server says that its tools have changed.
  void announced();
  /// It says no more when they change, until it is asked again (timer `listening`).
  void listening_ended();
  /// Timer `relist`: it is time to read them.
  void read_in_time();
  /// A list has been read, or could not be, or has been reviewed: those that waited for it go on.
  void go_on();
  /// Timer `awaited_list`: some may have waited for too long.
  void end_late();
  /// Timer `listing`: the one that goes on may have had too long.
  void end_late_listing(const std::string& server);
  /// None comes any more.
  void give_up();

private:
  struct waiting {
    uint64_t change; ///< announcement that was the last one when it came
    time_point until;
    std::function<void()> then;
  };

  bool is_awaited() const { return parts_.calls.has_waiting() || has_waiting(); }
  std::chrono::milliseconds set_patience();
  void read_soon(bool others_wait);
  void read_if_announced();
  void read_after(std::chrono::milliseconds pause);
  void end_if(const std::function<bool(const waiting&)>& is_over);

  refresh_parts parts_;
  std::chrono::milliseconds listing_max_;
  std::function<void(timer, std::chrono::milliseconds after)> set_timer_;
  std::function<time_point()> now_;
  std::vector<waiting> waiting_;
  time_point listing_until_{};
  time_point relist_at_ = time_point::max(); ///< none is set
  resilience::back_off listen_pause_{listen_pause_first, listen_pause_max};
};

} // namespace child
