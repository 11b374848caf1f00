#include "setup/sync_plan.hpp"

#include "config/clients.hpp"

#include <algorithm>
#include <utility>

namespace setup {

using msg::errc;
using msg::fault;

namespace {

struct wanted_text {
  std::string path, text;
};

/// In the order in which they are written: the last one is what makes the scheduler run it.
msg::outcome<std::vector<wanted_text>> wanted_texts(const sync_places& places, const wished_sync& wished) {
  std::vector<wanted_text> out;
  fault problem;
  auto add = [&](const std::string& path, msg::outcome<std::string> text) {
    if (!text.ok() && problem.code == errc::none)
      problem = std::move(text.error);
    out.push_back({path, std::move(text.value)});
  };
  if (wished.by == scheduler::systemd) {
    add(places.service, systemd_service(wished.what));
    add(places.timer, systemd_timer());
    add(places.wants, systemd_wants());
  } else if (wished.by == scheduler::cron) {
    add(places.script, sync_script(wished.what));
    add(crontab_name, crontab_block(places.script));
  } else {
    add(places.list, launchd_list(wished.what));
  }
  if (problem.code != errc::none)
    return problem;
  return out;
}

class sync_planner {
public:
  sync_planner(const sync_places& places, const crontab& table) : places_(places) {
    for (auto& path : paths_of_sync(places))
      files_.push_back(read_place(path, table));
  }

  std::optional<scheduler> installed() const {
    if (is_ours(file(places_.timer)))
      return scheduler::systemd;
    if (is_ours(file(crontab_name)))
      return scheduler::cron;
    return is_ours(file(places_.list)) ? std::optional{scheduler::launchd} : std::nullopt;
  }

  /// `wanted`: empty: nothing of it is to be there.
  fault plan(const std::vector<wanted_text>& wanted) {
    std::string needs;
    for (auto& [path, text] : wanted) {
      if (auto problem = put(path, text, needs); problem.code != errc::none)
        return problem;
      needs = changes_.empty() ? "" : changes_.back().path;
    }
    for (auto& path : paths_of_sync(places_))
      if (std::none_of(wanted.begin(), wanted.end(), [&](auto& each) { return each.path == path; }))
        take_away(file(path));
    return {};
  }

  std::vector<file_change> take() && { return std::move(changes_); }

private:
  const user_file& file(const std::string& path) const {
    return *std::find_if(files_.begin(), files_.end(), [&](auto& each) { return each.path == path; });
  }

  static bool is_ours(const user_file& file) {
    return file.path == crontab_name ? !block_in(file.text).empty() : is_sync_text(file.text);
  }

  fault put(const std::string& path, const std::string& text, const std::string& needs) {
    auto& now = file(path);
    if (now.error.code != errc::none)
      return now.error;
    if (now.exists && path != crontab_name && !is_ours(now))
      return {errc::invalid_argument, path + ": is not a file that code-executor has written, and is left as it is"};
    auto after = path == crontab_name ? with_block(now.text, text) : text;
    if (now.exists && now.text == after)
      return {};
    changes_.push_back({path, now.content(), after, std::nullopt, file_rights::kept, needs});
    return {};
  }

  void take_away(const user_file& now) {
    if (now.error.code != errc::none || !is_ours(now))
      return;
    bool is_table = now.path == crontab_name;
    auto rest = is_table ? with_block(now.text, "") : std::string{};
    auto after = rest.empty() ? std::nullopt : std::optional{rest};
    // The crontab first: then nothing runs a script that is gone.
    changes_.insert(is_table ? changes_.begin() : changes_.end(), file_change{now.path, now.content(), after});
  }

  const sync_places& places_;
  std::vector<user_file> files_;
  std::vector<file_change> changes_;
};

} // namespace

sync_places places_of_sync(const config::environment& env, const std::string& state_folder) {
  auto units = config::path_of(env, config::file_root::config, "systemd/user", nullptr);
  return {units + "/code-executor-sync.service", units + "/" + timer_name,
          units + "/timers.target.d/code-executor-sync.conf",
          env.home + "/Library/LaunchAgents/" + launchd_label + ".plist", state_folder + "/daily-sync.sh"};
}

std::vector<std::string> paths_of_sync(const sync_places& places) {
  return {places.service, places.timer, places.wants, places.list, places.script, crontab_name};
}

sync_plan plan_sync(const sync_places& places, const wished_sync& wished, const crontab& table) {
  sync_planner planner{places, table};
  sync_plan out;
  out.before = out.after = planner.installed();
  if (wished.wish == sync_wish::leave)
    return out;
  bool is_put = wished.wish == sync_wish::put;
  if (is_put && wished.by == scheduler::cron && !table.is_there()) {
    out.problem = "there is no program `crontab` on PATH";
    return out;
  }
  auto wanted = is_put ? wanted_texts(places, wished) : std::vector<wanted_text>{};
  auto problem = wanted.ok() ? planner.plan(wanted.value) : wanted.error;
  if (problem.code != errc::none) {
    out.problem = problem.message;
    return out;
  }
  out.changes = std::move(planner).take();
  out.after = is_put ? std::optional{wished.by} : std::nullopt;
  if (!out.changes.empty())
    out.change = !is_put ? sync_change::removed : out.before ? sync_change::changed : sync_change::added;
  return out;
}

} // namespace setup
