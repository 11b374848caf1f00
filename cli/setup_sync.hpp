// The daily sync of `code-executor setup`: which scheduler runs it here, what it runs, and that a scheduler hears of a
// change.
#pragma once

#include "config/environment.hpp"
#include "config/settings.hpp"
#include "setup/sync_plan.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/// Of each call of a scheduler's program.
inline constexpr std::chrono::milliseconds scheduler_wait_max{10'000};
/// Longer ago than that, a sync that is run every day has not been run.
inline constexpr std::chrono::hours sync_age_max{48};

/// `--sync WORD`: daily, off, or which scheduler.
std::vector<std::string> sync_words();

class sync_step {
public:
  sync_step(const config::environment& env, const config::settings& settings, const config::variable_lookup& variables);

  const setup::crontab& table() const { return table_; }
  const setup::sync_places& places() const { return places_; }
  /// Who runs it now; nothing: nobody.
  std::optional<setup::scheduler> installed() const;
  /// The one that this machine has: the user's systemd, cron, or launchd; nothing: none.
  std::optional<setup::scheduler> usual() const;

  /// `word`: one of sync_words(). `command`: the absolute path of this program. `folder`: of the wrappers, absolute;
  /// empty: the state folder.
  setup::sync_plan plan(const std::string& word, const std::string& command, const std::string& folder) const;
  setup::sync_plan removal() const;

  /// Tells the schedulers whose files are among these that they have changed. What could not be told, for a person;
  /// empty: all was.
  std::vector<std::string> tell(const std::vector<std::string>& paths) const;

  /// "off", or by whom; then how the last sync went. For a person.
  std::string state() const;
  boost::json::object document(const setup::sync_plan& plan) const;

private:
  setup::daily_sync what(const std::string& command, const std::string& folder) const;
  std::string call(const std::vector<std::string>& words) const;

  const config::environment& env_;
  const config::settings& settings_;
  const config::variable_lookup& variables_;
  setup::crontab table_;
  setup::sync_places places_;
};

/// "systemd", "cron", "launchd".
const char* name_of(setup::scheduler by);
/// What a plan changes, in one sentence; empty: nothing.
std::string told(const setup::sync_plan& plan);

} // namespace cli
