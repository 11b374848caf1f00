#include "config/narrowing.hpp"

#include <boost/json/value_from.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace config {

namespace {

namespace json = boost::json;

using strings = std::vector<std::string>;

/// Whether it is another one now.
template <class T>
bool set(T& to, T value) {
  if (to == value)
    return false;
  to = std::move(value);
  return true;
}

template <auto Part, auto Field>
bool smaller(settings& to, const settings& from, const setting_entry&) {
  return set(to.*Part.*Field, std::min(to.*Part.*Field, from.*Part.*Field));
}
template <auto Part, auto Field>
bool larger(settings& to, const settings& from, const setting_entry&) {
  return set(to.*Part.*Field, std::max(to.*Part.*Field, from.*Part.*Field));
}
template <auto Part>
bool off(settings& to, const settings& from, const setting_entry&) {
  return set((to.*Part).enabled, (to.*Part).enabled && (from.*Part).enabled);
}
bool no_faults_of_runs(settings& to, const settings& from, const setting_entry&) {
  return set(to.faults.of_runs, to.faults.of_runs && from.faults.of_runs);
}
bool unchanged(settings&, const settings&, const setting_entry&) { return false; }

bool no_sampling(settings& to, const settings& from, const setting_entry&) {
  return from.sampling.enabled == false && set(to.sampling.enabled, from.sampling.enabled);
}

bool is_true(const setting_entry& e) { return e.value.is_bool() && e.value.get_bool(); }

bool reading(settings& to, const settings& from, const setting_entry&) {
  to.security.project_read = from.security.allow_read;
  return true;
}

bool writing(settings& to, const settings& from, const setting_entry& given) {
  if (is_true(given)) // all that may be read: that is what is narrowed then
    return set(to.security.project_write, to.security.project_read);
  to.security.project_write = from.security.allow_write;
  return true;
}

/// What is the same or inside of the other, of both.
template <class Covers>
strings both(const strings& a, const strings& b, Covers covers) {
  strings out;
  auto add_covered = [&](const strings& some, const strings& by) {
    for (auto& s : some)
      if (std::any_of(by.begin(), by.end(), [&](auto& c) { return covers(c, s); })
          && std::find(out.begin(), out.end(), s) == out.end())
        out.push_back(s);
  };
  add_covered(a, b);
  add_covered(b, a);
  return out;
}

/// As egress::parse_rule() takes it apart. No port is the two of the web.
struct host_pattern {
  std::string_view host, port;
};

host_pattern parts_of(std::string_view pattern) {
  auto colon = pattern.rfind(':'), bracket = pattern.rfind(']');
  bool is_in_brackets = pattern.starts_with('[');
  if (colon == pattern.npos
      || (is_in_brackets ? bracket != pattern.npos && colon < bracket : pattern.find(':') != colon))
    return {pattern, {}};
  return {pattern.substr(0, colon), pattern.substr(colon + 1)};
}

bool port_covers(std::string_view port, std::string_view other) {
  return port == other || port == "*" || (port.empty() && (other == "80" || other == "443"));
}

/// `*.example.com` is above one more label, whatever else it may match.
bool name_covers(std::string_view pattern, std::string_view other) {
  if (pattern == other || pattern == "*")
    return true;
  auto suffix = pattern.starts_with("*.") ? pattern.substr(1) : std::string_view{};
  if (suffix.empty() || !other.ends_with(suffix))
    return false;
  auto label = other.substr(0, other.size() - suffix.size());
  return !label.empty() && label.find_first_of(".*") == label.npos;
}

bool host_covers(std::string_view pattern, std::string_view other) {
  auto outer = parts_of(pattern), inner = parts_of(other);
  return name_covers(outer.host, inner.host) && port_covers(outer.port, inner.port);
}

bool hosts(settings& to, const settings& from, const setting_entry&) {
  auto& s = to.security;
  if (from.security.allow_any_host)
    return false;
  auto allowed = both(s.allow_any_host ? strings{"*"} : s.allow_hosts, from.security.allow_hosts, host_covers);
  bool was_any = set(s.allow_any_host, false);
  return set(s.allow_hosts, std::move(allowed)) || was_any;
}

/// Names of servers may hold `__` too, and end with `_`, so only what is plain is compared: the same pattern, all, or
/// one tool of all of a server. What may end the name of another server (`mcp__a___x` is a tool of `a_`, if there is
/// one) is not.
bool tool_covers(std::string_view pattern, std::string_view other) {
  if (pattern == other || pattern == "*" || pattern == "mcp__*")
    return true;
  auto prefix = pattern.ends_with("__*") ? pattern.substr(0, pattern.size() - 1) : std::string_view{};
  return !prefix.empty() && prefix.find('*') == prefix.npos && other.starts_with(prefix)
         && other.find("__", prefix.size() - 1) == other.npos;
}

bool allowed_tools(settings& to, const settings& from, const setting_entry&) {
  auto& tools = to.security.tools;
  auto& of_project = from.security.tools;
  auto allowed = tools.everything ? of_project.allowed : both(tools.allowed, of_project.allowed, tool_covers);
  bool was_everything = set(tools.everything, false);
  return set(tools.allowed, std::move(allowed)) || was_everything;
}

bool denied_tools(settings& to, const settings& from, const setting_entry&) {
  auto& denied = to.security.tools.denied;
  denied.insert(denied.end(), from.security.tools.denied.begin(), from.security.tools.denied.end());
  return !from.security.tools.denied.empty();
}

bool confirmed_tools(settings& to, const settings& from, const setting_entry&) {
  auto& confirmed = to.security.tools.confirmed;
  confirmed.insert(confirmed.end(), from.security.tools.confirmed.begin(), from.security.tools.confirmed.end());
  return !from.security.tools.confirmed.empty();
}

/// The folders of the user that are inside of the project's, and the other way round.
strings folders(const strings& of_user, const std::optional<strings>& of_project) {
  auto covers = [](const std::string& outer, const std::string& inner) {
    return inner == outer || inner.starts_with(outer.ends_with('/') ? outer : outer + '/');
  };
  return of_project ? both(of_user, *of_project, covers) : of_user;
}

json::value shown_reading(const settings& s) {
  auto of_user = s.security.allow_read; // what may be written may be read
  of_user.insert(of_user.end(), s.security.allow_write.begin(), s.security.allow_write.end());
  return json::value_from(folders(of_user, s.security.project_read));
}
json::value shown_writing(const settings& s) {
  return json::value_from(folders(s.security.allow_write, s.security.project_write));
}
json::value shown_hosts(const settings& s) { return json::value_from(s.security.allow_hosts); }
json::value shown_allowed_tools(const settings& s) { return json::value_from(s.security.tools.allowed); }
json::value shown_denied_tools(const settings& s) { return json::value_from(s.security.tools.denied); }
json::value shown_confirmed_tools(const settings& s) { return json::value_from(s.security.tools.confirmed); }

struct rule {
  std::string_view path;
  bool (*narrow)(settings& to, const settings& from, const setting_entry& given); ///< whether something is other now
  /// null: what the project says, if something is other now.
  json::value (*in_force)(const settings& to) = nullptr;
};

using all = settings;
static_assert(pattern_policy::block < pattern_policy::warn && pattern_policy::warn < pattern_policy::off);
static_assert(pin_policy::off < pin_policy::warn && pin_policy::warn < pin_policy::block);
static_assert(isolation::automatic < isolation::required);

constexpr rule rules[] = {
  {"version", unchanged},
  {"$schema", unchanged},
  {"security.allowRead", reading, shown_reading},
  {"security.allowWrite", writing, shown_writing},
  {"security.allowNetwork", hosts, shown_hosts},
  {"security.allowedDomains", hosts, shown_hosts},
  {"security.allowedTools", allowed_tools, shown_allowed_tools},
  {"security.deniedTools", denied_tools, shown_denied_tools},
  {"security.confirm", confirmed_tools, shown_confirmed_tools},
  {"security.dangerousPatterns", smaller<&all::security, &security_settings::patterns>},
  {"security.pinTools", larger<&all::security, &security_settings::pins>},
  {"security.defaultTimeoutMs", smaller<&all::runs, &run_settings::timeout>},
  {"security.maxTimeoutMs", smaller<&all::runs, &run_settings::timeout_max>},
  {"security.allowFaults", no_faults_of_runs},
  {"security.maxCodeSize", smaller<&all::runs, &run_settings::code_bytes_max>},
  {"runs.maxConcurrent", smaller<&all::runs, &run_settings::at_once_max>},
  {"runs.queueSize", smaller<&all::runs, &run_settings::queued_max>},
  {"runs.queueTimeoutMs", smaller<&all::runs, &run_settings::queue_wait_max>},
  {"runs.maxToolCalls", smaller<&all::runs, &run_settings::tool_calls_max>},
  {"runs.maxSameFailures", smaller<&all::runs, &run_settings::same_failures_max>},
  {"runs.questionTimeoutMs", smaller<&all::runs, &run_settings::question_wait>},
  {"runs.maxHeldMb", smaller<&all::runs, &run_settings::held_bytes_max>},
  {"servers.startsPerMinute", smaller<&all::servers, &server_settings::starts_per_minute>},
  {"servers.maxRunning", smaller<&all::servers, &server_settings::running_max>},
  {"servers.maxConcurrent", smaller<&all::servers, &server_settings::calls_max>},
  {"sandbox.isolation", larger<&all::sandbox, &sandbox_settings::isolation>},
  {"sandbox.memoryMb", smaller<&all::sandbox, &sandbox_settings::memory_bytes>},
  {"sandbox.processes", smaller<&all::sandbox, &sandbox_settings::processes>},
  {"sandbox.tempMb", smaller<&all::sandbox, &sandbox_settings::temp_bytes>},
  {"executors.typescript.enabled", off<&all::typescript>},
  {"executors.python.enabled", off<&all::python>},
  {"sessions.idleSeconds", smaller<&all::sessions, &session_settings::idle>},
  {"sessions.max", smaller<&all::sessions, &session_settings::count_max>},
  {"outputs.ttlSeconds", smaller<&all::outputs, &output_settings::ttl>},
  {"outputs.maxCharacters", smaller<&all::outputs, &output_settings::chars_max>},
  {"sampling.enabled", no_sampling},
  {"sampling.maxRoundsPerExecution", smaller<&all::sampling, &sampling_settings::rounds_max>},
  {"sampling.maxTokensPerExecution", smaller<&all::sampling, &sampling_settings::tokens_max>},
  {"sampling.maxToolSteps", smaller<&all::sampling, &sampling_settings::tool_steps_max>},
  {"sampling.timeoutPerCallMs", smaller<&all::sampling, &sampling_settings::call_timeout>},
  {"sampling.clientTimeoutMs", smaller<&all::sampling, &sampling_settings::client_timeout>},
};

msg::fault no_matter_of_a_project(const setting_entry& e, const settings& of_user) {
  auto own = !of_user.file.empty()      ? of_user.file
             : of_user.searched.empty() ? std::string{"your own settings"}
                                        : of_user.searched.front();
  return {msg::errc::invalid_argument, e.origins.back() + ": '" + e.path
                                         + "' can not be set by the file of a project, which only narrows what yours ("
                                         + own + ") allows; move it there, or remove it"};
}

} // namespace

std::vector<msg::fault> narrow(const settings& of_project, const std::vector<setting_entry>& given,
                               settings_reading& to) {
  std::vector<msg::fault> problems;
  for (auto& e : given) {
    if (e.origins.empty() || e.path.empty()) // not given, or only a variable
      continue;
    auto found = std::find_if(std::begin(rules), std::end(rules), [&](auto& r) { return r.path == e.path; });
    if (found == std::end(rules)) {
      problems.push_back(no_matter_of_a_project(e, to.values));
      continue;
    }
    auto shown = std::find_if(to.entries.begin(), to.entries.end(), [&](auto& own) { return own.path == e.path; });
    if (!found->narrow(to.values, of_project, e) || shown == to.entries.end())
      continue;
    shown->settle(found->in_force ? found->in_force(to.values) : e.value);
    shown->origins.push_back(e.origins.back());
  }
  auto& runs = to.values.runs;
  runs.timeout = std::min(runs.timeout, runs.timeout_max);
  return problems;
}

} // namespace config
