#include "cli/audit.hpp"
#include "cli/doctor.hpp"
#include "cli/index.hpp"
#include "cli/log.hpp"
#include "cli/serve.hpp"
#include "config/settings.hpp"
#include "proxy/names.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr int exit_wrong_use = 2;

/// For an unknown word: the nearest command.
std::string suggestion(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    auto near = proxy::nearest(argv[i], {"serve", "doctor", "index", "audit", "--help", "--version"}, 1);
    if (!near.empty() && near.front() != argv[i])
      return std::string{"; did you mean '"} + near.front() + "'?";
  }
  return {};
}

/// `audit tail|show|verify`.
struct audit_words {
  CLI::App* command = nullptr;
  CLI::App* tail = nullptr;
  CLI::App* show = nullptr;
  size_t lines = cli::audit_lines_default;
  bool follows = false;
  bool as_json = false;
  std::string run, path;

  void add_to(CLI::App& app) {
    command = app.add_subcommand("audit", "read the audit log, or check that nobody has changed it");
    command->require_subcommand(1);
    tail = command->add_subcommand("tail", "show its last lines");
    tail->add_option("-n,--lines", lines, "how many")->check(CLI::Range(size_t{1}, cli::audit_lines_max));
    tail->add_flag("-f,--follow", follows, "go on with what is written, until interrupted");
    show = command->add_subcommand("show", "show all that belongs to a run");
    show->add_option("run", run, "its id: the runId of its lines")->required();
    auto* verify = command->add_subcommand("verify", "find lines that were changed, or are missing or in another order");
    verify->add_option("path", path, "a folder or a file; without it: those of the settings");
    for (auto* word : {tail, show, verify})
      word->add_flag("--json", as_json, word == verify ? "print one JSON document" : "print the lines as they are");
  }

  int run_with(const config::settings& settings) const {
    auto form = as_json ? cli::output_form::json : cli::output_form::text;
    if (tail->parsed())
      return cli::audit_tail(settings, lines, follows ? cli::tail_end::follow : cli::tail_end::stop, form);
    return show->parsed() ? cli::audit_show(settings, run, form) : cli::audit_verify(settings, path, form);
  }
};

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
  audit_words audit;
  audit.add_to(app);
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
  cli::log_to_stderr(environment.log_level);
  auto settings = config::load_settings(environment, variables);
  if (doctor->parsed())
    return cli::doctor(environment, settings, variables, as_json ? cli::output_form::json : cli::output_form::text);
  if (!settings.ok()) {
    std::cerr << "code-executor: " << settings.error.message << "\n";
    return exit_wrong_use;
  }
  cli::apply(settings.value.log);
  if (audit.command->parsed())
    return audit.run_with(settings.value);
  environment.mcp_config_path = settings.value.servers_file;
  if (index->parsed())
    return cli::index_servers(environment, settings.value, variables, servers, as_json ? cli::output_form::json : cli::output_form::text);
  return cli::serve(environment, settings.value, variables);
}
