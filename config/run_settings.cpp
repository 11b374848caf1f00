// How much and how often: runs, servers, rates.
#include "config/settings_sections.hpp"

#include <algorithm>

namespace config {

namespace limits = msg::limits;
using msg::errc;
using std::chrono::milliseconds;

namespace {

constexpr uint64_t requests_max = 1'000'000;

void read_rate(section s, msg::rate_limit& to) {
  s.integer({"maxRequests"}, 1, requests_max, to.requests);
  s.integer({"windowMs"}, 1'000, 86'400'000, to.window_ms);
}

/// One place of the two. Limits that are written down are meant, unless they are switched off.
void read_rate_section(section s, rate_settings& to) {
  to.enabled = to.enabled || s.is_given();
  s.flag({"enabled"}, to.enabled);
  read_rate(s, to.runs);
  read_rate(s.inside("perServer"), to.per_server);
  read_rate(s.inside("perTool"), to.per_tool);
}

} // namespace

void read_runs(section runs, section security, settings_reader& reader, run_settings& to) {
  runs.integer({"maxConcurrent", "POOL_MAX_CONCURRENT"}, 1, 1'000, to.at_once_max);
  runs.integer({"queueSize", "POOL_QUEUE_SIZE"}, 0, 1'000, to.queued_max);
  runs.milliseconds({"queueTimeoutMs", "POOL_QUEUE_TIMEOUT_MS"}, 1'000, 300'000, to.queue_wait_max);
  runs.integer({"maxToolCalls"}, 1, 1'000'000, to.tool_calls_max);
  runs.integer({"maxSameFailures"}, 1, 1'000, to.same_failures_max);

  milliseconds usual{0}; // not given
  auto least = limits::run_timeout_min.count(), most = limits::run_timeout_max.count();
  security.milliseconds({"defaultTimeoutMs"}, uint64_t(least), uint64_t(most), usual);
  security.milliseconds({"maxTimeoutMs"}, uint64_t(least), uint64_t(most), to.timeout_max);
  if (usual > to.timeout_max)
    reader.complain({errc::invalid_argument, reader.at("security.defaultTimeoutMs") + " must not be above 'security.maxTimeoutMs', which is "
                                               + std::to_string(to.timeout_max.count())});
  to.timeout = usual.count() > 0 ? usual : std::min(to.timeout, to.timeout_max);
  security.integer({"maxCodeSize"}, 1'000, limits::code_bytes_max, to.code_bytes_max);
}

void read_servers(section s, server_settings& to) {
  auto breaker = s.inside("breaker");
  breaker.integer({"failures", "CIRCUIT_BREAKER_THRESHOLD"}, 1, 1'000, to.failures_max);
  breaker.milliseconds({"windowMs"}, 1'000, 3'600'000, to.failure_window);
  breaker.milliseconds({"openMs", "CIRCUIT_BREAKER_TIMEOUT_MS"}, 100, 3'600'000, to.open_for);
  s.integer({"startsPerMinute"}, 1, 1'000, to.starts_per_minute);
  s.milliseconds_or_never({"idleTimeoutMs"}, 1'000, 604'800'000, to.idle);
  s.integer({"maxRunning"}, 1, 10'000, to.running_max);
  s.integer({"maxConcurrent"}, 1, 10'000, to.calls_max);
}

void read_rates(section root, section security, settings_reader& reader, rate_settings& to) {
  auto whole = root.inside("rateLimit"), of_security = security.inside("rateLimit");
  if (whole.is_given() && of_security.is_given())
    reader.complain_of_both("security.rateLimit", "rateLimit");
  read_rate_section(of_security, to);
  read_rate_section(whole, to);
  uint32_t per_minute = 0; // not given
  root.integer({nullptr, "CODE_EXECUTOR_RATE_LIMIT_RPM"}, 1, requests_max, per_minute);
  if (per_minute == 0)
    return;
  to.enabled = true;
  to.runs = {per_minute, 60'000};
}

} // namespace config
