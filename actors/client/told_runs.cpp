#include "actors/client/told_runs.hpp"

#include "messages/limits.hpp"

#include <utility>

namespace client {

using msg::limits::progress_heartbeat;
using std::chrono::duration_cast;

namespace {

std::string calls_text(const msg::run_progress& p) {
  return std::to_string(p.calls_ended) + " of " + std::to_string(p.calls_started) + " tool calls done: " + p.message;
}

} // namespace

void told_runs::begin(uint64_t run, time_point now) { runs_.insert_or_assign(run, told_run{now, now, {}}); }

std::optional<told_runs::notice> told_runs::tell(told_run& run, std::string text, time_point now) {
  if (now == run.told)
    return {};
  run.told = now;
  auto elapsed = duration_cast<std::chrono::milliseconds>(now - run.begun);
  return notice{static_cast<double>(elapsed.count()) / 1'000, std::move(text)};
}

std::optional<told_runs::notice> told_runs::progressed(const msg::run_progress& progress, time_point now) {
  auto run = runs_.find(progress.run);
  if (run == runs_.end())
    return {};
  run->second.last = progress;
  return tell(run->second, calls_text(progress), now);
}

std::optional<told_runs::heartbeat> told_runs::beat(uint64_t number, time_point now) {
  auto found = runs_.find(number);
  if (found == runs_.end())
    return {};
  auto& run = found->second;
  heartbeat out;
  if (now - run.told >= progress_heartbeat) {
    auto seconds = std::to_string(duration_cast<std::chrono::seconds>(now - run.begun).count());
    out.said =
      tell(run, "running for " + seconds + " s" + (run.last.calls_started > 0 ? "; " + calls_text(run.last) : ""), now);
  }
  out.again = run.told + progress_heartbeat - now;
  return out;
}

} // namespace client
