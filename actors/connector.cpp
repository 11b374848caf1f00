#include "actors/connector.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace actors {

using msg::errc;
using msg::fault;
using servers::server;

namespace {

/// The handshake has its own time limit; this only makes the wait finite.
constexpr std::chrono::milliseconds start_timeout = msg::limits::child_handshake_timeout_max + std::chrono::seconds{30};

/// Of a server that runs. It gives up earlier, unless it has just ended and starts again.
constexpr std::chrono::seconds catch_up_timeout{10};

fault shutting_down() { return {errc::shutting_down, "the server is being stopped"}; }

} // namespace

/// A run whose call waits here.
class connector_behavior::waiting_caller final : public servers::caller {
public:
  waiting_caller(connector_behavior& connector, caf::strong_actor_ptr from)
    : connector_(connector),
      from_(std::move(from)),
      promise_(connector.self_) {}
  void answer(fault why) override { promise_.deliver(call_result{std::move(why)}); }
  void pass_on(servers::checked_call checked) override {
    connector_.tell_meaning(from_, checked);
    promise_.delegate(connector_.actors_.of(*checked.to), msg::call_atom::value, std::move(checked.call));
  }
  const reply_promise<call_result>& promise() const { return promise_; }

private:
  connector_behavior& connector_;
  caf::strong_actor_ptr from_;
  reply_promise<call_result> promise_;
};

connector_behavior::connector_behavior(self_pointer self, connector_options options)
  : self_(self),
    options_(std::move(options)),
    all_(options_.policy, std::exchange(options_.servers, {})),
    names_(all_),
    actors_(self, options_, all_),
    routes_(self, options_),
    slots_(all_, options_.running_max, routes_of_slots()),
    reviews_(all_, options_.unreviewed, options_.offload, routes_.of_reviews()),
    tools_(all_, names_, reviews_, routes_of_tools()),
    calls_(all_, names_, reviews_, tools_, slots_, options_.rates, routes_.of_calls()),
    searches_(all_, names_, routes_of_searches()) {}

msg::connector_actor::behavior_type connector_behavior::make() {
  self_->set_default_handler(caf::drop);
  self_->set_down_handler([this](caf::down_msg& down) {
    if (!run_ends(down.source))
      actors_.down(down, stopping_);
  });
  self_->set_exit_handler([this](caf::exit_msg& m) {
    calls_.end();
    self_->quit(std::move(m.reason));
  });
  start_eager(std::exchange(options_.connect_at_start, {}));
  return {
    [this](msg::attach_atom, uint64_t run, const msg::client_abilities& abilities) { run_begins(run, abilities); },
    [this](msg::reload_atom, msg::server_entries& entries) { return reload(std::move(entries)); },
    [this](msg::describe_atom, const msg::tool_ref& ref, const msg::tool_filter& allowed) {
      return describe(ref, allowed);
    },
    [this](msg::observe_atom, const msg::tool_ref& tool, msg::document& result) { observe(tool, result); },
    [this](msg::call_atom, msg::tool_request& request) { return call(request); },
    [this](msg::login_atom, msg::login_request& wanted) { return log_in(wanted); },
    [this](msg::cancel_atom, const msg::call_key& key) { cancel(key); },
    [this](msg::finish_atom, uint64_t run) { end_calls_of(run); },
    [this](msg::phase_atom, const std::vector<msg::tool_ref>& tools) { return starts(tools); },
    [this](msg::search_atom, msg::tool_query& query) { return search(query); },
    [this](msg::servers_atom) { return statuses(nullptr); },
    [this](msg::servers_atom, const msg::tool_filter& filter) { return statuses(&filter); },
    [this](msg::tools_atom, const std::string& name, msg::listed_tools& tools) { return tools_listed(name, tools); },
    [this](msg::checked_atom, uint64_t review, const fault& problem) { reviews_.in_order(review, problem); },
    [this](msg::running_atom, const std::string&, bool runs) {
      auto* s = actors_.of_sender();
      if (s && runs)
        s->has_slot = true;
      else if (s)
        slots_.has_ended(*s);
    },
    [this](msg::index_atom, const std::string& name) { return index(name); },
    [this](msg::stop_atom) { return stop(); },
  };
}

// ---- messages of runs ------------------------------------------------------------------------

caf::result<msg::outcome<msg::tool_result>> connector_behavior::call(msg::tool_request& request) {
  if (stopping_)
    return call_result{shutting_down()};
  reply_promise<call_result> promise; // takes the sender: it is made only if the call has to wait
  auto now = calls_.begin(std::move(request), [this, &promise] {
    auto caller = std::make_unique<waiting_caller>(*this, self_->current_sender());
    promise = caller->promise();
    return caller;
  });
  if (!now)
    return promise;
  if (!now->ok())
    return call_result{std::move(now->error)};
  tell_meaning(self_->current_sender(), now->value);
  return self_->delegate(actors_.of(*now->value.to), msg::call_atom::value, std::move(now->value.call));
}

void connector_behavior::tell_meaning(const caf::strong_actor_ptr& caller, servers::checked_call& checked) {
  if (!checked.wants_meaning && checked.changed.empty())
    return;
  auto& call = checked.call;
  if (auto to = caf::actor_cast<msg::progress_listener>(caller))
    self_->send(to, msg::meant_atom::value, call.key,
                msg::tool_info{call.server, call.tool, {}, {}, {}, std::move(checked.changed)});
}

/// What the person has not approved is never spoken of to anybody.
caf::result<msg::outcome<bool>> connector_behavior::log_in(msg::login_request& wanted) {
  auto* s = all_.find(wanted.server, wanted.run);
  if (!s || stopping_ || !msg::is_trusted(s->entry))
    return msg::outcome<bool>{fault{errc::not_allowed, {}}};
  return self_->delegate(actors_.of(*s), msg::login_atom::value, std::move(wanted));
}

/// Wherever the call is.
void connector_behavior::cancel(msg::call_key key) {
  if (calls_.cancel(key))
    return;
  for (auto& name : calls_.called_by(key.run))
    if (auto actor = actors_.running(name, key.run))
      self_->send(actor, msg::cancel_atom::value, key);
}

/// First what its servers do not know of yet.
void connector_behavior::end_calls_of(uint64_t run) {
  auto called = calls_.end_run(run);
  if (auto question = goes_on_.extract(run)) {
    *question.mapped() = false;
    self_->send(options_.catalog, msg::finish_atom::value, run);
  }
  for (auto& name : called)
    if (auto actor = actors_.running(name, run))
      self_->send(actor, msg::finish_atom::value, run);
}

caf::result<msg::outcome<msg::tool_info>> connector_behavior::describe(const msg::tool_ref& ref,
                                                                       const msg::tool_filter& allowed) {
  using answer = msg::outcome<msg::tool_info>;
  auto promise = reply_promise<answer>{self_};
  auto add_observed = [this, promise, run = ref.run](answer tool) {
    if (auto* s = tool.ok() ? all_.find(tool.value.server, run) : nullptr;
        s && s->listed) // else the catalog has said it
      tool.value.needs_own_name =
        !all_.names_of(run).is_found_by_aliases(s->entry.name) || !s->usable.names.is_found_by_aliases(tool.value.name);
    if (tool.ok())
      tool.value.needs_consent = all_.policy()->needs_consent(tool.value.server, tool.value.name);
    if (!tool.ok() || servers::declares_output(tool.value))
      return promise.deliver(std::move(tool));
    auto shared = std::make_shared<answer>(std::move(tool));
    routes_.ask_observed(shared->value, [promise, shared](msg::document schema) {
      shared->value.observed = std::move(schema);
      promise.deliver(std::move(*shared));
    });
  };
  auto look = tools_.look(ref, allowed);
  if (!look.is_known)
    tools_.ask(look.ref, allowed, add_observed);
  else
    add_observed(look.why.code == errc::none ? answer{look.found()} : answer{std::move(look.why)});
  return promise;
}

/// Of a tool that says itself what it gives, nothing needs to be learned.
void connector_behavior::observe(const msg::tool_ref& tool, msg::document& result) {
  auto* s = all_.find(tool.server, tool.run);
  if (auto* found = s ? s->usable.tool(tool.tool) : nullptr; found && !servers::declares_output(*found))
    self_->send(options_.catalog, msg::observe_atom::value, tool, std::move(result));
}

caf::result<msg::outcome<msg::tool_matches>> connector_behavior::search(msg::tool_query& query) {
  query.run = run_of_sender();
  auto promise = reply_promise<msg::outcome<msg::tool_matches>>{self_};
  searches_.begin(std::move(query),
                  [promise](msg::outcome<msg::tool_matches> found) { promise.deliver(std::move(found)); });
  return promise;
}

/// Without a filter: as a person may know them.
caf::result<msg::server_list> connector_behavior::statuses(const msg::tool_filter* filter) {
  auto run = run_of_sender(); // the promise takes the sender
  auto asker = goes_on_.find(run);
  auto is_wanted = [goes_on = asker == goes_on_.end() ? nullptr : asker->second] { return !goes_on || *goes_on; };
  auto promise = reply_promise<msg::server_list>{self_};
  actors_.gather_statuses(filter, run, is_wanted, promise);
  return promise;
}

/// As a run knows them: which servers are meant, and how they are.
caf::result<std::vector<msg::server_start>> connector_behavior::starts(const std::vector<msg::tool_ref>& tools) {
  std::vector<msg::server_start> all;
  all.reserve(tools.size());
  for (auto& ref : tools)
    all.push_back(tools_.meant_by(ref));
  auto promise = reply_promise<std::vector<msg::server_start>>{self_};
  actors_.gather_starts(std::move(all), tools.empty() ? 0 : tools.front().run, promise);
  return promise;
}

void connector_behavior::run_begins(uint64_t run, const msg::client_abilities& abilities) {
  actors_.can_ask(abilities);
  auto execution = caf::actor_cast<caf::actor_addr>(self_->current_sender());
  if (!runs_.emplace(execution, run).second)
    return;
  all_.run_begins(run);
  goes_on_[run] = std::make_shared<bool>(true);
  self_->monitor(caf::actor_cast<caf::actor>(self_->current_sender()));
}

/// 0: it is no run, or one that has ended.
uint64_t connector_behavior::run_of_sender() const {
  auto found = runs_.find(caf::actor_cast<caf::actor_addr>(self_->current_sender()));
  return found == runs_.end() ? 0 : found->second;
}

/// False: it was no run.
bool connector_behavior::run_ends(const caf::actor_addr& execution) {
  auto found = runs_.find(execution);
  if (found == runs_.end())
    return false;
  end_calls_of(found->second); // of one that ended without a word
  all_.run_ends(found->second);
  names_.run_ends(found->second);
  runs_.erase(found);
  stop_unneeded();
  return true;
}

// ---- messages of servers and of the supervisor -----------------------------------------------

/// The server's word for a new list: it hears which of its tools may not be called.
caf::result<msg::outcome<std::vector<std::string>>> connector_behavior::tools_listed(const std::string& name,
                                                                                     msg::listed_tools& tools) {
  using held_names = msg::outcome<std::vector<std::string>>;
  auto* s = actors_.of_sender();
  if (!s)
    return held_names{fault{errc::unknown_server, "server '" + name + "' is not configured any more"}.at(name)};
  auto promise = reply_promise<held_names>{self_};
  auto review = reviews_.begin(*s, std::move(tools));
  review->then.emplace_back([name, promise, of = std::weak_ptr{review}] {
    auto done = of.lock();
    if (done && !done->is_lost)
      promise.deliver(held_names{std::move(done->held)});
    else
      promise.deliver(
        held_names{fault{errc::internal, "the tools of server '" + name + "' could not be looked at"}.at(name)});
  });
  return promise;
}

/// Its tools come by tools_atom, as ever.
caf::result<msg::outcome<uint32_t>> connector_behavior::index(const std::string& name) {
  using answer = msg::outcome<uint32_t>;
  auto* s = all_.find(name);
  if (!s || stopping_)
    return answer{s ? shutting_down() : names_.unknown_server(name)};
  if (auto why = msg::refusal_to_start(s->entry); why.code != errc::none)
    return answer{std::move(why)};
  auto promise = reply_promise<answer>{self_};
  list_tools(*s, 0, start_timeout, [this, promise, name, was_needed = s->has_slot](told_list told) {
    auto result = told ? answer{std::move(told->error)}
                       : answer{fault{errc::server_start_failed, "server '" + name + "' did not start"}.at(name)};
    if (told && told->ok())
      result = answer{static_cast<uint32_t>(told->value->size())};
    auto* now = all_.find(name);
    if (!now || was_needed)
      return promise.deliver(std::move(result));
    actors_.stop_if_idle(*now, [promise, result](bool) { promise.deliver(result); });
  });
  return promise;
}

msg::server_changes connector_behavior::reload(msg::server_entries entries) {
  self_->send(options_.catalog, msg::reload_atom::value, entries);
  auto changes = all_.replace(std::move(entries));
  for (auto& [names, what] :
       {std::pair{&changes.added, "added"}, {&changes.changed, "changed"}, {&changes.removed, "removed"}})
    for (auto& name : *names) {
      msg::audit_event e;
      e.kind = msg::audit_kind::configuration;
      e.server = name;
      e.state = what;
      if (options_.audit)
        self_->send(options_.audit, msg::audit_atom::value, std::move(e));
    }
  stop_unneeded();
  start_eager({});
  return changes;
}

caf::result<bool> connector_behavior::stop() {
  stopping_ = true;
  slots_.end();
  reviews_.end();
  tools_.end();
  searches_.end();
  auto promise = reply_promise<bool>{self_};
  actors_.end_all([promise] { promise.deliver(true); });
  return promise;
}

// ---- servers that are started ----------------------------------------------------------------

/// As that run knows it.
void connector_behavior::list_tools(server& s, uint64_t run, std::chrono::milliseconds patience,
                                    std::function<void(told_list)> then) {
  slots_.take(s, [this, name = s.entry.name, run, patience, then = std::move(then)](fault why) {
    auto* now = all_.find(name, run);
    if (!now || why.code != errc::none)
      return then(now ? std::move(why).at(name) : names_.unknown_server(name, run));
    self_->request(actors_.of(*now), patience, msg::tools_atom::value)
      .then([then](msg::outcome<msg::listed_tools>& told) { then(std::move(told)); },
            [then](caf::error&) { then(std::nullopt); });
  });
}

/// Those of CONNECTED_SERVERS, and those whose entry says `eager` and that the user has not switched off in the client.
void connector_behavior::start_eager(const std::vector<std::string>& names) {
  auto wanted = names;
  for (auto& [name, s] : all_.now())
    if (s.entry.eager && !s.entry.disabled && msg::is_trusted(s.entry) && !actors_.running(s))
      wanted.push_back(name);
  for (auto& name : wanted) {
    auto* s = all_.find(name);
    if (!s) {
      spdlog::warn("CONNECTED_SERVERS: {}", names_.unknown_server(name).message);
      continue;
    }
    slots_.take(*s, [this, name](const fault& why) {
      auto* now = all_.find(name);
      if (now && why.code == errc::none)
        self_->request(actors_.of(*now), start_timeout, msg::tools_atom::value)
          .then([](msg::outcome<msg::listed_tools>&) {}, [](caf::error&) {}); // reports come by tools_atom
      else
        spdlog::warn("{}", why.message);
    });
  }
}

/// Retired servers that no run can use any more.
void connector_behavior::stop_unneeded() {
  if (stopping_)
    return;
  for (auto number : all_.take_unneeded())
    actors_.end(number);
}

// ---- for the plain classes -------------------------------------------------------------------

servers::slot_routes connector_behavior::routes_of_slots() {
  servers::slot_routes to;
  to.now = [this] { return self_->clock().now(); };
  to.stop_if_idle = [this](server& s, auto then) { actors_.stop_if_idle(s, std::move(then)); };
  return to;
}

servers::resolution_routes connector_behavior::routes_of_tools() {
  auto to = routes_.of_tools();
  to.list_tools = [this](server& s, uint64_t run, auto then) { list_tools(s, run, start_timeout, std::move(then)); };
  to.catch_up = [this](server& s, std::function<void()> then) {
    slots_.take(s, [this, number = s.number, then = std::move(then)](const fault& why) {
      auto* now = all_.numbered(number);
      if (!now || why.code != errc::none)
        return then();
      self_->request(actors_.of(*now), catch_up_timeout, msg::tools_atom::value)
        .then([then](msg::outcome<msg::listed_tools>&) { then(); }, [then](caf::error&) { then(); });
    });
  };
  return to;
}

servers::search_routes connector_behavior::routes_of_searches() {
  auto to = routes_.of_searches();
  to.list_tools = [this](server& s, std::chrono::milliseconds patience, auto then) {
    list_tools(s, 0, patience, std::move(then));
  };
  to.tell_again = [this](const server& s) {
    reviews_.begin(s, s.usable.with_held->empty() ? s.usable.tools : s.usable.with_held);
  };
  to.when_reviewed = [this](const server& s, std::function<void()> then) {
    auto review = reviews_.of(s);
    review ? review->then.push_back(std::move(then)) : then();
  };
  return to;
}

msg::connector_actor::behavior_type connector(msg::connector_actor::stateful_pointer<connector_state> self,
                                              connector_options options) {
  return self->state.behavior.emplace(self, std::move(options)).make();
}

} // namespace actors
