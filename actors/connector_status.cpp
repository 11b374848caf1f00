// How the servers are, as far as a caller may know it.
#include "actors/connector.hpp"
#include "actors/slices.hpp"
#include "proxy/allowlist.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace actors {

namespace {

/// Answers of children that are alive come at once; a child that dies bounces the request.
constexpr std::chrono::seconds status_timeout{5};

/// What else of a server can be used, by the same rules.
constexpr msg::child_method other_methods[] = {msg::child_method::list_resources, msg::child_method::read_resource, msg::child_method::list_prompts,
                                               msg::child_method::get_prompt};

msg::indexed_server* find_in(msg::indexed_servers& indexed, const std::string& name) {
  auto at = std::lower_bound(indexed.begin(), indexed.end(), name, [](auto& s, auto& n) { return s.name < n; });
  return at == indexed.end() || at->name != name ? nullptr : &*at;
}

struct progress {
  size_t looked_at = 0, kept = 0;
};

/// Of one server, between two slices.
struct server_in_sieve {
  std::optional<proxy::usable_tools> usable; ///< nothing: there is no name to ask about
  std::vector<std::string> changed;
  bool is_useful = false; ///< to who asks
  progress tools, changes;
  size_t methods_asked = 0;
};

/// Takes out of the states of servers what a caller may not know of their tools, and adds what the catalog knows.
class sieve {
public:
  msg::server_list list;
  msg::indexed_servers indexed;

  sieve(std::shared_ptr<const proxy::tool_policy> policy, const msg::tool_filter* filter)
    : is_filtered_(filter != nullptr),
      policy_(std::move(policy)),
      allowed_(filter ? proxy::allowlist{*filter, policy_->server_names()} : proxy::allowlist{}) {}

  /// True: all are done. Between two looks at the turn at most one name is held against all patterns.
  bool go_on(const slice& turn) {
    for (; at_ < list.size(); ++at_, now_.reset()) {
      if (turn.is_over())
        return false;
      auto& status = list[at_];
      if (!now_)
        begin(status);
      if (now_->usable && (!take_out(status.tools, now_->tools, turn) || !take_out(now_->changed, now_->changes, turn) || !find_use(status, turn)))
        return false;
      complete(status);
    }
    return true;
  }

  /// Those that are of some use to who asks.
  msg::server_list take() {
    size_t place = 0;
    std::erase_if(list, [&](auto&) { return useless_[place++]; });
    return std::move(list);
  }

private:
  /// Whether anything of it could be used is known sooner than what. No more is asked of a server whose tools neither it nor the catalog tells.
  void begin(msg::server_status& status) {
    now_.emplace();
    bool could_have_some = policy_->permits_some(status.name) && allowed_.allows_some(status.name);
    auto* known = could_have_some ? find_in(indexed, status.name) : nullptr;
    if (!could_have_some)
      status.tools.clear();
    if (known && (status.tools.empty() || !known->changed.empty()))
      status.tools = std::move(known->tools); // each server is in the list once
    if (known)
      now_->changed = std::move(known->changed);
    now_->is_useful = could_have_some || !is_filtered_;
    if (!status.tools.empty() || !now_->changed.empty())
      now_->usable.emplace(*policy_, allowed_, status.name);
  }

  bool take_out(std::vector<std::string>& names, progress& p, const slice& turn) {
    while (p.looked_at < names.size()) {
      if (turn.is_over())
        return false;
      auto& name = names[p.looked_at++];
      if (now_->usable->has(name))
        std::swap(names[p.kept++], name);
    }
    names.resize(p.kept);
    return true;
  }

  /// One that has none of its tools left may have something else. False: the turn is over.
  bool find_use(const msg::server_status& status, const slice& turn) {
    now_->is_useful = !is_filtered_ || !status.tools.empty() || !now_->changed.empty();
    while (!now_->is_useful && now_->methods_asked < std::size(other_methods)) {
      if (turn.is_over())
        return false;
      now_->is_useful = now_->usable->has(to_string(other_methods[now_->methods_asked++]));
    }
    return true;
  }

  void complete(msg::server_status& status) {
    status.tool_count = static_cast<uint32_t>(status.tools.size());
    status.held_tools = static_cast<uint32_t>(now_->changed.size());
    useless_.push_back(!now_->is_useful);
  }

  bool is_filtered_; ///< else it is a person who asks
  std::shared_ptr<const proxy::tool_policy> policy_;
  proxy::allowlist allowed_;
  size_t at_ = 0;
  std::optional<server_in_sieve> now_; ///< list[at_]
  std::vector<bool> useless_;
};

} // namespace

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
caf::result<msg::server_list> connector_state::statuses(const msg::tool_filter* filter) {
  struct gathering {
    sieve all;
    bool is_catalog_silent = false;
    size_t outstanding = 0;
    reply_promise<msg::server_list> promise;
  };
  auto g = std::make_shared<gathering>(gathering{{policy_, filter}});
  std::vector<std::pair<size_t, msg::child_server_actor>> running;
  for (auto& [name, s] : servers_) {
    if (s.actor)
      running.emplace_back(g->all.list.size(), s.actor);
    g->all.list.push_back(idle_status(s));
  }
  auto asker = goes_on_.find(run_of_sender()); // the promise takes the sender
  g->promise = reply_promise<msg::server_list>{self_};
  g->outstanding = running.size() + 1;
  auto is_wanted = [goes_on = asker == goes_on_.end() ? nullptr : asker->second] { return !goes_on || *goes_on; };
  auto finish = [this, g, is_wanted, elsewhere = options_.offload_of_server ? options_.offload_of_server() : options_.offload] {
    if (--g->outstanding > 0)
      return;
    if (g->is_catalog_silent)
      for (auto& status : g->all.list)
        if (status.tools.empty() && status.last_error.empty())
          status.last_error = "its tools are not known: the catalog of tools does not answer now; ask again later";
    auto deliver = [g](const msg::fault& problem) {
      if (problem.code == msg::errc::none)
        g->promise.deliver(g->all.take());
      else
        g->promise.deliver(caf::make_error(caf::sec::runtime_error, problem.message));
    };
    do_in_slices(self_, elsewhere, {[g](const slice& turn) { return g->all.go_on(turn); }, is_wanted}, deliver);
  };
  self_->request(options_.catalog, status_timeout, msg::servers_atom::value)
    .then(
      [g, finish](msg::outcome<msg::indexed_servers>& indexed) {
        g->is_catalog_silent = !indexed.ok();
        g->all.indexed = std::move(indexed.value);
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
          auto& known = g->all.list[place];
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
    reply_promise<std::vector<msg::server_start>> promise;
  };
  auto g = std::make_shared<gathering>();
  g->promise = reply_promise<std::vector<msg::server_start>>{self_};
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
