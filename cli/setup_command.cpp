#include "cli/setup_command.hpp"

#include "cli/complain.hpp"
#include "cli/confirm.hpp"
#include "cli/exit_codes.hpp"
#include "cli/print_document.hpp"
#include "cli/setup_questions.hpp"
#include "cli/setup_report.hpp"
#include "process/find_executable.hpp"
#include "setup/client_table.hpp"
#include "setup/journal.hpp"
#include "setup/own_entry.hpp"
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
  return !found.empty() && fs::equivalent(found, own, ec) ? found : own;
}

std::string own_servers_file(const config::environment& env) {
  return config::path_of(env, config::file_root::config, setup::own_servers_path, nullptr);
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

int code_of(const setup::setup_plan& plan, const setup::written* done) {
  bool has_problem = std::any_of(plan.clients.begin(), plan.clients.end(), [](auto& c) { return !c.problem.empty(); })
                     || !plan.own.problem.empty() || (done && !done->failures.empty());
  return has_problem ? EXIT_FAILURE : EXIT_SUCCESS;
}

int write_plan(const setup::setup_plan& plan, const config::environment& env, const config::settings& settings,
               output_form form) {
  msg::outcome<setup::written> done;
  {
    held_signals held;
    done = setup::write_changes(settings.state_folder, plan.changes(), plan.own_changes());
  }
  if (!done.ok())
    return complain("setup: nothing is changed: " + done.error.message, EXIT_FAILURE);
  if (form == output_form::json)
    print_plan_document(plan, &done.value);
  else
    print_written(plan, done.value, env);
  return code_of(plan, &done.value);
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
      return "no client '" + name + "' is known" + (near.empty() ? "" : "; did you mean '" + near.front() + "'?")
             + "; known are " + all;
    }
  return {};
}

std::vector<setup::client_look> setup_words::looks(const config::environment& environment) const {
  config::start_detector own{config::own_program{process::own_executable()}, environment};
  std::vector<setup::client_look> out;
  for (auto& c : setup::clients()) {
    auto place = setup::place_of(c, environment);
    bool is_named = std::find(names_.begin(), names_.end(), c.name) != names_.end();
    if (names_.empty() ? setup::is_installed(c, place, environment) : is_named && place.file)
      out.push_back(setup::look_at(c, place, environment, own));
  }
  return out;
}

std::vector<setup::client_choice> setup_words::usual_choices(const std::vector<setup::client_look>& looks) const {
  std::vector<setup::client_choice> out;
  for (auto& look : looks)
    out.push_back({&look, is_remove_ ? own_entry_wish::remove : own_entry_wish::put,
                   is_behind_ ? servers_wish::move : servers_wish::stay});
  return out;
}

int setup_words::undo(const config::settings& settings, output_form form) const {
  if (!is_agreed_ && is_attended()) {
    auto answer = ask("Bring the files back as they were before the last set-up?", usual_answer::yes);
    if (!answer || !*answer)
      return complain("setup: nothing is changed", EXIT_FAILURE);
  }
  auto lock = setup::setup_lock::take(settings.state_folder);
  if (!lock.ok())
    return complain("setup: " + lock.error.message, EXIT_FAILURE);
  msg::outcome<setup::undone> done;
  {
    held_signals held;
    done = setup::undo_last(settings.state_folder);
  }
  if (!done.ok())
    return complain("setup: " + done.error.message, EXIT_FAILURE);
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
    print_wrapped("others have changed it since; its servers are as they were before: " + file);
  return EXIT_SUCCESS;
}

int setup_words::ask_and_write(const config::environment& environment, const config::settings& settings,
                               const std::vector<setup::client_look>& looks) const {
  print_looks(looks, environment);
  std::cout << "\n";
  auto choices = ask_of_clients(looks, is_remove_ ? own_entry_wish::remove : own_entry_wish::put,
                                is_behind_ ? servers_wish::move : servers_wish::stay);
  if (!choices)
    return complain("setup: nothing is changed", EXIT_FAILURE);
  auto plan = setup::make_plan(*choices, looks, own_command(environment), own_servers_file(environment));
  std::cout << "\n";
  print_plan(plan, environment);
  if (plan.changes().empty()) {
    print_wrapped("There is nothing to change.");
    return code_of(plan, nullptr);
  }
  auto answer = ask("Write this?", usual_answer::yes);
  if (!answer || !*answer)
    return complain("setup: nothing is changed", EXIT_FAILURE);
  return write_plan(plan, environment, settings, output_form::text);
}

int setup_words::run(const config::environment& environment, const config::settings& settings, output_form form) const {
  if (environment.home.empty() || settings.state_folder.empty())
    return complain("setup: which home folder? HOME is not set", exit_wrong_use);
  if (auto wrong = unknown_client(); !wrong.empty())
    return complain("setup: " + wrong, exit_wrong_use);
  if (is_undo_)
    return undo(settings, form);
  bool asks = !is_agreed_ && !is_dry_ && form == output_form::text && is_attended();
  auto lock = asks || (is_agreed_ && !is_dry_) ? setup::setup_lock::take(settings.state_folder)
                                               : msg::outcome<setup::setup_lock>{};
  if (!lock.ok())
    return complain("setup: " + lock.error.message, EXIT_FAILURE);
  auto found = looks(environment);
  if (found.empty() && form == output_form::text)
    return complain("setup: no client was found here. --client NAME sets one up all the same", EXIT_FAILURE);
  if (asks)
    return ask_and_write(environment, settings, found);
  auto plan = setup::make_plan(usual_choices(found), found, own_command(environment), own_servers_file(environment));
  if (form == output_form::text)
    print_plan(plan, environment);
  if (is_agreed_ && !is_dry_)
    return write_plan(plan, environment, settings, form);
  if (form == output_form::json)
    print_plan_document(plan, nullptr);
  if (is_dry_)
    return code_of(plan, nullptr);
  return complain("setup: nothing is written, because nobody can be asked here. --yes writes it", exit_wrong_use);
}

} // namespace cli
