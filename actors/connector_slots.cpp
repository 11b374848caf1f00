// How many servers run at once, and how often they are called.
#include "actors/connector.hpp"
#include "catalog/pinning/approvals.hpp"
#include "proxy/names.hpp"

#include <caf/all.hpp>

#include <algorithm>

namespace actors {

using msg::errc;
using msg::fault;

namespace {

/// A server that gives up its place has ended by then, or is killed.
constexpr std::chrono::milliseconds stop_if_idle_timeout = msg::limits::child_stop_stdin + msg::limits::child_stop_sigterm + std::chrono::seconds{5};
/// The limiter answers at once; only so that the wait is finite.
constexpr std::chrono::seconds limiter_timeout{5};

} // namespace

// ---- places ----------------------------------------------------------------------------------

size_t connector_state::slots_taken() const {
  auto counts = [](auto& s) { return s.has_slot; };
  auto now = std::count_if(servers_.begin(), servers_.end(), [&](auto& named) { return counts(named.second); });
  return static_cast<size_t>(now + std::count_if(retired_.begin(), retired_.end(), counts));
}

/// `done` gets errc::none when the server runs or may be started; at once if it can. Whatever starts a server asks here first.
void connector_state::with_server_slot(server& s, std::function<void(fault)> done) {
  if (auto why = msg::refusal_to_start(s.entry); why.code != errc::none)
    return done(std::move(why));
  s.last_used = self_->clock().now();
  bool is_retired = s.until > 0; // its last runs end soon: it searches for no place, which would be under its successor's name
  if (!s.has_slot && !is_retired && slots_taken() >= options_.running_max) {
    auto search = std::make_shared<slot_search>();
    for (auto& [name, other] : servers_)
      if (other.has_slot && other.actor && !other.entry.eager)
        search->candidates.push_back(name);
    auto used_later = [this](auto& a, auto& b) { return find(a)->last_used > find(b)->last_used; };
    std::sort(search->candidates.begin(), search->candidates.end(), used_later);
    search->done = std::move(done);
    return ask_for_slot(search, s.entry.name);
  }
  s.has_slot = true;
  done({});
}

/// One after the other, the longest unused first.
void connector_state::ask_for_slot(const std::shared_ptr<slot_search>& search, const std::string& wanted) {
  auto* s = find(wanted);
  if (s && (s->has_slot || slots_taken() < options_.running_max)) {
    s->has_slot = true;
    return search->done({});
  }
  if (search->candidates.empty() || stopping_ || !s) {
    auto many = std::to_string(options_.running_max);
    fault why{errc::overloaded, "server '" + wanted + "' can not be started: " + many
                                  + " servers run and are in use, which is the limit (servers.maxRunning); try again later"};
    return search->done(std::move(why).at(wanted));
  }
  auto* idle = find(search->candidates.back());
  search->candidates.pop_back();
  if (!idle || !idle->actor)
    return ask_for_slot(search, wanted);
  auto go_on = [this, search, wanted] { ask_for_slot(search, wanted); };
  self_->request(idle->actor, stop_if_idle_timeout, msg::stop_if_idle_atom::value)
    .then([go_on](bool) { go_on(); }, [go_on](caf::error&) { go_on(); });
}

/// What a server says of itself counts: it may have been started by a call that was on its way when it died.
void connector_state::running(const std::string& name, bool runs) {
  if (auto* s = of_sender(name))
    s->has_slot = runs;
}

// ---- rates -----------------------------------------------------------------------------------

msg::rate_claims connector_state::claims_of(const server& s, const msg::tool_call& call) const {
  msg::rate_claims claims;
  bool is_own = s.entry.rate.requests > 0;
  auto& of_server = is_own ? s.entry.rate : options_.rates.per_server;
  if (of_server.requests > 0)
    claims.push_back({"server " + call.server, of_server, "server '" + call.server + "'",
                      is_own ? "rateLimit of its entry in " + s.entry.source : "rateLimit.perServer"});
  if (options_.rates.per_tool.requests > 0) {
    auto name = proxy::full_name(call.server, call.tool);
    auto bucket = "tool " + std::to_string(call.server.size()) + " " + name; // where the name of the server ends is part of it
    claims.push_back({std::move(bucket), options_.rates.per_tool, "'" + name + "'", "rateLimit.perTool"});
  }
  return claims;
}

/// Whether a call that was held up is still wanted. Then it is held up no more.
bool connector_state::goes_on(msg::call_key key) { return held_up_.erase(key) > 0; }

/// Wherever the call is.
void connector_state::cancel(const std::string& server, msg::call_key key) {
  if (auto held_up = held_up_.extract(key))
    held_up.mapped().deliver(
      msg::outcome<msg::tool_result>{fault{errc::cancelled, "the call was cancelled before server '" + server + "' got it"}.at(server)});
  else if (auto* s = find(server, key.run); s && s->actor)
    self_->send(s->actor, msg::cancel_atom::value, key);
}

/// First what its servers do not know of yet.
void connector_state::end_calls_of(uint64_t run) {
  for (auto at = held_up_.lower_bound({run, 0}); at != held_up_.end() && at->first.run == run; at = held_up_.erase(at))
    at->second.deliver(msg::outcome<msg::tool_result>{fault{errc::cancelled, msg::run_ended_unsent}});
  if (auto question = goes_on_.extract(run)) {
    *question.mapped() = false;
    self_->send(options_.catalog, msg::finish_atom::value, run);
  }
  auto called = called_.extract(run);
  if (!called)
    return;
  for (auto& name : called.mapped())
    if (auto* s = find(name, run); s && s->actor)
      self_->send(s->actor, msg::finish_atom::value, run);
}

/// A call whose server has told a new list.
void connector_state::call_reviewed(msg::tool_call call, const std::shared_ptr<pending_review>& review, call_promise promise) {
  auto shared = std::make_shared<msg::tool_call>(std::move(call));
  held_up_.insert_or_assign(shared->key, promise);
  review->then.emplace_back([this, shared, promise]() mutable {
    if (!goes_on(shared->key))
      return;
    auto* s = find(shared->server, shared->key.run);
    if (s && s->holds(shared->tool))
      promise.deliver(msg::outcome<msg::tool_result>{tool_pinning::held_fault(shared->server, shared->tool)});
    else
      call_in_time(std::move(*shared), promise);
  });
}

/// A call that has to ask for something first.
void connector_state::call_in_time(msg::tool_call call, call_promise promise) {
  using answer = msg::outcome<msg::tool_result>;
  auto shared = std::make_shared<msg::tool_call>(std::move(call));
  auto find_it = [this, shared] { return find(shared->server, shared->key.run); };
  held_up_.insert_or_assign(shared->key, promise);
  auto make = [this, shared, promise, find_it](fault why) mutable {
    if (!goes_on(shared->key))
      return;
    auto* s = find_it();
    if (!s || why.code != errc::none)
      promise.deliver(answer{s ? std::move(why).at(shared->server, shared->tool) : unknown_server(shared->server, shared->key.run)});
    else
      promise.delegate(actor_of(*s), msg::call_atom::value, std::move(*shared));
  };
  auto place = [this, find_it, make](fault why) mutable {
    auto* s = find_it();
    if (s && why.code == errc::none)
      with_server_slot(*s, make);
    else
      make(std::move(why));
  };
  auto* s = find_it();
  auto claims = s ? claims_of(*s, *shared) : msg::rate_claims{};
  if (claims.empty() || !options_.limiter)
    return place({});
  self_->request(options_.limiter, limiter_timeout, msg::take_atom::value, std::move(claims))
    .then([place](fault& why) mutable { place(std::move(why)); },
          [place](caf::error&) mutable {
            place({errc::internal, "the rate limiter did not answer"});
          });
}

} // namespace actors
