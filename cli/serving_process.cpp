#include "cli/serving_process.hpp"

#include "actors/bridge/ask.hpp"
#include "actors/bridge/background.hpp"
#include "cli/fault_plan.hpp"
#include "cli/main_loop.hpp"
#include "cli/models.hpp"
#include "cli/probe.hpp"
#include "cli/recordings.hpp"
#include "cli/serve_settings.hpp"
#include "config/launch.hpp"
#include "config/server_list.hpp"
#include "messages/limits.hpp"
#include "process/find_executable.hpp"
#include "process/no_throw.hpp"
#include "sandbox/isolation/self_test.hpp"

#include <asio/co_spawn.hpp>
#include <caf/all.hpp>

#include <chrono>
#include <utility>

namespace cli {

namespace limits = msg::limits;

namespace {

/// Of the memory that this process may have, what it may hold for programs: the rest is for servers, the catalog, and
/// what is being parsed.
constexpr uint64_t guests_share = 2;
/// A run that has waited long enough for an answer does without; only then its call is given up.
constexpr std::chrono::seconds run_goes_on_first{1};

} // namespace

serving_process::serving_process(const config::environment& env, const config::settings& settings,
                                 const config::variable_lookup& variables, dependency_plan plan, eager_servers eager)
  : settings_(settings),
    configuration_(env, settings),
    dependencies_{bridge::reply_port::make(system_),
                  io_.get_executor(),
                  threads_,
                  processes_of_servers(io_, threads_, settings.process.memory_bytes),
                  web_of_servers(io_, threads_, settings.process.memory_bytes),
                  env,
                  variables,
                  std::move(plan.runtimes),
                  with_files_kept(plan.paths, configuration_.servers(), env, variables),
                  sandbox::make_prespawned_guests(io_.get_executor(), process::own_executable()),
                  std::make_shared<sandbox::start_turns>(io_.get_executor()),
                  std::make_shared<sandbox::memory_watch>(io_.get_executor(), threads_.watch.get_executor()),
                  std::make_shared<process::common_budget>(settings.process.memory_bytes / guests_share),
                  plan.isolation,
                  may_be_pyodide(settings.python),
                  std::move(plan.network),
                  plan_containers(io_.get_executor(), env, settings, variables),
                  cache_folder(settings)},
    end_(io_, asio::steady_timer::time_point::max()),
    paths_(std::move(plan.paths)),
    eager_(eager) {
  dependencies_.state_folder = settings.state_folder;
  if (settings.sandbox.pool_size == 0 && settings.python.preload.empty()) // nothing is kept ready
    return;
  using sandbox::guest_template;
  dependencies_.python_template = std::make_shared<guest_template>(msg::language::python, settings.python.preload);
  dependencies_.typescript_template = std::make_shared<guest_template>(msg::language::typescript);
}

msg::fault serving_process::prepare_connections() {
  auto faults = injector_of(settings_, dependencies_.variables);
  auto recordings = recordings_of(settings_, threads_.work.line());
  dependencies_.faults = std::move(faults.value);
  dependencies_.recordings = std::move(recordings.value);
  return faults.ok() ? std::move(recordings.error) : std::move(faults.error);
}

// ---- from the start to the end ---------------------------------------------------------------

void serving_process::run_all() {
  models_ = plan_models(system_, io_, settings_.sampling,
                        dependencies_.faults && dependencies_.faults->is_on() ? dependencies_.faults : nullptr);
  supervisor_ = system_.spawn(actors::supervisor, supervisor_settings());
  begin();
  asio::co_spawn(io_, run_until_shutdown(), [this](std::exception_ptr failed) {
    if (failed)
      io_.stop();
  });
  wait_for_signal();
  run_to_the_end(io_);
  forget_actors();
  supervisor_ = nullptr;
  models_ = nullptr;
  let_actors_end();
}

void serving_process::wait_for_signal() {
  signals_.async_wait([this](asio::error_code ec, int) {
    if (ec)
      return;
    signalled();
    wait_for_signal();
  });
}

/// Waits for the end of the client or a signal, and ends everything.
asio::awaitable<void> serving_process::run_until_shutdown() {
  while (!ending_) {
    co_await end_.async_wait(process::no_throw);
    ending_ = true;
  }
  end_in_time(late_exit_code());
  stop_taking();
  [[maybe_unused]] auto stopped =
    co_await bridge::ask<bool>(dependencies_.port, supervisor_, limits::shutdown_max, msg::stop_atom::value);
  co_await send_the_rest();
  io_.stop();
}

actors::client_wire serving_process::wire() {
  return {[](const mcp::outgoing&) {}, nullptr, nullptr};
}

asio::awaitable<void> serving_process::send_the_rest() { co_return; }

// ---- what the actors get ---------------------------------------------------------------------

actors::supervisor_options serving_process::supervisor_settings() {
  actors::supervisor_options o;
  add_servers(o);
  add_runs(o);
  add_stores(o);
  add_session(o);
  o.failed = [this] { end(); };
  adapt(o);
  return o;
}

void serving_process::add_servers(actors::supervisor_options& o) {
  o.catalog.carry_out = bridge::make_background_catalog(dependencies_, settings_.state_folder,
                                                        configuration_.servers().entries, settings_.security);
  o.catalog.requests_max = limits::catalog_requests_max;
  o.catalog.save_delay = limits::catalog_save_delay;
  o.connector = connector_of(dependencies_, settings_);
  o.connector.servers = startable(configuration_.servers());
  if (!is_nested() && eager_ == eager_servers::started)
    o.connector.connect_at_start = dependencies_.environment.connected_servers;
  o.configuration = configuration_.plan(dependencies_, [this](auto& servers) { return prepare_servers(servers); });
}

void serving_process::add_runs(actors::supervisor_options& o) {
  if (settings_.rates.enabled)
    o.admission.rate = settings_.rates.runs;
  o.admission.runs_max = settings_.runs.at_once_max;
  o.admission.queued_max = settings_.runs.queued_max;
  o.admission.queue_wait_max = settings_.runs.queue_wait_max;
  for (auto lang : {msg::language::typescript, msg::language::python})
    o.pools.push_back(pool_of(dependencies_, settings_, lang));
  o.sessions.sessions_max = settings_.sessions.count_max;
  o.sessions.in_all_max = settings_.sessions.count_max;
  o.sessions.idle_max = settings_.sessions.idle;
  o.sessions.queue_wait_max = settings_.runs.queue_wait_max;
  auto check_types = bridge::make_type_checker(dependencies_);
  o.spawn_execution = [this, check_types](caf::local_actor* parent, actors::execution_options options) {
    options.offload = bridge::make_background_work(dependencies_);
    options.check_types = check_types;
    options.tool_calls_max = settings_.runs.tool_calls_max;
    options.same_failures_max = settings_.runs.same_failures_max;
    options.question_wait = settings_.runs.question_wait;
    options.timeout_max = settings_.runs.timeout_max;
    options.held_bytes_max = settings_.runs.held_bytes_max;
    options.patterns = settings_.security.patterns;
    options.sampling = models_;
    options.has_faults = dependencies_.faults && dependencies_.faults->is_on();
    if (dependencies_.faults)
      options.watch_calls = watcher_of(dependencies_.faults, dependencies_.recordings.to);
    if (dependencies_.printed.take)
      options.noted = dependencies_.printed.take;
    return parent->spawn(actors::execution, std::move(options));
  };
}

void serving_process::add_stores(actors::supervisor_options& o) {
  auto memory = bridge::make_background_memory(dependencies_, settings_.state_folder, dependencies_.environment.cwd);
  o.memory.carry_out = std::move(memory.carry_out);
  o.clients.owners = std::move(memory.owners);
  o.memory.requests_max = limits::memory_requests_max;
  auto outputs = bridge::make_background_artifacts(dependencies_, kept_artifacts(settings_));
  o.outputs.carry_out = std::move(outputs.carry_out);
  o.outputs.run_is_over = std::move(outputs.run_is_over);
  o.outputs.requests_max = limits::outputs_requests_max;
  o.audit = record_of(dependencies_, settings_);
  o.health.look = bridge::make_machine_observer(dependencies_, settings_.state_folder);
  o.health.started = [this] { return found_now(); };
}

void serving_process::add_session(actors::supervisor_options& o) {
  o.session.numbers = std::make_shared<mcp::request_number>(0);
  static_cast<actors::client_wire&>(o.session) = wire();
  o.session.shown = surface_of(settings_);
  o.session.form = settings_.clients.results == config::result_form::structured ? surface::result_form::structured
                                                                                : surface::result_form::text;
  o.session.chars_max = settings_.outputs.chars_max;
  o.session.lists_resources = settings_.clients.resources || o.session.shown == surface::shown_tools::all;
  o.session.server_names = [this] { return server_names(); };
  o.session.parked_wait = settings_.runs.question_wait + run_goes_on_first;
  o.session.is_nested = is_nested();
  o.session.run_limits = run_limits_of(settings_);
  o.session.typescript_problem = problem_of(dependencies_, msg::language::typescript);
  o.session.python_problem = problem_of(dependencies_, msg::language::python);
  o.session.config_problems = [this] { return configuration_.servers().problems; };
  o.session_started = [this](const msg::client_session_actor& session) { session_started(session); };
}

// ---- the servers -----------------------------------------------------------------------------

bool serving_process::is_nested() const { return !dependencies_.variables(config::outer_variable).empty(); }

/// One that is nested would start what has started it, again and again.
msg::server_entries serving_process::startable(const config::server_list& servers) const {
  if (dependencies_.recordings.is_alone())
    return recorded_servers(dependencies_.recordings, settings_.recording.replay);
  if (is_nested())
    return {};
  auto entries = servers.entries;
  if (eager_ == eager_servers::left_alone)
    for (auto& entry : entries)
      entry.eager = false;
  return entries;
}

std::vector<std::string> serving_process::server_names() const {
  if (!dependencies_.recordings.is_alone())
    return config::trusted_names(configuration_.servers());
  auto& names = dependencies_.recordings.from.from->servers();
  return {names.begin(), names.end()};
}

msg::server_entries serving_process::prepare_servers(const config::server_list& now) {
  dependencies_.paths = with_files_kept(paths_, now, dependencies_.environment, dependencies_.variables);
  return startable(now);
}

// ---- what was found --------------------------------------------------------------------------

msg::start_status serving_process::found_now() {
  msg::start_status found{problem_of(dependencies_, msg::language::typescript),
                          problem_of(dependencies_, msg::language::python), configuration_.servers().files,
                          configuration_.servers().problems};
  bridge::isolation_of(dependencies_);
  found.isolation = report_isolation(dependencies_.runtimes, dependencies_.prespawned->place());
  if (dependencies_.faults && dependencies_.faults->is_on())
    found.faults = faults::report_of(*dependencies_.faults);
  if (dependencies_.containers)
    found.container = dependencies_.containers->report();
  return found;
}

} // namespace cli
