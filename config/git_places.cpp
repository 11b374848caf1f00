#include "config/git_places.hpp"

#include "config/file_text.hpp"
#include "text/ascii.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

namespace config {

namespace fs = std::filesystem;

namespace {

/// A repository includes a handful, of some KiB, and names fewer programs.
constexpr size_t git_files_max = 32, git_file_bytes_max = 1u << 20, git_places_max = 200;

/// Of a value of git-config(1): a comment, quotes and what escapes are no part of it.
std::string bare_value(std::string_view text) {
  std::string out;
  bool is_quoted = false, is_escaped = false;
  for (char c : text) {
    bool is_plain = std::exchange(is_escaped, !is_escaped && c == '\\');
    if (!is_plain && !is_quoted && (c == '#' || c == ';'))
      break;
    if (!is_plain && c == '"')
      is_quoted = !is_quoted;
    else if (is_plain || c != '\\')
      out += c;
  }
  return std::string{text::trimmed(out)};
}

class git_reader {
public:
  git_reader(fs::path folder, fs::path home) : folder_(std::move(folder)), home_(std::move(home)) {}

  std::vector<kept_place> read() && {
    auto git = folder_ / ".git";
    std::error_code ec;
    if (fs::is_regular_file(git, ec)) {
      git = pointed_to(git, "gitdir:", folder_);
      if (git.empty())
        return {};
      places_.push_back({git.string(), true});
    }
    if (auto common = pointed_to(git / "commondir", "", git); !common.empty()) {
      places_.push_back({common.string(), true});
      git = common;
    }
    for (auto* name : {"config", "config.worktree"})
      read_settings(git / name);
    return std::move(places_);
  }

private:
  /// What a file of one line says behind `label`. Empty: there is no such file, or it says something else.
  static fs::path pointed_to(const fs::path& file, std::string_view label, const fs::path& from) {
    auto text = text_of(file);
    auto line = text::trimmed(text);
    if (line.empty() || !line.starts_with(label))
      return {};
    return (from / text::trimmed(line.substr(label.size()))).lexically_normal();
  }

  /// Empty: it can not be read, and git does not read it either.
  static std::string text_of(const fs::path& file) { return read_file_text(file.string(), git_file_bytes_max).text; }

  void read_settings(const fs::path& file) {
    if (++files_ > git_files_max)
      return;
    std::istringstream lines{text_of(file)};
    std::string section;
    for (std::string line; next_line(lines, line);) {
      auto text = text::trimmed(line);
      if (text.starts_with('['))
        section = text::in_small_letters(text.substr(1, text.find_first_of(" \t\".]", 1) - 1));
      if (text.starts_with('[')) // a variable may follow on the same line
        text = text::trimmed(text.substr(std::min(text.find(']'), text.size() - 1) + 1));
      auto equals = text.find('=');
      if (equals == text.npos)
        continue;
      auto name = text::in_small_letters(text::trimmed(text.substr(0, equals)));
      auto value = bare_value(text.substr(equals + 1));
      if (section == "core" && name == "hookspath")
        add_hooks(seen_from(folder_, value));
      if ((section == "include" || section == "includeif") && name == "path")
        include(seen_from(file.parent_path(), value));
      else
        add_programs(value);
    }
  }

  /// With what is continued on the next one.
  static bool next_line(std::istream& from, std::string& to) {
    if (!std::getline(from, to))
      return false;
    for (std::string more; to.ends_with('\\') && std::getline(from, more);) {
      to.pop_back();
      to += more;
    }
    return true;
  }

  /// Those in the `_` of husky run those that stand beside it.
  void add_hooks(const fs::path& folder) { places_.push_back({(folder.filename() == "_" ? folder.parent_path() : folder).string(), true}); }

  /// Many settings are commands (core.fsmonitor, filter.*.clean, alias.*): files that their words name.
  void add_programs(std::string_view command) {
    std::istringstream words{std::string{command.substr(command.starts_with('!') ? 1 : 0)}};
    std::error_code ec;
    for (std::string word; words >> word && places_.size() < git_places_max;)
      if (auto file = seen_from(folder_, word); fs::is_regular_file(file, ec))
        places_.push_back({file, false});
  }

  void include(std::string path) {
    places_.push_back({path, false});
    read_settings(path);
  }

  std::string seen_from(const fs::path& folder, const std::string& path) const {
    auto whole = path.starts_with("~/") ? home_ / path.substr(2) : folder / path;
    return whole.lexically_normal().string();
  }

  fs::path folder_, home_;
  std::vector<kept_place> places_;
  size_t files_ = 0;
};

} // namespace

std::vector<kept_place> git_places(const std::string& folder, const std::string& home) { return git_reader{folder, home}.read(); }

} // namespace config
