#include "actors/supervisor.hpp"

#include "messages/limits.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <memory>

namespace actors {

namespace limits = msg::limits;

namespace {

/// Runs end as fast as a process can be killed.
constexpr std::chrono::milliseconds runs_stop_max{400};
constexpr std::chrono::milliseconds servers_stop_max = limits::child_stop_stdin + limits::child_stop_sigterm + std::chrono::milliseconds{200};
constexpr std::chrono::milliseconds session_stop_max{50};
static_assert(runs_stop_max + servers_stop_max + std::max(session_stop_max, limits::audit_finish_max) < limits::shutdown_max);

} // namespace

caf::result<bool> supervisor_state::stop() {
  auto promise = self_->make_response_promise<bool>();
  want_stop_.push_back(promise);
  if (want_stop_.size() == 1)
    self_->request(admission_, runs_stop_max, msg::stop_atom::value).then([this](bool) { stop_guests(); }, [this](caf::error&) { stop_guests(); });
  return promise;
}

/// Killed, not asked: nothing to wait for.
void supervisor_state::stop_guests() {
  self_->send_exit(guests_.sessions, caf::exit_reason::user_shutdown);
  for (auto& [lang, pool] : guests_.pools)
    self_->send_exit(pool, caf::exit_reason::user_shutdown);
  stop_servers();
}

/// Meanwhile the catalog writes what it has learned.
void supervisor_state::stop_servers() {
  auto outstanding = std::make_shared<int>(2);
  auto one_done = [this, outstanding] {
    if (--*outstanding == 0)
      stop_session();
  };
  auto done = [one_done](bool) { one_done(); };
  auto failed = [one_done](caf::error&) { one_done(); };
  self_->request(connector_, servers_stop_max, msg::stop_atom::value).then(done, failed);
  self_->request(catalog_, servers_stop_max, msg::finish_atom::value).then(done, failed);
}

void supervisor_state::stop_session() {
  auto outstanding = std::make_shared<int>(2);
  auto one_done = [this, outstanding] {
    if (--*outstanding == 0)
      finish();
  };
  auto done = [one_done](bool) { one_done(); };
  auto failed = [one_done](caf::error&) { one_done(); };
  self_->request(session_, session_stop_max, msg::stop_atom::value).then(done, failed);
  self_->request(audit_, limits::audit_finish_max, msg::finish_atom::value).then(done, failed);
}

void supervisor_state::finish() {
  self_->send_exit(session_, caf::exit_reason::user_shutdown);
  self_->send_exit(admission_, caf::exit_reason::user_shutdown);
  self_->send_exit(connector_, caf::exit_reason::user_shutdown);
  self_->send_exit(limiter_, caf::exit_reason::user_shutdown);
  self_->send_exit(catalog_, caf::exit_reason::user_shutdown);
  self_->send_exit(health_, caf::exit_reason::user_shutdown);
  self_->send_exit(audit_, caf::exit_reason::user_shutdown);
  self_->send_exit(memory_, caf::exit_reason::user_shutdown);
  self_->send_exit(outputs_, caf::exit_reason::user_shutdown);
  for (auto& promise : std::exchange(want_stop_, {}))
    promise.deliver(true);
  self_->quit();
}

void supervisor_state::start_guests(std::vector<sandbox_pool_options> pools, sessions_options sessions) {
  for (auto& pool : pools) {
    auto lang = pool.lang;
    pool.audit = audit_;
    guests_.pools.emplace(lang, self_->spawn(sandbox_pool, std::move(pool)));
  }
  sessions.pools = guests_.pools;
  guests_.sessions = self_->spawn(actors::sessions, std::move(sessions));
}

void supervisor_state::start_health(health_options options) {
  options.admission = admission_;
  options.connector = connector_;
  options.guests = guests_;
  options.audit = audit_;
  health_ = self_->spawn(health, std::move(options));
}

msg::supervisor_actor::behavior_type supervisor_state::make_behavior(supervisor_options options) {
  self_->set_default_handler(caf::drop);
  audit_ = self_->spawn(actors::audit_log, std::move(options.audit));
  catalog_ = self_->spawn(actors::catalog, std::move(options.catalog));
  options.connector.catalog = catalog_;
  limiter_ = self_->spawn(rate_limiter);
  options.connector.limiter = limiter_;
  options.admission.limiter = limiter_;
  options.connector.audit = audit_;
  connector_ = self_->spawn(connector, std::move(options.connector));
  memory_ = self_->spawn(memory_store, std::move(options.memory));
  outputs_ = self_->spawn(outputs_keeper, std::move(options.outputs));
  start_guests(std::move(options.pools), std::move(options.sessions));
  options.admission.spawn_execution = [spawn = std::move(options.spawn_execution), this](caf::local_actor* parent) {
    execution_options o;
    o.connector = connector_;
    o.guests = guests_;
    o.memory = memory_;
    o.outputs = outputs_;
    o.audit = audit_;
    return spawn(parent, std::move(o));
  };
  options.health.runs_max = static_cast<uint32_t>(options.admission.runs_max);
  options.health.queue_max = static_cast<uint32_t>(options.admission.queued_max);
  admission_ = self_->spawn(admission, std::move(options.admission));
  start_health(std::move(options.health));
  if (options.health_started)
    options.health_started(health_);
  options.session.admission = admission_;
  options.session.connector = connector_;
  options.session.outputs = outputs_;
  options.session.health = health_;
  options.session.audit = audit_;
  session_ = self_->spawn(client_session, std::move(options.session));
  options.session_started(session_);
  if (options.connector_started)
    options.connector_started(connector_);
  return {[this](msg::stop_atom) { return stop(); }};
}

msg::supervisor_actor::behavior_type supervisor(msg::supervisor_actor::stateful_pointer<supervisor_state> self, supervisor_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
