#include "actors/connector.hpp"

#include "messages/limits.hpp"
#include "proxy/allowlist.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace actors {

using msg::errc;
using msg::fault;

namespace {

/// Answers of children that are alive come at once; a child that dies bounces the request.
constexpr std::chrono::seconds status_timeout{5};

std::vector<std::string_view> tool_names(const msg::tool_list& tools) {
  std::vector<std::string_view> names;
  for (auto& t : tools)
    names.push_back(t.name);
  return names;
}

std::vector<std::string_view> views(const std::vector<std::string>& strings) { return {strings.begin(), strings.end()}; }

std::string did_you_mean(const std::vector<std::string>& names) {
  std::string out;
  for (auto& n : names)
    out += (out.empty() ? "; did you mean '" : "' or '") + n;
  return out.empty() ? out : out + "'?";
}

/// Of servers that have told nothing yet, what is known; of all, what is not as it was approved. Both are in order of name.
void add_indexed(const msg::indexed_servers& indexed, msg::server_list& to) {
  for (auto& status : to) {
    auto at = std::lower_bound(indexed.begin(), indexed.end(), status.name, [](auto& s, auto& name) { return s.name < name; });
    if (at == indexed.end() || at->name != status.name)
      continue;
    status.held_tools = static_cast<uint32_t>(at->changed.size());
    if (!status.tools.empty() && at->changed.empty())
      continue;
    status.tools = at->tools;
    status.tool_count = static_cast<uint32_t>(at->tools.size());
  }
}

} // namespace

void connector_state::server::take(msg::reviewed_tools reviewed, msg::tool_list list) {
  tools = std::move(reviewed.tools);
  told = reviewed.held > 0 ? std::move(list) : msg::tool_list{};
  names = proxy::name_table{tool_names(tools)};
  listed = true;
}

msg::child_server_actor connector_state::actor_of(server& s) {
  if (!s.actor) {
    child_server_options options{connect_, offload_, caf::actor_cast<msg::connector_actor>(self_), ++jitter_seed_};
    s.actor = self_->spawn<caf::monitored>(child_server, s.entry, std::move(options));
  }
  return s.actor;
}

connector_state::server* connector_state::find(const std::string& name) {
  auto found = servers_.find(name);
  return found == servers_.end() ? nullptr : &found->second;
}

// ---- names -----------------------------------------------------------------------------------

fault connector_state::unknown_server(const std::string& name) const {
  fault f{errc::unknown_server, "no server '" + name + "' is configured" + (names_.empty() ? ", nor any other" : "")};
  f.suggestions = proxy::nearest(name, views(names_));
  f.message += did_you_mean(f.suggestions);
  f.server = name;
  return f;
}

fault connector_state::unknown_tool(const server& s, const std::string& tool, const msg::tool_filter& allowed) const {
  fault f{errc::unknown_tool, "server '" + s.entry.name + "' has no tool '" + tool + "'"};
  std::vector<std::string_view> usable;
  for (auto& t : s.tools)
    if (proxy::allows(allowed, proxy::full_name(s.entry.name, t.name)))
      usable.push_back(t.name);
  f.suggestions = proxy::nearest(tool, usable);
  f.message += did_you_mean(f.suggestions);
  return std::move(f).at(s.entry.name, tool);
}

/// Null: there is no such server, by name or alias.
const std::string* connector_state::configured_name(std::string_view written) const {
  auto which = server_names_.find(written);
  return which < 0 ? nullptr : &names_[static_cast<size_t>(which)];
}

/// The server's configured name, and the tool as it was written.
msg::outcome<msg::tool_ref> connector_state::locate(const msg::tool_ref& ref) const {
  auto server = ref.server, tool = ref.tool;
  if (!ref.full_name.empty()) {
    auto parts = proxy::split(ref.full_name, names_);
    if (!parts)
      return fault{errc::invalid_argument, "'" + ref.full_name + "' is no tool name: expected 'mcp__<server>__<tool>'"};
    server = parts->server;
    tool = parts->tool;
  }
  auto* name = configured_name(server);
  return name ? msg::outcome<msg::tool_ref>{msg::tool_ref{"", *name, tool, ref.method}} : unknown_server(server);
}

msg::outcome<msg::tool_info> connector_state::resolve_tool(const server& s, const std::string& tool, const msg::tool_filter& allowed) const {
  auto which = s.names.find(tool);
  if (which < 0)
    return unknown_tool(s, tool, allowed);
  auto& found = s.tools[static_cast<size_t>(which)];
  if (!proxy::allows(allowed, proxy::full_name(s.entry.name, found.name)))
    return proxy::refusal(s.entry.name, found.name);
  return found;
}

caf::result<msg::outcome<msg::tool_info>> connector_state::resolve(const msg::tool_ref& ref, const msg::tool_filter& allowed) {
  using answer = msg::outcome<msg::tool_info>;
  auto located = locate(ref);
  if (!located.ok())
    return answer{std::move(located.error)};
  auto& s = *find(located.value.server);
  if (ref.method != msg::child_method::call_tool) {
    msg::tool_info asked{s.entry.name, std::string{to_string(ref.method)}, {}, {}};
    return proxy::allows(allowed, proxy::full_name(asked.server, asked.name)) ? answer{std::move(asked)}
                                                                              : answer{proxy::refusal(asked.server, asked.name)};
  }
  if (!proxy::allows_some(allowed, s.entry.name))
    return answer{proxy::refusal(s.entry.name, located.value.tool)};
  if (stopping_)
    return answer{fault{errc::shutting_down, "the server is being stopped"}};
  if (s.listed && s.is_settled(located.value.tool))
    return resolve_tool(s, located.value.tool, allowed); // the call itself will start it again if it is down
  auto promise = self_->make_response_promise<answer>();
  ask_and_resolve(s.entry.name, located.value.tool, allowed, promise);
  return promise;
}

caf::result<msg::outcome<msg::tool_result>> connector_state::call(msg::tool_call& call) {
  auto* s = find(call.server);
  if (!s || stopping_)
    return msg::outcome<msg::tool_result>{s ? fault{errc::shutting_down, "the server is being stopped"} : unknown_server(call.server)};
  return self_->delegate(actor_of(*s), msg::call_atom::value, std::move(call));
}

/// Its tools come by tools_atom, as ever.
caf::result<msg::outcome<uint32_t>> connector_state::index(const std::string& name) {
  using answer = msg::outcome<uint32_t>;
  auto* s = find(name);
  if (!s || stopping_)
    return answer{s ? fault{errc::shutting_down, "the server is being stopped"} : unknown_server(name)};
  bool was_needed = s->actor != nullptr;
  auto actor = actor_of(*s);
  auto promise = self_->make_response_promise<answer>();
  auto finish = [this, promise, actor, was_needed](const answer& result) mutable {
    if (was_needed) {
      promise.deliver(result);
      return;
    }
    self_->request(actor, stop_timeout, msg::stop_atom::value)
      .then([promise, result](bool) mutable { promise.deliver(result); }, [promise, result](caf::error&) mutable { promise.deliver(result); });
  };
  self_->request(actor, start_timeout, msg::tools_atom::value)
    .then(
      [finish](msg::outcome<msg::tool_list>& tools) mutable {
        finish(tools.ok() ? answer{static_cast<uint32_t>(tools.value.size())} : answer{std::move(tools.error)});
      },
      [finish, name](caf::error&) mutable {
        finish(fault{errc::server_start_failed, "server '" + name + "' did not start"}.at(name));
      });
  return promise;
}

// ---- state and end ---------------------------------------------------------------------------

msg::server_status connector_state::idle_status(const server& s) const {
  msg::server_status status;
  status.name = s.entry.name;
  status.state = s.entry.unusable.empty() ? msg::server_state::idle : msg::server_state::unusable;
  status.tool_count = static_cast<uint32_t>(s.tools.size());
  status.last_error = s.entry.unusable.empty() ? s.last_error : s.entry.unusable;
  status.disabled = s.entry.disabled;
  status.source = s.entry.source;
  status.shadows = s.entry.shadows;
  return status;
}

caf::result<msg::server_list> connector_state::statuses() {
  struct gathering {
    msg::server_list list;
    msg::indexed_servers indexed;
    size_t outstanding = 0;
    caf::typed_response_promise<msg::server_list> promise;
  };
  auto g = std::make_shared<gathering>();
  std::vector<std::pair<size_t, msg::child_server_actor>> running;
  for (auto& [name, s] : servers_) {
    if (s.actor)
      running.emplace_back(g->list.size(), s.actor);
    g->list.push_back(idle_status(s));
  }
  g->promise = self_->make_response_promise<msg::server_list>();
  g->outstanding = running.size() + 1;
  auto finish = [g] {
    if (--g->outstanding > 0)
      return;
    add_indexed(g->indexed, g->list);
    g->promise.deliver(std::move(g->list));
  };
  self_->request(catalog_, status_timeout, msg::servers_atom::value)
    .then(
      [g, finish](msg::outcome<msg::indexed_servers>& indexed) {
        g->indexed = std::move(indexed.value);
        finish();
      },
      [finish](caf::error&) { finish(); });
  for (auto& [place, actor] : running)
    self_->request(actor, status_timeout, msg::status_atom::value)
      .then(
        [g, finish, place = place](msg::server_status& status) {
          auto& known = g->list[place];
          status.disabled = known.disabled;
          status.source = std::move(known.source);
          status.shadows = std::move(known.shadows);
          known = std::move(status);
          finish();
        },
        [finish](caf::error&) { finish(); });
  return g->promise;
}

caf::result<bool> connector_state::stop() {
  stopping_ = true;
  auto outstanding = std::make_shared<size_t>(0);
  auto promise = self_->make_response_promise<bool>();
  for (auto& [name, s] : servers_) {
    if (!s.actor)
      continue;
    ++*outstanding;
    auto finish = [this, outstanding, promise, actor = s.actor]() mutable {
      self_->send_exit(actor, caf::exit_reason::user_shutdown);
      if (--*outstanding == 0)
        promise.deliver(true);
    };
    self_->request(s.actor, stop_timeout, msg::stop_atom::value)
      .then([finish](bool) mutable { finish(); }, [finish](caf::error&) mutable { finish(); });
  }
  if (*outstanding == 0)
    promise.deliver(true);
  return promise;
}

/// A child_server actor ends only by a fault of ours or at shutdown; the next call gets a new one.
void connector_state::child_down(const caf::down_msg& down) {
  for (auto& [name, s] : servers_)
    if (s.actor && down.source == s.actor) {
      s.actor = nullptr;
      s.last_error = "its actor ended: " + caf::deep_to_string(down.reason);
      if (!stopping_)
        spdlog::error("server '{}': {}", name, s.last_error);
    }
}

msg::connector_actor::behavior_type connector_state::make_behavior(connector_options options) {
  connect_ = std::move(options.connect);
  offload_ = std::move(options.offload);
  catalog_ = std::move(options.catalog);
  jitter_seed_ = options.jitter_seed;
  for (auto& entry : options.servers) {
    auto name = entry.name;
    names_.push_back(name);
    servers_[name].entry = std::move(entry);
  }
  server_names_ = proxy::name_table{views(names_)};
  self_->set_default_handler(caf::drop);
  self_->set_down_handler([this](caf::down_msg& down) { child_down(down); });
  self_->set_exit_handler([this](caf::exit_msg& m) {
    for (auto& [name, s] : servers_)
      if (s.actor)
        self_->send_exit(s.actor, m.reason);
    self_->quit(std::move(m.reason));
  });
  for (auto& wanted : options.connect_at_start) {
    if (auto* s = find(wanted))
      self_->request(actor_of(*s), start_timeout, msg::tools_atom::value)
        .then([](msg::outcome<msg::tool_list>&) {}, [](caf::error&) {}); // reports come by tools_atom
    else
      spdlog::warn("CONNECTED_SERVERS: {}", unknown_server(wanted).message);
  }
  return {
    [this](msg::resolve_atom, const msg::tool_ref& ref, const msg::tool_filter& allowed) { return resolve(ref, allowed); },
    [this](msg::describe_atom, const msg::tool_ref& ref, const msg::tool_filter& allowed) { return describe(ref, allowed); },
    [this](msg::observe_atom, const msg::tool_ref& tool, msg::document& result) { observe(tool, result); },
    [this](msg::call_atom, msg::tool_call& c) { return call(c); },
    [this](msg::cancel_atom, const std::string& server, msg::call_key key) {
      if (auto* s = find(server); s && s->actor)
        self_->send(s->actor, msg::cancel_atom::value, key);
    },
    [this](msg::search_atom, msg::tool_query& query) { return search(query); },
    [this](msg::servers_atom) { return statuses(); },
    [this](msg::tools_atom, const std::string& server, msg::tool_list& tools) {
      if (find(server))
        review(server, std::move(tools));
    },
    [this](msg::index_atom, const std::string& server) { return index(server); },
    [this](msg::stop_atom) { return stop(); },
  };
}

msg::connector_actor::behavior_type connector(msg::connector_actor::stateful_pointer<connector_state> self, connector_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
