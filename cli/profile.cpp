#include "cli/profile.hpp"

#include "actors/bridge/ask.hpp"
#include "audit/place.hpp"
#include "cli/complain.hpp"
#include "cli/exit_codes.hpp"
#include "cli/print_document.hpp"
#include "cli/probe.hpp"
#include "cli/profile_report.hpp"
#include "cli/server_process.hpp"
#include "messages/limits.hpp"

#include <CLI/CLI.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <caf/all.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace cli {

namespace limits = msg::limits;
using std::chrono::milliseconds;

namespace {

/// The handshake has its own limit, and so has the end of a server; this only makes the wait finite.
constexpr milliseconds one_listing_max = limits::child_handshake_timeout + milliseconds{30'000};

/// Reads the tools of servers, some at once.
class listing_tools : public server_process {
public:
  listing_tools(const config::environment& env, const config::settings& settings,
                const config::variable_lookup& variables, std::vector<msg::server_entry> servers,
                std::vector<std::string> names)
    : server_process(env, settings, variables, std::move(servers)),
      names_(std::move(names)) {}

  std::vector<profiled_server> run() {
    outstanding_ = std::min(limits::index_starts_max, names_.size());
    for (size_t i = 0; i < outstanding_; ++i)
      asio::co_spawn(io_, list_some(), asio::detached);
    run_loop();
    std::sort(found_.begin(), found_.end(), [](auto& a, auto& b) { return a.name < b.name; });
    return std::move(found_);
  }

private:
  /// One of index_starts_max.
  asio::awaitable<void> list_some() {
    while (next_ < names_.size() && !was_interrupted()) {
      auto name = names_[next_++];
      co_await list(std::move(name));
    }
    if (--outstanding_ == 0)
      co_await end();
  }

  asio::awaitable<void> list(std::string name) {
    profiled_server server;
    server.name = name;
    auto known = co_await bridge::ask<msg::outcome<uint32_t>>(dependencies_.port, connector_, one_listing_max,
                                                              msg::index_atom::value, name);
    server.error = known.ok() ? known.value.error.message : known.error.message;
    if (server.error.empty()) {
      msg::tool_query all;
      all.server = std::move(name);
      auto told = co_await bridge::ask<msg::outcome<msg::tool_matches>>(dependencies_.port, connector_, one_listing_max,
                                                                        msg::search_atom::value, std::move(all));
      server.error = told.ok() ? told.value.error.message : told.error.message;
      for (auto& tool : told.value.value.tools)
        server.tools.push_back({tool.name, tokens_of(tool)});
      if (server.error.empty() && server.tools.empty() && known.value.value > 0)
        server.error = "has " + std::to_string(known.value.value) + " tools, which could not be read within "
                       + std::to_string(one_listing_max.count() / 1'000) + " s; try again";
    }
    found_.push_back(std::move(server));
  }

  std::vector<std::string> names_;
  std::vector<profiled_server> found_;
  size_t next_ = 0, outstanding_ = 0;
};

/// Tells of the others.
std::vector<std::string> startable(const std::vector<msg::server_entry>& servers) {
  std::vector<std::string> names;
  for (auto& entry : servers)
    if (auto why = msg::refusal_to_start(entry); why.code == msg::errc::none)
      names.push_back(entry.name);
    else
      complain("profile: " + why.message, EXIT_FAILURE);
  return names;
}

} // namespace

profile_words::profile_words(CLI::App& app, bool& as_json)
  : command_(app.add_subcommand("profile",
                                "what each server costs in tokens if it were listed whole, and what of it is "
                                "used")) {
  command_->add_option("server", names_, "names of servers; without any: all that are configured");
  command_->add_flag("--json", as_json, "print one JSON document");
}

bool profile_words::wanted() const { return command_->parsed(); }

int profile_words::run(const config::environment& environment, const config::settings& settings,
                       const config::variable_lookup& variables, output_form form) const {
  auto servers = find_servers(environment, settings.state_folder);
  auto names = names_.empty() ? startable(servers.entries) : names_;
  if (settings.log.level.empty())
    spdlog::set_level(spdlog::level::err); // what is wrong with a server is said in its line
  profile_report report;
  report.usage = read_usage(audit::place_of(settings.audit.path, settings.state_folder));
  if (!names.empty()) {
    listing_tools all{environment, settings, variables, std::move(servers.entries), std::move(names)};
    report.servers = all.run();
    if (all.was_interrupted())
      return complain("profile: interrupted after " + std::to_string(report.servers.size()) + " servers",
                      exit_interrupted);
  }
  if (form == output_form::json)
    print_document(as_document(report));
  else
    std::cout << as_text(report);
  bool is_complete =
    std::all_of(report.servers.begin(), report.servers.end(), [](auto& server) { return server.error.empty(); });
  return is_complete ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace cli
