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

/// By patterns for the names of one server's tools.
bool is_permitted(const msg::name_policy& policy, std::string_view tool) {
  return (policy.everything || is_matched(policy.allowed, tool)) && !is_matched(policy.denied, tool);
}

bool has_rule(const msg::name_policy& policy) { return !policy.everything || !policy.denied.empty(); }

} // namespace

tool_policy::tool_policy(msg::name_policy all, const std::vector<msg::server_entry>& servers) : all_(std::move(all)) {
  for (auto& entry : servers) {
    if (msg::is_trusted(entry)) // else a repository could change what the user's patterns mean
      names_.push_back(entry.name);
    if (has_rule(entry.tools))
      servers_.emplace(entry.name, server_rule{entry.tools, entry.source});
  }
}

bool tool_policy::is_denied(std::string_view server, std::string_view tool) const {
  return std::any_of(all_.denied.begin(), all_.denied.end(), [&](auto& p) { return matches_tool(p, server, tool, names_); });
}

bool tool_policy::settings_permit(std::string_view server, std::string_view tool) const {
  auto matched = [&](auto& p) { return matches_tool(p, server, tool, names_); };
  return (all_.everything || std::any_of(all_.allowed.begin(), all_.allowed.end(), matched)) && !is_denied(server, tool);
}

bool tool_policy::permits(const std::string& server, std::string_view tool) const {
  if (has_rule(all_) && !settings_permit(server, tool))
    return false;
  auto rule = servers_.find(server);
  return rule == servers_.end() || is_permitted(rule->second.names, tool);
}

bool tool_policy::permits_some(const std::string& server) const {
  msg::tool_filter filter;
  filter.everything = all_.everything;
  filter.patterns = all_.allowed;
  if (!allows_some(filter, server, names_) || is_denied(server, any_tool))
    return false;
  auto rule = servers_.find(server);
  return rule == servers_.end()
         || ((rule->second.names.everything || !rule->second.names.allowed.empty()) && !is_matched(rule->second.names.denied, any_tool));
}

msg::fault tool_policy::refusal(const std::string& server, const std::string& tool) const {
  auto name = full_name(server, tool);
  std::string why = is_denied(server, tool) ? "security.deniedTools of the settings" : "security.allowedTools of the settings";
  if (settings_permit(server, tool))
    if (auto rule = servers_.find(server); rule != servers_.end())
      why = std::string{is_matched(rule->second.names.denied, tool) ? "excludeTools" : "includeTools"} + " of the server's entry in "
            + rule->second.source;
  msg::fault f{msg::errc::not_allowed, "'" + name + "' is not permitted here, by " + why + "; no run can allow it"};
  return std::move(f).at(server, tool);
}

} // namespace proxy
