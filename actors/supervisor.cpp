#include "actors/supervisor.hpp"

#include "actors/service_address.hpp"
#include "messages/limits.hpp"

#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <memory>

namespace actors {

namespace limits = msg::limits;

namespace {

/// Of clients over HTTP: as that of the client on stdin, but for what is its own.
auto session_opener(client_session_options of_each, std::function<client_wire(uint32_t)> wire) {
  return [of_each = std::move(of_each), wire = std::move(wire)](
           caf::local_actor* parent, const msg::client_opening& opening) -> msg::client_connection_actor {
    auto options = of_each;
    options.connection = opening.connection;
    options.client = opening.client;
    options.owner = opening.owner;
    static_cast<client_wire&>(options) = wire(opening.connection);
    return parent->spawn(client_session, std::move(options));
  };
}

/// Lists of all tools that are at work at once: each may take 100 MB until its program has it (20,000 tools).
constexpr size_t large_lists_at_once_max = 4;

/// Runs end as fast as a process can be killed.
constexpr std::chrono::milliseconds runs_stop_max{350};
constexpr std::chrono::milliseconds servers_stop_max =
  limits::child_stop_stdin + limits::child_stop_sigterm + std::chrono::milliseconds{200};
constexpr std::chrono::milliseconds session_stop_max{100};
static_assert(runs_stop_max + servers_stop_max + session_stop_max + limits::audit_finish_max < limits::shutdown_max);

/// What an exception says is the reason of the death; CAF would print it.
caf::error reason_of(caf::scheduled_actor*, std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& e) {
    return caf::make_error(caf::sec::runtime_error, e.what());
  } catch (...) {
    return caf::sec::runtime_error;
  }
}

void keep_reason(const caf::strong_actor_ptr& actor) {
  if (auto* there = dynamic_cast<caf::scheduled_actor*>(caf::actor_cast<caf::abstract_actor*>(actor)))
    there->set_exception_handler(reason_of);
}

} // namespace

supervisor_state::~supervisor_state() {
  if (has_ended_)
    return;
  end_all();
  if (failed_)
    failed_();
}

// ---- what is started anew --------------------------------------------------------------------

template <class Handle>
Handle supervisor_state::supervise(std::string name, std::function<Handle()> spawn) {
  service s;
  s.name = std::move(name);
  s.spawn = [spawn = std::move(spawn)] { return caf::actor_cast<caf::strong_actor_ptr>(spawn()); };
  s.address = service_address::make(self_->system());
  start(s);
  services_.push_back(std::move(s));
  return caf::actor_cast<Handle>(services_.back().address);
}

void supervisor_state::start(service& s) {
  s.actor = s.spawn();
  s.since = self_->clock().now();
  keep_reason(s.actor);
  self_->monitor(caf::actor_cast<caf::actor>(s.actor));
  service_address::of(s.address).lead_to(s.actor);
  if (started_)
    started_(s.name, s.actor);
}

void supervisor_state::died(const caf::down_msg& down) {
  if (!want_stop_.empty())
    return;
  auto why = self_->system().render(down.reason);
  if (session_ && down.source == session_.address()) {
    spdlog::error("the session with the client has failed ({}); the server ends", why);
    session_ = nullptr;
    if (failed_)
      failed_();
    return;
  }
  auto s = std::find_if(services_.begin(), services_.end(),
                        [&](auto& each) { return each.actor && each.actor->address() == down.source; });
  if (s == services_.end())
    return;
  s->actor = nullptr;
  service_address::of(s->address).lead_to(nullptr);
  if (self_->clock().now() - s->since >= limits::service_well)
    s->pause.succeeded();
  auto pause = s->pause.failed();
  spdlog::error("the {} has failed ({}) and is started anew in {} ms", s->name, why, pause.count());
  self_->delayed_send(self_, pause, msg::tick_atom::value, static_cast<uint32_t>(s - services_.begin()));
}

// ---- the end ---------------------------------------------------------------------------------

caf::result<bool> supervisor_state::stop() {
  auto promise = reply_promise<bool>{self_};
  want_stop_.push_back(promise);
  if (configuration_)
    self_->send_exit(configuration_, caf::exit_reason::user_shutdown); // no other servers any more
  if (want_stop_.size() == 1)
    self_->request(admission_, runs_stop_max, msg::stop_atom::value)
      .then([this](bool) { stop_guests(); }, [this](caf::error&) { stop_guests(); });
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
  auto outstanding = std::make_shared<int>(1 + (session_ ? 1 : 0) + (clients_ ? 1 : 0));
  auto one_done = [this, outstanding] {
    if (--*outstanding == 0)
      finish_record();
  };
  auto done = [one_done](bool) { one_done(); };
  auto failed = [one_done](caf::error&) { one_done(); };
  if (session_)
    self_->request(session_, session_stop_max, msg::stop_atom::value).then(done, failed);
  if (clients_)
    self_->request(clients_, session_stop_max, msg::stop_atom::value).then(done, failed);
  one_done();
}

/// When nothing is left that could tell it anything: a session that ends tells what it refuses.
void supervisor_state::finish_record() {
  self_->request(audit_, limits::audit_finish_max, msg::finish_atom::value)
    .then([this](bool) { finish(); }, [this](caf::error&) { finish(); });
}

void supervisor_state::finish() {
  has_ended_ = true;
  end_all();
  for (auto& promise : std::exchange(want_stop_, {}))
    promise.deliver(true);
  self_->quit();
}

/// Those that were started last, first.
void supervisor_state::end_all() {
  if (session_)
    caf::anon_send_exit(session_, caf::exit_reason::user_shutdown);
  for (auto s = services_.rbegin(); s != services_.rend(); ++s) {
    service_address::of(s->address).lead_to(nullptr);
    if (s->actor)
      caf::anon_send_exit(caf::actor_cast<caf::actor>(s->actor), caf::exit_reason::user_shutdown);
  }
}

// ---- the start -------------------------------------------------------------------------------

void supervisor_state::start_stores(supervisor_options& options) {
  audit_ = supervise<msg::audit_log_actor>("audit log",
                                           [this, o = std::move(options.audit)] { return self_->spawn(audit_log, o); });
  catalog_ = supervise<msg::catalog_actor>("catalog of tools",
                                           [this, o = std::move(options.catalog)] { return self_->spawn(catalog, o); });
  limiter_ = supervise<msg::rate_limiter_actor>("rate limiter", [this] { return self_->spawn(rate_limiter); });
  of_connector_ = std::move(options.connector);
  of_connector_.catalog = catalog_;
  of_connector_.limiter = limiter_;
  of_connector_.audit = audit_;
  connector_ =
    supervise<msg::connector_actor>("connector of servers", [this] { return self_->spawn(connector, of_connector_); });
  memory_ = supervise<msg::memory_actor>(
    "store of memory", [this, o = std::move(options.memory)] { return self_->spawn(memory_store, o); });
  outputs_ = supervise<msg::artifacts_actor>(
    "store of outputs", [this, o = std::move(options.outputs)] { return self_->spawn(outputs_keeper, o); });
}

void supervisor_state::start_guests(std::vector<sandbox_pool_options> pools, sessions_options sessions) {
  for (auto& pool : pools) {
    auto lang = pool.lang;
    pool.audit = audit_;
    auto spawn = [this, o = std::move(pool)] { return self_->spawn(sandbox_pool, o); };
    guests_.pools.emplace(
      lang, supervise<msg::sandbox_pool_actor>(std::string{"pool of guests for "} + to_string(lang), spawn));
  }
  sessions.pools = guests_.pools;
  guests_.sessions = supervise<msg::sessions_actor>(
    "keeper of sessions", [this, o = std::move(sessions)] { return self_->spawn(actors::sessions, o); });
}

void supervisor_state::start_runs(supervisor_options& options) {
  auto of_admission = std::move(options.admission);
  of_admission.limiter = limiter_;
  of_admission.spawn_execution =
    [spawn = std::move(options.spawn_execution), this,
     lists = std::make_shared<resilience::shared_turns>(large_lists_at_once_max)](caf::local_actor* parent) {
      execution_options o;
      o.large_lists = lists;
      o.connector = connector_;
      o.guests = guests_;
      o.memory = memory_;
      o.outputs = outputs_;
      o.audit = audit_;
      o.confirmed = of_connector_.policy.confirmed;
      return spawn(parent, std::move(o));
    };
  admission_ = supervise<msg::admission_actor>(
    "queue of runs", [this, o = std::move(of_admission)] { return self_->spawn(admission, o); });
}

void supervisor_state::start_health(health_options options) {
  options.admission = admission_;
  options.connector = connector_;
  options.guests = guests_;
  options.audit = audit_;
  options.catalog = catalog_;
  health_ = supervise<msg::health_actor>("reporter of health",
                                         [this, o = std::move(options)] { return self_->spawn(health, o); });
}

void supervisor_state::start_configuration(configuration_options options) {
  if (!options.watch)
    return;
  configuration_ = supervise<msg::configuration_actor>("reader of the configuration", [this, o = std::move(options)] {
    return self_->spawn(configuration, o, caf::actor_cast<msg::supervisor_actor>(self_));
  });
}

void supervisor_state::start_clients(clients_options options) {
  options.guests = guests_.sessions;
  clients_ = supervise<msg::clients_actor>("keeper of clients",
                                           [this, o = std::move(options)] { return self_->spawn(clients, o); });
}

void supervisor_state::start_session(client_session_options options) {
  session_ = self_->spawn(client_session, std::move(options));
  keep_reason(caf::actor_cast<caf::strong_actor_ptr>(session_));
  self_->monitor(session_);
  if (started_)
    started_("session with the client", caf::actor_cast<caf::strong_actor_ptr>(session_));
}

msg::supervisor_actor::behavior_type supervisor_state::make_behavior(supervisor_options options) {
  self_->set_default_handler(caf::drop);
  self_->set_down_handler([this](const caf::down_msg& down) { died(down); });
  failed_ = std::move(options.failed);
  started_ = std::move(options.started);
  options.health.runs_max = static_cast<uint32_t>(options.admission.runs_max);
  options.health.queue_max = static_cast<uint32_t>(options.admission.queued_max);
  start_stores(options);
  if (options.servers_started)
    options.servers_started(connector_, audit_);
  start_guests(std::move(options.pools), std::move(options.sessions));
  start_runs(options);
  start_health(std::move(options.health));
  if (options.health_started)
    options.health_started(health_);
  start_configuration(std::move(options.configuration));
  options.session.admission = admission_;
  options.session.connector = connector_;
  options.session.outputs = outputs_;
  options.session.health = health_;
  options.session.audit = audit_;
  if (options.wire_client) {
    options.clients.open = session_opener(options.session, std::move(options.wire_client));
    start_clients(std::move(options.clients));
    options.clients_started(clients_);
  }
  start_session(std::move(options.session));
  options.session_started(session_);
  return {
    [this](msg::reload_atom, msg::server_entries& entries) {
      of_connector_.servers = entries;
      return self_->delegate(connector_, msg::reload_atom::value, std::move(entries));
    },
    [this](msg::tick_atom, uint32_t number) {
      if (want_stop_.empty())
        start(services_.at(number));
    },
    [this](msg::stop_atom) { return stop(); },
  };
}

msg::supervisor_actor::behavior_type supervisor(msg::supervisor_actor::stateful_pointer<supervisor_state> self,
                                                supervisor_options options) {
  return self->state.make_behavior(std::move(options));
}

} // namespace actors
