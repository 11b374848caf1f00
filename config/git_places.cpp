#include "config/git_places.hpp"

#include "config/file_look.hpp"
#include "config/file_text.hpp"
#include "config/git_settings.hpp"
#include "config/known_programs.hpp"
#include "config/possible_words.hpp"
#include "process/inside.hpp"
#include "process/path_walk.hpp"
#include "text/ascii.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

namespace config {

namespace fs = std::filesystem;
using process::path_kind;

namespace {

/// Also of other scripts than ours.
bool has_letter(std::string_view word) {
  return std::any_of(word.begin(), word.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; });
}

class git_reader {
public:
  git_reader(fs::path folder, fs::path home) : folder_(std::move(folder)), home_(std::move(home)) {}

  std::vector<kept_place> read() && {
    auto git = folder_ / ".git";
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
    places_.insert(places_.end(), links_.begin(), links_.end());
    if (look_.gave_up() || is_unknown_) // nobody knows what else would be among them
      places_.push_back({folder_.string(), true});
    return std::move(places_);
  }

private:
  /// What a file of one line says behind `label`. Empty: there is no such file, or it says something else.
  fs::path pointed_to(const fs::path& file, std::string_view label, const fs::path& from) {
    auto text = read_file_text(look_.end_of(file.string()).real, git_pointer_bytes_max).text;
    auto line = text::trimmed(text);
    if (line.empty() || !line.starts_with(label))
      return {};
    return ways_to(from / text::trimmed(line.substr(label.size())), look_).back();
  }

  /// True: there was none like it, and there are not too many.
  static bool take(std::set<std::string>& of, std::string one, size_t max) {
    return of.size() < max && of.insert(std::move(one)).second;
  }

  /// Empty: it can not be read, and git does not read it either; or it is larger than what may still be read.
  std::string text_of(const fs::path& file) {
    auto read = read_file_text(look_.end_of(file.string()).real, bytes_left_);
    bytes_left_ -= std::min<size_t>(bytes_left_, read.read_bytes);
    return std::move(read.text);
  }

  /// Of a link: of what it leads to.
  bool is_kind(const fs::path& path, path_kind kind) { return look_.kind_of(path.string()) == kind; }

  bool is_link(const fs::path& path) {
    std::error_code ec;
    auto folder = look_.end_of(path.parent_path().string()).real;
    return !folder.empty() && fs::is_symlink(folder / path.filename(), ec);
  }

  void read_own_settings(const fs::path& file) {
    if (!take(files_, file.string(), git_files_max))
      return;
    if (is_link(file))
      places_.push_back({file.string(), false});
    read_settings(file);
  }

  void read_settings(const fs::path& file) {
    for (auto& [section, name, value] : read_git_settings(text_of(file))) {
      if (section == "core" && name == "hookspath")
        add_hooks(value);
      if ((section == "include" || section == "includeif") && name == "path")
        include(seen_from(file.parent_path(), value));
      else
        add_programs(value);
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
    if (take(hooks_, hooks.string(), git_hooks_max)) {
      places_.push_back({hooks.string(), true});
      add_links_in(hooks);
    }
    if (own != hooks && take(hooks_, own.string(), git_hooks_max))
      add_links_in(own);
  }

  /// A hook that is a link to a file of the project (`pre-commit -> ../../scripts/pre-commit`) is that file.
  void add_links_in(const fs::path& hooks) {
    std::error_code ec, is_none;
    for (fs::directory_iterator at{look_.end_of(hooks.string()).real, ec}, end;
         !ec && at != end && hook_files_left_ > 0; at.increment(ec), --hook_files_left_)
      if (at->is_symlink(is_none))
        links_.push_back({(hooks / at->path().filename()).string(), is_kind(at->path(), path_kind::folder)});
  }

  /// Many settings are commands (core.fsmonitor, filter.*.clean, alias.*), some of them for a shell: files that their
  /// words name, also as seen from where they go first (`cd t && ./run`, `make -C t`).
  void add_programs(std::string_view command) {
    if (words_.size() >= git_words_max)
      return;
    std::vector<fs::path> folders{folder_};
    bool is_folder = false;
    for (auto& word : possible_words(command.substr(command.starts_with('!') ? 1 : 0))) {
      for (auto& folder : folders)
        if (auto seen = folder == folder_ ? word : (folder / word).string();
            places_.size() < git_programs_max && has_letter(word) && take(words_, seen, git_words_max))
          add_program(folder, word);
      if (is_folder)
        add_folders_called(word, folders);
      is_folder = word == "cd" || word == "pushd"
                  || std::find(std::begin(folder_options), std::end(folder_options), word) != std::end(folder_options);
    }
  }

  void add_folders_called(const std::string& word, std::vector<fs::path>& to) {
    for (size_t i = 0, known = to.size(); i < known; ++i) {
      fs::path folder = seen_from(to[i], word);
      if (!is_kind(folder, path_kind::folder) || std::find(to.begin(), to.end(), folder) != to.end())
        continue;
      is_unknown_ = is_unknown_ || to.size() >= git_command_folders_max;
      if (to.size() < git_command_folders_max)
        to.push_back(std::move(folder));
    }
  }

  /// Of `$(git rev-parse --show-toplevel)/tools/x` the end of the word is seen from there, too.
  void add_program(const fs::path& folder, const std::string& word) {
    auto slash = word.find('/');
    bool is_end = slash != word.npos && (slash == 0 || word.starts_with('$'));
    for (auto& name : {word, is_end ? word.substr(slash + 1) : std::string{}})
      if (auto file = seen_from(folder, name); !name.empty() && is_kind(file, path_kind::file))
        places_.push_back({file, false});
  }

  void include(const std::string& path) {
    if (!take(files_, path, git_files_max))
      return;
    places_.push_back({path, false});
    read_settings(path);
  }

  /// As the kernel goes, with a link on the way that decides where `..` leads. Where another user's home is
  /// (`~name/x`), only their directory of users knows, and to ask it may take long.
  std::string seen_from(const fs::path& folder, const std::string& path) {
    is_unknown_ = is_unknown_ || (path.starts_with('~') && path.find('/') != path.npos && !path.starts_with("~/"));
    auto whole = path.starts_with("~/") ? home_ / path.substr(2) : folder / path;
    return ways_to(whole, look_).back().string();
  }

  fs::path folder_, home_;
  std::vector<kept_place> places_, links_;      ///< the latter in folders of hooks
  std::set<std::string> files_, hooks_, words_; ///< that there were
  file_look look_{process::walk_steps_max};
  bool is_unknown_ = false; ///< where something leads
  size_t bytes_left_ = git_bytes_max, hook_files_left_ = git_hook_files_max;
};

} // namespace

std::vector<kept_place> git_places(const std::string& folder, const std::string& home) {
  return git_reader{folder, home}.read();
}

} // namespace config
