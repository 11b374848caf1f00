// The tool calls of a run, from the program's wish to its answer: what is refused, who is asked, what is counted,
// learned and told.
#pragma once

#include "actors/run/consents.hpp"
#include "actors/run/held_bytes.hpp"
#include "actors/run/learning.hpp"
#include "actors/run/notes.hpp"
#include "actors/run/open_call.hpp"
#include "actors/run/open_requests.hpp"
#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/run.hpp"
#include "messages/servers.hpp"
#include "messages/tool_call.hpp"
#include "proxy/call_tracker.hpp"
#include "proxy/failing_calls.hpp"
#include "proxy/guest_frames.hpp"
#include "proxy/time_out.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace actors::run {

/// What the calls of a run need of others. What is called `then` is called once, later or at once, and never after the
/// calls are gone.
struct call_routes {
  std::function<time_point()> now;
  /// The rest of the message is the run's, and not known here.
  std::function<void(msg::tool_request, std::function<void(msg::outcome<msg::tool_result>)> then)> call;
  /// Whether the person can be asked to log in; null, and so is the next: nobody can.
  std::function<bool()> may_log_in;
  /// Has the person asked to log in at that server. errc::none: there is a login; a fault without a message: nobody was
  /// asked.
  std::function<void(const std::string& server, std::function<void(msg::fault)> then)> log_in;
  /// The run does not wait for that call any more.
  std::function<void(uint64_t id)> cancel;
  /// Makes it on another thread: the answer, or why it could not be made.
  std::function<void(std::function<msg::outcome<msg::document>()> make,
                     std::function<void(msg::outcome<msg::document>)> then)>
    elsewhere;
  /// A result to learn from.
  std::function<void(msg::tool_ref, const msg::document&)> observe;
  /// Null: nothing is recorded.
  std::function<std::shared_ptr<kept_arguments>(const msg::document&)> keep;
  /// A call has ended, and how; errc::none: in success.
  std::function<void(const open_call&, const msg::fault&)> record;
  /// A call is open no longer; may be null.
  std::function<void(uint64_t id)> ended;
  /// A call has been open for a while. Null, and so is the next: nothing is recorded.
  std::function<void(const open_call&)> record_open;
  /// record_long_open() is to be called then.
  std::function<void(std::chrono::milliseconds)> look_again;
  /// A call that needs consent: errc::none, or why it is not made. Null: none needs any.
  std::function<void(wanted_consent, std::function<void(msg::fault)> then)> ask_consent;
  /// What a listener may hear. The number of the run is not known here.
  std::function<void(msg::run_progress)> progress;
};

struct call_limits {
  uint32_t calls_max = 0;         ///< runs.maxToolCalls
  uint32_t same_failures_max = 0; ///< runs.maxSameFailures
};

/// An open call, by its id.
struct waiting {
  uint64_t id = 0;
  msg::tool_ref tool;
  proxy::waiting_call call;
};
/// Open calls whose servers are asked for; the first, which are the oldest.
inline constexpr size_t starts_asked_max = 100;
std::vector<msg::tool_ref> tools_of(const std::vector<waiting>& calls, uint64_t run);
/// `starts`: of these tools, in their order.
void add_starts(std::vector<waiting>& calls, const std::vector<msg::server_start>& starts);

class tool_calls {
public:
  /// Spellings of tools whose meaning is kept, and bytes of spelling and meaning.
  static constexpr size_t meanings_max = 1'000, meaning_bytes_max = 512;

  /// The references outlive this.
  tool_calls(call_limits limits, open_requests& requests, held_bytes& held, notes& told, call_routes routes)
    : limits_(limits),
      requests_(requests),
      held_(held),
      notes_(told),
      routes_(std::move(routes)) {}

  void begin(proxy::guest_call call);
  /// Calls that have been open for limits::audit_open_after and were not told yet.
  void record_long_open();
  /// Of an open call, instead of the answer of its server. Nothing if it has ended.
  void give_up(uint64_t id, msg::fault why);
  /// The run has ended. What comes from now on counts, and is no answer any more.
  void stop() { is_over_ = true; }
  /// Of those of which nothing has been heard by now it is not known whether they had been sent.
  void end_all();

  bool is_any_open() const { return !open_.empty(); }
  size_t open_count() const { return open_.size(); }
  /// All open calls, the oldest first.
  std::vector<waiting> waiting_calls() const;
  /// That call is on its way, and means that tool.
  void hear(uint64_t id, const msg::tool_info& meant);
  /// A server tells how far a call is.
  void hear(const msg::tool_progress& progress) const;
  /// Of a program that ends, well or not, before the calls that it has made: no reader would hear of those, nor that
  /// they may be carried out. Empty: none are open.
  std::string given_up_text() const;
  std::vector<msg::tool_stats> take_statistics() { return std::move(tracker_).take(); }

private:
  /// A tool_ref's names and method.
  using spelling = std::tuple<std::string, std::string, std::string, msg::child_method>;
  /// Which tool a program means by what it has written.
  struct meaning {
    std::string server, full_name;
  };

  /// A call that the record has not heard of.
  struct young_call {
    uint64_t id = 0;
    time_point begun{};
  };

  open_call opened(const proxy::guest_call& call) const;
  void means(open_call& call, const std::string& server, const std::string& tool);
  void send(uint64_t id, msg::document arguments);
  void want_consent(uint64_t id, msg::fault where);
  void returned(uint64_t id, msg::outcome<msg::tool_result> result);
  bool waits_for_login(uint64_t id, const msg::fault& why);
  void logged_in(uint64_t id, msg::fault refused, const msg::fault& why);
  void settle(uint64_t id, msg::outcome<msg::document> answer);
  void tell_ended(uint64_t id) const;
  void tell_progress(std::string text) const;
  void count(const open_call& call, const msg::outcome<msg::document>& answer);
  void end(uint64_t id, const msg::fault& why);
  void fail(const open_call& call, std::chrono::microseconds took, const msg::fault& why);
  std::chrono::microseconds time_since(time_point then) const;

  call_limits limits_;
  open_requests& requests_;
  held_bytes& held_;
  notes& notes_;
  call_routes routes_;
  std::map<uint64_t, open_call> open_;
  std::deque<young_call> young_; ///< the oldest first, with some that have ended; someone looks while there are any
  std::map<spelling, meaning> meanings_; ///< as the last answers were about them
  uint32_t begun_ = 0;
  uint32_t ended_ = 0;
  bool is_over_ = false;
  proxy::call_tracker tracker_;
  proxy::failing_calls failing_;
  learning learning_;
};

} // namespace actors::run
