// The record: gathers what happened for a moment and has it written elsewhere, because the disk may be slow or full. No
// actor waits for it, and nothing it can not do stops an actor.
#pragma once

#include "actors/reply_promise.hpp"
#include "audit/log.hpp"
#include "messages/actors.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace actors {

using audit_batch = std::shared_ptr<const std::vector<msg::audit_event>>;
/// Writes a batch on another thread; `done` is called on the main thread, once.
using background_audit = std::function<void(audit_batch, std::function<void(audit::write_report)> done)>;

struct audit_log_options {
  background_audit write; ///< empty: nothing is written, only counted
  std::string place;      ///< folder or file, for its status
  size_t events_max = 0;  ///< waiting
  size_t bytes_max = 0;   ///< of programs and arguments among them
};

class audit_log_state {
public:
  static inline const char* name = "audit_log";

  explicit audit_log_state(msg::audit_log_actor::pointer self) : self_(self) {}
  msg::audit_log_actor::behavior_type make_behavior(audit_log_options options);

private:
  void take(msg::audit_event& event);
  void count(const msg::audit_event& event);
  void write_later();
  void write();
  audit_batch next_batch();
  void written(uint64_t events, const std::string& problem);
  void hear_of_lock();
  void answer_finished();
  msg::audit_status status() const;

  msg::audit_log_actor::pointer self_;
  audit_log_options options_;
  std::deque<msg::audit_event> queue_;
  size_t queue_bytes_ = 0;
  audit_batch batch_;       ///< with the worker, or to be tried again; null: none
  uint64_t batch_lost_ = 0; ///< that its first line tells of
  bool is_writing_ = false;
  bool will_write_ = false;
  uint64_t written_ = 0;
  uint64_t lost_ = 0;
  uint64_t lost_untold_ = 0; ///< that no line tells of yet
  std::string last_error_;
  std::optional<caf::actor_clock::time_point> locked_since_; ///< by another process; nothing: it was not, last
  msg::audit_counts counts_;
  std::vector<reply_promise<bool>> want_finish_;
};

msg::audit_log_actor::behavior_type audit_log(msg::audit_log_actor::stateful_pointer<audit_log_state> self,
                                              audit_log_options options);

} // namespace actors
