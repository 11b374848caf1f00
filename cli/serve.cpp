#include "cli/serve.hpp"

#include "actors/bridge/asio_scheduler.hpp"
#include "actors/bridge/ask.hpp"
#include "actors/bridge/factories.hpp"
#include "actors/supervisor.hpp"
#include "config/server_list.hpp"
#include "messages/limits.hpp"
#include "process/find_executable.hpp"
#include "process/json_reader.hpp"
#include "process/json_writer.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/redirect_error.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <asio/thread_pool.hpp>
#include <asio/use_awaitable.hpp>
#include <caf/actor_ostream.hpp>
#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <unistd.h>

namespace cli {

namespace limits = msg::limits;
using std::chrono::milliseconds;

namespace {

/// The session takes a line in microseconds.
constexpr std::chrono::seconds handover_timeout{30};
/// The last answers have this long to be read by the client.
constexpr milliseconds last_answers_max{100};
/// After this the process ends, whatever is left: the guardian and bubblewrap see to the children.
constexpr milliseconds end_at_any_rate = limits::shutdown_max - milliseconds{50};
/// A busy actor gives way to the descriptors after so many messages.
constexpr size_t messages_per_turn = 64;

caf::actor_system_config& configure(caf::actor_system_config& cfg, asio::io_context& io) {
  cfg.set("scheduler.max-throughput", messages_per_turn);
  bridge::asio_scheduler::load(cfg, io);
  return cfg;
}

sandbox::runtimes find_runtimes(const config::environment& env, const std::string& own_executable) {
  auto folder = std::filesystem::path{own_executable}.parent_path().string();
  return sandbox::find_runtimes({env.deno, env.python, env.path, env.home, folder});
}

/// Python in containers, if their engine is named. Null: it is not.
std::shared_ptr<sandbox::container_host> find_containers(const asio::any_io_executor& executor, const config::environment& env,
                                                         const config::variable_lookup& variables) {
  sandbox::container_settings s;
  s.runtime = variables("MCP_BRIDGE_RUNTIME");
  if (s.runtime.empty())
    return nullptr;
  if (auto image = variables("MCP_BRIDGE_IMAGE"); !image.empty())
    s.image = image;
  if (auto mib = std::atoi(variables("MCP_BRIDGE_MEMORY").c_str()); mib > 0)
    s.memory_bytes = static_cast<uint64_t>(mib) << 20;
  if (auto pids = std::atoi(variables("MCP_BRIDGE_PIDS").c_str()); pids > 0)
    s.pids = static_cast<uint32_t>(pids);
  s.cpus = variables("MCP_BRIDGE_CPUS");
  if (auto user = variables("MCP_BRIDGE_CONTAINER_USER"); !user.empty())
    s.user = user;
  auto folder = std::filesystem::path{process::own_executable()}.parent_path().string();
  sandbox::container_places places{env.path, sandbox::find_guest_files(folder), env.home + "/.code-executor", variables};
  return std::make_shared<sandbox::container_host>(executor, std::move(s), std::move(places));
}

std::string problem_of(const bridge::world& w, msg::language l) {
  if (l == msg::language::python && w.containers)
    return {};
  auto& found = w.runtimes;
  return !found.tools.ok() ? found.tools.error.message : found.of(l).error.message;
}

/// One serving process: everything that lives as long as it does, in the order of its construction.
class server {
public:
  server(const config::environment& env, const config::variable_lookup& variables)
    : system_(configure(cfg_, io_)),
      servers_(config::load_servers(env, process::own_executable())),
      world_{bridge::reply_port::make(system_),
             io_.get_executor(),
             workers_.get_executor(),
             {io_.get_executor(), workers_.get_executor(), guardian_},
             env,
             variables,
             find_runtimes(env, process::own_executable()),
             find_containers(io_.get_executor(), env, variables)},
      signals_(io_, SIGTERM, SIGINT, SIGHUP),
      end_(io_, asio::steady_timer::time_point::max()) {
    caf::actor_ostream::redirect_all(system_, "/dev/stderr"); // stdout belongs to the protocol
  }

  int run() {
    report_start();
    auto in = std::make_shared<asio::posix::stream_descriptor>(io_, ::dup(STDIN_FILENO));
    auto out = std::make_shared<asio::posix::stream_descriptor>(io_, ::dup(STDOUT_FILENO));
    writer_ = std::make_shared<process::json_writer>(out, workers_.get_executor(), process::framing::lines, limits::client_unsent_bytes_max);
    supervisor_ = system_.spawn(actors::supervisor, supervisor_settings());
    asio::co_spawn(io_, write_answers(), asio::detached);
    asio::co_spawn(io_, read_requests(in), asio::detached);
    asio::co_spawn(io_, live(), asio::detached);
    signals_.async_wait([this](asio::error_code ec, int) {
      if (!ec)
        end_.cancel();
    });
    io_.run();
    settle();
    return EXIT_SUCCESS;
  }

private:
  void report_start() {
    for (auto& p : servers_.problems)
      spdlog::warn("configuration: {}", p);
    for (auto l : {msg::language::typescript, msg::language::python})
      if (auto problem = problem_of(world_, l); !problem.empty())
        spdlog::warn("{} is not available: {}", to_string(l), problem);
    if (servers_.files.empty())
      spdlog::info("no configuration of MCP servers was found; looked at {}", searched_files());
  }

  std::string searched_files() const {
    std::string out;
    for (auto& s : config::server_sources(world_.environment))
      out += (out.empty() ? "" : ", ") + s.path;
    return out;
  }

  actors::supervisor_options supervisor_settings() {
    actors::supervisor_options o;
    o.connector.servers = std::move(servers_.entries);
    o.connector.connect_at_start = world_.environment.connected_servers;
    o.connector.connect = bridge::make_connection_factory(world_);
    o.connector.jitter_seed = static_cast<uint64_t>(::getpid());
    o.admission.runs_max = limits::runs_max;
    o.admission.queued_max = limits::runs_queued_max;
    o.admission.queue_wait_max = limits::run_queue_wait_max;
    o.spawn_execution = [this](caf::local_actor* parent, msg::connector_actor to) {
      actors::execution_options options{std::move(to), bridge::make_sandbox_spawner(world_), bridge::make_background_unwrap(world_)};
      return parent->spawn(actors::execution, std::move(options));
    };
    o.session.send = [this](msg::spliced_text message) { send(std::move(message)); };
    o.session.shown = shown_surface();
    o.session.found = {problem_of(world_, msg::language::typescript), problem_of(world_, msg::language::python), servers_.files,
                       servers_.problems};
    o.session_started = [this](msg::client_session_actor session) { session_ = std::move(session); };
    return o;
  }

  tools::surface shown_surface() const {
    auto shown = tools::surface::code;
    auto wanted = world_.variables("CODE_EXECUTOR_SURFACE");
    if (!wanted.empty() && !tools::parse_surface(wanted, shown))
      spdlog::warn("CODE_EXECUTOR_SURFACE must be code, discovery, bridge or all, not '{}'; code is used", wanted);
    return shown;
  }

  void send(msg::spliced_text message) {
    if (writer_->push(std::move(message)) || ending_)
      return;
    spdlog::error("the client does not read its answers; the connection is given up");
    end_.cancel();
  }

  asio::awaitable<void> write_answers() {
    co_await writer_->run();
    written_ = true;
    end_.cancel(); // the client is gone, or everything is sent
  }

  asio::awaitable<void> read_requests(std::shared_ptr<asio::posix::stream_descriptor> in) {
    process::json_reader reader{in, workers_.get_executor(), process::framing::lines, limits::client_line_bytes_max};
    while (!ending_) {
      auto event = co_await reader.next();
      if (event.what == process::json_event::kind::end)
        break;
      co_await hand_over(std::move(event));
    }
    end_.cancel();
  }

  /// Waits until the session has taken it: the next line is read only then.
  asio::awaitable<void> hand_over(process::json_event event) {
    using kind = process::json_event::kind;
    if (!session_)
      co_return;
    if (event.what == kind::message) {
      [[maybe_unused]] auto taken =
        co_await bridge::ask<bool>(world_.port, session_, handover_timeout, msg::received_atom::value, std::move(event.value));
      co_return;
    }
    auto code = event.what == kind::malformed ? mcp::rpc_error::parse_error : mcp::rpc_error::invalid_request;
    auto why = event.what == kind::malformed
                 ? "Parse error: " + event.problem
                 : "Invalid Request: a line of more than " + std::to_string(limits::client_line_bytes_max >> 20) + " MiB, which is the limit";
    [[maybe_unused]] auto taken =
      co_await bridge::ask<bool>(world_.port, session_, handover_timeout, msg::rejected_atom::value, code, std::move(why));
  }

  /// Waits for the end of the client or a signal, and ends everything.
  asio::awaitable<void> live() {
    asio::error_code ignored;
    while (!ending_) {
      co_await end_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      ending_ = true;
    }
    std::thread{[] { // outside of the loop, which may be what hangs
      std::this_thread::sleep_for(end_at_any_rate);
      ::_exit(EXIT_SUCCESS);
    }}
      .detach();
    [[maybe_unused]] auto stopped = co_await bridge::ask<bool>(world_.port, supervisor_, limits::shutdown_max, msg::stop_atom::value);
    writer_->finish();
    auto deadline = asio::steady_timer::clock_type::now() + last_answers_max;
    while (!written_ && asio::steady_timer::clock_type::now() < deadline) {
      end_.expires_at(deadline);
      co_await end_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    }
    io_.stop();
  }

  /// After the loop: lets what is left of actors and coroutines end, so that nothing holds the system.
  void settle() {
    session_ = nullptr;
    supervisor_ = nullptr;
    signals_.cancel();
    workers_.join();
    io_.restart();
    for (int i = 0; i < 1'000 && (io_.poll() > 0 || system_.registry().running() > 0); ++i)
      ;
  }

  asio::io_context io_{1};
  asio::thread_pool workers_{1};
  process::guardian guardian_;
  caf::actor_system_config cfg_;
  caf::actor_system system_;
  config::server_list servers_;
  bridge::world world_;
  asio::signal_set signals_;
  asio::steady_timer end_; ///< cancelled when it is time to look whether to end
  std::shared_ptr<process::json_writer> writer_;
  msg::supervisor_actor supervisor_;
  msg::client_session_actor session_;
  bool ending_ = false;
  bool written_ = false;
};

} // namespace

int serve(const config::environment& environment, const config::variable_lookup& variables) {
  std::signal(SIGPIPE, SIG_IGN); // a pipe that nobody reads is an error of that write, not our end
  return server{environment, variables}.run();
}

} // namespace cli
