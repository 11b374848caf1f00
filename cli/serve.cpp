#include "cli/serve.hpp"

#include "actors/bridge/health_port.hpp"
#include "actors/bridge/http_front.hpp"
#include "cli/dependencies.hpp"
#include "cli/exit_codes.hpp"
#include "cli/kill_switch.hpp"
#include "cli/live_port.hpp"
#include "cli/log.hpp"
#include "cli/recordings.hpp"
#include "cli/serving_process.hpp"
#include "cli/start_report.hpp"
#include "cli/stdio_client.hpp"
#include "messages/limits.hpp"
#include "process/no_throw.hpp"
#include "process/offload.hpp"
#include "process/own_memory.hpp"
#include "sandbox/isolation/self_test.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/steady_timer.hpp>
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

/// Before the first guests are started ahead of need.
constexpr milliseconds prepare_caches_delay{40};
static_assert(prepare_caches_delay < limits::pool_first_delay);
constexpr std::chrono::seconds memory_look_pause{5};

/// Everything that lives as long as the process does, in the order of its construction.
class server : serving_process {
public:
  server(const config::environment& env, const config::settings& settings, const config::variable_lookup& variables,
         dependency_plan plan, std::optional<bridge::http_address> http)
    : serving_process(env, settings, variables, std::move(plan), eager_servers::started),
      http_(std::move(http)) {}

  int run() {
    auto wrong = prepare_connections();
    if (wrong.code == msg::errc::none)
      wrong = open_front();
    if (wrong.code != msg::errc::none) {
      spdlog::error("{}", wrong.message);
      return exit_wrong_settings;
    }
    report_start(settings_, configuration_.servers(), dependencies_);
    stdio_.emplace(io_, stdio_options());
    run_all();
    return has_given_up_ ? EXIT_FAILURE : EXIT_SUCCESS;
  }

private:
  void begin() override {
    if (!is_without_stdin())
      stdio_->start(io_);
    asio::co_spawn(io_, prepare_caches(), asio::detached);
    asio::co_spawn(io_, give_memory_back(), asio::detached);
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
        end();
    };
    o.given_up = [this](const std::string& why) { give_up(why); };
    return o;
  }

  /// Whoever types there is no client.
  bool is_without_stdin() const { return front_ && ::isatty(STDIN_FILENO) == 1; }

  void give_up(const std::string& why) {
    spdlog::error("{}", why);
    has_given_up_ = true;
    end();
  }

  actors::client_wire wire() override { return stdio_->wire(); }

  void session_started(const msg::client_session_actor& session) override { stdio_->serve(session); }

  void adapt(actors::supervisor_options& o) override {
    if (http_ && !bridge::is_on_this_machine(*http_)) // a browser elsewhere does not come back to a port of ours
      o.connector.log_in = nullptr;
    o.servers_started = [this](const msg::connector_actor& connector, const msg::audit_log_actor&) {
      if (live_)
        live_->close(); // it has started anew
      live_ = live_port::open(io_, dependencies_.port, connector, settings_.state_folder);
    };
    o.health_started = [this](const msg::health_actor& health) {
      health_port_ = bridge::open_health_port(io_, dependencies_, settings_.health, health);
    };
    if constexpr (has_kill_switch) {
      auto kills = std::make_shared<kill_switch>(io_, dependencies_.variables("CODE_EXECUTOR_TEST_KILL"));
      kills->listen();
      o.started = [kills](const std::string& name, const caf::strong_actor_ptr& actor) { kills->started(name, actor); };
    }
    if (front_)
      serve_front(o);
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

  /// What would hold up the client's first answers.
  asio::awaitable<void> prepare_caches() {
    asio::steady_timer pause{io_, prepare_caches_delay};
    co_await pause.async_wait(process::no_throw);
    while (!is_ending() && bridge::isolation_of(dependencies_).mode == sandbox::isolation_mode::untried
           && dependencies_.runtimes.tools.ok()) {
      pause.expires_after(sandbox::isolation_look_pause);
      co_await pause.async_wait(process::no_throw);
    }
    if (is_ending())
      co_return;
    bridge::use_caches(dependencies_);
  }

  /// What a run or a server has made us hold is not kept for the next one. Ends with the loop.
  asio::awaitable<void> give_memory_back() {
    process::free_memory free;
    asio::steady_timer pause{io_};
    while (!is_ending()) {
      pause.expires_after(memory_look_pause);
      co_await pause.async_wait(process::no_throw);
      auto give_back = [&free] { return free.give_back(), true; };
      [[maybe_unused]] auto done = co_await process::offload(threads_.host.get_executor(), give_back);
    }
  }

  void stop_taking() override {
    stdio_->stop();
    if (front_)
      front_->stop_listening();
    if (health_port_)
      health_port_->close();
    if (live_)
      live_->close();
  }

  asio::awaitable<void> send_the_rest() override {
    stdio_->finish();
    if (front_)
      co_await front_->close();
    if (!is_without_stdin())
      co_await stdio_->until_written();
  }

  void forget_actors() override {
    stdio_->forget();
    front_ = nullptr;
    live_ = nullptr;
  }

  std::optional<bridge::http_address> http_;
  std::optional<stdio_client> stdio_;         ///< there while it runs
  std::shared_ptr<bridge::http_front> front_; ///< null: there is no HTTP
  std::shared_ptr<http::server> health_port_; ///< null: none
  std::shared_ptr<live_port> live_;           ///< null: none
  bool has_given_up_ = false;                 ///< of the client, for another reason than that it has left
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
