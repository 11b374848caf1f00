// What a set-up has changed, kept so that it can be undone: in the state folder, `setup/DATE/` with each file as it
// was.
#pragma once

#include "config/edits/entry_edit.hpp"
#include "messages/errors.hpp"
#include "process/child.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace setup {

/// Set-ups that are kept; of more the oldest are removed.
inline constexpr size_t journals_max = 100;
/// Waiting for another set-up.
inline constexpr std::chrono::milliseconds lock_wait_max{5'000};

/// Only one process has it. Ends with this.
class setup_lock {
public:
  /// Waits for another one. The fault says that it goes on, or why the folder can not be used.
  static msg::outcome<setup_lock> take(const std::string& state_folder, std::chrono::milliseconds wait = lock_wait_max);

private:
  process::descriptor file_;
};

/// A file that is to be changed. Nothing: it is not there.
struct file_change {
  std::string path;
  std::optional<std::string> before, after;
  /// Where the entries are that were changed; none: all of it is new.
  std::optional<edits::server_place> list = std::nullopt;
};

struct file_failure {
  std::string path;
  msg::fault why;
};

struct written {
  std::string folder; ///< with the files as they were; empty: nothing was changed
  std::vector<file_failure> failures;
};

/// First keeps all of them as they are, then writes one after the other. `needed`: if one of so many first ones
/// fails, those after them are not tried. What fails is as it was before, and the others go on. The fault: nothing was
/// kept, and nothing is changed.
msg::outcome<written> write_changes(const std::string& state_folder, const std::vector<file_change>& changes,
                                    size_t needed = 0);

struct undone {
  std::string made;                       ///< when what is undone was done
  std::vector<std::string> files;         ///< that are as they were again
  std::vector<std::string> changed_files; ///< that others have changed since: their entries are as they were again
};

/// The last set-up that is not undone yet; empty: there is none. All its files, or none: an entry that is neither as it
/// was before nor as it was left is a fault, with its place, as is a file that can not be read or written.
msg::outcome<undone> undo_last(const std::string& state_folder);

} // namespace setup
