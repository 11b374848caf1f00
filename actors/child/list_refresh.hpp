// When the list of a server's tools is read again, and who waits for that: calls, and those who ask for the list.
#pragma once

#include "actors/child/call_intake.hpp"
#include "actors/child/lifecycle.hpp"
#include "actors/child/open_call.hpp"
#include "actors/child/server_link.hpp"
#include "actors/child/timer.hpp"
#include "actors/child/tool_review.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace child {

/// So long the server has for its list when others than calls wait for it: then they get the one before.
inline constexpr std::chrono::milliseconds list_answer_max{2'000};

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

  list_refresh(refresh_parts parts, std::function<void(timer, std::chrono::milliseconds after)> set_timer,
               std::function<time_point()> now);

  // ---- who needs it
  /// The call goes on, now or with a later list.
  void take(open_call call);
  /// Whether no list is read that was asked for after the last announcement.
  bool is_behind() const { return !parts_.review.is_read(parts_.review.last_change()); }
  /// `then` hears when one has been read; or when it could not be, or took too long.
  void wait(std::function<void()> then);
  bool has_waiting() const { return !waiting_.empty(); }

  // ---- what happens
  /// The server says that its tools have changed.
  void announced();
  /// Timer `relist`: it is time to read them.
  void read_if_announced();
  /// A list has been read, or could not be, or has been reviewed: those that waited for it go on.
  void go_on();
  /// Timer `awaited_list`: some may have waited for too long.
  void end_late();
  /// None comes any more.
  void give_up();

private:
  struct waiting {
    uint64_t change; ///< announcement that was the last one when it came
    time_point until;
    std::function<void()> then;
  };

  bool is_awaited() const { return parts_.calls.has_waiting() || has_waiting(); }
  void read_soon(bool others_wait);
  void end_if(const std::function<bool(const waiting&)>& is_over);

  refresh_parts parts_;
  std::function<void(timer, std::chrono::milliseconds after)> set_timer_;
  std::function<time_point()> now_;
  std::vector<waiting> waiting_;
};

} // namespace child
