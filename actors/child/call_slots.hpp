// How many calls a server has at once, and for how long one that no caller waits for any more keeps its slot.
#pragma once

#include "messages/tool_call.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace child {

/// A call that was sent and is given up keeps its slot for so long, if the server does not answer it: many go on with
/// what they have begun, and would get ever more to do at once. The protocol wants no answer to what is cancelled, and
/// who follows it says nothing: others get the slot when this is over, well within the time that a run has, and half
/// of all slots before that (call_slots::is_free()).
inline constexpr std::chrono::seconds given_up_slot_max{5};
/// Of the slots, one in `runs_share` is for calls of runs that have no other one at the server, and of all one in
/// `clients_share` for those of clients that have none there. Where there are fewer than `shared_slots_min`, one run
/// may have them all.
inline constexpr size_t runs_share = 4, clients_share = 8, shared_slots_min = 8;

/// Of one server. The caller brings the clock, which never goes back.
class call_slots {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit call_slots(size_t at_once_max) : at_once_max_(at_once_max) {}

  /// Whether the server may have one more call of that run, which is of that client. Most servers are done with what is
  /// given up, and none says so: half of the slots, and the last one, are for those that a caller waits for. A run
  /// whose calls are not answered does not take the server away from all others, nor does a client with many of them:
  /// the last slots are for those that have none there (runs_share, clients_share).
  bool is_free(uint64_t run, uint64_t client) const;
  /// A call is sent, for a caller that waits for it.
  void take(uint64_t run, uint64_t client);
  /// It is answered, or given up.
  void free(uint64_t run, uint64_t client);

  /// A call is given up, and the server is told.
  void keep(msg::call_key key, time_point now);
  bool is_kept(msg::call_key key) const { return given_up_.contains(key); }
  /// The server has answered it after all. False: its slot was free already.
  bool give_back(msg::call_key key) { return given_up_.erase(key) > 0; }
  /// Of those that have had theirs for long enough.
  void give_back_old(time_point now);
  /// Another process has none of those that were given up.
  void clear() { given_up_.clear(); }
  /// When the next one has had its slot for long enough; none: no slot is kept.
  std::optional<time_point> next_end() const;

private:
  using counts = std::map<uint64_t, size_t>; ///< none is 0

  size_t at_once_max_;
  size_t taken_ = 0;                             ///< by calls that a caller waits for
  counts runs_, clients_;                        ///< that have taken them
  std::map<msg::call_key, time_point> given_up_; ///< until when each keeps its slot
};

} // namespace child
