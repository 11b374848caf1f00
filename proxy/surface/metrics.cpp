#include "proxy/surface/health.hpp"

#include <array>
#include <map>

namespace surface {

namespace {

using msg::breaker_state;
using msg::server_state;

/// Builds the text: the head of a metric, then its samples.
class exposition {
public:
  exposition& metric(std::string_view name, std::string_view kind, std::string_view help) {
    name_ = "code_executor_" + std::string{name};
    text_.append("# HELP ").append(name_).append(" ").append(help).append("\n");
    text_.append("# TYPE ").append(name_).append(" ").append(kind).append("\n");
    return *this;
  }
  exposition& sample(uint64_t value, std::string_view labels = {}) {
    text_.append(name_);
    if (!labels.empty())
      text_.append("{").append(labels).append("}");
    text_.append(" ").append(std::to_string(value)).append("\n");
    return *this;
  }
  std::string take() { return std::move(text_); }

private:
  std::string name_, text_;
};

/// `key="value"`, escaped as the format wants it.
std::string label(std::string_view key, std::string_view value) {
  std::string out{key};
  out += "=\"";
  for (auto c : value) {
    if (c == '\\' || c == '"')
      out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + '"';
}

constexpr std::array<server_state, 9> server_states{
  server_state::idle,        server_state::starting, server_state::ready,
  server_state::backing_off, server_state::stopping, server_state::unusable,
  server_state::unapproved,  server_state::rejected, server_state::needs_login};

void add_runs(exposition& out, const msg::health_report& now) {
  auto& n = now.audit.counts;
  out.metric("runs_total", "counter", "Runs that have ended, by result.")
    .sample(n.runs_succeeded, R"(result="success")")
    .sample(n.runs_failed, R"(result="error")")
    .sample(n.runs_timed_out, R"(result="timeout")")
    .sample(n.runs_cancelled, R"(result="cancelled")");
  out.metric("tool_calls_total", "counter", "Tool calls of runs that have ended, by result.")
    .sample(n.calls_succeeded, R"(result="success")")
    .sample(n.calls_failed, R"(result="error")");
  out.metric("model_questions_total", "counter", "Questions of programs to models that have ended, by result.")
    .sample(n.questions_answered, R"(result="success")")
    .sample(n.questions_failed, R"(result="error")");
  out.metric("model_tokens_total", "counter", "Tokens that programs have used of models, estimates included.")
    .sample(n.model_tokens);
  out.metric("refusals_total", "counter", "Runs, calls and questions to models that policy or a limit did not permit.")
    .sample(n.refusals);
  out.metric("connections_total", "counter", "Connections of programs to hosts.")
    .sample(n.connections_allowed, R"(result="allowed")")
    .sample(n.connections_refused, R"(result="refused")");
  out.metric("runs_running", "gauge", "Runs going on.").sample(now.runs_running);
  out.metric("runs_running_max", "gauge", "Runs that may go on at once.").sample(now.runs_max);
  out.metric("runs_queued", "gauge", "Runs waiting for a place.").sample(now.runs_queued);
  out.metric("runs_queued_max", "gauge", "Runs that may wait.").sample(now.queue_max);
  out.metric("sessions", "gauge", "Sessions that are kept.").sample(now.sessions.size());
}

void add_pools(exposition& out, const std::vector<msg::pool_status>& pools) {
  auto runtime = [](const msg::pool_status& p) { return label("runtime", to_string(p.lang)); };
  out.metric("pool_guests", "gauge", "Guests that wait for a run.");
  for (auto& p : pools)
    out.sample(p.waiting, runtime(p));
  out.metric("pool_guests_warm", "gauge", "Those of them that are warm.");
  for (auto& p : pools)
    out.sample(p.warm, runtime(p));
  out.metric("pool_served_total", "counter", "Runs that got a guest, by whether one was waiting.");
  for (auto& p : pools)
    out.sample(p.served_warm, runtime(p) + R"(,guest="warm")").sample(p.served_cold, runtime(p) + R"(,guest="cold")");
}

void add_servers(exposition& out, const std::vector<msg::server_status>& servers) {
  std::map<server_state, uint64_t> by_state;
  for (auto& s : servers)
    ++by_state[s.state];
  out.metric("servers", "gauge", "MCP servers that are configured, by state.");
  for (auto state : server_states)
    out.sample(by_state[state], label("state", to_string(state)));
  out.metric("server_starts_total", "counter", "Processes started for a server.");
  for (auto& s : servers)
    if (s.starts > 0)
      out.sample(s.starts, label("server", s.name));
  out.metric("server_calls_in_flight", "gauge", "Calls at a server that has been started.");
  for (auto& s : servers)
    if (s.starts > 0)
      out.sample(s.calls_in_flight, label("server", s.name));
  out.metric("server_breaker", "gauge",
             "Calls to a server that has been started: 0 let through, 1 one to see, 2 refused.");
  for (auto& s : servers)
    if (s.starts > 0)
      out.sample(s.breaker == breaker_state::closed      ? 0
                 : s.breaker == breaker_state::half_open ? 1
                                                         : 2,
                 label("server", s.name));
}

void add_process(exposition& out, const msg::health_report& now) {
  out.metric("audit_lines_written_total", "counter", "Lines of the audit log.").sample(now.audit.written);
  out.metric("audit_events_lost_total", "counter", "Events that are missing from the audit log.")
    .sample(now.audit.lost);
  out.metric("audit_events_waiting", "gauge", "Events that are not written yet.").sample(now.audit.waiting);
  out.metric("resident_memory_bytes", "gauge", "Memory of this process.").sample(now.machine.resident_bytes);
  out.metric("open_descriptors", "gauge", "Open file descriptors of this process.").sample(now.machine.descriptors);
  out.metric("threads", "gauge", "Threads of this process.").sample(now.machine.threads);
  out.metric("disk_free_bytes", "gauge", "Free space where the state is kept.").sample(now.machine.disk_free_bytes);
  out.metric("uptime_seconds", "gauge", "Since the start of this process.").sample(now.uptime_ms / 1'000);
  out.metric("healthy", "gauge", "1: programs can be run.").sample(is_healthy(now) ? 1 : 0);
}

} // namespace

std::string metrics_text(const msg::health_report& now) {
  exposition out;
  add_runs(out, now);
  add_pools(out, now.pools);
  add_servers(out, now.servers);
  add_process(out, now);
  return out.take();
}

} // namespace surface
