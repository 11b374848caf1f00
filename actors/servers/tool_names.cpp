#include "actors/servers/tool_names.hpp"

#include "catalog/pinning/approvals.hpp"
#include "proxy/allowlist.hpp"
#include "proxy/names.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace servers {

using msg::errc;
using msg::fault;

namespace {

/// Names that are near to a wrong one, and of those the ones that are told. Each is held against all patterns, on the
/// one thread: half a millisecond.
constexpr size_t near_max = 20, suggested_max = 3;

/// The model can ask, and tell the person.
constexpr auto none_configured =
  ", nor any other: the tool `health` says which files were read, and what is wrong with them";

/// Of the nearest names, those that may be told.
template <class MayTell>
std::vector<std::string> suggested_for(std::string_view wanted, const std::vector<std::string_view>& names,
                                       MayTell may_tell) {
  std::vector<std::string> out;
  for (auto& name : proxy::nearest(wanted, names, near_max))
    if (out.size() < suggested_max && may_tell(name))
      out.push_back(std::move(name));
  return out;
}

std::string did_you_mean(const std::vector<std::string>& names) {
  std::string out;
  for (auto& n : names)
    out += (out.empty() ? "; did you mean '" : "' or '") + n;
  return out.empty() ? out : out + "'?";
}

} // namespace

/// Of what is no program's, always.
bool tool_names::may_compare(uint64_t run) const { return run == 0 || ++wrong_[run] <= wrong_names_max; }

fault tool_names::unknown_server(const std::string& name, uint64_t run, const msg::tool_filter& allowed) const {
  auto& names = all_.names_of(run).names;
  fault f{errc::unknown_server, "no server '" + name + "' is configured" + (names.empty() ? none_configured : "")};
  f.server = name;
  if (!may_compare(run))
    return f;
  proxy::allowlist filter{allowed, all_.policy()->server_names()};
  f.suggestions =
    suggested_for(name, {names.begin(), names.end()}, [&](auto& near) { return filter.allows_some(near); });
  f.message += did_you_mean(f.suggestions);
  return f;
}

fault tool_names::unknown_tool(const server& s, const msg::tool_ref& written, const msg::tool_filter& allowed) const {
  auto& tool = written.tool;
  fault f{errc::unknown_tool, "server '" + s.entry.name + "' has no tool '" + tool + "'"};
  if (!may_compare(written.run))
    return std::move(f).at(s.entry.name, tool);
  std::vector<std::string_view> known;
  known.reserve(s.usable.tools->size());
  for (auto& t : *s.usable.tools)
    known.push_back(t.name);
  proxy::allowlist filter{allowed, all_.policy()->server_names()};
  proxy::usable_tools usable{*all_.policy(), filter, s.entry.name};
  f.suggestions = suggested_for(tool, known, [&](auto& near) { return usable.has(near); });
  f.message += did_you_mean(f.suggestions);
  return std::move(f).at(s.entry.name, tool);
}

msg::outcome<msg::tool_ref> tool_names::locate(const msg::tool_ref& written, const msg::tool_filter& allowed) const {
  auto& known = all_.names_of(written.run);
  auto server = written.server, tool = written.tool;
  if (!written.full_name.empty()) {
    auto parts = proxy::split(written.full_name, known.trusted);
    if (parts && std::find(known.trusted.begin(), known.trusted.end(), parts->server) == known.trusted.end())
      parts = proxy::split(written.full_name, known.names);
    if (!parts)
      return fault{errc::invalid_argument,
                   "'" + written.full_name + "' is no tool name: expected 'mcp__<server>__<tool>'"};
    server = parts->server;
    tool = parts->tool;
  }
  auto* name = known.find(server);
  if (!name)
    return unknown_server(server, written.run, allowed);
  return msg::tool_ref{"", *name, std::move(tool), written.method, written.run};
}

/// Of one that is held, the catalog could say why.
msg::outcome<const msg::tool_info*> tool_names::find(const server& s, const msg::tool_ref& written,
                                                     const msg::tool_filter& allowed) const {
  auto& tool = written.tool;
  if (s.usable.holds(tool))
    return tool_pinning::held_fault(s.entry.name, tool);
  auto which = s.usable.names.find(tool);
  if (which < 0)
    return unknown_tool(s, written, allowed);
  auto& found = (*s.usable.tools)[static_cast<size_t>(which)];
  if (auto why = refusal(allowed, s.entry.name, found.name); why.code != errc::none)
    return why;
  return &found;
}

fault tool_names::refusal(const msg::tool_filter& allowed, const std::string& server, const std::string& tool) const {
  auto& policy = *all_.policy();
  if (!policy.permits(server, tool))
    return policy.refusal(server, tool);
  return proxy::allows(allowed, server, tool, policy.server_names()) ? fault{} : proxy::refusal(server, tool);
}

fault tool_names::refusal_of_all(const msg::tool_filter& allowed, const std::string& server,
                                 const std::string& tool) const {
  auto& policy = *all_.policy();
  if (!policy.permits_some(server))
    return policy.refusal(server, tool);
  return proxy::allows_some(allowed, server, policy.server_names()) ? fault{} : proxy::refusal(server, tool);
}

} // namespace servers
