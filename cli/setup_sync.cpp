#include "cli/setup_sync.hpp"

#include "cli/sync_record.hpp"
#include "config/clients.hpp"
#include "process/find_executable.hpp"
#include "process/program_call.hpp"
#include "setup/setup_lock.hpp"
#include "text/utf8.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace cli {

namespace fs = std::filesystem;
namespace json = boost::json;
using setup::scheduler;
using setup::sync_change;

namespace {

constexpr std::string_view daily_word = "daily", off_word = "off";
constexpr scheduler schedulers[] = {scheduler::systemd, scheduler::cron, scheduler::launchd};
constexpr size_t told_bytes_max = 300;

/// Variables that say where files of ours are, beside those of clients.
constexpr const char* own_places[] = {"CODE_EXECUTOR_CONFIG_PATH", "CODE_EXECUTOR_STATE_DIR", "MCP_CONFIG_PATH"};

/// Of a change in a sentence, and in a document.
const char* word_of(sync_change change) {
  switch (change) {
    case sync_change::added: return "added";
    case sync_change::changed: return "changed";
    case sync_change::removed: return "removed";
    case sync_change::none: break;
  }
  return "none";
}

json::value name_or_null(const std::optional<scheduler>& by) {
  return by ? json::value(json::string{name_of(*by)}) : json::value(nullptr);
}

} // namespace

std::vector<std::string> sync_words() {
  std::vector<std::string> out{std::string{daily_word}};
  for (auto by : schedulers)
    out.emplace_back(name_of(by));
  out.emplace_back(off_word);
  return out;
}

const char* name_of(scheduler by) {
  switch (by) {
    case scheduler::systemd: return "systemd";
    case scheduler::cron: return "cron";
    case scheduler::launchd: break;
  }
  return "launchd";
}

std::string told(const setup::sync_plan& plan) {
  if (!plan.problem.empty())
    return "Daily sync: left as it is: " + plan.problem;
  switch (plan.change) {
    case sync_change::added:
    case sync_change::changed:
      return std::string{"Daily sync: "} + word_of(plan.change) + ", by " + name_of(*plan.after);
    case sync_change::removed: return "Daily sync: taken away";
    case sync_change::none: break;
  }
  return {};
}

sync_step::sync_step(const config::environment& env, const config::settings& settings,
                     const config::variable_lookup& variables)
  : env_(env),
    settings_(settings),
    variables_(variables),
    table_(process::find_executable("crontab", env.path, "/"), setup::folder_of_setups(settings.state_folder)),
    places_(setup::places_of_sync(env, settings.state_folder)) {}

std::optional<scheduler> sync_step::installed() const { return setup::plan_sync(places_, {}, table_).before; }

std::optional<scheduler> sync_step::usual() const {
#ifdef __APPLE__
  return scheduler::launchd;
#else
  std::error_code ec;
  auto runtime = variables_("XDG_RUNTIME_DIR");
  bool has_manager = !runtime.empty() && fs::is_directory(fs::path{runtime} / "systemd", ec) // which makes it
                     && !process::find_executable("systemctl", env_.path, "/").empty();
  if (has_manager)
    return scheduler::systemd;
  return table_.is_there() ? std::optional{scheduler::cron} : std::nullopt;
#endif
}

setup::daily_sync sync_step::what(const std::string& command, const std::string& folder) const {
  setup::daily_sync out{{command, "sync-wrappers", "--index"}, folder.empty() ? env_.home : env_.cwd, {}};
  if (!folder.empty())
    out.command.push_back(folder);
  out.variables = {{"HOME", env_.home}, {"PATH", env_.path}};
  for (auto* name : own_places)
    if (auto value = variables_(name); !value.empty())
      out.variables.emplace_back(name, config::absolute(env_, value));
  for (auto& [name, value] : env_.places)
    if (std::find(std::begin(own_places), std::end(own_places), name) == std::end(own_places))
      out.variables.emplace_back(name, config::absolute(env_, value));
  return out;
}

setup::sync_plan sync_step::plan(const std::string& word, const std::string& command, const std::string& folder) const {
  if (word == off_word)
    return removal();
  if (word.empty())
    return setup::plan_sync(places_, {}, table_);
  auto named =
    std::find_if(std::begin(schedulers), std::end(schedulers), [&](auto each) { return word == name_of(each); });
  if (auto by = named == std::end(schedulers) ? usual() : std::optional{*named})
    return setup::plan_sync(places_, {setup::sync_wish::put, *by, what(command, folder)}, table_);
  setup::sync_plan none;
  none.problem = "nothing runs jobs here: there is neither a systemd of this user (XDG_RUNTIME_DIR, systemctl) nor a "
                 "program `crontab` on PATH";
  return none;
}

setup::sync_plan sync_step::removal() const {
  return setup::plan_sync(places_, {setup::sync_wish::remove, scheduler::systemd, {}}, table_);
}

std::string sync_step::call(const std::vector<std::string>& words) const {
  auto program = process::find_executable(words.front(), env_.path, "/");
  if (program.empty())
    return words.front() + " is not on PATH";
  auto call = words;
  call.front() = program;
  auto done = process::call_program(call, scheduler_wait_max);
  if (!done.ok())
    return done.error.message;
  auto& [status, timed_out, output, errors] = done.value;
  if (done.value.succeeded())
    return {};
  auto said = text::quoted(errors.substr(0, errors.find('\n')), told_bytes_max);
  return words.front() + ": " + (timed_out ? "it did not end" : said.empty() ? status.text() : said);
}

std::vector<std::string> sync_step::tell(const std::vector<std::string>& paths) const {
  auto has = [&](const std::string& path) { return std::find(paths.begin(), paths.end(), path) != paths.end(); };
  std::error_code ec;
  std::vector<std::string> out;
  if (has(places_.service) || has(places_.timer) || has(places_.wants)) {
    bool is_there = fs::exists(places_.timer, ec);
    std::string why;
    if (!is_there) // what it runs by is gone, but it still has it
      why = call({"systemctl", "--user", "stop", setup::timer_name});
    if (auto problem = call({"systemctl", "--user", "daemon-reload"}); why.empty())
      why = problem;
    if (is_there && why.empty())
      why = call({"systemctl", "--user", "restart", setup::timer_name});
    if (!why.empty())
      out.push_back("systemd does not know of the change of the daily sync before your next login: " + why);
  }
  if (has(places_.list)) {
    auto domain = "gui/" + std::to_string(::getuid());
    auto unloaded = call({"launchctl", "bootout", domain + "/" + setup::launchd_label});
    bool is_there = fs::exists(places_.list, ec); // else there may be nothing that could be unloaded
    auto why = is_there ? call({"launchctl", "bootstrap", domain, places_.list}) : std::string{};
    if (!why.empty())
      out.push_back("launchd does not know of the change of the daily sync before your next login: " + why);
  }
  return out;
}

std::string sync_step::state() const {
  auto by = installed();
  auto last = read_sync_record(settings_.state_folder);
  auto out = std::string{"Daily sync: "} + (by ? std::string{"by "} + name_of(*by) : "off");
  if (!last)
    return out + (by ? "; it has not been run yet" : "");
  out += "; last sync " + told(*last);
  bool is_late = by && std::time(nullptr) - last->time_s > std::chrono::seconds{sync_age_max}.count();
  return out + (is_late ? "; that is more than two days ago: is the machine, or your session, off at that time?" : "");
}

json::object sync_step::document(const setup::sync_plan& plan) const {
  json::object out{{"by", name_or_null(plan.problem.empty() ? plan.after : plan.before)},
                   {"change", plan.problem.empty() ? word_of(plan.change) : "failed"}};
  if (!plan.problem.empty())
    out["problem"] = plan.problem;
  auto last = read_sync_record(settings_.state_folder);
  out["last"] = last ? json::value(as_json(*last)) : json::value(nullptr);
  return out;
}

} // namespace cli
