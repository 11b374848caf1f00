// How the servers are, as far as somebody may know it.
#include "actors/connector.hpp"
#include "proxy/allowlist.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <iterator>
#include <map>

namespace actors {

namespace {

/// Answers of children that are alive come at once; a child that dies bounces the request.
constexpr std::chrono::seconds status_timeout{5};

/// What else of a server can be used, by the same rules.
constexpr msg::child_method other_methods[] = {msg::child_method::list_resources, msg::child_method::read_resource, msg::child_method::list_prompts,
                                               msg::child_method::get_prompt};

const msg::indexed_server* find_in(const msg::indexed_servers& indexed, const std::string& name) {
  auto at = std::lower_bound(indexed.begin(), indexed.end(), name, [](auto& s, auto& n) { return s.name < n; });
  return at == indexed.end() || at->name != name ? nullptr : &*at;
}

} // namespace

/// What the catalog knows is added; of tools, only those that may be known are told and counted. False: the server is of no use to who asks.
bool connector_state::complete(msg::server_status& status, const msg::indexed_server* indexed, const msg::tool_filter* filter) const {
  auto& names = policy_.server_names();
  auto may_know = [&](std::string_view tool) {
    return policy_.permits(status.name, tool) && (!filter || proxy::allows(*filter, status.name, tool, names));
  };
  if (indexed && (status.tools.empty() || !indexed->changed.empty()))
    status.tools = indexed->tools;
  auto changed = indexed ? indexed->changed : std::vector<std::string>{};
  bool is_known = !status.tools.empty() || !changed.empty();
  std::erase_if(status.tools, [&](auto& tool) { return !may_know(tool); });
  std::erase_if(changed, [&](auto& tool) { return !may_know(tool); });
  status.tool_count = static_cast<uint32_t>(status.tools.size());
  status.held_tools = static_cast<uint32_t>(changed.size());
  bool has_others = std::any_of(std::begin(other_methods), std::end(other_methods), [&](auto method) { return may_know(to_string(method)); });
  bool has_some = !status.tools.empty() || !changed.empty() || has_others;
  bool could_have = !is_known && policy_.permits_some(status.name) && (!filter || proxy::allows_some(*filter, status.name, names));
  return !filter || has_some || could_have;
}

msg::server_status connector_state::idle_status(const server& s) const {
  msg::server_status status;
  status.name = s.entry.name;
  status.state = s.entry.unusable.empty() ? msg::server_state::idle : msg::server_state::unusable;
  for (auto& tool : s.tools)
    status.tools.push_back(tool.name);
  status.last_error = s.entry.unusable.empty() ? s.last_error : s.entry.unusable;
  if (auto why = msg::refusal_to_start(s.entry); why.code != msg::errc::none) {
    status.state = s.entry.trust == msg::trust_level::rejected ? msg::server_state::rejected : msg::server_state::unapproved;
    status.last_error = std::move(why.message);
  }
  status.disabled = s.entry.disabled;
  status.source = s.entry.source;
  status.shadows = s.entry.shadows;
  status.client = s.entry.client;
  return status;
}

/// Without a filter: as a person may know them.
caf::result<msg::server_list> connector_state::statuses(std::shared_ptr<const msg::tool_filter> filter) {
  struct gathering {
    msg::server_list list;
    msg::indexed_servers indexed;
    bool is_catalog_silent = false;
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
  auto finish = [this, g, filter] {
    if (--g->outstanding > 0)
      return;
    if (g->is_catalog_silent)
      for (auto& status : g->list)
        if (status.tools.empty() && status.last_error.empty())
          status.last_error = "its tools are not known: the catalog of tools does not answer now; ask again later";
    std::erase_if(g->list, [&](auto& status) { return !complete(status, find_in(g->indexed, status.name), filter.get()); });
    g->promise.deliver(std::move(g->list));
  };
  self_->request(options_.catalog, status_timeout, msg::servers_atom::value)
    .then(
      [g, finish](msg::outcome<msg::indexed_servers>& indexed) {
        g->is_catalog_silent = !indexed.ok();
        g->indexed = std::move(indexed.value);
        finish();
      },
      [g, finish](caf::error&) {
        g->is_catalog_silent = true;
        finish();
      });
  for (auto& [place, actor] : running)
    self_->request(actor, status_timeout, msg::status_atom::value)
      .then(
        [g, finish, place = place](msg::server_status& status) {
          auto& known = g->list[place];
          status.disabled = known.disabled;
          status.source = std::move(known.source);
          status.shadows = std::move(known.shadows);
          status.client = std::move(known.client);
          known = std::move(status);
          finish();
        },
        [finish](caf::error&) { finish(); });
  return g->promise;
}

/// A server is asked once, however many of the tools are its.
caf::result<std::vector<msg::server_start>> connector_state::starts(const std::vector<msg::tool_ref>& tools) {
  struct gathering {
    std::vector<msg::server_start> all;
    size_t outstanding = 1;
    caf::typed_response_promise<std::vector<msg::server_start>> promise;
  };
  auto g = std::make_shared<gathering>();
  g->promise = self_->make_response_promise<std::vector<msg::server_start>>();
  auto finish = [g] {
    if (--g->outstanding == 0)
      g->promise.deliver(std::move(g->all));
  };
  std::map<std::string, std::vector<size_t>> places;
  for (auto& ref : tools) {
    auto located = locate(ref, {});
    if (located.ok())
      places[located.value.server].push_back(g->all.size());
    g->all.push_back({located.ok() ? located.value.server : "", 0, {}, 0});
  }
  for (auto& [name, where] : places) {
    auto* s = find(name, tools.front().run);
    if (!s || !s->actor)
      continue;
    ++g->outstanding;
    self_->request(s->actor, status_timeout, msg::phase_atom::value)
      .then(
        [g, finish, where = std::move(where)](const msg::server_start& start) {
          for (auto place : where)
            g->all[place] = start;
          finish();
        },
        [finish](caf::error&) { finish(); });
  }
  finish();
  return g->promise;
}

} // namespace actors
