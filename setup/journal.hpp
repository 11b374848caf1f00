// What a set-up has changed, kept so that it can be undone: in the state folder, `setup/NUMBER-DATE/` with each file as
// it was.
#pragma once

#include "config/edits/entry_edit.hpp"
#include "messages/errors.hpp"
#include "setup/crontab.hpp"
#include "setup/setup_lock.hpp"
#include "setup/user_file.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace setup {

/// Set-ups that are kept; of more the oldest are removed.
inline constexpr size_t journals_max = 100;

/// A file that is to be changed, or the crontab. Nothing: it is not there.
struct file_change {
  std::string path; ///< or crontab_name
  std::optional<std::string> before, after;
  /// Where the entries are that were changed; none: all of it is new.
  std::optional<edits::server_place> list = std::nullopt;
  file_rights rights = file_rights::kept;
  /// Of another change, before this one, without which this one makes no sense: it is not tried then. Empty: none.
  std::string needs = {};
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
                                    size_t needed = 0, const crontab& table = {});

struct undone {
  std::string made;                       ///< when what is undone was done; empty: there was nothing to undo
  std::vector<std::string> files;         ///< that are as they were again
  std::vector<std::string> changed_files; ///< that others have changed since: their entries are as they were again
};

/// The last set-up that is not undone yet; empty: there is none. All its files, or none: an entry that is neither as it
/// was before nor as it was left is a fault, with its place, as is a file that can not be read or written.
/// `may_write`: whether a path is one that a set-up writes; another one in the journal is a fault. Null: all are.
msg::outcome<undone> undo_last(const std::string& state_folder,
                               const std::function<bool(const std::string&)>& may_write = nullptr,
                               const crontab& table = {});

/// What set-ups that were killed have left: copies beside those files, and kept files without a journal. With the lock
/// only.
void sweep_leftovers(const std::string& state_folder, const std::vector<std::string>& paths);

} // namespace setup
