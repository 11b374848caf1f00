#include "cli/bridge.hpp"

#include "actors/bridge/ask.hpp"
#include "actors/clients.hpp"
#include "actors/relay_session.hpp"
#include "cli/actor_process.hpp"
#include "cli/bridge_target.hpp"
#include "cli/complain.hpp"
#include "cli/dependencies.hpp"
#include "cli/exit_codes.hpp"
#include "cli/fault_plan.hpp"
#include "cli/http_address.hpp"
#include "cli/log.hpp"
#include "cli/main_loop.hpp"
#include "cli/recordings.hpp"
#include "cli/stdio_client.hpp"
#include "messages/limits.hpp"
#include "process/kept_flags.hpp"
#include "process/own_memory.hpp"

#include <CLI/CLI.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace cli {

namespace limits = msg::limits;

namespace {

/// Clients over HTTP that have a process of the server each; each takes as much as the server does.
constexpr uint32_t processes_max = 32;

class bridging : actor_process {
public:
  bridging(const config::environment& env, config::settings settings, const config::variable_lookup& variables,
           msg::server_entry server, std::optional<bridge::http_address> http)
    : settings_(std::move(settings)),
      server_(std::move(server)),
      dependencies_(
        dependencies_of_servers(bridge::reply_port::make(system_), io_, threads_, env, settings_, variables)),
      end_(io_, asio::steady_timer::time_point::max()),
      http_(std::move(http)) {
    if (server_.transport == msg::transport_kind::stdio)
      settings_.http.sessions_max = std::min(settings_.http.sessions_max, processes_max);
  }

  int run() {
    if (auto wrong = begin(); wrong.code != msg::errc::none) {
      spdlog::error("{}", wrong.message);
      return exit_wrong_settings;
    }
    asio::co_spawn(io_, run_until_shutdown(), [this](std::exception_ptr failed) {
      if (failed)
        io_.stop();
    });
    signals_.async_wait([this](asio::error_code ec, int) {
      if (!ec)
        end_.cancel();
    });
    run_to_the_end(io_);
    settle();
    return has_failed_ ? EXIT_FAILURE : EXIT_SUCCESS;
  }

private:
  msg::fault begin() {
    auto faults = injector_of(settings_, dependencies_.variables);
    if (!faults.ok())
      return std::move(faults.error);
    if (faults.value && faults.value->is_on()) // no client has any of its own
      dependencies_.faults = std::move(faults.value);
    auto recordings = recordings_of(settings_, threads_.work.line());
    if (!recordings.ok())
      return std::move(recordings.error);
    dependencies_.recordings = std::move(recordings.value);
    if (!http_) {
      stdio_.emplace(io_, stdio_options());
      session_ = system_.spawn(actors::relay_session, session_options(stdio_->wire(), mcp::relay::clientele::one));
      stdio_->serve(session_);
      stdio_->start(io_);
      return {};
    }
    front_ = std::make_shared<bridge::http_front>(dependencies_, settings_, bridge::http_service::relay);
    auto wrong = front_->open(io_, *http_);
    if (wrong.code != msg::errc::none)
      return wrong;
    actors::clients_options options;
    options.stop_max = limits::shutdown_max;
    options.open = [this](caf::local_actor* parent,
                          const msg::client_opening& opening) -> msg::client_connection_actor {
      using mcp::relay::clientele; // each client has a connection to the server of its own, if it can be told apart
      auto client = front_->client(opening.connection);
      auto clients = client && client->is_anybody() ? clientele::several : clientele::one;
      auto of_client = session_options(front_->wire(opening.connection), clients);
      std::weak_ptr weak = client;
      of_client.said_headers = [weak](mcp::stream_number stream) {
        auto its = weak.lock();
        return its ? its->headers_on(stream) : nullptr;
      };
      of_client.retire = [weak] {
        if (auto its = weak.lock())
          its->retire();
      };
      return parent->spawn(actors::relay_session, std::move(of_client));
    };
    options.failed = [this](uint32_t connection) {
      if (front_) // else the loop has ended
        front_->failed(connection);
    };
    clients_ = system_.spawn(actors::clients, std::move(options));
    front_->serve(clients_);
    spdlog::info("clients are served at {}", front_->url());
    return {};
  }

  actors::relay_session_options session_options(actors::client_wire wire, mcp::relay::clientele clients) {
    actors::relay_session_options o;
    static_cast<actors::client_wire&>(o) = std::move(wire);
    o.server = server_;
    o.connect = bridge::make_relay_connection_factory(dependencies_);
    o.clients = clients;
    o.parked_wait = settings_.runs.question_wait;
    o.over = [this](const std::string& why) {
      spdlog::error("{}", why);
      if (stdio_)
        fail();
    };
    return o;
  }

  stdio_client_options stdio_options() {
    stdio_client_options o;
    o.port = dependencies_.port;
    o.worker = threads_.host.get_executor();
    o.unsent_bytes_max = stdio_client::unsent_bytes_max(settings_.process.memory_bytes);
    o.text_is = msg::spelling::kept;
    o.left = [this] { end_.cancel(); };
    o.given_up = [this](const std::string& why) {
      spdlog::error("{}", why);
      fail();
    };
    return o;
  }

  void fail() {
    has_failed_ = true;
    end_.cancel();
  }

  /// Waits for the end of the client or of its server, or a signal, and ends everything.
  asio::awaitable<void> run_until_shutdown() {
    asio::error_code ignored;
    co_await end_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    end_in_time(EXIT_SUCCESS);
    if (front_)
      front_->stop_listening();
    if (stdio_)
      stdio_->stop();
    if (clients_) [[maybe_unused]]
      auto stopped =
        co_await bridge::ask<bool>(dependencies_.port, clients_, limits::shutdown_max, msg::stop_atom::value);
    if (session_) [[maybe_unused]]
      auto stopped =
        co_await bridge::ask<bool>(dependencies_.port, session_, limits::shutdown_max, msg::stop_atom::value);
    if (front_)
      co_await front_->close();
    if (stdio_) {
      stdio_->finish();
      co_await stdio_->until_written();
    }
    io_.stop();
  }

  /// After the loop.
  void settle() {
    if (stdio_)
      stdio_->forget();
    front_ = nullptr;
    caf::anon_send_exit(session_, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(clients_, caf::exit_reason::user_shutdown);
    session_ = nullptr;
    clients_ = nullptr;
    let_actors_end();
  }

  config::settings settings_;
  msg::server_entry server_;
  bridge::dependencies dependencies_;
  asio::steady_timer end_; ///< cancelled when it is time to end
  std::optional<bridge::http_address> http_;
  std::optional<stdio_client> stdio_; ///< nothing: clients come over HTTP
  msg::relay_session_actor session_;
  std::shared_ptr<bridge::http_front> front_;
  msg::clients_actor clients_;
  bool has_failed_ = false;
};

} // namespace

bridge_words::bridge_words(CLI::App& app, int& argc, char** argv)
  : command_(app.add_subcommand("bridge", "put one server, unchanged and whole, behind stdin and stdout or HTTP, for "
                                          "clients of any revision")) {
  command_->add_option("target", target_, "name of a configured server, or its URL; or a command after --");
  http_ = command_->add_option("--http", address_, "listen there, 127.0.0.1:3333 if no ADDRESS:PORT is given")
            ->expected(0, 1)
            ->type_name("[ADDRESS:PORT]");
  command_
    ->add_option("--env", variables_,
                 "a variable for the command: NAME=VALUE, or NAME for the one of that name that is set here")
    ->type_name("NAME[=VALUE]")
    ->allow_extra_args(false);
  command_->add_option("--faults", faults_, "inject the faults of this plan, see docs/faults.md")->type_name("FILE");
  command_->footer(
    "Examples: code-executor bridge github --http\n"
    "          code-executor bridge --http 127.0.0.1:4000 -- npx -y @modelcontextprotocol/server-everything\n"
    "          code-executor bridge https://example.com/mcp");
  auto* end = argv + argc;
  auto* mark = std::find(argv, end, std::string_view{"--"});
  if (argc < 2 || std::string_view{argv[1]} != "bridge" || mark == end)
    return;
  words_.assign(mark + 1, end);
  argc = static_cast<int>(mark - argv);
}

bool bridge_words::wanted() const { return command_->parsed(); }

std::optional<msg::server_entry> bridge_words::target(const config::environment& environment,
                                                      const config::settings& settings) const {
  auto found = find_bridge_target({target_, words_, variables_}, environment, settings);
  if (found.ok())
    return std::move(found.value);
  complain(found.error.message, exit_wrong_use);
  return std::nullopt;
}

int bridge_words::run(const config::environment& environment, const config::settings& settings,
                      const config::variable_lookup& variables) const {
  std::optional<bridge::http_address> where;
  if (http_->count() > 0) {
    auto parsed = parse_http_address(address_);
    if (!parsed.ok()) {
      bool is_name = target_.empty() && words_.empty(); // it was taken for what follows --http
      return complain(parsed.error.message
                        + (is_name ? "; the name of a server stands before it: `bridge NAME --http`" : ""),
                      exit_wrong_use);
    }
    where = std::move(parsed.value);
  }
  auto server = target(environment, settings);
  if (!server)
    return exit_wrong_use;
  process::kept_flags in{STDIN_FILENO}, out{STDOUT_FILENO};
  process::settle_allocator();
  process::limit_own_memory(settings.process.memory_bytes);
  auto log = log_in_background(settings.log);
  try {
    auto with_faults = settings;
    if (!faults_.empty())
      with_faults.faults = {{}, faults_, false};
    return bridging{environment, with_faults, variables, std::move(*server), std::move(where)}.run();
  } catch (const std::exception& e) { // without memory or descriptors, for one
    spdlog::error("the bridge can not start: {}", e.what());
    return EXIT_FAILURE;
  }
}

} // namespace cli
