#include "actors/servers/server_search.hpp"

#include "messages/limits.hpp"
#include "proxy/allowlist.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace servers {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;
using std::chrono::milliseconds;

namespace {

/// A search waits so long for a named server whose tools are in the catalog already: they may have changed.
constexpr std::chrono::seconds refresh_timeout{3};

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

server_search::server_search(generations& all, const tool_names& names, search_routes routes)
  : all_(all),
    names_(names),
    routes_(std::move(routes)) {}

void server_search::begin(msg::tool_query query, answer_to then) {
  if (!query.server.empty()) {
    auto* name = all_.names_of(0).find(query.server);
    if (!name)
      return then(names_.unknown_server(query.server, query.run, query.allowed));
    query.server = *name;
    bool may_be_named = names_.refusal_of_all(query.allowed, *name, {}).code == errc::none;
    if (auto* s = all_.find(*name); s && may_be_named && !msg::is_trusted(s->entry))
      return then(msg::refusal_to_start(s->entry));
  }
  auto s = std::make_shared<search>();
  s->failures = refused_in(query);
  s->query = std::move(query);
  s->then = std::move(then);
  ask(s);
}

/// Of the servers that the question names and that the user has not approved: the catalog knows nothing of those.
std::vector<fault> server_search::refused_in(const msg::tool_query& query) const {
  std::vector<fault> out;
  auto spoken_of = all_.refused_names().spoken_of_in(query.text, {});
  if (spoken_of.empty())
    return out;
  proxy::allowlist allowed{query.allowed, all_.policy()->server_names()};
  for (auto& name : spoken_of)
    if (all_.policy()->permits_some(name) && allowed.allows_some(name))
      out.push_back(msg::refusal_to_start(all_.now().at(name).entry));
  return out;
}

void server_search::ask(const std::shared_ptr<search>& s) {
  routes_.ask_catalog(s->query, [this, s](msg::outcome<msg::catalog_found> found) {
    if (found.ok())
      answer(s, std::move(found.value));
    else
      s->then(std::move(found.error));
  });
}

/// Asks once more when it has learned something.
void server_search::answer(const std::shared_ptr<search>& s, msg::catalog_found found) {
  if (!std::exchange(s->has_told_again, true) && tell_again(s, found.matches.not_indexed))
    return;
  if (!std::exchange(s->has_started, true)) {
    start_named(s, found);
    if (s->outstanding > 0)
      return;
  }
  std::sort(s->connected.begin(), s->connected.end());
  found.matches.connected = std::move(s->connected);
  auto& failures = found.matches.failures;
  failures.insert(failures.end(), std::make_move_iterator(s->failures.begin()),
                  std::make_move_iterator(s->failures.end()));
  s->then(std::move(found.matches));
}

/// The catalog has lost what it was told: its file was damaged, or a user or program deleted it.
bool server_search::tell_again(const std::shared_ptr<search>& s, const std::vector<std::string>& not_indexed) {
  std::vector<std::string> told;
  for (auto& n : not_indexed)
    if (auto* known = all_.find(n); known && known->listed) {
      routes_.tell_again(*known);
      told.push_back(n);
    }
  s->outstanding = told.size();
  for (auto& n : told)
    is_told(s, n);
  return !told.empty();
}

/// The last one leads to another look at the catalog.
void server_search::is_told(const std::shared_ptr<search>& s, const std::string& name) {
  auto goes_on = [this, s] {
    if (--s->outstanding == 0)
      ask(s);
  };
  auto* known = all_.find(name);
  known ? routes_.when_reviewed(*known, goes_on) : goes_on();
}

/// One that the user has switched off in the client is started when it is asked for, and not because of a word.
std::vector<std::string> server_search::servers_to_start(search& s, const msg::catalog_found& found) const {
  std::vector<std::string> to_start;
  for (auto& n : found.named) {
    auto* named = all_.find(n);
    if (is_over_ || !named || named->listed)
      continue;
    if (!named->entry.disabled || n == s.query.server)
      to_start.push_back(n);
    else if (has(found.matches.not_indexed, n))
      s.failures.push_back(fault{errc::server_unavailable,
                                 "server '" + n + "' is switched off in " + named->entry.client
                                   + ", so a search does not start it for a word; name it as `server`, or call it"}
                             .at(n));
  }
  if (to_start.size() > limits::search_starts_max)
    to_start.resize(limits::search_starts_max);
  return to_start;
}

/// The last one that has answered leads to the answer.
void server_search::start_named(const std::shared_ptr<search>& s, const msg::catalog_found& found) {
  auto to_start = servers_to_start(*s, found);
  s->outstanding = to_start.size();
  for (auto& n : to_start) {
    auto patience =
      has(found.matches.not_indexed, n) ? milliseconds{limits::discovery_timeout} : milliseconds{refresh_timeout};
    routes_.list_tools(*all_.find(n), patience, [this, s, n](std::optional<msg::outcome<msg::listed_tools>> told) {
      if (!told)
        s->failures.push_back(
          fault{errc::server_start_failed, "server '" + n + "' has not started yet; ask again later"}.at(n));
      else if (!told->ok())
        s->failures.push_back(std::move(told->error));
      else
        s->connected.push_back(n);
      is_told(s, n);
    });
  }
}

} // namespace servers
