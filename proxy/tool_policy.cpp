#include "proxy/tool_policy.hpp"

#include "proxy/names.hpp"

namespace proxy {

namespace {

/// No tool is called so: what matches it matches every tool.
constexpr std::string_view any_tool = "\x01";

bool has_rule(const msg::name_policy& policy) { return !policy.everything || !policy.denied.empty(); }

/// A repository could change what the user's patterns mean by the names of its servers: those count once they are
/// approved.
std::vector<std::string> trusted_names(const std::vector<msg::server_entry>& servers) {
  std::vector<std::string> names;
  for (auto& entry : servers)
    if (msg::is_trusted(entry))
      names.push_back(entry.name);
  return names;
}

} // namespace

tool_policy::server_rule::server_rule(const msg::server_entry& entry)
  : everything(entry.tools.everything),
    allowed({entry.tools.allowed.begin(), entry.tools.allowed.end()}),
    denied({entry.tools.denied.begin(), entry.tools.denied.end()}),
    source(entry.source) {}

tool_policy::tool_policy(msg::name_policy all, const std::vector<msg::server_entry>& servers)
  : everything_(all.everything),
    names_(trusted_names(servers)) {
  allowed_ = tool_patterns{all.allowed, names_};
  denied_ = tool_patterns{all.denied, names_};
  confirmed_ = tool_patterns{all.confirmed, names_};
  confirmed_names_ = name_patterns{{all.confirmed.begin(), all.confirmed.end()}};
  for (auto& entry : servers)
    if (has_rule(entry.tools))
      servers_.emplace(entry.name, server_rule{entry});
}

/// Whatever other server a pattern could mean: what asks for too much is answered, what asks for too little is done.
bool tool_policy::needs_consent(std::string_view server, std::string_view tool) const {
  return confirmed_.match(server, tool) || confirmed_names_.match(full_name(server, tool));
}

bool tool_policy::settings_permit(std::string_view server, std::string_view tool) const {
  return (everything_ || allowed_.match(server, tool)) && !is_denied(server, tool);
}

bool tool_policy::permits(const std::string& server, std::string_view tool) const {
  if (!settings_permit(server, tool))
    return false;
  auto rule = servers_.find(server);
  return rule == servers_.end() || rule->second.permits(tool);
}

bool tool_policy::permits_some(const std::string& server) const {
  if ((!everything_ && !allowed_.may_match_some(server)) || is_denied(server, any_tool))
    return false;
  auto found = servers_.find(server);
  if (found == servers_.end())
    return true;
  auto& rule = found->second;
  return (rule.everything || !rule.allowed.empty()) && !rule.denied.match(any_tool);
}

msg::fault tool_policy::refusal(const std::string& server, const std::string& tool) const {
  auto name = full_name(server, tool);
  std::string why =
    is_denied(server, tool) ? "security.deniedTools of the settings" : "security.allowedTools of the settings";
  if (settings_permit(server, tool))
    if (auto rule = servers_.find(server); rule != servers_.end())
      why = std::string{rule->second.denied.match(tool) ? "excludeTools" : "includeTools"}
            + " of the server's entry in " + rule->second.source;
  msg::fault f{msg::errc::not_allowed, "'" + name + "' is not permitted here, by " + why + "; no run can allow it"};
  return std::move(f).at(server, tool);
}

usable_tools::usable_tools(const tool_policy& policy, const allowlist& allowed, const std::string& server)
  : is_none_(!allowed.has(server)) {
  if (is_none_)
    return;
  if (!policy.everything_)
    permitted_.emplace(policy.allowed_, server);
  if (!policy.denied_.empty())
    denied_.emplace(policy.denied_, server);
  if (allowed.has_patterns())
    allowed_.emplace(allowed.patterns(), server);
  if (auto rule = policy.servers_.find(server); rule != policy.servers_.end())
    rule_ = &rule->second;
}

bool usable_tools::has(std::string_view tool) {
  return !is_none_ && (!permitted_ || permitted_->match(tool)) && !(denied_ && denied_->match(tool))
         && (!rule_ || rule_->permits(tool)) && (!allowed_ || allowed_->match(tool));
}

} // namespace proxy
