#include "actors/health.hpp"

#include "messages/limits.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <utility>

namespace actors {

namespace limits = msg::limits;

template <class Answer, class Actor, class Atom, class Take>
void health_state::ask(const Actor& whom, Atom what, std::string name_of_it, Take take) {
  if (!whom)
    return;
  ++outstanding_;
  self_->request(whom, limits::health_answer_max, what)
    .then(
      [this, take](Answer& answer) {
        take(answer);
        one_less();
      },
      [this, name_of_it](caf::error&) {
        report_.silent.push_back(name_of_it);
        one_less();
      });
}

/// Those who ask while others are waiting get the same answer.
caf::result<msg::health_report> health_state::answer() {
  auto promise = reply_promise<msg::health_report>{self_};
  waiting_.push_back(promise);
  if (waiting_.size() == 1)
    gather();
  return promise;
}

void health_state::gather() {
  report_ = {};
  outstanding_ = 1; // the asking itself
  report_.uptime_ms = static_cast<uint64_t>(
    std::chrono::duration_cast<std::chrono::milliseconds>(self_->clock().now() - started_).count());
  report_.runs_max = options_.runs_max;
  report_.queue_max = options_.queue_max;
  if (options_.started)
    report_.start = options_.started();
  auto status = msg::status_atom::value;
  ask<msg::admission_status>(options_.admission, status, "admission", [this](const msg::admission_status& s) {
    report_.runs_running = s.running;
    report_.runs_queued = s.queued;
    report_.runs_finished = s.finished;
  });
  ask<msg::server_list>(options_.connector, msg::servers_atom::value, "connector",
                        [this](msg::server_list& s) { report_.servers = std::move(s); });
  ask<msg::session_list>(options_.guests.sessions, status, "sessions",
                         [this](msg::session_list& s) { report_.sessions = std::move(s); });
  ask<msg::audit_status>(options_.audit, status, "audit log",
                         [this](msg::audit_status& s) { report_.audit = std::move(s); });
  ask<std::string>(options_.catalog, status, "catalog of tools",
                   [this](std::string& problem) { report_.catalog_problem = std::move(problem); });
  for (auto& [lang, pool] : options_.guests.pools)
    ask<msg::pool_status>(pool, status, "pool of guests",
                          [this](const msg::pool_status& s) { report_.pools.push_back(s); });
  look();
  one_less();
}

/// The disk may hang: no caller waits for it longer than for the others.
void health_state::look() {
  if (!options_.look)
    return;
  ++outstanding_;
  is_looking_ = true;
  auto me = caf::actor_cast<msg::health_actor>(self_);
  auto number = ++look_;
  options_.look(
    [me, number](msg::machine_status found) { caf::anon_send(me, msg::reply_atom::value, number, std::move(found)); });
  self_->delayed_send(self_, limits::health_answer_max, msg::deadline_atom::value, number);
}

void health_state::one_less() {
  if (--outstanding_ == 0)
    deliver();
}

void health_state::deliver() {
  for (auto& promise : std::exchange(waiting_, {}))
    promise.deliver(report_);
}

msg::health_actor::behavior_type health_state::make_behavior(health_options options) {
  options_ = std::move(options);
  started_ = self_->clock().now();
  self_->set_default_handler(caf::drop);
  self_->set_exit_handler([this](caf::exit_msg& m) {
    deliver();
    self_->quit(std::move(m.reason));
  });
  return {
    [this](msg::status_atom) { return answer(); },
    [this](msg::reply_atom, uint64_t number, msg::machine_status& found) {
      if (number != look_ || !std::exchange(is_looking_, false))
        return;
      report_.machine = std::move(found);
      one_less();
    },
    [this](msg::deadline_atom, uint64_t number) {
      if (number != look_ || !std::exchange(is_looking_, false))
        return;
      report_.silent.emplace_back("disk");
      one_less();
    },
  };
}

msg::health_actor::behavior_type health(msg::health_actor::stateful_pointer<health_state> self,
                                        health_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
