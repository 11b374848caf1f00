// How much and how often: runs, servers, rates.
#include "config/settings_parts.hpp"

#include <algorithm>

namespace config {

namespace limits = msg::limits;
using msg::errc;
using std::chrono::milliseconds;

namespace {

constexpr uint64_t requests_per_window_max = 1'000'000;

void read_rate(section s, const char* what, msg::rate_limit& to) {
  s.integer({"maxRequests", what}, 1, requests_per_window_max, to.requests);
  s.integer({"windowMs", "the time for that many, in ms"}, 1'000, 86'400'000, to.window_ms);
}

} // namespace

void read_runs(section runs, section security, run_settings& to) {
  runs.integer({"maxConcurrent", "runs at once", "POOL_MAX_CONCURRENT"}, 1, 1'000, to.at_once_max);
  runs.integer({"queueSize", "runs that wait for a place", "POOL_QUEUE_SIZE"}, 0, 1'000, to.queued_max);
  runs.milliseconds({"queueTimeoutMs", "how long they wait, in ms", "POOL_QUEUE_TIMEOUT_MS"}, 1'000,
                    msg::limits::run_queue_wait_most.count(), to.queue_wait_max);
  runs.integer({"maxToolCalls", "tool calls of one run"}, 1, 1'000'000, to.tool_calls_max);
  runs.integer({"maxSameFailures", "a call that failed so often with the same arguments is not made again in that run"},
               1, 1'000, to.same_failures_max);
  runs.mebibytes({"maxHeldMb", "what the server holds for one run, in MiB: open requests, answers that are not read, "
                               "what is printed and displayed"},
                 64, 1'048'576, to.held_bytes_max);
  runs.milliseconds({"questionTimeoutMs",
                     "time that the user has to answer what a server asks in the middle of a call, in ms: "
                     "the time of the run stands still"},
                    1'000, static_cast<uint64_t>(msg::question_wait_max.count()), to.question_wait);

  auto least = static_cast<uint64_t>(limits::run_timeout_min.count()),
       most = static_cast<uint64_t>(limits::run_timeout_max.count());
  security.milliseconds({"defaultTimeoutMs", "time of a run that asks for none, in ms"}, least, most, to.timeout);
  security.milliseconds({"maxTimeoutMs", "time that a run may ask for at most, in ms"}, least, most, to.timeout_max);
  if (security.has("defaultTimeoutMs") && to.timeout > to.timeout_max)
    security.complain(errc::invalid_argument, security.at("defaultTimeoutMs")
                                                + " must not be above 'security.maxTimeoutMs', which is "
                                                + std::to_string(to.timeout_max.count()));
  if (to.timeout > to.timeout_max) {
    to.timeout = to.timeout_max;
    security.in_effect("defaultTimeoutMs", to.timeout.count());
  }
  security.integer({"maxCodeSize", "bytes of one program"}, 1'000, limits::code_bytes_max, to.code_bytes_max);
}

void read_servers(section s, server_settings& to) {
  auto breaker = s.inside("breaker");
  breaker.integer(
    {"failures", "failures in the window after which a server is left alone for a while", "CIRCUIT_BREAKER_THRESHOLD"},
    1, 1'000, to.failures_max);
  breaker.milliseconds({"windowMs", "in ms"}, 1'000, 3'600'000, to.failure_window);
  breaker.milliseconds({"openMs", "for how long, in ms; then one call is tried", "CIRCUIT_BREAKER_TIMEOUT_MS"}, 100,
                       3'600'000, to.open_for);
  s.integer({"startsPerMinute", "starts of one server within any minute"}, 1, 1'000, to.starts_per_minute);
  s.milliseconds_or_never({"idleTimeoutMs", "a server that nobody uses for so long is stopped, in ms; 0: never"}, 1'000,
                          604'800'000, to.idle);
  s.milliseconds({"startTimeoutMs", "time of a server to start and to say what it can do, in ms"}, 1'000,
                 limits::child_handshake_timeout_max.count(), to.start);
  s.integer({"maxRunning", "servers that run at once; the one not used for the longest time makes room"}, 1, 10'000,
            to.running_max);
  s.integer({"maxConcurrent", "calls sent to one server at once; the others wait"}, 1, 10'000, to.calls_max);
}

/// Limits that are written down are meant, unless they are switched off.
void read_rates(section root, section security, rate_settings& to) {
  auto s = root.inside_either("rateLimit", security);
  s.flag({"enabled", "limit the rates below; so it is as soon as the section exists"}, to.enabled);
  if (s.is_given() && !s.has("enabled")) {
    to.enabled = true;
    s.in_effect("enabled", true, s.place());
  }
  read_rate(s, "runs of one client", to.runs);
  read_rate(s.inside("perServer"), "calls of one server; not limited if it is not given", to.per_server);
  read_rate(s.inside("perTool"), "calls of one tool; not limited if it is not given", to.per_tool);
  uint32_t per_minute = 0; // not given
  constexpr auto variable = "CODE_EXECUTOR_RATE_LIMIT_RPM";
  root.integer({nullptr, "runs of one client per minute: sets rateLimit", variable}, 1, requests_per_window_max,
               per_minute);
  if (per_minute == 0)
    return root.in_effect(variable, nullptr);
  to.enabled = true;
  to.runs = {per_minute, 60'000};
  s.in_effect("enabled", true, variable);
  s.in_effect("maxRequests", per_minute, variable);
  s.in_effect("windowMs", to.runs.window_ms, variable);
}

void read_sessions(section s, session_settings& to) {
  s.seconds({"idleSeconds", "a session that nobody uses for so long is ended"}, 1, 604'800, to.idle);
  s.integer({"max", "sessions at once"}, 1, 1'000, to.count_max);
}

void read_process(section s, process_settings& to) {
  s.mebibytes({"dataMb", "data of the server itself, in MiB: what asks for more fails, and the rest goes on"},
              msg::limits::process_memory_bytes_min >> 20, 1'048'576, to.memory_bytes);
}

void read_artifacts(section s, output_settings& to) {
  s.seconds({"ttlSeconds", "what was too large to show can be read for so long"}, 1, 604'800, to.ttl);
  s.integer({"maxCharacters", "of one part of a result that the model is shown; less where its client cuts"}, 1'000,
            200'000, to.chars_max);
  s.mebibytes({"maxMb", "all of it together, in MiB; of the client that has most, the oldest goes first"}, 1, 1'048'576,
              to.bytes_max);
}

} // namespace config
