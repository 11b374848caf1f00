// Which server and which tool is meant, and whether it may be used.
#include "actors/connector.hpp"
#include "proxy/allowlist.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

using msg::errc;
using msg::fault;

namespace {

/// Names that are near to a wrong one, and of those the ones that are told. Each is held against all patterns, on the one thread: half a millisecond.
constexpr size_t near_max = 20, suggested_max = 3;

/// The model can ask, and tell the person.
constexpr auto none_configured = ", nor any other: the tool `health` says which files were read, and what is wrong with them";

std::vector<std::string_view> views(const std::vector<std::string>& strings) { return {strings.begin(), strings.end()}; }

/// Of the nearest names, those that may be told.
template <class MayTell>
std::vector<std::string> suggested_for(std::string_view wanted, const std::vector<std::string_view>& names, MayTell may_tell) {
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

/// Names no server that `allowed` leaves nothing of.
fault connector_state::unknown_server(const std::string& name, uint64_t run, const msg::tool_filter& allowed) const {
  auto& names = names_of(run).names;
  fault f{errc::unknown_server, "no server '" + name + "' is configured" + (names.empty() ? none_configured : "")};
  f.suggestions = suggested_for(name, views(names),
                                [&, filter = proxy::allowlist{allowed, policy_->server_names()}](auto& near) { return filter.allows_some(near); });
  f.message += did_you_mean(f.suggestions);
  f.server = name;
  return f;
}

fault connector_state::unknown_tool(const server& s, const std::string& tool, const msg::tool_filter& allowed) const {
  fault f{errc::unknown_tool, "server '" + s.entry.name + "' has no tool '" + tool + "'"};
  std::vector<std::string_view> known;
  known.reserve(s.tools.size());
  for (auto& t : s.tools)
    known.push_back(t.name);
  proxy::allowlist filter{allowed, policy_->server_names()};
  proxy::usable_tools usable{*policy_, filter, s.entry.name};
  f.suggestions = suggested_for(tool, known, [&](auto& near) { return usable.has(near); });
  f.message += did_you_mean(f.suggestions);
  return std::move(f).at(s.entry.name, tool);
}

const std::string* connector_state::name_set::find(std::string_view written) const {
  if (auto which = trusted_table.find(written); which >= 0)
    return &trusted[static_cast<size_t>(which)];
  auto which = table.find(written);
  return which < 0 ? nullptr : &names[static_cast<size_t>(which)];
}

const connector_state::name_set& connector_state::names_of(uint64_t run) const {
  auto began = runs_.find(run);
  auto found = names_.find(began == runs_.end() ? generation_ : began->second);
  return found == names_.end() ? names_.rbegin()->second : found->second;
}

/// The server's configured name, and the tool as it was written.
msg::outcome<msg::tool_ref> connector_state::locate(const msg::tool_ref& ref, const msg::tool_filter& allowed) const {
  auto server = ref.server, tool = ref.tool;
  if (!ref.full_name.empty()) {
    auto& known = names_of(ref.run);
    auto parts = proxy::split(ref.full_name, known.trusted);
    if (parts && std::find(known.trusted.begin(), known.trusted.end(), parts->server) == known.trusted.end())
      parts = proxy::split(ref.full_name, known.names);
    if (!parts)
      return fault{errc::invalid_argument, "'" + ref.full_name + "' is no tool name: expected 'mcp__<server>__<tool>'"};
    server = parts->server;
    tool = parts->tool;
  }
  auto* name = names_of(ref.run).find(server);
  return name ? msg::outcome<msg::tool_ref>{msg::tool_ref{"", *name, tool, ref.method, ref.run}} : unknown_server(server, ref.run, allowed);
}

msg::outcome<msg::tool_info> connector_state::resolve_tool(const server& s, const std::string& tool, const msg::tool_filter& allowed) const {
  auto which = s.names.find(tool);
  if (which < 0)
    return unknown_tool(s, tool, allowed);
  auto& found = s.tools[static_cast<size_t>(which)];
  if (auto why = refusal_of(allowed, s.entry.name, found.name); why.code != errc::none)
    return why;
  return found;
}

/// errc::none: neither the settings nor the run have anything against that tool.
fault connector_state::refusal_of(const msg::tool_filter& allowed, const std::string& server, const std::string& tool) const {
  if (!policy_->permits(server, tool))
    return policy_->refusal(server, tool);
  return proxy::allows(allowed, server, tool, policy_->server_names()) ? fault{} : proxy::refusal(server, tool);
}

caf::result<msg::outcome<msg::tool_info>> connector_state::resolve(const msg::tool_ref& ref, const msg::tool_filter& allowed) {
  using answer = msg::outcome<msg::tool_info>;
  auto located = locate(ref, allowed);
  if (!located.ok())
    return answer{std::move(located.error)};
  auto* found = find(located.value.server, ref.run);
  if (!found)
    return answer{unknown_server(located.value.server, ref.run, allowed)};
  auto& s = *found;
  if (ref.method != msg::child_method::call_tool) {
    msg::tool_info asked{s.entry.name, std::string{to_string(ref.method)}, {}, {}};
    auto why = refusal_of(allowed, asked.server, asked.name);
    return why.code == errc::none ? answer{std::move(asked)} : answer{std::move(why)};
  }
  if (!policy_->permits_some(s.entry.name))
    return answer{policy_->refusal(s.entry.name, located.value.tool)};
  if (!proxy::allows_some(allowed, s.entry.name, policy_->server_names()))
    return answer{proxy::refusal(s.entry.name, located.value.tool)};
  if (stopping_)
    return answer{fault{errc::shutting_down, "the server is being stopped"}};
  if (auto pending = review_of(s)) { // what the server has told counts from then on
    auto promise = reply_promise<answer>{self_};
    pending->then.emplace_back([this, tool = located.value, allowed, promise] { resolve_reviewed(tool, allowed, promise); });
    return promise;
  }
  if (s.listed && (s.is_settled(located.value.tool) || s.until > 0)) // of one that is retired, the catalog knows another one
    return resolve_listed(s, located.value.tool, allowed);           // the call itself will start it again if it is down
  auto promise = reply_promise<answer>{self_};
  if (s.until > 0)
    read_and_resolve(located.value, allowed, promise);
  else
    ask_and_resolve(located.value, allowed, promise);
  return promise;
}

} // namespace actors
