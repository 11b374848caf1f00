// The end of a run's time, and of its patience with servers that do not start.
#include "actors/execution.hpp"
#include "messages/limits.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

using msg::errc;
using std::chrono::milliseconds;

namespace {

/// How long the connector may take to say what starts. It answers at once; the run's answer is due 200 ms after the deadline.
constexpr milliseconds starts_timeout{100};
/// Calls that it is asked about; they are the oldest.
constexpr size_t asked_about_max = 100;

} // namespace

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
  auto now = self_->clock().now();
  if (ended_ || open_.empty() || !time_.is_nearly_over(now))
    return;
  ask_what_starts([this, now](const std::vector<waiting>& calls) {
    for (auto& [id, call] : calls) {
      auto why = time_.gives_up(call, now);
      auto open = open_.find(id);
      if (!why || open == open_.end() || ended_)
        continue;
      if (!open->second.server.empty())
        self_->send(options_.connector, msg::cancel_atom::value, open->second.server, msg::call_key{request_.id, id});
      settle(id, std::move(*why));
    }
  });
}

void execution_state::time_is_over() {
  if (ended_ || !time_.is_over(self_->clock().now()))
    return;
  ask_what_starts([this](const std::vector<waiting>& calls) {
    proxy::waited_for open;
    for (auto& each : calls)
      open.calls.push_back(each.call);
    open.others = asked_.size() - std::min(asked_.size(), open_.size());
    auto why = proxy::time_out_text(request_.timeout_ms, static_cast<uint64_t>(options_.timeout_max.count()), open);
    finish({msg::run_status::timeout, run::reason(errc::run_timeout, std::move(why)), 1});
  });
}

} // namespace actors
