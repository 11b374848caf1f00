// Calls of a server on their way to being sent: they wait until it has shaken hands and what it has announced to list
// is known, and are held against that.
#pragma once

#include "actors/child/calls_in_flight.hpp"
#include "actors/child/known_tools.hpp"
#include "actors/child/lifecycle.hpp"
#include "actors/child/open_call.hpp"
#include "actors/child/restart_policy.hpp"
#include "actors/child/tool_review.hpp"
#include "process/background.hpp"
#include "proxy/contract.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace child {

/// What else is known of the server.
struct intake_rules {
  const lifecycle& life;
  const tool_review& review;
  known_tools& tools;
  restart_policy& restarts; ///< hears of calls that are not made after all
};

class call_intake {
public:
  /// By way of it the owner hears, in its own time, that checked() is to be called. It may be called after the end of
  /// this.
  using tell_checked = std::function<void(msg::call_key, msg::fault problem)>;

  /// `teller` is asked for one for each check on another thread, which holds it until it is done. `next` gets what may
  /// be sent.
  call_intake(std::string server, process::background_work offload, intake_rules rules,
              std::function<tell_checked()> teller, calls_in_flight& next);

  /// Of all calls of the server, here and with `next`.
  size_t open_calls() const { return waiting_.size() + checking_.size() + next_.size(); }
  bool has_waiting() const { return !waiting_.empty(); }

  /// errc::none: one more may come.
  msg::fault refusal() const;
  /// Checks it, now or when release() says so. What the tool does not take never reaches the server.
  void take(open_call call);
  /// Those that waited go on, unless what the server lists is being reviewed. One that came after an announcement waits
  /// for a list that was asked for after it, or as long as it does.
  void release(tool_review::time_point now);
  /// What another thread has found; errc::none: the tool takes what it was given.
  void checked(msg::call_key key, msg::fault problem);

  // ---- no caller waits any more, wherever the calls are: here, or with `next`
  void cancel(msg::call_key key);
  void run_over(uint64_t run);
  /// All that were not sent.
  void fail_all(const msg::fault& why);

private:
  /// Another thread looks at its arguments, or has, and those of one that came before it are still looked at.
  struct open_check {
    open_call call;
    std::shared_ptr<std::atomic<bool>> is_wanted;
    std::shared_ptr<proxy::taken_arguments> taken;
    bool is_done = false;
    msg::fault problem = {};
  };
  /// Calls of a run to one tool leave in the order in which they came, whatever their checks take.
  using line_name = std::pair<uint64_t, std::string>;
  static line_name line_of(const open_call& call) { return {call.key().run, call.call.tool}; }

  void pass_on_checked(const line_name& line);
  void settle(open_check checked);
  void check(open_call call);
  void check_elsewhere(open_call call, std::shared_ptr<const proxy::contract> contract);
  void pass_on(open_call call, msg::fault problem);
  void give_back(const open_call& call, msg::fault why);
  bool cancel_here(msg::call_key key, const msg::fault& why);

  std::string server_;
  process::background_work offload_;
  intake_rules rules_;
  std::function<tell_checked()> teller_;
  calls_in_flight& next_;
  std::vector<open_call> waiting_; ///< in the order in which they came
  std::map<msg::call_key, open_check> checking_;
  std::map<line_name, std::deque<msg::call_key>> lines_; ///< of those in checking_; of others that have left it
};

} // namespace child
