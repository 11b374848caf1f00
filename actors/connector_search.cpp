// Searches: what the catalog finds, and servers that are started because a question names them.
#include "actors/connector.hpp"
#include "catalog/server_names.hpp"
#include "messages/limits.hpp"
#include "proxy/allowlist.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <utility>

namespace actors {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;

namespace {

/// A search waits so long for a named server whose tools are in the catalog already: they may have changed.
constexpr std::chrono::seconds refresh_timeout{3};

} // namespace

caf::result<msg::outcome<msg::tool_matches>> connector_state::search(msg::tool_query& query) {
  using answer = msg::outcome<msg::tool_matches>;
  query.run = run_of_sender();
  if (!query.server.empty()) {
    auto* name = names_of(0).find(query.server);
    if (!name)
      return answer{unknown_server(query.server, 0, query.allowed)};
    query.server = *name;
    bool may_be_named = policy_->permits_some(*name) && proxy::allows_some(query.allowed, *name, policy_->server_names());
    if (auto* s = find(*name); s && may_be_named && !msg::is_trusted(s->entry))
      return answer{msg::refusal_to_start(s->entry)};
  }
  auto pending = std::make_shared<pending_search>();
  pending->extra.failures = refused_in(query);
  pending->query = std::move(query);
  pending->promise = reply_promise<answer>{self_};
  ask_catalog(pending);
  return pending->promise;
}

/// Of the servers that the question names and that the user has not approved: the catalog knows nothing of those.
std::vector<fault> connector_state::refused_in(const msg::tool_query& query) const {
  catalog::server_names refused;
  for (auto& [name, s] : servers_)
    if (!msg::is_trusted(s.entry))
      refused.add(name);
  std::vector<fault> out;
  proxy::allowlist allowed{query.allowed, policy_->server_names()};
  for (auto& name : refused.spoken_of_in(query.text, {}))
    if (policy_->permits_some(name) && allowed.allows_some(name))
      out.push_back(msg::refusal_to_start(servers_.at(name).entry));
  return out;
}

void connector_state::ask_catalog(const std::shared_ptr<pending_search>& search) {
  self_->request(options_.catalog, catalog_timeout, msg::search_atom::value, search->query)
    .then(
      [this, search](msg::outcome<msg::catalog_found>& found) {
        if (found.ok())
          answer_search(search, found.value);
        else
          search->promise.deliver(msg::outcome<msg::tool_matches>{std::move(found.error)});
      },
      [search](caf::error&) {
        search->promise.deliver(msg::outcome<msg::tool_matches>{fault{errc::internal, "the catalog of tools did not answer"}});
      });
}

/// Asks once more when it has learned something.
void connector_state::answer_search(const std::shared_ptr<pending_search>& search, msg::catalog_found& found) {
  if (!std::exchange(search->has_told_again, true) && tell_again(found.matches.not_indexed))
    return ask_catalog(search);
  if (!std::exchange(search->has_started, true)) {
    start_named(search, found);
    if (search->outstanding > 0)
      return;
  }
  std::sort(search->extra.connected.begin(), search->extra.connected.end());
  found.matches.connected = std::move(search->extra.connected);
  found.matches.failures = std::move(search->extra.failures);
  search->promise.deliver(msg::outcome<msg::tool_matches>{std::move(found.matches)});
}

/// The catalog has lost what it was told: its file was damaged, or a user or program deleted it.
bool connector_state::tell_again(const std::vector<std::string>& not_indexed) {
  bool has_told = false;
  for (auto& n : not_indexed)
    if (auto* s = find(n); s && s->listed) {
      review(*s, s->unreviewed_tools.empty() ? s->tools : s->unreviewed_tools);
      has_told = true;
    }
  return has_told;
}

/// Starts the servers that the question names; the last one that has answered leads to the answer. One that the user has switched off in
/// the client is started when it is asked for, and not because of a word.
void connector_state::start_named(const std::shared_ptr<pending_search>& search, const msg::catalog_found& found) {
  auto to_start = found.named;
  std::erase_if(to_start, [&](auto& n) { return stopping_ || !find(n) || find(n)->listed; });
  auto& unknown = found.matches.not_indexed;
  auto is_unknown = [&](auto& n) { return std::find(unknown.begin(), unknown.end(), n) != unknown.end(); };
  std::erase_if(to_start, [&](auto& n) {
    auto& entry = find(n)->entry;
    if (!entry.disabled || n == search->query.server)
      return false;
    if (is_unknown(n))
      search->extra.failures.push_back(
        fault{errc::server_unavailable,
              "server '" + n + "' is switched off in " + entry.client + ", so a search does not start it for a word; name it as `server`, or call it"}
          .at(n));
    return true;
  });
  if (to_start.size() > limits::search_starts_max)
    to_start.resize(limits::search_starts_max);
  search->outstanding = to_start.size();
  auto finish = [this, search] {
    if (--search->outstanding == 0)
      ask_catalog(search);
  };
  for (auto& n : to_start) {
    auto patience = is_unknown(n) ? std::chrono::milliseconds{limits::discovery_timeout} : std::chrono::milliseconds{refresh_timeout};
    auto failed = [search, finish](fault why) {
      search->extra.failures.push_back(std::move(why));
      finish();
    };
    with_server_slot(*find(n), [this, search, finish, failed, n, patience](fault why) {
      auto* s = find(n);
      if (!s || why.code != errc::none)
        return failed(s ? std::move(why).at(n) : unknown_server(n));
      self_->request(actor_of(*s), patience, msg::tools_atom::value)
        .then(
          [search, finish, failed, n](msg::outcome<msg::tool_list>& tools) {
            if (!tools.ok())
              return failed(std::move(tools.error));
            search->extra.connected.push_back(n);
            finish();
          },
          [failed, n](caf::error&) {
            failed(fault{errc::server_start_failed, "server '" + n + "' has not started yet; ask again later"}.at(n));
          });
    });
  }
}

} // namespace actors
