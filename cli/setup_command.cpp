#include "cli/setup_command.hpp"

#include "catalog/pinning/entries.hpp"
#include "cli/complain.hpp"
#include "cli/confirm.hpp"
#include "cli/exit_codes.hpp"
#include "cli/index.hpp"
#include "cli/print_document.hpp"
#include "cli/probe.hpp"
#include "cli/setup_questions.hpp"
#include "cli/setup_report.hpp"
#include "cli/wrapper_sync.hpp"
#include "process/find_executable.hpp"
#include "setup/client_table.hpp"
#include "setup/journal.hpp"
#include "setup/own_entry.hpp"
#include "setup/user_file.hpp"
#include "text/nearest.hpp"

#include <CLI/CLI.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>

#include <unistd.h>

namespace cli {

namespace fs = std::filesystem;
namespace json = boost::json;
using msg::errc;
using setup::own_entry_wish;
using setup::servers_wish;

namespace {

/// As clients are to start it: the name on PATH stays right when the program is updated, and a client has another PATH.
std::string own_command(const config::environment& env) {
  auto own = process::own_executable();
  auto found = process::find_executable(setup::own_name, env.path, "/");
  std::error_code ec;
  bool is_right = !found.empty() && setup::is_lasting(found) && fs::equivalent(found, own, ec);
  return is_right ? found : own;
}

std::string own_servers_file(const config::environment& env) {
  return config::path_of(env, config::file_root::config, setup::own_servers_path, nullptr);
}

/// Files that a set-up may write.
std::vector<std::string> written_paths(const setup_surroundings& around) {
  auto& env = around.environment;
  std::vector<std::string> out = setup::paths_of_sync(around.sync.places());
  std::erase(out, setup::crontab_name);
  out.insert(out.end(), {own_servers_file(env), settings_path(env)});
  if (!around.settings.file.empty())
    out.push_back(config::absolute(env, around.settings.file));
  for (auto& c : setup::clients()) {
    auto paths = setup::paths_of(c, env);
    out.insert(out.end(), paths.begin(), paths.end());
  }
  return out;
}

/// What asks the program to end waits until all is written.
class held_signals {
public:
  held_signals() {
    sigset_t held;
    ::sigemptyset(&held);
    for (int signal : {SIGINT, SIGTERM, SIGHUP})
      ::sigaddset(&held, signal);
    ::sigprocmask(SIG_BLOCK, &held, &before_);
  }
  held_signals(const held_signals&) = delete;
  held_signals& operator=(const held_signals&) = delete;
  ~held_signals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

private:
  sigset_t before_{};
};

int code_of(const setup::setup_plan& plan, const setup_steps& steps, const setup::written* done) {
  bool has_problem =
    !steps.sync.problem.empty()
    || std::any_of(plan.clients.begin(), plan.clients.end(), [](auto& c) { return !c.problem.empty(); })
    || !plan.own.problem.empty() || (done && !done->failures.empty());
  return has_problem ? EXIT_FAILURE : EXIT_SUCCESS;
}

std::vector<setup::file_change> all_changes(const setup::setup_plan& plan, const setup_steps& steps) {
  auto out = plan.changes();
  auto more = changes_of(steps);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

/// Whether all of them are written.
bool approve_all(const setup_steps& steps, const std::string& state_folder) {
  for (auto& entry : steps.wished.approved) {
    if (auto problem = tool_pinning::approve_entry(state_folder, entry); problem.code != errc::none) {
      complain("setup: " + problem.message, EXIT_FAILURE);
      return false;
    }
    print_wrapped("approved: " + entry.name + "; a change of its entry asks again");
  }
  return true;
}

/// They read their files when they start; what they could not be told is no failure, as then they do.
void tell_schedulers(const sync_step& sync, const std::vector<std::string>& paths, output_form form) {
  for (auto& problem : sync.tell(paths))
    if (form == output_form::text)
      print_wrapped(problem);
    else
      complain("setup: " + problem, EXIT_SUCCESS);
}

int write_plan(const setup_surroundings& around, const setup::setup_plan& plan, setup_steps& steps, output_form form) {
  msg::outcome<setup::written> done;
  {
    held_signals held;
    setup::sweep_leftovers(around.settings.state_folder, written_paths(around));
    done = setup::write_changes(around.settings.state_folder, all_changes(plan, steps), plan.own_changes(),
                                around.sync.table());
  }
  if (!done.ok())
    return complain("setup: nothing is changed: " + done.error.message, EXIT_FAILURE);
  auto of_sync = written_of_sync(done.value, steps);
  if (form == output_form::json)
    print_plan_document(plan, steps_document(around, steps), &done.value);
  else
    print_written(plan, done.value, around.environment);
  tell_schedulers(around.sync, of_sync, form);
  bool is_approved = approve_all(steps, around.settings.state_folder);
  return is_approved ? code_of(plan, steps, &done.value) : EXIT_FAILURE;
}

/// What is done behind all that was written.
int finish(const setup_surroundings& around, const setup_steps& steps, output_form form) {
  auto& [environment, settings, variables, sync, command, keys] = around;
  auto shown = form == output_form::text ? form : output_form::none;
  if (!steps.wrappers.empty()) {
    auto folder = folder_for_editors(environment, settings, *steps.wished.wrappers, file_mode::write);
    return sync_wrappers(environment, settings, variables, {folder, file_mode::write, shown},
                         steps.wished.reads_tools ? tools_from::servers : tools_from::catalog);
  }
  return steps.wished.reads_tools ? index_servers(environment, settings, variables, {}, shown) : EXIT_SUCCESS;
}

} // namespace

setup_words::setup_words(CLI::App& app, bool& as_json)
  : command_(app.add_subcommand("setup", "put code-executor into the clients that are installed: shows what would "
                                         "change, asks, keeps the files as they were, and can undo it")) {
  auto* undo = command_->add_flag("--undo", is_undo_, "bring the files back as they were before the last set-up");
  auto* remove = command_->add_flag("--remove", is_remove_, "take code-executor out of the clients")->excludes(undo);
  command_->add_option("--client", names_, "this client alone (claude-code, codex, ...); may be given several times")
    ->allow_extra_args(false)
    ->type_name("NAME")
    ->excludes(undo);
  command_
    ->add_flag("--behind", is_behind_,
               "put the servers of the clients behind code-executor: they have code-executor instead")
    ->excludes(undo)
    ->excludes(remove);
  command_
    ->add_flag("--settings", writes_settings_, "write a file of settings with every one explained, if there is none")
    ->excludes(undo)
    ->excludes(remove);
  command_->add_flag("--index", reads_tools_, "then start the servers once, and read their tools into the catalog")
    ->excludes(undo)
    ->excludes(remove);
  command_
    ->add_option("--wrappers", wrappers_,
                 "then write the tools of the servers as typed files, for editors, as `sync-wrappers` does")
    ->type_name("FOLDER")
    ->excludes(undo)
    ->excludes(remove);
  command_
    ->add_option("--sync", sync_,
                 "read the tools anew and write these files once a day, by what this machine has; or by that; off "
                 "takes it away")
    ->check(CLI::IsMember(sync_words()))
    ->excludes(undo)
    ->excludes(remove);
  command_
    ->add_option("--provider-key", key_words_,
                 "the variable that has the key of a model provider (anthropic=env:NAME); never the key itself; may be "
                 "given several times")
    ->allow_extra_args(false)
    ->type_name("PROVIDER=env:NAME")
    ->excludes(undo)
    ->excludes(remove);
  command_->add_flag("--yes", is_agreed_, "ask nothing, write it");
  command_->add_flag("--dry-run", is_dry_, "show what would be written, and write nothing")->excludes(undo);
  command_->add_flag("--json", as_json, "print one JSON document");
  command_->footer("Example: code-executor setup --client claude-code --dry-run");
}

bool setup_words::wanted() const { return command_->parsed(); }

std::string setup_words::unknown_client() const {
  for (auto& name : names_)
    if (!setup::find_client(name)) {
      std::vector<std::string_view> known;
      for (auto& c : setup::clients())
        known.emplace_back(c.name);
      auto near = text::nearest(name, known, 1);
      std::string all;
      for (auto each : known)
        all.append(all.empty() ? "" : ", ").append(each);
      auto told = "no client '" + name + "' is known";
      if (!near.empty())
        told.append("; did you mean '").append(near.front()).append("'?");
      return told.append("; known are ").append(all);
    }
  return {};
}

std::vector<setup::client_look> setup_words::looks(const setup_surroundings& around) const {
  auto& environment = around.environment;
  auto known = find_servers(environment, around.settings.state_folder);
  config::start_detector own{config::own_program{process::own_executable()}, environment};
  std::vector<setup::client_look> out;
  for (auto& c : setup::clients()) {
    auto place = setup::place_of(c, environment);
    bool is_named = std::find(names_.begin(), names_.end(), c.name) != names_.end();
    if (names_.empty() ? setup::is_installed(c, place, environment) : is_named && place.file)
      out.push_back(setup::look_at(c, place, environment, own));
  }
  for (auto& look : out) {
    setup::find_switched_off(known, look.file.path, look.staying);
  }
  return out;
}

std::vector<setup::client_choice> setup_words::usual_choices(const std::vector<setup::client_look>& looks) const {
  std::vector<setup::client_choice> out;
  out.reserve(looks.size());
  for (auto& look : looks)
    out.push_back({&look, is_remove_ ? own_entry_wish::remove : own_entry_wish::put,
                   is_behind_ ? servers_wish::move : servers_wish::stay});
  return out;
}

int setup_words::undo(const setup_surroundings& around, output_form form) const {
  auto& state_folder = around.settings.state_folder;
  if (!is_agreed_ && is_attended()) {
    auto answer = ask("Bring the files back as they were before the last set-up?", usual_answer::yes);
    if (!answer || !*answer)
      return complain("setup: nothing is changed", EXIT_FAILURE);
  }
  auto lock = setup::setup_lock::take(state_folder);
  if (!lock.ok())
    return complain("setup: " + lock.error.message, EXIT_FAILURE);
  msg::outcome<setup::undone> done;
  {
    held_signals held;
    auto paths = written_paths(around);
    setup::sweep_leftovers(state_folder, paths);
    paths.emplace_back(setup::crontab_name);
    done = setup::undo_last(
      state_folder, [&](const std::string& path) { return std::find(paths.begin(), paths.end(), path) != paths.end(); },
      around.sync.table());
  }
  if (!done.ok())
    return complain("setup: " + done.error.message, EXIT_FAILURE);
  tell_schedulers(around.sync, done.value.files, form);
  if (form == output_form::json) {
    auto& [made, files, changed] = done.value;
    print_document(json::object{{"undone", made.empty() ? json::value(nullptr) : json::value(made)},
                                {"files", json::array(files.begin(), files.end())},
                                {"changedFiles", json::array(changed.begin(), changed.end())}});
    return EXIT_SUCCESS;
  }
  if (done.value.made.empty())
    print_wrapped("There is no set-up to undo.");
  for (auto& file : done.value.files)
    print_wrapped("as it was before: " + file);
  for (auto& file : done.value.changed_files)
    print_wrapped("others have changed it since; what the set-up has changed in it is as it was before: " + file);
  return EXIT_SUCCESS;
}

wished_steps setup_words::usual_steps(const setup_surroundings& around) const {
  wished_steps out;
  out.settings = writes_settings_ ? settings_wish::explain : settings_wish::leave;
  out.keys = around.keys;
  out.reads_tools = reads_tools_;
  out.wrappers = wrappers_;
  out.sync = is_remove_ && names_.empty() ? "off" : sync_;
  return out;
}

std::optional<wished_steps> setup_words::ask_of_more(const setup_surroundings& around) const {
  auto usual = usual_steps(around);
  if (!names_.empty())
    return usual;
  if (is_remove_)
    return ask_of_removal(around);
  usual.reads_tools = true;
  return ask_of_steps(around, usual);
}

int setup_words::ask_and_write(const setup_surroundings& around, const std::vector<setup::client_look>& looks,
                               setup_steps& steps) const {
  auto& env = around.environment;
  print_looks(looks, env);
  print_wrapped(around.sync.state());
  std::cout << "\n";
  auto choices = ask_of_clients(looks, is_remove_ ? own_entry_wish::remove : own_entry_wish::put,
                                is_behind_ ? servers_wish::move : servers_wish::stay);
  auto more = choices ? ask_of_more(around) : std::nullopt;
  if (!more)
    return complain("setup: nothing is changed", EXIT_FAILURE);
  auto plan = setup::make_plan(*choices, looks, around.command, own_servers_file(env));
  auto wanted = make_steps(around, std::move(*more));
  if (!wanted.ok())
    return complain("setup: nothing is changed: " + wanted.error.message, EXIT_FAILURE);
  std::cout << "\n";
  print_plan(plan, env);
  print_steps(wanted.value);
  bool writes_files = !all_changes(plan, wanted.value).empty() || !wanted.value.wished.approved.empty();
  bool writes_any = writes_files || !wanted.value.wrappers.empty();
  auto answer = writes_any ? ask("Write this?", usual_answer::yes) : std::optional{true};
  if (!answer || !*answer)
    return complain("setup: nothing is changed", EXIT_FAILURE);
  if (!writes_any)
    print_wrapped("There is nothing to write.");
  auto lock = writes_files ? setup::setup_lock::take(around.settings.state_folder) : msg::outcome<setup::setup_lock>{};
  if (!lock.ok())
    return complain("setup: " + lock.error.message, EXIT_FAILURE);
  steps = std::move(wanted.value);
  return writes_files ? write_plan(around, plan, steps, output_form::text) : code_of(plan, steps, nullptr);
}

int setup_words::set_up(const setup_surroundings& around, output_form form, setup_steps& steps) const {
  auto& env = around.environment;
  bool asks = !is_agreed_ && !is_dry_ && form == output_form::text && is_attended();
  bool writes = is_agreed_ && !is_dry_;
  // Ctrl-C at a question ends the program, and would leave the lock: there it is taken behind the last one.
  auto lock = writes ? setup::setup_lock::take(around.settings.state_folder) : msg::outcome<setup::setup_lock>{};
  if (!lock.ok())
    return complain("setup: " + lock.error.message, EXIT_FAILURE);
  auto found = looks(around);
  bool is_about_clients = sync_.empty() && !wrappers_ && key_words_.empty() && !(is_remove_ && around.sync.installed());
  if (found.empty() && is_about_clients && form == output_form::text)
    return complain("setup: no client was found here. --client NAME sets one up all the same", EXIT_FAILURE);
  if (asks)
    return ask_and_write(around, found, steps);
  auto plan = setup::make_plan(usual_choices(found), found, around.command, own_servers_file(env));
  auto wanted = make_steps(around, usual_steps(around));
  if (!wanted.ok())
    return complain("setup: nothing is changed: " + wanted.error.message, EXIT_FAILURE);
  if (form == output_form::text) {
    print_plan(plan, env);
    print_wrapped(around.sync.state());
    print_steps(wanted.value);
  }
  if (writes) {
    steps = std::move(wanted.value);
    return write_plan(around, plan, steps, form);
  }
  if (form == output_form::json)
    print_plan_document(plan, steps_document(around, wanted.value), nullptr);
  if (is_dry_)
    return code_of(plan, wanted.value, nullptr);
  return complain("setup: nothing is written, because nobody can be asked here. --yes writes it", exit_wrong_use);
}

msg::outcome<std::vector<provider_key>> setup_words::read_keys(const config::variable_lookup& variables) const {
  std::vector<provider_key> out;
  for (auto& words : key_words_) {
    auto key = parse_provider_key(words, variables);
    if (!key.ok())
      return std::move(key.error);
    out.push_back(std::move(key.value));
  }
  return out;
}

int setup_words::run(const config::environment& environment, const config::settings& settings,
                     const config::variable_lookup& variables, output_form form) const {
  if (environment.home.empty() || settings.state_folder.empty())
    return complain("setup: which home folder? HOME is not set", exit_wrong_use);
  if (auto wrong = unknown_client(); !wrong.empty())
    return complain("setup: " + wrong, exit_wrong_use);
  auto keys = read_keys(variables);
  if (!keys.ok())
    return complain("setup: --provider-key: " + keys.error.message, exit_wrong_use);
  if (auto wrong = setup::check_home(environment.home, ::geteuid()); wrong.code != errc::none)
    return complain("setup: " + wrong.message, EXIT_FAILURE);
  sync_step sync{environment, settings, variables};
  setup_surroundings around{environment, settings, variables, sync, own_command(environment), std::move(keys.value)};
  if (is_undo_)
    return undo(around, form);
  setup_steps steps;
  auto code = set_up(around, form, steps);
  auto after = finish(around, steps, form);
  return code == EXIT_SUCCESS ? after : code;
}

} // namespace cli
