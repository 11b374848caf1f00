// Another configuration: what has not changed goes on, and runs finish with the servers that they began with.
#include "actors/connector.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace actors {

/// A new generation. Servers that are the same are kept.
void connector_state::set_servers(msg::server_entries entries) {
  name_set now;
  policy_ = std::make_shared<const proxy::tool_policy>(options_.policy, entries);
  for (auto& entry : entries) {
    now.names.push_back(entry.name);
    if (msg::is_trusted(entry))
      now.trusted.push_back(entry.name);
    auto [at, is_new] = servers_.try_emplace(entry.name);
    if (is_new)
      at->second.since = generation_;
    at->second.entry = std::move(entry);
  }
  now.table = proxy::name_table{{now.names.begin(), now.names.end()}};
  now.trusted_table = proxy::name_table{{now.trusted.begin(), now.trusted.end()}};
  names_[generation_] = std::move(now);
}

/// Those of CONNECTED_SERVERS, and those whose entry says `eager` and that the user has not switched off in the client.
void connector_state::start_eager(const std::vector<std::string>& names) {
  auto wanted = names;
  for (auto& [name, s] : servers_)
    if (s.entry.eager && !s.entry.disabled && msg::is_trusted(s.entry) && !s.actor)
      wanted.push_back(name);
  for (auto& name : wanted) {
    auto* s = find(name);
    if (!s) {
      spdlog::warn("CONNECTED_SERVERS: {}", unknown_server(name).message);
      continue;
    }
    with_server_slot(*s, [this, name](const msg::fault& why) {
      auto* found = find(name);
      if (found && why.code == msg::errc::none)
        self_->request(actor_of(*found), start_timeout, msg::tools_atom::value)
          .then([](msg::outcome<msg::tool_list>&) {}, [](caf::error&) {}); // reports come by tools_atom
      else
        spdlog::warn("{}", why.message);
    });
  }
}

msg::server_changes connector_state::reload(msg::server_entries entries) {
  msg::server_changes changes;
  std::map<std::string, const msg::server_entry*> wanted;
  for (auto& e : entries)
    wanted.emplace(e.name, &e);
  ++generation_;
  for (auto at = servers_.begin(); at != servers_.end();) {
    auto found = wanted.find(at->first);
    if (found != wanted.end() && is_same_server(at->second.entry, *found->second)) {
      ++at;
      continue;
    }
    (found == wanted.end() ? changes.removed : changes.changed).push_back(at->first);
    retire(std::move(at->second));
    at = servers_.erase(at);
  }
  for (auto& [name, entry] : wanted)
    if (!servers_.contains(name) && std::find(changes.changed.begin(), changes.changed.end(), name) == changes.changed.end())
      changes.added.push_back(name);
  record(changes);
  self_->send(options_.catalog, msg::reload_atom::value, entries);
  set_servers(std::move(entries));
  sweep_retired();
  start_eager({});
  return changes;
}

void connector_state::record(const msg::server_changes& changes) {
  if (!options_.audit)
    return;
  for (auto& [names, what] : {std::pair{&changes.added, "added"}, {&changes.changed, "changed"}, {&changes.removed, "removed"}})
    for (auto& name : *names) {
      msg::audit_event e;
      e.kind = msg::audit_kind::configuration;
      e.server = name;
      e.state = what;
      self_->send(options_.audit, msg::audit_atom::value, std::move(e));
    }
}

void connector_state::retire(server s) {
  s.until = generation_;
  retired_.push_back(std::move(s));
}

void connector_state::run_begins(uint64_t run) {
  auto execution = caf::actor_cast<caf::actor_addr>(self_->current_sender());
  if (!executions_.emplace(execution, run).second)
    return;
  runs_[run] = generation_;
  goes_on_[run] = std::make_shared<bool>(true);
  self_->monitor(caf::actor_cast<caf::actor>(self_->current_sender()));
}

/// 0: it is no run, or one that has ended.
uint64_t connector_state::run_of_sender() const {
  auto found = executions_.find(caf::actor_cast<caf::actor_addr>(self_->current_sender()));
  return found == executions_.end() ? 0 : found->second;
}

/// False: it was no run.
bool connector_state::run_ends(const caf::actor_addr& execution) {
  auto found = executions_.find(execution);
  if (found == executions_.end())
    return false;
  end_calls_of(found->second); // of one that ended without a word
  runs_.erase(found->second);
  executions_.erase(found);
  sweep_retired();
  return true;
}

/// Stops the servers that no run can use any more.
void connector_state::sweep_retired() {
  if (stopping_ || (retired_.empty() && names_.size() == 1))
    return;
  auto is_needed = [this](const server& s) {
    return std::any_of(runs_.begin(), runs_.end(), [&](auto& r) { return s.since <= r.second && r.second < s.until; });
  };
  std::erase_if(retired_, [&](server& s) {
    if (is_needed(s))
      return false;
    if (s.actor)
      end_actor(s.actor, [] {});
    return true;
  });
  auto is_named = [this](uint64_t generation) {
    return generation == generation_ || std::any_of(runs_.begin(), runs_.end(), [&](auto& r) { return r.second == generation; });
  };
  std::erase_if(names_, [&](auto& entry) { return !is_named(entry.first); });
}

} // namespace actors
