// What a client that asked for it hears while a run goes on.
#include "actors/client_session.hpp"
#include "messages/limits.hpp"

#include <caf/all.hpp>

namespace actors {

namespace limits = msg::limits;
using std::chrono::duration_cast;

namespace {

std::string calls_text(const msg::run_progress& p) {
  return std::to_string(p.calls_ended) + " of " + std::to_string(p.calls_started) + " tool calls done: " + p.message;
}

} // namespace

/// From the request on: it may wait for a place first.
void client_session_state::begin_progress(number n) {
  auto now = self_->clock().now();
  told_.insert_or_assign(n, told_run{now, now, {}});
  self_->delayed_send(self_, limits::progress_heartbeat, msg::tick_atom::value, n);
}

void client_session_state::progressed(const msg::run_progress& p) {
  auto run = told_.find(p.run);
  if (run == told_.end())
    return;
  run->second.last = p;
  tell_progress(run->first, run->second, calls_text(p));
}

/// The protocol wants a number that rises, with or without calls: seconds do.
void client_session_state::tell_progress(number n, told_run& run, const std::string& what) {
  auto now = self_->clock().now();
  if (now == run.told)
    return;
  run.told = now;
  protocol_->progress(n, static_cast<double>(duration_cast<std::chrono::milliseconds>(now - run.started).count()) / 1'000, what);
}

/// Clients give up a request of which they hear nothing.
void client_session_state::still_running(number n) {
  auto run = told_.find(n);
  if (run == told_.end())
    return;
  auto& [started, told, last] = run->second;
  auto now = self_->clock().now();
  if (now - told >= limits::progress_heartbeat) {
    auto seconds = std::to_string(duration_cast<std::chrono::seconds>(now - started).count());
    tell_progress(n, run->second, "running for " + seconds + " s" + (last.calls_started > 0 ? "; " + calls_text(last) : ""));
  }
  self_->delayed_send(self_, told + limits::progress_heartbeat - now, msg::tick_atom::value, n);
}

} // namespace actors
