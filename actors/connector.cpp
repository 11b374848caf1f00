#include "actors/connector.hpp"

#include "catalog/pinning/approvals.hpp"
#include "messages/limits.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace actors {

using msg::errc;
using msg::fault;

connector_state::~connector_state() {
  for (auto* s : with_retired())
    if (s->actor)
      caf::anon_send_exit(s->actor, caf::exit_reason::user_shutdown);
}

msg::child_server_actor connector_state::actor_of(server& s) {
  if (!s.actor) {
    auto offload = options_.offload_of_server ? options_.offload_of_server() : options_.offload;
    child_server_options options{options_.connect,       std::move(offload), caf::actor_cast<msg::connector_actor>(self_),
                                 ++options_.jitter_seed, options_.limits,    options_.audit,
                                 watches_changes()};
    s.actor = self_->spawn<caf::monitored>(child_server, s.entry, std::move(options));
  }
  return s.actor;
}

/// As a run finds it: a server that another configuration has replaced is still there for those that began before.
connector_state::server* connector_state::find(const std::string& name, uint64_t run) {
  if (auto began = runs_.find(run); began != runs_.end() && began->second < generation_)
    for (auto& r : retired_)
      if (r.entry.name == name && r.since <= began->second && began->second < r.until)
        return &r;
  auto found = servers_.find(name);
  return found == servers_.end() ? nullptr : &found->second;
}

/// The server whose actor has sent what is being handled. Null: it is none of ours any more.
connector_state::server* connector_state::of_sender(const std::string& name) {
  auto sender = caf::actor_cast<caf::actor_addr>(self_->current_sender());
  auto* now = find(name);
  if (now && (!now->actor || sender == now->actor.address()))
    return now;
  for (auto& r : retired_)
    if (r.actor && sender == r.actor.address())
      return &r;
  return nullptr;
}

std::vector<connector_state::server*> connector_state::with_retired() {
  std::vector<server*> all;
  all.reserve(servers_.size() + retired_.size());
  for (auto& [name, s] : servers_)
    all.push_back(&s);
  for (auto& s : retired_)
    all.push_back(&s);
  return all;
}

// ---- calls -----------------------------------------------------------------------------------

caf::result<msg::outcome<msg::tool_result>> connector_state::call(msg::tool_call& call) {
  auto* s = find(call.server, call.key.run);
  if (!s || stopping_)
    return msg::outcome<msg::tool_result>{s ? fault{errc::shutting_down, "the server is being stopped"} : unknown_server(call.server, call.key.run)};
  s->last_used = self_->clock().now();
  called_[call.key.run].insert(call.server);
  bool is_watched = watches_changes() && call.method == msg::child_method::call_tool;
  if (auto pending = is_watched ? review_of(*s) : nullptr) {
    auto promise = reply_promise<msg::outcome<msg::tool_result>>{self_};
    call_reviewed(std::move(call), pending, promise);
    return promise;
  }
  if (is_watched && s->holds(call.tool)) // since it was resolved
    return msg::outcome<msg::tool_result>{tool_pinning::held_fault(call.server, call.tool)};
  if (s->has_slot && claims_of(*s, call).empty())
    return self_->delegate(actor_of(*s), msg::call_atom::value, std::move(call));
  auto promise = reply_promise<msg::outcome<msg::tool_result>>{self_};
  call_in_time(std::move(call), promise);
  return promise;
}

/// Its tools come by tools_atom, as ever.
caf::result<msg::outcome<uint32_t>> connector_state::index(const std::string& name) {
  using answer = msg::outcome<uint32_t>;
  auto* s = find(name);
  if (!s || stopping_)
    return answer{s ? fault{errc::shutting_down, "the server is being stopped"} : unknown_server(name)};
  if (auto why = msg::refusal_to_start(s->entry); why.code != errc::none)
    return answer{std::move(why)};
  bool was_needed = s->has_slot;
  auto actor = actor_of(*s);
  auto promise = reply_promise<answer>{self_};
  auto finish = [this, promise, actor, was_needed](const answer& result) mutable {
    if (was_needed) {
      promise.deliver(result);
      return;
    }
    self_->request(actor, stop_timeout, msg::stop_if_idle_atom::value)
      .then([promise, result](bool) mutable { promise.deliver(result); }, [promise, result](caf::error&) mutable { promise.deliver(result); });
  };
  with_server_slot(*s, [this, finish, actor, name](fault why) mutable {
    if (why.code != errc::none)
      return finish(answer{std::move(why)});
    self_->request(actor, start_timeout, msg::tools_atom::value)
      .then(
        [finish](msg::outcome<msg::tool_list>& tools) mutable {
          finish(tools.ok() ? answer{static_cast<uint32_t>(tools.value.size())} : answer{std::move(tools.error)});
        },
        [finish, name](caf::error&) mutable {
          finish(fault{errc::server_start_failed, "server '" + name + "' did not start"}.at(name));
        });
  });
  return promise;
}

// ---- state and end ---------------------------------------------------------------------------

/// Stops it in order; then no caller needs the actor any more.
void connector_state::end_actor(const msg::child_server_actor& actor, std::function<void()> done) {
  auto finish = [this, actor, done = std::move(done)] {
    self_->send_exit(actor, caf::exit_reason::user_shutdown);
    done();
  };
  self_->request(actor, stop_timeout, msg::stop_atom::value).then([finish](bool) { finish(); }, [finish](caf::error&) { finish(); });
}

caf::result<bool> connector_state::stop() {
  stopping_ = true;
  std::vector<msg::child_server_actor> actors;
  for (auto* s : with_retired())
    if (s->actor)
      actors.push_back(s->actor);
  auto promise = reply_promise<bool>{self_};
  auto outstanding = std::make_shared<size_t>(actors.size());
  if (actors.empty())
    promise.deliver(true);
  for (auto& actor : actors)
    end_actor(actor, [outstanding, promise]() mutable {
      if (--*outstanding == 0)
        promise.deliver(true);
    });
  return promise;
}

/// A child_server actor ends only by a fault of ours or at shutdown; the next call gets a new one.
void connector_state::child_down(const caf::down_msg& down) {
  for (auto* s : with_retired())
    if (s->actor && down.source == s->actor) {
      s->actor = nullptr;
      s->has_slot = false;
      s->last_error = "its actor ended: " + caf::deep_to_string(down.reason);
      if (!stopping_)
        spdlog::error("server '{}': {}", s->entry.name, s->last_error);
    }
}

msg::connector_actor::behavior_type connector_state::make_behavior(connector_options options) {
  auto entries = std::exchange(options.servers, {});
  auto at_start = std::exchange(options.connect_at_start, {});
  options_ = std::move(options);
  set_servers(std::move(entries));
  self_->set_default_handler(caf::drop);
  self_->set_down_handler([this](caf::down_msg& down) {
    if (!run_ends(down.source))
      child_down(down);
  });
  self_->set_exit_handler([this](caf::exit_msg& m) {
    for (auto& [key, promise] : std::exchange(held_up_, {}))
      promise.deliver(msg::outcome<msg::tool_result>{fault{errc::shutting_down, "the server is being stopped"}});
    self_->quit(std::move(m.reason));
  });
  start_eager(at_start);
  return {
    [this](msg::attach_atom, uint64_t run) { run_begins(run); },
    [this](msg::reload_atom, msg::server_entries& entries) { return reload(std::move(entries)); },
    [this](msg::resolve_atom, const msg::tool_ref& ref, const msg::tool_filter& allowed) { return resolve(ref, allowed); },
    [this](msg::describe_atom, const msg::tool_ref& ref, const msg::tool_filter& allowed) { return describe(ref, allowed); },
    [this](msg::observe_atom, const msg::tool_ref& tool, msg::document& result) { observe(tool, result); },
    [this](msg::phase_atom, const std::vector<msg::tool_ref>& tools) { return starts(tools); },
    [this](msg::call_atom, msg::tool_call& c) { return call(c); },
    [this](msg::cancel_atom, const std::string& server, msg::call_key key) { cancel(server, key); },
    [this](msg::finish_atom, uint64_t run) { end_calls_of(run); },
    [this](msg::search_atom, msg::tool_query& query) { return search(query); },
    [this](msg::servers_atom) { return statuses(nullptr); },
    [this](msg::servers_atom, const msg::tool_filter& filter) { return statuses(&filter); },
    [this](msg::tools_atom, const std::string& server, msg::tool_list& tools) { return tools_listed(server, tools); },
    [this](msg::checked_atom, uint64_t review, const fault& problem) { in_order(review, problem); },
    [this](msg::running_atom, const std::string& server, bool runs) { running(server, runs); },
    [this](msg::index_atom, const std::string& server) { return index(server); },
    [this](msg::stop_atom) { return stop(); },
  };
}

msg::connector_actor::behavior_type connector(msg::connector_actor::stateful_pointer<connector_state> self, connector_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
