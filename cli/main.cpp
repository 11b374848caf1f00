#include "cli/audit.hpp"
#include "cli/doctor.hpp"
#include "cli/index.hpp"
#include "cli/serve.hpp"
#include "cli/servers.hpp"
#include "config/settings.hpp"
#include "proxy/names.hpp"

#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr int exit_wrong_use = 2;

void log_to_stderr(const std::string& level) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("code-executor"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
  auto wanted = level.empty() ? spdlog::level::info : spdlog::level::from_str(level);
  bool known = level == "off" || wanted != spdlog::level::off; // what spdlog does not know is "off" to it
  spdlog::set_level(known ? wanted : spdlog::level::info);
  if (!known)
    spdlog::warn("CODE_EXECUTOR_LOG_LEVEL must be trace, debug, info, warn, err, critical or off, not '{}'; info is used", level);
}

/// For an unknown word: the nearest command.
std::string suggestion(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    auto near = proxy::nearest(argv[i], {"serve", "doctor", "index", "audit", "servers", "--help", "--version"}, 1);
    if (!near.empty() && near.front() != argv[i])
      return std::string{"; did you mean '"} + near.front() + "'?";
  }
  return {};
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app{"MCP server that runs code which calls the tools of all your other MCP servers."};
  app.name("code-executor");
  app.set_version_flag("--version", "code-executor " CODE_EXECUTOR_VERSION);
  app.add_subcommand("serve", "serve MCP on stdin and stdout (the default)");
  auto* doctor = app.add_subcommand("doctor", "check what this machine has, and try real sandboxes");
  bool as_json = false;
  doctor->add_flag("--json", as_json, "print one JSON document");
  auto* index = app.add_subcommand("index", "start servers and read their tools into the catalog");
  std::vector<std::string> servers;
  index->add_option("server", servers, "names of servers; without any: all that are configured");
  index->add_flag("--json", as_json, "print one JSON document");
  cli::audit_words audit{app};
  auto* listing = app.add_subcommand("servers", "list the MCP servers that are configured: where, by which client, and what is wrong with them");
  listing->add_flag("--json", as_json, "print one JSON document");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) { // --help, --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::cerr << "code-executor: " << e.what() << suggestion(argc, argv) << "\nRun code-executor --help for the commands.\n";
    return exit_wrong_use;
  }
  auto variables = config::process_environment();
  std::error_code ec;
  auto environment = config::read_environment(variables, std::filesystem::current_path(ec).string());
  log_to_stderr(environment.log_level);
  auto settings = config::load_settings(environment, variables);
  if (doctor->parsed())
    return cli::doctor(environment, settings, variables, as_json ? cli::output_form::json : cli::output_form::text);
  if (!settings.ok()) {
    std::cerr << "code-executor: " << settings.error.message << "\n";
    return exit_wrong_use;
  }
  if (audit.wanted())
    return audit.run(settings.value);
  environment.mcp_config_path = settings.value.servers_file;
  if (index->parsed())
    return cli::index_servers(environment, settings.value, variables, servers, as_json ? cli::output_form::json : cli::output_form::text);
  if (listing->parsed())
    return cli::list_servers(environment, as_json ? cli::output_form::json : cli::output_form::text);
  return cli::serve(environment, settings.value, variables);
}
