#include "cli/audit.hpp"
#include "cli/bridge.hpp"
#include "cli/call_command.hpp"
#include "cli/complain.hpp"
#include "cli/config_command.hpp"
#include "cli/doctor.hpp"
#include "cli/editor_words.hpp"
#include "cli/exit_codes.hpp"
#include "cli/faults.hpp"
#include "cli/index.hpp"
#include "cli/log.hpp"
#include "cli/login.hpp"
#include "cli/memory.hpp"
#include "cli/profile.hpp"
#include "cli/recordings.hpp"
#include "cli/run_command.hpp"
#include "cli/serve_words.hpp"
#include "cli/servers.hpp"
#include "cli/setup_command.hpp"
#include "cli/shell_words.hpp"
#include "cli/token.hpp"
#include "cli/tools_command.hpp"
#include "cli/trust.hpp"
#include "cli/trust_entry.hpp"
#include "cli/verify.hpp"
#include "cli/word_tree.hpp"
#include "config/settings.hpp"
#include "process/beginning.hpp"
#include "proxy/names.hpp"
#include "text/printable.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

/// For an unknown word: the nearest command.
std::string suggestion(const CLI::App& app, int argc, char** argv) {
  auto root = cli::words_of(app);
  std::vector<std::string_view> known{"--help", "--version"};
  for (auto& verb : root.verbs) {
    known.push_back(verb.name);
    for (auto& below : verb.verbs)
      known.push_back(below.name);
  }
  for (int i = 1; i < argc; ++i) {
    auto near = proxy::nearest(argv[i], known, 1);
    if (!near.empty() && near.front() != argv[i])
      return std::string{"; did you mean '"} + near.front() + "'?";
  }
  return {};
}

struct config_words {
  CLI::App *check, *show, *path, *schema;
};

config_words add_config(CLI::App& app, bool& as_json) {
  auto* config = app.add_subcommand("config", "look at the settings");
  config->require_subcommand(1);
  config_words words{config->add_subcommand("check", "are they right? Exit code 2 if not"),
                     config->add_subcommand("show", "those in effect and where each comes from; secrets are masked"),
                     config->add_subcommand("path", "which file is used, and where it is looked for"),
                     config->add_subcommand("schema", "print a JSON Schema of the file, for editors")};
  for (auto* word : {words.check, words.show, words.path})
    word->add_flag("--json", as_json, "print one JSON document");
  return words;
}

/// Null: it is another command.
const cli::config_action* action_of(const config_words& words) {
  using cli::config_action;
  static constexpr config_action actions[] = {config_action::check, config_action::show, config_action::path,
                                              config_action::schema};
  auto* wanted = words.check->parsed()  ? &actions[0]
                 : words.show->parsed() ? &actions[1]
                 : words.path->parsed() ? &actions[2]
                                        : nullptr;
  return words.schema->parsed() ? &actions[3] : wanted;
}

/// The verbs that do by hand what a program does.
class hand_words {
public:
  hand_words(CLI::App& app, bool& as_json) : run_(app, as_json), call_(app, as_json), tools_(app, as_json) {}

  bool wanted() const { return run_.wanted() || call_.wanted() || tools_.wanted(); }
  int run(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables, cli::output_form form) const {
    if (run_.wanted())
      return run_.run(environment, settings, variables, form);
    return call_.wanted() ? call_.run(environment, settings, variables, form)
                          : tools_.run(environment, settings, variables, form);
  }

private:
  cli::run_words run_;
  cli::call_words call_;
  cli::tools_words tools_;
};

class server_words {
public:
  server_words(CLI::App& app, bool& as_json)
    : by_hand_(app, as_json),
      index_(app.add_subcommand("index", "start servers and read their tools into the catalog")),
      listing_(app.add_subcommand("servers", "list the MCP servers that are configured: where, by which client, and "
                                             "what is wrong with them")),
      profile_(app, as_json),
      setup_(app, as_json) {
    index_->add_option("server", names_, "names of servers; without any: all that are configured");
    for (auto* word : {index_, listing_})
      word->add_flag("--json", as_json, "print one JSON document");
  }
  server_words(const server_words&) = delete; // the options write into it
  server_words& operator=(const server_words&) = delete;

  bool wanted() const {
    return by_hand_.wanted() || index_->parsed() || listing_->parsed() || profile_.wanted() || setup_.wanted();
  }
  int run(const config::environment& environment, const config::settings& settings,
          const config::variable_lookup& variables, cli::output_form form) const {
    if (by_hand_.wanted())
      return by_hand_.run(environment, settings, variables, form);
    if (profile_.wanted())
      return profile_.run(environment, settings, variables, form);
    if (setup_.wanted())
      return setup_.run(environment, settings, variables, form);
    return listing_->parsed() ? cli::list_servers(environment, settings, variables, form)
                              : cli::index_servers(environment, settings, variables, names_, form);
  }

private:
  hand_words by_hand_;
  CLI::App *index_, *listing_;
  cli::profile_words profile_;
  cli::setup_words setup_;
  std::vector<std::string> names_;
};

class trust_words {
public:
  trust_words(CLI::App& app, bool& as_json)
    : command_(app.add_subcommand(
      "trust", "approve the tools of a server as they are now, or the entry of a server in a file of the project")) {
    auto* of_tools = command_->add_option("name", approval_.server, "name of the server whose tools are meant");
    command_->add_option("tool", approval_.tools, "names of tools; without any: all of the server")->needs(of_tools);
    command_
      ->add_option("--server", of_entry_,
                   "name of the server whose entry is meant: what is started, and where it connects")
      ->excludes(of_tools);
    command_->add_flag("--show", approval_.only_show, "show what would be approved, and approve nothing");
    command_->add_flag("--json", as_json, "print one JSON document");
  }
  trust_words(const trust_words&) = delete; // the options write into it
  trust_words& operator=(const trust_words&) = delete;

  bool wanted() const { return command_->parsed(); }
  int run(const config::environment& environment, const config::settings& settings, cli::output_form form) const {
    auto action = approval_.only_show ? cli::trust_action::show : cli::trust_action::approve;
    if (!of_entry_.empty())
      return cli::trust_entry(environment, settings, of_entry_, action, form);
    if (!approval_.server.empty())
      return cli::trust_tools(environment, settings, approval_, form);
    std::cerr << "code-executor: trust: which server? `trust NAME` approves its tools, `trust --server NAME` its entry "
                 "in a file of the project\n";
    return cli::exit_wrong_use;
  }

private:
  CLI::App* command_;
  cli::approval approval_;
  std::string of_entry_;
};

/// Nothing: the words are a command. Else what they end with.
std::optional<int> parse_words(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& e) { // --help, --version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::cerr << "code-executor: " << text::printable(e.what()) << suggestion(app, argc, argv)
              << "\nRun code-executor --help for the commands.\n";
    return cli::exit_wrong_use;
  }
}

/// Every verb. The options write into it. `argc`: less what follows `--`, which is for others.
struct verbs {
  verbs(CLI::App& app, int& argc, char** argv)
    : serve(app),
      doctor(app.add_subcommand("doctor", "check what this machine has, and try real sandboxes")),
      servers(app, as_json),
      audit(app),
      memory(app),
      config(add_config(app, as_json)),
      trust(app, as_json),
      token(app, as_json),
      login(app, as_json),
      bridge(app, argc, argv),
      faults(app, as_json, argc, argv),
      recording(app, argc, argv),
      verify(app, as_json),
      editors(app, as_json),
      shells(app) {
    doctor->add_flag("--json", as_json, "print one JSON document");
  }
  verbs(const verbs&) = delete;
  verbs& operator=(const verbs&) = delete;

  bool as_json = false;
  cli::serve_words serve;
  CLI::App* doctor;
  server_words servers;
  cli::audit_words audit;
  cli::memory_words memory;
  config_words config;
  trust_words trust;
  cli::token_words token;
  cli::login_words login;
  cli::bridge_words bridge;
  cli::fault_words faults;
  cli::recording_words recording;
  cli::verify_words verify;
  cli::editor_words editors;
  cli::shell_words shells;
};

/// The verbs that need settings which are right.
int run_with_settings(const verbs& words, config::environment environment, const config::settings& settings,
                      const config::variable_lookup& variables, cli::output_form form) {
  if (words.audit.wanted())
    return words.audit.run(settings);
  if (words.memory.wanted())
    return words.memory.run(settings);
  if (words.token.wanted())
    return words.token.run(settings, form);
  environment.mcp_config_path = settings.servers_file;
  if (words.servers.wanted())
    return words.servers.run(environment, settings, variables, form);
  if (words.editors.wanted())
    return words.editors.run(environment, settings, variables, form);
  if (words.login.wanted())
    return words.login.run(environment, settings, variables, form);
  if (words.trust.wanted())
    return words.trust.run(environment, settings, form);
  if (words.bridge.wanted())
    return words.bridge.run(environment, settings, variables);
  if (words.verify.wanted())
    return words.verify.run(environment, settings, variables, form);
  if (words.recording.wanted())
    return words.recording.run(environment, settings, variables);
  return words.serve.run(environment, settings, variables);
}

int run(int argc, char** argv) {
  CLI::App app{"MCP server that runs code which calls the tools of all your other MCP servers."};
  app.name("code-executor");
  app.set_version_flag("--version", "code-executor " CODE_EXECUTOR_VERSION);
  verbs words{app, argc, argv};
  if (auto code = parse_words(app, argc, argv))
    return *code;
  auto variables = config::process_environment();
  std::error_code ec;
  auto environment = config::read_environment(variables, std::filesystem::current_path(ec).string());
  auto form = words.as_json ? cli::output_form::json : cli::output_form::text;
  if (words.shells.wanted())
    return words.shells.run(environment, variables);
  if (auto* action = action_of(words.config))
    return cli::config_command(*action, environment, variables, form);
  if (words.faults.wanted())
    return words.faults.run(form);
  cli::start_log();
  auto settings = config::load_settings(environment, variables);
  if (settings.ok())
    cli::use_log_settings(settings.value.log);
  if (words.doctor->parsed())
    return cli::doctor(environment, settings, variables, form);
  if (settings.ok())
    return run_with_settings(words, std::move(environment), settings.value, variables, form);
  std::cerr << "code-executor: " << text::printable(settings.error.message) << "\n";
  return cli::exit_wrong_use;
}

/// What no reader could get is no success. `code`: what the command ends with otherwise.
int after_last_output(int code, bool has_stdout) {
  if (has_stdout && std::cout.flush())
    return code;
  return cli::complain("the output could not be written to stdout: it is closed, full, or nobody reads it",
                       code == EXIT_SUCCESS ? EXIT_FAILURE : code);
}

} // namespace

int main(int argc, char** argv) {
  bool has_stdout = ::fcntl(STDOUT_FILENO, F_GETFD) >= 0; // otherwise it is /dev/null soon
  process::begin_process();
  return after_last_output(run(argc, argv), has_stdout);
}
