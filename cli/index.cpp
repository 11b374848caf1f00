#include "cli/index.hpp"

#include "actors/bridge/ask.hpp"
#include "actors/bridge/background.hpp"
#include "actors/catalog.hpp"
#include "actors/connector.hpp"
#include "cli/actor_process.hpp"
#include "cli/dependencies.hpp"
#include "cli/exit_codes.hpp"
#include "cli/print_document.hpp"
#include "cli/probe.hpp"
#include "messages/limits.hpp"
#include "process/find_executable.hpp"
#include "text/nearest.hpp"
#include "text/printable.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <unistd.h>

namespace cli {

namespace json = boost::json;
namespace limits = msg::limits;
using std::chrono::milliseconds;

namespace {

/// The handshake has its own limit, and so has the end of a server; this only makes the wait finite.
constexpr milliseconds one_server_max = limits::child_handshake_timeout + milliseconds{30'000};
/// 23,000 tools take 2 s.
constexpr milliseconds last_writes_max{60'000};

struct finding {
  std::string server;
  uint32_t tools = 0;
  std::string error; ///< empty: the tools are known
  milliseconds took{};
};

class indexing : actor_process {
public:
  indexing(const config::environment& env, const config::settings& settings, const config::variable_lookup& variables,
           std::vector<msg::server_entry> servers, std::vector<std::string> names, output_form form)
    : names_(std::move(names)),
      form_(form),
      shows_progress_(form == output_form::text && ::isatty(STDERR_FILENO) != 0),
      dependencies_(
        dependencies_of_servers(bridge::reply_port::make(system_), io_, threads_, env, settings, variables)) {
    actors::catalog_options of_catalog;
    of_catalog.carry_out =
      bridge::make_background_catalog(dependencies_, settings.state_folder, servers, settings.security);
    of_catalog.requests_max = limits::catalog_requests_max;
    of_catalog.save_delay = limits::catalog_save_delay;
    catalog_ = system_.spawn(actors::catalog, std::move(of_catalog));
    actors::connector_options of_connector;
    of_connector.servers = std::move(servers);
    of_connector.connect = bridge::make_connection_factory(dependencies_);
    of_connector.eras = bridge::make_era_memory(settings.state_folder);
    of_connector.catalog = catalog_;
    of_connector.jitter_seed = static_cast<uint64_t>(::getpid());
    connector_ = system_.spawn(actors::connector, std::move(of_connector));
  }

  /// Whether all tools are known and written.
  bool run() {
    signals_.async_wait([this](asio::error_code ec, int) {
      if (!ec)
        interrupt();
    });
    outstanding_ = std::min(limits::index_starts_max, names_.size());
    for (size_t i = 0; i < outstanding_; ++i)
      asio::co_spawn(io_, index_some(), asio::detached);
    io_.run();
    settle();
    return is_written_ && !is_interrupted_
           && std::all_of(found_.begin(), found_.end(), [](auto& f) { return f.error.empty(); });
  }

  json::object as_json() const {
    json::array servers;
    uint64_t tools = 0;
    for (auto& f : found_) {
      json::object of{{"name", f.server}, {"ms", f.took.count()}};
      if (f.error.empty())
        of["tools"] = f.tools;
      else
        of["error"] = f.error;
      tools += f.tools;
      servers.push_back(std::move(of));
    }
    return {{"servers", std::move(servers)}, {"totalTools", tools}};
  }

private:
  /// One of index_starts_max.
  asio::awaitable<void> index_some() {
    while (next_ < names_.size() && !is_interrupted_) {
      finding f;
      f.server = names_[next_++];
      show_progress();
      auto begin = std::chrono::steady_clock::now();
      auto told = co_await bridge::ask<msg::outcome<uint32_t>>(dependencies_.port, connector_, one_server_max,
                                                               msg::index_atom::value, f.server);
      f.took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
      f.tools = told.value.value;
      f.error = told.ok() ? told.value.error.message : told.error.message;
      report(std::move(f));
    }
    if (--outstanding_ == 0)
      co_await finish();
  }

  asio::awaitable<void> finish() {
    auto written = co_await bridge::ask<bool>(dependencies_.port, catalog_, last_writes_max, msg::finish_atom::value);
    is_written_ = written.ok() && written.value;
    [[maybe_unused]] auto stopped =
      co_await bridge::ask<bool>(dependencies_.port, connector_, limits::shutdown_max, msg::stop_atom::value);
    io_.stop();
  }

  /// What was begun ends with an error, and nothing more is begun.
  void interrupt() {
    is_interrupted_ = true;
    caf::anon_send(connector_, msg::stop_atom::value);
  }

  void show_progress() const {
    if (shows_progress_)
      std::cerr << "\r\x1b[K" << next_ << " of " << names_.size() << ": " << text::printable(names_[next_ - 1])
                << std::flush;
  }

  void report(finding f) {
    if (form_ == output_form::text) {
      if (shows_progress_)
        std::cerr << "\r\x1b[K" << std::flush;
      auto ms = std::to_string(f.took.count()) + " ms";
      std::cout << text::printable(f.server + ": " + (f.error.empty() ? std::to_string(f.tools) + " tools" : f.error))
                << " (" << ms << ")" << std::endl;
    }
    found_.push_back(std::move(f));
  }

  void settle() {
    caf::anon_send_exit(connector_, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(catalog_, caf::exit_reason::user_shutdown);
    connector_ = nullptr;
    catalog_ = nullptr;
    let_actors_end();
  }

  std::vector<std::string> names_;
  output_form form_;
  bool shows_progress_;
  bridge::dependencies dependencies_;
  msg::catalog_actor catalog_;
  msg::connector_actor connector_;
  std::vector<finding> found_;
  size_t next_ = 0, outstanding_ = 0;
  bool is_written_ = false;
  bool is_interrupted_ = false;
};

/// What is wrong with the names; empty: nothing.
std::string unknown_name(const std::vector<std::string>& names, const std::vector<std::string>& configured) {
  for (auto& name : names) {
    if (std::find(configured.begin(), configured.end(), name) != configured.end())
      continue;
    auto near = text::nearest(name, {configured.begin(), configured.end()}, 1);
    return "no server '" + name + "' is configured" + (near.empty() ? "" : "; did you mean '" + near.front() + "'?");
  }
  return {};
}

/// Those that may be started; tells of the others.
std::vector<std::string> approved_names(const std::vector<msg::server_entry>& servers) {
  std::vector<std::string> names;
  for (auto& s : servers)
    if (auto why = msg::refusal_to_start(s); why.code == msg::errc::none)
      names.push_back(s.name);
    else
      std::cerr << "code-executor: " << why.message << "\n";
  return names;
}

} // namespace

int index_servers(const config::environment& environment, const config::settings& settings,
                  const config::variable_lookup& variables, const std::vector<std::string>& names, output_form form) {
  auto servers = find_servers(environment, settings.state_folder);
  std::vector<std::string> configured;
  configured.reserve(servers.entries.size());
  for (auto& s : servers.entries)
    configured.push_back(s.name);
  if (auto problem = unknown_name(names, configured); !problem.empty()) {
    std::cerr << "code-executor: " << text::printable(problem) << "\n";
    return exit_wrong_use;
  }
  for (auto& p : servers.problems)
    std::cerr << "code-executor: configuration: " << text::printable(p) << "\n";
  if (settings.state_folder.empty()) {
    std::cerr << "code-executor: there is no folder for the catalog: HOME is not set; set stateDir or "
                 "CODE_EXECUTOR_STATE_DIR\n";
    return EXIT_FAILURE;
  }
  if (settings.log.level.empty())
    spdlog::set_level(spdlog::level::err); // what is wrong with a server is said in its line
  auto wanted = names.empty() ? approved_names(servers.entries) : names;
  if (wanted.empty()) {
    std::cout << (form == output_form::json   ? "{\"servers\":[],\"totalTools\":0}\n"
                  : form == output_form::text ? "no servers are configured that may be started\n"
                                              : "");
    return EXIT_SUCCESS;
  }
  indexing all{environment, settings, variables, std::move(servers.entries), std::move(wanted), form};
  bool is_complete = all.run();
  if (form == output_form::json)
    print_document(all.as_json());
  return is_complete ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace cli
