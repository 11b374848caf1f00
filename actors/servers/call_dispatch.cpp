#include "actors/servers/call_dispatch.hpp"

#include "catalog/pinning/approvals.hpp"
#include "proxy/names.hpp"

#include <utility>
#include <vector>

namespace servers {

using msg::errc;
using msg::fault;

call_dispatch::call_dispatch(generations& all, const tool_names& names, tool_reviews& reviews, tool_resolution& tools,
                             server_slots& slots, call_rates rates, dispatch_routes routes)
  : all_(all),
    names_(names),
    reviews_(reviews),
    tools_(tools),
    slots_(slots),
    rates_(rates),
    routes_(std::move(routes)) {}

// ---- a call ----------------------------------------------------------------------------------

std::optional<msg::outcome<checked_call>> call_dispatch::begin(msg::tool_request request, const make_caller& wait) {
  using answer = msg::outcome<checked_call>;
  request.tool.run = request.key.run;
  auto look = tools_.look(request.tool, request.allowed);
  if (look.why.code != errc::none)
    return answer{std::move(look.why)};
  auto key = request.key;
  if (!look.is_known) {
    hold(std::move(request), wait);
    wait_for_tool(key, look.ref);
    return std::nullopt;
  }
  auto& s = *all_.find(look.ref.server, key.run);
  meant_tool tool{look.ref.server, look.tool ? look.tool->name : look.ref.tool, look.tool ? look.tool->changed : "",
                  look.ref.method};
  if (auto why = missing_consent(request, tool); why.code != errc::none)
    return answer{std::move(why)};
  if (s.has_slot && !s.may_lose_slot && msg::is_trusted(s.entry) && claims_of(s, tool.name).empty())
    return answer{make(s, std::move(request), std::move(tool))};
  hold(std::move(request), wait);
  ask_for_rate(key, tool);
  return std::nullopt;
}

void call_dispatch::hold(msg::tool_request request, const make_caller& wait) {
  auto key = request.key;
  held_.insert_or_assign(key, held_call{std::move(request), wait()});
}

void call_dispatch::wait_for_tool(msg::call_key key, const msg::tool_ref& ref) {
  auto& of_run = questions_.try_emplace(key.run, questions_at_once_max).first->second;
  of_run.take([this, key, ref] { ask_for_tool(key, ref); });
}

/// It is its turn.
void call_dispatch::ask_for_tool(msg::call_key key, const msg::tool_ref& ref) {
  auto end_turn = [this, run = key.run] {
    if (auto of_run = questions_.find(run); of_run != questions_.end())
      of_run->second.over();
  };
  auto held = held_.find(key);
  if (held == held_.end()) // cancelled while it waited
    return end_turn();
  tools_.ask(ref, held->second.request.allowed, [this, key, ref, end_turn](msg::outcome<msg::tool_info> tool) {
    end_turn();
    resolved(key, ref, std::move(tool));
  });
}

void call_dispatch::resolved(msg::call_key key, const msg::tool_ref& ref, msg::outcome<msg::tool_info> tool) {
  if (!tool.ok())
    return refuse(key, std::move(tool.error));
  meant_tool meant{ref.server, std::move(tool.value.name), std::move(tool.value.changed), ref.method};
  auto held = held_.find(key);
  if (auto why = held == held_.end() ? fault{} : missing_consent(held->second.request, meant); why.code != errc::none)
    return refuse(key, std::move(why));
  ask_for_rate(key, meant);
}

/// Of the tool that is meant, however it was written: where it is known what is called, and nowhere before. Who has
/// made the call asks the person then, and makes it again.
fault call_dispatch::missing_consent(const msg::tool_request& request, const meant_tool& tool) const {
  if (!all_.policy()->needs_consent(tool.server, tool.name)
      || (request.agreed.server == tool.server && request.agreed.tool == tool.name))
    return {};
  return fault{errc::not_approved,
               "'" + proxy::full_name(tool.server, tool.name) + "' needs the user's approval (security.confirm)"}
    .at(tool.server, tool.name);
}

void call_dispatch::ask_for_rate(msg::call_key key, const meant_tool& tool) {
  auto* s = all_.find(tool.server, key.run);
  auto claims = s && held_.contains(key) ? claims_of(*s, tool.name) : msg::rate_claims{};
  if (claims.empty())
    return ask_for_slot(key, tool, {});
  routes_.take_tokens(std::move(claims), [this, key, tool](fault why) { ask_for_slot(key, tool, std::move(why)); });
}

void call_dispatch::ask_for_slot(msg::call_key key, const meant_tool& tool, fault why) {
  auto* s = all_.find(tool.server, key.run);
  if (!s || why.code != errc::none || !held_.contains(key))
    return send(key, tool, std::move(why));
  slots_.take(*s, [this, key, tool](fault refused) { send(key, tool, std::move(refused)); });
}

void call_dispatch::send(msg::call_key key, const meant_tool& tool, fault why) {
  auto* s = all_.find(tool.server, key.run);
  if (why.code != errc::none)
    return refuse(key, std::move(why).at(tool.server, tool.name));
  if (!s)
    return refuse(key, names_.unknown_server(tool.server, key.run));
  if (!may_be_sent(*s, tool))
    return refuse(key, tool_pinning::held_fault(tool.server, tool.name));
  if (auto held = held_.extract(key))
    held.mapped().from->pass_on(make(*s, std::move(held.mapped().request), tool));
}

void call_dispatch::refuse(msg::call_key key, fault why) {
  if (auto held = held_.extract(key))
    held.mapped().from->answer(std::move(why));
}

checked_call call_dispatch::make(server& to, msg::tool_request request, meant_tool tool) {
  to.last_used = routes_.now();
  called_[request.key.run].insert(tool.server);
  checked_call checked;
  checked.to = &to;
  checked.changed = std::move(tool.changed);
  checked.wants_meaning = request.wants_meaning;
  checked.call.key = request.key;
  checked.call.server = std::move(tool.server);
  checked.call.tool = std::move(tool.name);
  checked.call.arguments = std::move(request.arguments);
  checked.call.wants_progress = request.wants_progress;
  checked.call.method = tool.method;
  checked.call.trace = std::move(request.trace);
  checked.call.patience_ms = request.patience_ms;
  checked.call.asker = request.asker;
  checked.call.faults = request.faults;
  return checked;
}

/// A list that has come since it was resolved may hold the tool.
bool call_dispatch::may_be_sent(const server& s, const meant_tool& tool) const {
  return tool.method != msg::child_method::call_tool || !reviews_.are_watched() || !s.usable.holds(tool.name);
}

msg::rate_claims call_dispatch::claims_of(const server& s, const std::string& tool) const {
  msg::rate_claims claims;
  auto& server = s.entry.name;
  bool is_own = s.entry.rate.requests > 0;
  auto& of_server = is_own ? s.entry.rate : rates_.per_server;
  if (of_server.requests > 0)
    claims.push_back({"server " + server, of_server, "server '" + server + "'",
                      is_own ? "rateLimit of its entry in " + s.entry.source : "rateLimit.perServer"});
  if (rates_.per_tool.requests > 0) {
    auto name = proxy::full_name(server, tool);
    // Where the name of the server ends is part of it.
    auto bucket = "tool " + std::to_string(server.size()) + " " + name;
    claims.push_back({std::move(bucket), rates_.per_tool, "'" + name + "'", "rateLimit.perTool"});
  }
  return claims;
}

// ---- the end ---------------------------------------------------------------------------------

bool call_dispatch::cancel(msg::call_key key) {
  bool is_here = held_.contains(key);
  refuse(key, {errc::cancelled, "the call was cancelled before its server got it"});
  return is_here;
}

std::set<std::string> call_dispatch::end_run(uint64_t run) {
  questions_.erase(run);
  auto first = held_.lower_bound({run, 0}), last = first;
  std::vector<held_map::node_type> ended;
  while (last != held_.end() && last->first.run == run)
    ended.push_back(held_.extract(last++));
  for (auto& held : ended)
    held.mapped().from->answer({errc::cancelled, msg::run_ended_unsent});
  auto called = called_.extract(run);
  return called ? std::move(called.mapped()) : std::set<std::string>{};
}

const std::set<std::string>& call_dispatch::called_by(uint64_t run) const {
  static const std::set<std::string> none;
  auto found = called_.find(run);
  return found == called_.end() ? none : found->second;
}

void call_dispatch::end() {
  questions_.clear();
  for (auto& [key, held] : std::exchange(held_, {}))
    held.from->answer({errc::shutting_down, "the server is being stopped"});
}

} // namespace servers
