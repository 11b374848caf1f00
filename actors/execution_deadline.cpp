// The end of a run's time, and of its patience with servers that do not start.
#include "actors/execution.hpp"
#include "messages/limits.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

using msg::errc;
using msg::fault;
using std::chrono::milliseconds;

namespace {

/// How long the connector may take to say what starts. It answers at once; the run's answer is due 200 ms after the deadline.
constexpr milliseconds starts_timeout{100};
/// Calls that it is asked about; they are the oldest.
constexpr size_t asked_about_max = 100;
/// Before the end, so that the program can still make something of it.
constexpr milliseconds patience_margin_max{5'000};

milliseconds patience_of(uint32_t timeout_ms) { return milliseconds{timeout_ms} - std::min(milliseconds{timeout_ms / 5}, patience_margin_max); }

} // namespace

void execution_state::set_deadline() {
  self_->delayed_send(self_, patience_of(request_.timeout_ms), msg::nearly_over_atom::value);
  self_->delayed_send(self_, milliseconds{request_.timeout_ms}, msg::deadline_atom::value);
}

/// The oldest open calls, with what is known of the start of their servers.
void execution_state::ask_what_starts(std::function<void(std::vector<waiting>)> then) {
  std::vector<waiting> calls;
  calls.reserve(open_.size());
  for (auto& [id, call] : open_)
    calls.push_back({id, {call.full_name, "", static_cast<uint64_t>(time_since(call.started).count() / 1'000), 0, {}, 0}});
  std::stable_sort(calls.begin(), calls.end(), [](auto& a, auto& b) { return a.call.waited_ms > b.call.waited_ms; });
  std::vector<msg::tool_ref> refs;
  refs.reserve(std::min(calls.size(), asked_about_max));
  for (auto& each : calls)
    if (refs.size() < asked_about_max)
      refs.push_back({each.call.name, "", "", msg::child_method::call_tool, request_.id});
  if (refs.empty())
    return then(std::move(calls));
  auto shared = std::make_shared<std::vector<waiting>>(std::move(calls));
  self_->request(options_.connector, starts_timeout, msg::phase_atom::value, std::move(refs))
    .then(
      [shared, then](const std::vector<msg::server_start>& starts) {
        for (size_t i = 0; i < starts.size() && i < shared->size(); ++i) {
          auto& call = (*shared)[i].call;
          call.server = starts[i].server;
          call.starting_ms = starts[i].since_ms;
          call.printed = starts[i].printed;
          call.unread_ms = starts[i].unread_ms;
        }
        then(std::move(*shared));
      },
      [shared, then](caf::error&) { then(std::move(*shared)); });
}

/// A server that hangs at its start costs the calls that wait for it, and not the program.
void execution_state::lose_patience() {
  if (ended_ || open_.empty() || !is_time(patience_of(request_.timeout_ms)))
    return;
  auto elapsed_ms = static_cast<uint64_t>(time_since(started_).count() / 1'000);
  ask_what_starts([this, elapsed_ms](const std::vector<waiting>& calls) {
    for (auto& [id, call] : calls) {
      auto open = open_.find(id);
      if (call.starting_ms == 0 || call.starting_ms * 2 < elapsed_ms || open == open_.end() || ended_)
        continue;
      if (!open->second.server.empty())
        self_->send(options_.connector, msg::cancel_atom::value, open->second.server, msg::call_key{request_.id, id});
      auto why = "server '" + call.server + "' has been starting for " + proxy::seconds_text(call.starting_ms)
                 + " and has not said yet what it can do; the time of this run is nearly over (timeoutMs " + std::to_string(request_.timeout_ms)
                 + "). It goes on starting (servers.startTimeoutMs): call it again in a later run, or ask for more time";
      settle(id, fault{errc::server_start_failed, std::move(why)}.at(call.server));
    }
  });
}

/// Of a guest that did not live to have the program, the clock began anew.
bool execution_state::is_time(milliseconds after) const { return self_->clock().now() >= started_ + after; }

/// Of a call that is made now.
uint32_t execution_state::patience_ms() const {
  auto end = started_ + patience_of(request_.timeout_ms);
  return static_cast<uint32_t>(std::max<int64_t>(1, std::chrono::duration_cast<milliseconds>(end - self_->clock().now()).count()));
}

void execution_state::time_is_over() {
  if (ended_ || !is_time(milliseconds{request_.timeout_ms}))
    return;
  ask_what_starts([this](const std::vector<waiting>& calls) {
    proxy::waited_for open;
    for (auto& each : calls)
      open.calls.push_back(each.call);
    open.others = asked_.size() - std::min(asked_.size(), open_.size());
    msg::program_error why;
    why.code = errc::run_timeout;
    why.message = proxy::time_out_text(request_.timeout_ms, static_cast<uint64_t>(options_.timeout_max.count()), open);
    finish({msg::run_status::timeout, std::move(why), 1});
  });
}

} // namespace actors
