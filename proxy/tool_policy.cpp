#include "proxy/tool_policy.hpp"

#include "proxy/allowlist.hpp"
#include "proxy/names.hpp"

#include <algorithm>

namespace proxy {

namespace {

/// No tool is called so: what matches it matches every tool.
constexpr std::string_view any_tool = "\x01";

bool is_matched(const std::vector<std::string>& patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](auto& p) { return matches(p, name); });
}

bool is_permitted(const msg::name_policy& policy, std::string_view name) {
  return (policy.everything || is_matched(policy.allowed, name)) && !is_matched(policy.denied, name);
}

bool has_rule(const msg::name_policy& policy) { return !policy.everything || !policy.denied.empty(); }

} // namespace

tool_policy::tool_policy(msg::name_policy all, const std::vector<msg::server_entry>& servers) : all_(std::move(all)) {
  for (auto& entry : servers)
    if (has_rule(entry.tools))
      servers_.emplace(entry.name, server_rule{entry.tools, entry.source});
}

bool tool_policy::permits(const std::string& server, std::string_view tool) const {
  if (has_rule(all_) && !is_permitted(all_, full_name(server, tool)))
    return false;
  auto rule = servers_.find(server);
  return rule == servers_.end() || is_permitted(rule->second.names, tool);
}

bool tool_policy::permits_some(const std::string& server) const {
  msg::tool_filter filter;
  filter.everything = all_.everything;
  filter.patterns = all_.allowed;
  if (!allows_some(filter, server) || is_matched(all_.denied, full_name(server, any_tool)))
    return false;
  auto rule = servers_.find(server);
  return rule == servers_.end()
         || ((rule->second.names.everything || !rule->second.names.allowed.empty()) && !is_matched(rule->second.names.denied, any_tool));
}

msg::fault tool_policy::refusal(const std::string& server, const std::string& tool) const {
  auto name = full_name(server, tool);
  auto is_denied = is_matched(all_.denied, name);
  std::string why = is_denied ? "security.deniedTools of the settings" : "security.allowedTools of the settings";
  if (!is_denied && is_permitted(all_, name))
    if (auto rule = servers_.find(server); rule != servers_.end())
      why = std::string{is_matched(rule->second.names.denied, tool) ? "excludeTools" : "includeTools"} + " of the server's entry in "
            + rule->second.source;
  msg::fault f{msg::errc::not_allowed, "'" + name + "' is not permitted here, by " + why + "; no run can allow it"};
  return std::move(f).at(server, tool);
}

} // namespace proxy
