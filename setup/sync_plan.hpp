// What a set-up changes so that a sync is run every day, or is not any more. Nothing is written here.
#pragma once

#include "config/environment.hpp"
#include "setup/crontab.hpp"
#include "setup/journal.hpp"
#include "setup/sync_texts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace setup {

enum class sync_wish : uint8_t { leave, put, remove };
enum class sync_change : uint8_t { none, added, changed, removed };

/// Where the files of every scheduler are.
struct sync_places {
  std::string service, timer, wants; ///< of systemd
  std::string list;                  ///< of launchd
  std::string script;                ///< that cron runs
};
sync_places places_of_sync(const config::environment& env, const std::string& state_folder);
/// All of them, and the crontab.
std::vector<std::string> paths_of_sync(const sync_places& places);

struct sync_plan {
  sync_change change = sync_change::none;
  std::optional<scheduler> before; ///< which one runs it now; none: none does
  std::optional<scheduler> after;
  std::string problem; ///< nothing is changed of it: where and why
  std::vector<file_change> changes;
};

struct wished_sync {
  sync_wish wish = sync_wish::leave;
  scheduler by = scheduler::systemd;
  daily_sync what;
};

/// One scheduler runs it: what others have of it is taken away. A file without our mark is the user's, and a problem.
sync_plan plan_sync(const sync_places& places, const wished_sync& wished, const crontab& table);

} // namespace setup
