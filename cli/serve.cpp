#include "cli/serve.hpp"

#include "actors/bridge/ask.hpp"
#include "actors/bridge/background.hpp"
#include "actors/bridge/health_port.hpp"
#include "actors/bridge/http_front.hpp"
#include "actors/supervisor.hpp"
#include "cli/actor_process.hpp"
#include "cli/dependencies.hpp"
#include "cli/exit_codes.hpp"
#include "cli/fault_plan.hpp"
#include "cli/kill_switch.hpp"
#include "cli/log.hpp"
#include "cli/main_loop.hpp"
#include "cli/models.hpp"
#include "cli/probe.hpp"
#include "cli/recordings.hpp"
#include "cli/serve_settings.hpp"
#include "cli/served_configuration.hpp"
#include "cli/start_report.hpp"
#include "cli/stdio_client.hpp"
#include "config/launch.hpp"
#include "config/server_list.hpp"
#include "messages/limits.hpp"
#include "process/find_executable.hpp"
#include "process/offload.hpp"
#include "process/own_memory.hpp"
#include "sandbox/isolation/self_test.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <unistd.h>

namespace cli {

namespace limits = msg::limits;
using std::chrono::milliseconds;

namespace {

/// Of the memory that this process may have, what it may hold for programs: the rest is for servers, the catalog, and
/// what is being parsed.
constexpr uint64_t guests_share = 2;
/// Before the first guests are started ahead of need.
constexpr milliseconds prepare_caches_delay{40};
static_assert(prepare_caches_delay < limits::pool_first_delay);
constexpr std::chrono::seconds memory_look_pause{5};
/// A run that has waited long enough for an answer does without; only then its call is given up.
constexpr std::chrono::seconds run_goes_on_first{1};

/// One serving process: everything that lives as long as it does, in the order of its construction.
class server : actor_process {
public:
  server(const config::environment& env, const config::settings& settings, const config::variable_lookup& variables,
         dependency_plan plan, std::optional<bridge::http_address> http)
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
      http_(std::move(http)) {
    dependencies_.state_folder = settings.state_folder;
    if (settings.sandbox.pool_size == 0 && settings.python.preload.empty()) // nothing is kept ready
      return;
    using sandbox::guest_template;
    dependencies_.python_template = std::make_shared<guest_template>(msg::language::python, settings.python.preload);
    dependencies_.typescript_template = std::make_shared<guest_template>(msg::language::typescript);
  }

  int run() {
    auto wrong = prepare_connections();
    if (wrong.code == msg::errc::none)
      wrong = open_front();
    if (wrong.code != msg::errc::none) {
      spdlog::error("{}", wrong.message);
      return exit_wrong_settings;
    }
    report_start(settings_, configuration_.servers(), dependencies_);
    models_ = plan_models(system_, io_, settings_.sampling,
                          dependencies_.faults && dependencies_.faults->is_on() ? dependencies_.faults : nullptr);
    stdio_.emplace(io_, stdio_options());
    supervisor_ = system_.spawn(actors::supervisor, supervisor_settings());
    if (!is_without_stdin())
      stdio_->start(io_);
    asio::co_spawn(io_, run_until_shutdown(), [this](std::exception_ptr failed) {
      if (failed)
        io_.stop();
    });
    asio::co_spawn(io_, prepare_caches(), asio::detached);
    asio::co_spawn(io_, give_memory_back(), asio::detached);
    signals_.async_wait([this](asio::error_code ec, int) {
      if (!ec)
        end_.cancel();
    });
    run_to_the_end(io_);
    settle();
    return has_given_up_ ? EXIT_FAILURE : EXIT_SUCCESS;
  }

private:
  /// Faults and recordings, which are put on them.
  msg::fault prepare_connections() {
    auto faults = injector_of(settings_, dependencies_.variables);
    auto recordings = recordings_of(settings_, threads_.work.line());
    dependencies_.faults = std::move(faults.value);
    dependencies_.recordings = std::move(recordings.value);
    return faults.ok() ? std::move(recordings.error) : std::move(faults.error);
  }

  msg::fault open_front() {
    if (!http_)
      return {};
    front_ = std::make_shared<bridge::http_front>(dependencies_, settings_);
    auto wrong = front_->open(io_, *http_);
    if (wrong.code != msg::errc::none)
      return wrong;
    spdlog::info("clients are served at {}", front_->url());
    auto scheme = settings_.http.certificate_file.empty() ? "http" : "https";
    auto hosts = settings_.http.allowed_hosts;
    hosts.push_back(http_->host);
    configuration_.serve_at({scheme, std::move(hosts), front_->port(), std::string{mcp::http_endpoint}});
    prepare_servers(configuration_.servers()); // an entry of ours may have hidden others
    return {};
  }

  stdio_client_options stdio_options() {
    stdio_client_options o;
    o.port = dependencies_.port;
    o.worker = threads_.host.get_executor();
    o.unsent_bytes_max = stdio_client::unsent_bytes_max(settings_.process.memory_bytes);
    o.left = [this] {
      if (!front_ || stdio_->has_spoken())
        end_.cancel();
    };
    o.given_up = [this](const std::string& why) { give_up(why); };
    return o;
  }

  /// Whoever types there is no client.
  bool is_without_stdin() const { return front_ && ::isatty(STDIN_FILENO) == 1; }

  void give_up(const std::string& why) {
    spdlog::error("{}", why);
    has_given_up_ = true;
    end_.cancel();
  }

  actors::supervisor_options supervisor_settings() {
    actors::supervisor_options o;
    o.catalog.carry_out = bridge::make_background_catalog(dependencies_, settings_.state_folder,
                                                          configuration_.servers().entries, settings_.security);
    o.catalog.requests_max = limits::catalog_requests_max;
    o.catalog.save_delay = limits::catalog_save_delay;
    o.connector = connector_of(dependencies_, settings_);
    o.connector.servers = startable(configuration_.servers());
    if (!is_nested())
      o.connector.connect_at_start = dependencies_.environment.connected_servers;
    if (http_ && !bridge::is_on_this_machine(*http_)) // a browser elsewhere does not come back to a port of ours
      o.connector.log_in = nullptr;
    if (settings_.rates.enabled)
      o.admission.rate = settings_.rates.runs;
    o.admission.runs_max = settings_.runs.at_once_max;
    o.admission.queued_max = settings_.runs.queued_max;
    o.admission.queue_wait_max = settings_.runs.queue_wait_max;
    for (auto lang : {msg::language::typescript, msg::language::python})
      o.pools.push_back(pool_of(dependencies_, settings_, lang));
    o.memory.carry_out =
      bridge::make_background_memory(dependencies_, settings_.state_folder, dependencies_.environment.cwd);
    o.memory.requests_max = limits::memory_requests_max;
    auto outputs = bridge::make_background_artifacts(dependencies_, kept_artifacts(settings_));
    o.outputs.carry_out = std::move(outputs.carry_out);
    o.outputs.run_is_over = std::move(outputs.run_is_over);
    o.outputs.requests_max = limits::outputs_requests_max;
    o.sessions.sessions_max = settings_.sessions.count_max;
    o.sessions.in_all_max = settings_.sessions.count_max;
    o.sessions.idle_max = settings_.sessions.idle;
    o.sessions.queue_wait_max = settings_.runs.queue_wait_max;
    o.spawn_execution = [this](caf::local_actor* parent, actors::execution_options options) {
      options.offload = bridge::make_background_work(dependencies_);
      options.check_types = bridge::make_type_checker(dependencies_);
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
      return parent->spawn(actors::execution, std::move(options));
    };
    o.session.numbers = std::make_shared<mcp::request_number>(0);
    static_cast<actors::client_wire&>(o.session) = stdio_->wire();
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
    o.configuration = configuration_.plan(dependencies_, [this](auto& servers) { return prepare_servers(servers); });
    o.audit = record_of(dependencies_, settings_);
    o.health.look = bridge::make_machine_observer(dependencies_, settings_.state_folder);
    o.health.started = [this] { return found_now(); };
    o.health_started = [this](const msg::health_actor& health) {
      health_port_ = bridge::open_health_port(io_, dependencies_, settings_.health, health);
    };
    o.failed = [this] { end_.cancel(); };
    if constexpr (has_kill_switch) {
      auto kills = std::make_shared<kill_switch>(io_, dependencies_.variables("CODE_EXECUTOR_TEST_KILL"));
      kills->listen();
      o.started = [kills](const std::string& name, const caf::strong_actor_ptr& actor) { kills->started(name, actor); };
    }
    o.session_started = [this](const msg::client_session_actor& session) { stdio_->serve(session); };
    if (front_)
      serve_front(o);
    return o;
  }

  void serve_front(actors::supervisor_options& o) {
    o.admission.client_runs_max = std::max<size_t>(1, settings_.runs.at_once_max / 2);
    o.sessions.in_all_max = size_t{2} * settings_.sessions.count_max;
    o.wire_client = [this](uint32_t connection) { return front_->wire(connection); };
    o.clients.failed = [this](uint32_t connection) {
      if (front_) // else the loop has ended
        front_->failed(connection);
    };
    o.clients_started = [this](msg::clients_actor clients) { front_->serve(std::move(clients)); };
  }

  /// Another server of ours has started this one: the outer one is asked, and this one has no servers.
  bool is_nested() const { return !dependencies_.variables(config::outer_variable).empty(); }

  /// One that is nested would start what has started it, again and again.
  msg::server_entries startable(const config::server_list& servers) const {
    if (dependencies_.recordings.is_alone())
      return recorded_servers(dependencies_.recordings, settings_.recording.replay);
    return is_nested() ? msg::server_entries{} : servers.entries;
  }

  std::vector<std::string> server_names() const {
    if (!dependencies_.recordings.is_alone())
      return config::trusted_names(configuration_.servers());
    auto& names = dependencies_.recordings.from.from->servers();
    return {names.begin(), names.end()};
  }

  msg::server_entries prepare_servers(const config::server_list& now) {
    dependencies_.paths = with_files_kept(paths_, now, dependencies_.environment, dependencies_.variables);
    return startable(now);
  }

  msg::start_status found_now() {
    msg::start_status found{problem_of(dependencies_, msg::language::typescript),
                            problem_of(dependencies_, msg::language::python), configuration_.servers().files,
                            configuration_.servers().problems};
    found.isolation = isolation_now();
    if (dependencies_.faults && dependencies_.faults->is_on())
      found.faults = faults::report_of(*dependencies_.faults);
    if (dependencies_.containers)
      found.container = dependencies_.containers->report();
    return found;
  }

  msg::isolation_report isolation_now() {
    bridge::isolation_of(dependencies_);
    return report_isolation(dependencies_.runtimes, dependencies_.prespawned->place());
  }

  /// What would hold up the client's first answers.
  asio::awaitable<void> prepare_caches() {
    asio::steady_timer pause{io_, prepare_caches_delay};
    asio::error_code ignored;
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    while (!ending_ && bridge::isolation_of(dependencies_).mode == sandbox::isolation_mode::untried
           && dependencies_.runtimes.tools.ok()) {
      pause.expires_after(sandbox::isolation_look_pause);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    if (ending_)
      co_return;
    bridge::use_caches(dependencies_);
  }

  /// What a run or a server has made us hold is not kept for the next one. Ends with the loop.
  asio::awaitable<void> give_memory_back() {
    process::free_memory free;
    asio::steady_timer pause{io_};
    asio::error_code ignored;
    while (!ending_) {
      pause.expires_after(memory_look_pause);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      auto give_back = [&free] { return free.give_back(), true; };
      [[maybe_unused]] auto done = co_await process::offload(threads_.host.get_executor(), give_back);
    }
  }

  /// Waits for the end of the client or a signal, and ends everything.
  asio::awaitable<void> run_until_shutdown() {
    asio::error_code ignored;
    while (!ending_) {
      co_await end_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      ending_ = true;
    }
    end_in_time();
    stdio_->stop();
    if (front_)
      front_->stop_listening();
    if (health_port_)
      health_port_->close();
    [[maybe_unused]] auto stopped =
      co_await bridge::ask<bool>(dependencies_.port, supervisor_, limits::shutdown_max, msg::stop_atom::value);
    stdio_->finish();
    if (front_)
      co_await front_->close();
    if (!is_without_stdin())
      co_await stdio_->until_written();
    io_.stop();
  }

  /// After the loop.
  void settle() {
    stdio_->forget();
    front_ = nullptr;
    supervisor_ = nullptr;
    models_ = nullptr;
    let_actors_end();
  }

  config::settings settings_;
  served_configuration configuration_;
  bridge::dependencies dependencies_;
  std::shared_ptr<const sampling::rules> models_;
  asio::steady_timer end_;     ///< cancelled when it is time to look whether to end
  sandbox::path_policy paths_; ///< without what depends on the servers
  std::optional<bridge::http_address> http_;
  std::optional<stdio_client> stdio_;         ///< there while it runs
  std::shared_ptr<bridge::http_front> front_; ///< null: there is no HTTP
  msg::supervisor_actor supervisor_;
  std::shared_ptr<http::server> health_port_; ///< null: none
  bool ending_ = false;
  bool has_given_up_ = false; ///< of the client, for another reason than that it has left
};

} // namespace

int serve(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables, std::optional<bridge::http_address> http) {
  process::settle_allocator();
  process::limit_own_memory(settings.process.memory_bytes);
  auto plan = plan_world(environment, settings);
  if (!plan.ok()) {
    spdlog::error("settings: {}", plan.error.message);
    return exit_wrong_settings;
  }
  auto log = log_in_background(settings.log);
  try {
    return server{environment, without_traces(settings), variables, std::move(plan.value), std::move(http)}.run();
  } catch (const std::exception& e) { // without memory for the user's own files, for one
    spdlog::error("the server can not start: {}", e.what());
    return EXIT_FAILURE;
  }
}

} // namespace cli
