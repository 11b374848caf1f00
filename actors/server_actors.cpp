#include "actors/server_actors.hpp"

#include "actors/servers/status_sieve.hpp"
#include "actors/slices.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace actors {

using msg::errc;
using msg::fault;
using servers::server;

namespace {

/// A server that is started before there is a client, and goes on for those that come: what none of them can is
/// declined then.
constexpr msg::client_abilities all_abilities{true, true, true, true, true};
constexpr std::chrono::milliseconds stop_timeout = msg::limits::shutdown_max;
/// Answers of children that are alive come at once; a child that dies bounces the request.
constexpr std::chrono::seconds status_timeout{5};
/// A server that gives up its slot has ended by then, or is killed.
constexpr std::chrono::milliseconds stop_if_idle_timeout =
  msg::limits::child_stop_stdin + msg::limits::child_stop_sigterm + std::chrono::seconds{5};

} // namespace

server_actors::~server_actors() {
  for (auto& [number, actor] : actors_)
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
  for (auto& actor : ending_)
    caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
}

msg::child_server_actor server_actors::of(const server& s) {
  auto& actor = actors_[s.number];
  if (!actor) {
    auto offload = options_.offload_of_server ? options_.offload_of_server() : options_.offload;
    child_server_options options{options_.connect,
                                 std::move(offload),
                                 caf::actor_cast<msg::connector_actor>(self_),
                                 options_.jitter_seed + s.number,
                                 options_.limits,
                                 options_.audit,
                                 options_.unreviewed == unreviewed_tools::refused,
                                 options_.eras,
                                 abilities_.value_or(all_abilities),
                                 options_.log_in};
    actor = self_->spawn<caf::monitored>(child_server, s.entry, std::move(options));
  }
  return actor;
}

void server_actors::can_ask(const msg::client_abilities& abilities) {
  auto all = abilities_.value_or(msg::client_abilities{}) | abilities;
  if (abilities_ == all)
    return;
  abilities_ = all;
  for (auto& [number, actor] : actors_)
    self_->send(actor, msg::abilities_atom::value, all);
}

msg::child_server_actor server_actors::running(const server& s) const {
  auto found = actors_.find(s.number);
  return found == actors_.end() ? msg::child_server_actor{} : found->second;
}

msg::child_server_actor server_actors::running(const std::string& name, uint64_t run) const {
  auto* s = all_.find(name, run);
  return s ? running(*s) : msg::child_server_actor{};
}

server* server_actors::of_sender() {
  auto sender = caf::actor_cast<caf::actor_addr>(self_->current_sender());
  auto found =
    std::find_if(actors_.begin(), actors_.end(), [&](auto& numbered) { return numbered.second.address() == sender; });
  return found == actors_.end() ? nullptr : all_.numbered(found->first);
}

void server_actors::stop_if_idle(server& s, std::function<void(bool is_stopped)> then) {
  if (auto actor = running(s)) {
    self_->request(actor, stop_if_idle_timeout, msg::stop_if_idle_atom::value)
      .then([then](bool is_stopped) { then(is_stopped); }, [then](caf::error&) { then(false); });
    return;
  }
  then(true); // its slot was given to a call that was not wanted any more
}

/// Then no caller needs the actor any more.
void server_actors::end(const msg::child_server_actor& actor, std::function<void()> done) {
  ending_.push_back(actor);
  auto finish = [this, actor, done = std::move(done)] {
    std::erase(ending_, actor);
    self_->send_exit(actor, caf::exit_reason::user_shutdown);
    done();
  };
  self_->request(actor, stop_timeout, msg::stop_atom::value)
    .then([finish](bool) { finish(); }, [finish](caf::error&) { finish(); });
}

void server_actors::end(uint64_t number) {
  if (auto actor = actors_.extract(number))
    end(actor.mapped(), [] {});
}

void server_actors::end_all(const std::function<void()>& done) {
  if (actors_.empty())
    return done();
  auto outstanding = std::make_shared<size_t>(actors_.size());
  for (auto& [number, actor] : actors_)
    end(actor, [outstanding, done] {
      if (--*outstanding == 0)
        done();
    });
}

void server_actors::down(const caf::down_msg& down, bool is_expected) {
  auto found = std::find_if(actors_.begin(), actors_.end(),
                            [&](auto& numbered) { return numbered.second.address() == down.source; });
  if (found == actors_.end())
    return;
  auto* s = all_.numbered(found->first);
  actors_.erase(found);
  if (!s)
    return;
  s->has_slot = false;
  s->last_error = "its actor ended: " + caf::deep_to_string(down.reason);
  if (!is_expected)
    spdlog::error("server '{}': {}", s->entry.name, s->last_error);
}

// ---- how they are ----------------------------------------------------------------------------

void server_actors::gather_statuses(const msg::tool_filter* filter, uint64_t run,
                                    const std::function<bool()>& is_wanted,
                                    const reply_promise<msg::server_list>& answer) {
  struct gathering {
    servers::status_sieve all;
    bool is_catalog_silent = false;
    size_t outstanding = 1; ///< the catalog
  };
  auto g = std::make_shared<gathering>(gathering{{all_.policy(), filter}});
  std::vector<std::pair<size_t, msg::child_server_actor>> asked;
  for (auto& [name, s] : all_.now()) {
    if (auto actor = running(s))
      asked.emplace_back(g->all.list.size(), std::move(actor));
    g->all.list.push_back(servers::idle_status(s));
  }
  g->outstanding += asked.size();
  auto deliver = [g, answer](const fault& problem) {
    if (problem.code == errc::none)
      answer.deliver(g->all.take());
    else
      answer.deliver(caf::make_error(caf::sec::runtime_error, problem.message));
  };
  auto finish = [this, g, is_wanted, deliver] {
    if (--g->outstanding > 0)
      return;
    if (g->is_catalog_silent)
      g->all.catalog_is_silent();
    auto elsewhere = options_.offload_of_server ? options_.offload_of_server() : options_.offload;
    auto step = [g](const slice& turn) { return g->all.go_on([&turn] { return turn.is_over(); }); };
    do_in_slices(self_, elsewhere, {step, is_wanted}, deliver);
  };
  auto known = [g, finish](msg::outcome<msg::indexed_servers> indexed) {
    g->is_catalog_silent = !indexed.ok();
    g->all.indexed = std::move(indexed.value);
    finish();
  };
  self_->request(options_.catalog, status_timeout, msg::servers_atom::value, run)
    .then([known](msg::outcome<msg::indexed_servers>& indexed) { known(std::move(indexed)); },
          [known](caf::error&) {
            known(fault{errc::internal, "the catalog of tools did not answer"});
          });
  for (auto& [place, actor] : asked)
    self_->request(actor, status_timeout, msg::status_atom::value)
      .then(
        [g, finish, place = place](msg::server_status& status) {
          g->all.answered(place, std::move(status));
          finish();
        },
        [finish](caf::error&) { finish(); });
}

void server_actors::gather_starts(std::vector<msg::server_start> all, uint64_t run,
                                  const reply_promise<std::vector<msg::server_start>>& answer) {
  struct gathering {
    std::vector<msg::server_start> all;
    size_t outstanding = 1;
  };
  std::map<std::string, std::vector<size_t>> places;
  for (size_t i = 0; i < all.size(); ++i)
    places[all[i].server].push_back(i);
  auto g = std::make_shared<gathering>(gathering{std::move(all)});
  auto finish = [g, answer] {
    if (--g->outstanding == 0)
      answer.deliver(std::move(g->all));
  };
  for (auto& [name, where] : places) {
    auto actor = running(name, run);
    if (!actor)
      continue;
    ++g->outstanding;
    self_->request(actor, status_timeout, msg::phase_atom::value, run)
      .then(
        [g, finish, where = std::move(where)](const msg::server_start& start) {
          for (auto place : where) {
            auto tool = std::move(g->all[place].tool);
            g->all[place] = start;
            g->all[place].tool = std::move(tool);
          }
          finish();
        },
        [finish](caf::error&) { finish(); });
  }
  finish();
}

} // namespace actors
