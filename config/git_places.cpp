#include "config/git_places.hpp"

#include "config/file_look.hpp"
#include "config/file_text.hpp"
#include "config/git_commands.hpp"
#include "config/git_settings.hpp"
#include "config/program_files.hpp"
#include "config/shown.hpp"
#include "messages/limits.hpp"
#include "process/inside.hpp"
#include "process/path_walk.hpp"
#include "text/ascii.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

namespace config {

namespace fs = std::filesystem;
using process::path_kind;

namespace {

/// Of a repository and those that lie in it.
struct git_room {
  file_look look{process::walk_steps_max};
  std::set<std::string> own_files, files, hooks, values, submodules; ///< that there were
  bool is_unknown = false;                                           ///< where something leads
  size_t bytes_left = git_bytes_max, hook_files_left = git_hook_files_max, programs_left = git_programs_max;
};

class git_reader {
public:
  git_reader(fs::path folder, fs::path home, git_room& room)
    : folder_(std::move(folder)),
      home_(std::move(home)),
      room_(room) {}

  std::vector<kept_place> read() && {
    auto& git = git_folder_ = folder_ / ".git";
    if (is_kind(git, path_kind::file)) {
      git = pointed_to(git, "gitdir:", folder_);
      if (git.empty())
        return {};
      places_.push_back({git.string(), true});
    }
    auto common = pointed_to(git / "commondir", "", git);
    if (common.empty())
      common = git;
    else
      places_.push_back({common.string(), true});
    if (is_link(common / "hooks"))
      places_.push_back({(common / "hooks").string(), true});
    add_links_in(common / "hooks");
    for (auto& file : {common / "config", common / "config.worktree", git / "config.worktree"})
      read_own_settings(file);
    read_submodules(common);
    places_.insert(places_.end(), links_.begin(), links_.end());
    return std::move(places_);
  }

private:
  /// What a file of one line says behind `label`. Empty: there is no such file, or it says something else.
  fs::path pointed_to(const fs::path& file, std::string_view label, const fs::path& from) {
    auto text = read_file_text(room_.look.end_of(file.string()).real, git_pointer_bytes_max).text;
    auto line = text::trimmed(text);
    if (line.empty() || !line.starts_with(label))
      return {};
    return ways_to(from / text::trimmed(line.substr(label.size())), room_.look).back();
  }

  /// True: there was none like it, and there are not too many.
  static bool take(std::set<std::string>& of, std::string one, size_t max) {
    return of.size() < max && of.insert(std::move(one)).second;
  }

  /// Empty: it can not be read, and git does not read it either; or it is larger than what may still be read.
  std::string text_of(const fs::path& file) {
    auto read = read_file_text(room_.look.end_of(file.string()).real, room_.bytes_left);
    room_.bytes_left -= std::min<size_t>(room_.bytes_left, read.read_bytes);
    return std::move(read.text);
  }

  /// Of a link: of what it leads to.
  bool is_kind(const fs::path& path, path_kind kind) { return room_.look.kind_of(path.string()) == kind; }

  bool is_link(const fs::path& path) {
    std::error_code ec;
    auto folder = room_.look.end_of(path.parent_path().string()).real;
    return !folder.empty() && fs::is_symlink(folder / path.filename(), ec);
  }

  void read_own_settings(const fs::path& file) {
    if (!take(room_.own_files, file.string(), 3 * (git_submodules_max + 1)))
      return;
    if (is_link(file))
      places_.push_back({file.string(), false});
    read_settings(file);
  }

  void read_settings(const fs::path& file) {
    for (auto& setting : read_git_settings(text_of(file))) {
      auto& [section, name, value, part] = setting;
      if (section == "core" && name == "hookspath")
        add_hooks(value);
      if (section == "core" && name == "worktree"
          && (fs::path{seen_from(git_folder_, value)} / "").lexically_normal().parent_path() != folder_)
        close("git works in another folder ('core.worktree')");
      if ((section == "include" || section == "includeif") && name == "path")
        include(seen_from(file.parent_path(), value));
      else
        add_programs(setting);
    }
  }

  /// Without a value there are no hooks. Those in the `_` of husky run those that stand beside it, unless that is the
  /// project itself.
  void add_hooks(const std::string& value) {
    fs::path hooks = seen_from(folder_, value);
    if (!hooks.has_filename()) // it ends with a slash
      hooks = hooks.parent_path();
    auto own = hooks;
    if (hooks.filename() == "_" && !process::inside(folder_, hooks.parent_path()))
      hooks = hooks.parent_path();
    if (value.empty())
      return;
    if (take(room_.hooks, hooks.string(), git_hooks_max)) {
      places_.push_back({hooks.string(), true});
      add_links_in(hooks);
    }
    if (own != hooks && take(room_.hooks, own.string(), git_hooks_max))
      add_links_in(own);
  }

  /// A hook that is a link to a file of the project (`pre-commit -> ../../scripts/pre-commit`) is that file.
  void add_links_in(const fs::path& hooks) {
    std::error_code ec, is_none;
    for (fs::directory_iterator at{room_.look.end_of(hooks.string()).real, ec}, end;
         !ec && at != end && room_.hook_files_left > 0; at.increment(ec), --room_.hook_files_left)
      if (at->is_symlink(is_none))
        links_.push_back({(hooks / at->path().filename()).string(), is_kind(at->path(), path_kind::folder)});
  }

  /// Many settings are commands (core.fsmonitor, filter.*.clean, alias.*): what a shell would start for them, at the
  /// top of the repository, or in its own folder. Those that may be are read as well, and leave no doubt.
  void add_programs(const git_setting& setting) {
    for (auto& [command, kind] : commands_in(setting))
      add_command(command, kind);
  }

  void add_command(const std::string& command, git_value kind) {
    auto key = (kind == git_value::command ? "!" : " ") + folder_.string() + '\n' + command;
    if (room_.values.contains(key) || command.size() > msg::limits::argument_bytes_max) // no shell takes it
      return;
    room_.is_unknown = room_.is_unknown || room_.values.size() >= git_values_max;
    if (!take(room_.values, key, git_values_max))
      return;
    if (auto whole = seen_from(folder_, command); is_kind(whole, path_kind::file))
      add_program(whole); // some are started without a shell
    add_started(command, folder_, kind);
    if (kind == git_value::command)
      add_started(command, git_folder_, kind);
  }

  void add_started(const std::string& command, const fs::path& at, git_value kind) {
    command_line line{{"sh", "-c", command}, "", at.string(), home_.string(), {}};
    line.variables = {{"GIT_DIR", git_folder_.string()}, {"GIT_WORK_TREE", folder_.string()}};
    room_.is_unknown = room_.is_unknown || room_.look.is_lost(); // what follows is for another entry
    auto found = program_files(std::move(line), room_.look);
    for (auto& file : found.files)
      add_program(file);
    for (auto& closed : found.closed) {
      bool is_doubt = closed.file.empty() && !closed.why.empty();
      if (is_doubt && kind == git_value::command)
        close("it is not known what git starts there for '" + text::quoted(command, shown_bytes_max)
              + "': " + closed.why);
      if (!is_doubt)
        close(closed.file.empty() ? std::string{} : text::quoted(closed.file, shown_bytes_max) + ' ' + closed.why);
    }
  }

  void add_program(const std::string& path) {
    bool is_there = std::any_of(places_.begin(), places_.end(), [&](auto& place) { return place.path == path; });
    if (is_there || is_kind(path, path_kind::nothing) || path == folder_)
      return;
    room_.is_unknown = room_.is_unknown || room_.programs_left == 0;
    if (room_.programs_left == 0)
      return;
    --room_.programs_left;
    places_.push_back({path, false});
  }

  /// Once, with the first reason.
  void close(const std::string& why) {
    if (std::none_of(places_.begin(), places_.end(), [&](auto& place) { return place.path == folder_; }))
      places_.push_back({folder_.string(), true, why});
  }

  /// `git status` looks into each: what its `.git` leads to says what is run there, and another one could be put in its
  /// place.
  void read_submodules(const fs::path& git) {
    for (auto& [section, name, value, part] : read_git_settings(text_of(folder_ / ".gitmodules")))
      if (section == "submodule" && name == "path")
        add_submodule(folder_ / value);
    read_modules(git / "modules", 0);
  }

  /// Their names may have slashes in them.
  void read_modules(const fs::path& folder, size_t depth) {
    std::error_code ec;
    for (fs::directory_iterator at{room_.look.end_of(folder.string()).real, ec}, end; !ec && at != end;
         at.increment(ec)) {
      auto module = folder / at->path().filename();
      if (!is_kind(module, path_kind::folder))
        continue;
      room_.is_unknown = room_.is_unknown || modules_left_ == 0 || depth >= git_module_depth_max;
      if (modules_left_ == 0 || depth >= git_module_depth_max)
        return;
      --modules_left_;
      if (!is_kind(module / "config", path_kind::file)) {
        read_modules(module, depth + 1);
        continue;
      }
      for (auto& [section, name, value, part] : read_git_settings(text_of(module / "config")))
        if (section == "core" && name == "worktree")
          add_submodule((module / value).lexically_normal());
    }
  }

  void add_submodule(fs::path folder) {
    folder = (folder / "").lexically_normal().parent_path();
    if (folder == folder_ || !process::inside(folder, folder_) || room_.submodules.contains(folder.string()))
      return;
    room_.is_unknown = room_.is_unknown || room_.submodules.size() >= git_submodules_max;
    if (!take(room_.submodules, folder.string(), git_submodules_max))
      return;
    places_.push_back({(folder / ".git").string(), !is_kind(folder / ".git", path_kind::file)});
    auto inner = git_reader{folder, home_, room_}.read();
    places_.insert(places_.end(), inner.begin(), inner.end());
  }

  void include(const std::string& path) {
    if (room_.own_files.contains(path) || !take(room_.files, path, git_files_max))
      return;
    places_.push_back({path, false});
    read_settings(path);
  }

  /// As the kernel goes, with a link on the way that decides where `..` leads. Where another user's home is
  /// (`~name/x`), only their directory of users knows, and to ask it may take long.
  std::string seen_from(const fs::path& folder, const std::string& path) {
    room_.is_unknown =
      room_.is_unknown || (path.starts_with('~') && path.find('/') != path.npos && !path.starts_with("~/"));
    auto whole = path.starts_with("~/") ? home_ / path.substr(2) : folder / path;
    return ways_to(whole, room_.look).back().string();
  }

  fs::path folder_, home_, git_folder_;
  git_room& room_;
  size_t modules_left_ = 4 * git_submodules_max; ///< folders that are looked at for them
  std::vector<kept_place> places_, links_;       ///< the latter in folders of hooks
};

} // namespace

std::vector<kept_place> git_places(const std::string& folder, const std::string& home) {
  git_room room;
  auto places = git_reader{folder, home, room}.read();
  bool is_closed = std::any_of(places.begin(), places.end(), [&](auto& place) { return place.path == folder; });
  if ((room.look.is_lost() || room.is_unknown) && !is_closed) // nobody knows what else would be among them
    places.push_back({folder, true});
  return places;
}

} // namespace config
