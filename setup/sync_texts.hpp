// A sync once a day, as each scheduler wants it written. Only texts are made here.
#pragma once

#include "messages/errors.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace setup {

enum class scheduler : uint8_t { systemd, cron, launchd };

/// What is run every day.
struct daily_sync {
  std::vector<std::string> command; ///< the absolute path of the program, and its words
  std::string folder;               ///< absolute; it is run in there
  std::vector<std::pair<std::string, std::string>> variables;
};

/// Of every file of ours, in a comment of its first lines. A file without it is the user's.
inline constexpr std::string_view sync_mark =
  "code-executor: daily sync; `code-executor setup` writes it, and takes it "
  "away";
/// Where it is looked for.
inline constexpr size_t mark_bytes_max = 512;
bool is_sync_text(std::string_view text);

/// When: by the local clock, at a time at which few other jobs begin.
inline constexpr int sync_hour = 5, sync_minute = 17;

inline constexpr const char* launchd_label = "code-executor.daily-sync";
inline constexpr const char* timer_name = "code-executor-sync.timer";

// The fault says which text can not be said in that format.

/// `code-executor-sync.service` of systemd.
msg::outcome<std::string> systemd_service(const daily_sync& sync);
std::string systemd_timer();
/// A drop-in of timers.target, which starts the timer with the user's session: what `systemctl enable` does by a link.
std::string systemd_wants();

/// `code-executor.daily-sync.plist` of launchd.
msg::outcome<std::string> launchd_list(const daily_sync& sync);

/// What cron runs is a script: a line of a crontab has neither room nor quotes for all that. Paths of it may be
/// anything.
std::string sync_script(const daily_sync& sync);
/// Our lines of a crontab, which run that script.
msg::outcome<std::string> crontab_block(const std::string& script);

/// Nothing: there are no lines of ours in it. Those between our marks, the marks included.
std::string block_in(std::string_view crontab);
/// The crontab with these lines in the place of ours, or at its end; `block` empty: without ours. All else stays, byte
/// for byte.
std::string with_block(std::string_view crontab, const std::string& block);

} // namespace setup
