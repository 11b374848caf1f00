#include "proxy/surface/health.hpp"

#include "proxy/listed_servers.hpp"
#include "proxy/surface/isolation_doc.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <ctime>

namespace surface {

namespace json = boost::json;
using msg::breaker_state;
using msg::server_state;

namespace {

/// Below this the disk is called nearly full: outputs alone may take 256 MiB.
constexpr uint64_t disk_free_min = 512u << 20;
/// With fewer at all, programs of one language or of both can not be started (measured without servers: with 40 none,
/// with 48 one of them, with 52 both); and with fewer left.
constexpr uint64_t descriptors_min = 52, descriptors_left_min = 8;

/// ISO 8601, UTC.
std::string now_as_text() {
  auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

json::object runtime_doc(const std::string& problem) {
  json::object doc{{"available", problem.empty()}};
  if (!problem.empty())
    doc["problem"] = problem;
  return doc;
}

json::object server_doc(const msg::server_status& s) {
  json::object doc{{"name", s.name},
                   {"status", to_string(s.state)},
                   {"toolCount", s.tool_count},
                   {"starts", s.starts},
                   {"source", s.source}};
  if (!s.shadows.empty())
    doc["shadows"] = proxy::first_of(s.shadows, proxy::listed_shadows_max, "files");
  if (s.disabled)
    doc["disabled"] = true;
  if (s.breaker != breaker_state::closed)
    doc["breaker"] = to_string(s.breaker);
  if (s.retry_after_ms > 0)
    doc["retryAfterMs"] = s.retry_after_ms;
  if (s.calls_in_flight > 0)
    doc["callsInFlight"] = s.calls_in_flight;
  if (s.held_tools > 0)
    doc["changedTools"] = s.held_tools;
  if (!s.last_error.empty())
    doc["lastError"] = proxy::problem_text(s.last_error);
  return doc;
}

json::object servers_doc(const std::vector<msg::server_status>& servers) {
  json::array list;
  json::object by_state, by_breaker;
  auto count = [](json::object& in, const char* key) {
    auto& number = in[key];
    number = (number.is_null() ? 0 : number.as_int64()) + 1;
  };
  for (auto& s : servers) {
    count(by_state, to_string(s.state));
    count(by_breaker, to_string(s.breaker));
  }
  auto shown = proxy::listed(servers);
  for (auto* s : shown.told)
    list.push_back(server_doc(*s));
  json::object doc{{"configured", servers.size()},
                   {"byState", std::move(by_state)},
                   {"byBreaker", std::move(by_breaker)},
                   {"list", std::move(list)}};
  if (auto more = proxy::more_doc(shown); !more.empty())
    doc["more"] = std::move(more);
  return doc;
}

json::array pools_doc(const std::vector<msg::pool_status>& pools) {
  json::array out;
  for (auto& p : pools) {
    json::object pool{{"runtime", to_string(p.lang)}, {"waiting", p.waiting},        {"warm", p.warm},
                      {"target", p.target},           {"servedWarm", p.served_warm}, {"servedCold", p.served_cold}};
    if (!p.guest_template.empty())
      pool["template"] = p.guest_template;
    out.push_back(std::move(pool));
  }
  return out;
}

/// Names of others say what they work on.
json::array sessions_doc(const std::vector<msg::session_status>& sessions, std::string_view owner) {
  json::array out;
  for (auto& s : sessions) {
    json::object session{{"runtime", to_string(s.lang)}, {"busy", s.busy}, {"queued", s.queued}};
    if (s.owner == owner)
      session["name"] = s.name;
    else
      session["ofAnotherClient"] = true;
    out.push_back(std::move(session));
  }
  return out;
}

json::object audit_doc(const msg::audit_status& a) {
  json::object doc{{"enabled", a.enabled}};
  if (!a.enabled)
    return doc;
  doc["path"] = a.folder;
  doc["written"] = a.written;
  doc["lost"] = a.lost;
  doc["waiting"] = a.waiting;
  if (!a.last_error.empty())
    doc["lastError"] = a.last_error;
  return doc;
}

json::object disk_doc(const msg::machine_status& m) {
  json::object doc{{"folder", m.state_folder}};
  if (m.disk_bytes > 0) {
    doc["freeBytes"] = m.disk_free_bytes;
    doc["bytes"] = m.disk_bytes;
  }
  return doc;
}

/// It was tried, more than once, and is not known.
bool waits_for_isolation(const msg::health_report& now) {
  return now.start.isolation.mode == "untried" && !now.start.isolation.reason.empty();
}

bool lacks_descriptors(const msg::machine_status& m) {
  return m.descriptors_max > 0
         && (m.descriptors_max < descriptors_min || m.descriptors + descriptors_left_min > m.descriptors_max);
}

/// What the user should look at.
json::array problems_of(const msg::health_report& now) {
  json::array out;
  auto add = [&](const std::string& text) { out.push_back(json::string{text}); };
  if (waits_for_isolation(now))
    add("no program can run yet: " + now.start.isolation.reason);
  if (lacks_descriptors(now.machine))
    add(std::to_string(now.machine.descriptors) + " of " + std::to_string(now.machine.descriptors_max)
        + " open files are in use, which leaves too few for programs; raise the limit of open files (ulimit -Hn, "
          "LimitNOFILE= of a service) of whatever starts this server");
  for (auto& who : now.silent)
    add("the " + who + " of this server does not answer");
  if (!now.audit.last_error.empty())
    add("the audit log can not be written: " + now.audit.last_error);
  if (!now.catalog_problem.empty())
    add("tools can not be searched: " + now.catalog_problem);
  for (auto& why : now.start.isolation.lost)
    add("a cgroup of the programs is lost, and other limits hold in its place: " + why
        + "; restart the server once that is mended");
  if (now.machine.disk_bytes > 0 && now.machine.disk_free_bytes < disk_free_min)
    add("the disk of " + now.machine.state_folder + " is nearly full");
  for (auto& problem : proxy::first_of(now.start.config_problems, proxy::listed_problems_max, "problems"))
    add("configuration: " + std::string{problem.get_string()});
  for (auto* s : proxy::listed(now.servers).told)
    if (auto why = proxy::problem_text(s->last_error); s->breaker != breaker_state::closed)
      add("server '" + s->name + "' keeps failing: " + why);
    else if (s->state == server_state::needs_login)
      add(why);
    else if (s->unread_ms > 0)
      add("server '" + s->name + "': " + why);
    else if (s->state == server_state::backing_off)
      add("server '" + s->name + "' has ended, and is started again by the next call: " + why);
  return out;
}

} // namespace

bool is_healthy(const msg::health_report& now) {
  return (now.start.typescript_problem.empty() || now.start.python_problem.empty())
         && now.start.isolation.mode != "none" && !waits_for_isolation(now) && now.silent.empty()
         && !lacks_descriptors(now.machine);
}

bool is_ready(const msg::health_report& now) {
  return is_healthy(now) && (now.runs_running < now.runs_max || now.runs_queued < now.queue_max);
}

json::object health_doc(const msg::health_report& now, std::string_view owner) {
  auto connected =
    std::count_if(now.servers.begin(), now.servers.end(), [](auto& s) { return s.state == server_state::ready; });
  auto isolation = isolation_doc(now.start.isolation);
  if (!now.start.container.mode.empty())
    isolation["python"] = isolation_doc(now.start.container);
  json::object out{
    {"healthy", is_healthy(now)},
    {"version", CODE_EXECUTOR_VERSION},
    {"uptime", static_cast<double>(now.uptime_ms) / 1000.0}, // seconds
    {"timestamp", now_as_text()},
    {"problems", problems_of(now)},
    {"auditLog", audit_doc(now.audit)},
    {"mcpClients", json::object{{"connected", connected}}},
    {"connectionPool", json::object{{"active", now.runs_running},
                                    {"waiting", now.runs_queued},
                                    {"max", now.runs_max},
                                    {"queueMax", now.queue_max},
                                    {"finished", now.runs_finished}}},
    {"runtimes", json::object{{"typescript", runtime_doc(now.start.typescript_problem)},
                              {"python", runtime_doc(now.start.python_problem)}}},
    {"isolation", std::move(isolation)},
    {"pools", pools_doc(now.pools)},
    {"sessions", sessions_doc(now.sessions, owner)},
    {"servers", servers_doc(now.servers)},
    {"configuration",
     json::object{{"files", proxy::first_of(now.start.config_files, proxy::listed_sources_max, "files")},
                  {"problems", proxy::first_of(now.start.config_problems, proxy::listed_problems_max, "problems")}}},
    {"process", json::object{{"residentBytes", now.machine.resident_bytes},
                             {"descriptors", now.machine.descriptors},
                             {"threads", now.machine.threads}}},
    {"disk", disk_doc(now.machine)},
  };
  if (!now.start.faults.value().is_null()) // who looks for a cause must not miss that it is us
    out.emplace("faults", now.start.faults.value());
  return out;
}

} // namespace surface
