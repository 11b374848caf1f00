#include "config/package_files.hpp"

#include "config/shell_words.hpp"
#include "process/inside.hpp"

#include <algorithm>
#include <boost/json/value.hpp>
#include <iterator>
#include <map>
#include <system_error>

namespace config {

namespace fs = std::filesystem;
using process::path_kind;

namespace {

constexpr const char *modules_folder = "node_modules", *package_file = "package.json",
                     *pnpm_file = "pnpm-workspace.yaml";
/// What Node.js leaves out, and those that run TypeScript.
constexpr const char* module_endings[] = {".js", ".mjs", ".cjs", ".json", ".node", ".ts", ".mts", ".tsx"};
/// Of one file, each time that it is asked: large packages have some hundred in `exports`.
constexpr size_t named_values_max = 1'000;
/// Options, and a word of Yarn's, by which package managers go to a package of the project, by its name or folder.
constexpr std::string_view workspace_options[] = {"-w",        "--workspace",         "-F", "--filter", "--filter-prod",
                                                  "workspace", "npm_config_workspace"};
/// Of folders in folders; each has an open descriptor meanwhile.
constexpr size_t workspace_depth_max = 16;
/// Then those that are left are looked for no more; the entry may have other files that are not read.
constexpr size_t unread_workspaces_max = unread_files_max / 2;

/// `name@1.2`, `@scope/name@latest`: without the version. Empty: nothing in `node_modules` is called so.
std::string_view package_name(std::string_view word) {
  auto name = word.substr(0, word.find('@', 1));
  auto slash = name.find('/');
  bool has_scope = name.starts_with('@');
  bool is_name =
    !name.empty() && std::string_view{".-/"}.find(name.front()) == name.npos && name.find('\0') == name.npos;
  bool is_path = has_scope
                   ? slash == name.npos || name.find("/.") != name.npos || name.find('/', slash + 1) != name.npos
                   : slash != name.npos;
  return is_name && !is_path ? name : std::string_view{};
}

/// Null: it is no object, or has none.
const boost::json::value* member(const boost::json::value& of, std::string_view name) {
  return of.is_object() ? of.get_object().if_contains(name) : nullptr;
}

void add_program(std::vector<fs::path>& to, const fs::path& folder, const boost::json::value& named) {
  auto* text = named.if_string();
  if (text && !text->empty() && text->find('\0') == text->npos && to.size() < package_programs_max)
    to.push_back((folder / fs::path{std::string_view{*text}}.relative_path()).lexically_normal());
}

void add_if_file(std::vector<fs::path>& to, const fs::path& path, file_look& look) {
  if (look.kind_of(path.string()) == path_kind::file && std::find(to.begin(), to.end(), path) == to.end())
    to.push_back(path);
}

/// `package.json` of what `program` belongs to: the first one above.
void add_package_of(std::vector<fs::path>& to, const fs::path& program, file_look& look) {
  for (auto folder = program.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (look.kind_of((folder / package_file).string()) != path_kind::nothing)
      return add_if_file(to, folder / package_file, look);
}

/// As Node.js and its kin look for what a program calls `path`: with the ending left out, or as a folder.
void add_as_module(std::vector<fs::path>& to, const fs::path& path, file_look& look) {
  add_if_file(to, path, look);
  for (auto* ending : module_endings) {
    add_if_file(to, path.string() + ending, look);
    add_if_file(to, path / (std::string{"index"} + ending), look);
  }
}

/// Of `exports`, whatever the conditions are; of lists of what is loaded. `values_left`: of all that are looked at.
void add_named(std::vector<fs::path>& to, const fs::path& folder, const boost::json::value& named,
               size_t& values_left) {
  if (values_left == 0)
    return;
  --values_left;
  add_program(to, folder, named);
  if (named.is_array())
    for (auto at = named.get_array().begin(); at != named.get_array().end() && values_left > 0; ++at)
      add_named(to, folder, *at, values_left);
  if (named.is_object())
    for (auto at = named.get_object().begin(); at != named.get_object().end() && values_left > 0; ++at)
      add_named(to, folder, at->value(), values_left);
}

/// Finds workspaces by the name in their `package.json`.
class workspace_finder {
public:
  workspace_finder(const fs::path& root, std::string_view name, file_look& look)
    : root_(root),
      name_(name),
      look_(look) {}

  std::vector<fs::path> find() && {
    auto& package = look_.json_in(root_ / package_file);
    if (auto* named = member(package, "workspaces")) {
      look_at(*named);
      if (auto* more = member(*named, "packages"))
        look_at(*more);
    }
    if (auto* more = member(look_.yaml_in(root_ / pnpm_file), "packages"))
      look_at(*more);
    if (is_cut_)
      look_.leave_out(root_ / package_file, "leads to more packages than what is read here");
    return std::move(found_);
  }

private:
  /// Asked where there is more to look at. A file that is too large is no reason to leave out the others.
  bool is_over() {
    is_cut_ = is_cut_ || look_.is_lost() || look_.is_spent() || look_.unread().size() >= unread_workspaces_max;
    return is_cut_;
  }

  void look_at(const boost::json::value& patterns) {
    if (!patterns.is_array())
      return;
    auto& all = patterns.get_array();
    is_cut_ = is_cut_ || all.size() > workspace_folders_max;
    for (auto at = all.begin(); at != all.end() && !is_cut_; ++at)
      if (auto* text = at->if_string(); text && text->find('\0') == text->npos)
        look_for(fs::path{std::string_view{*text}}.relative_path());
  }

  /// The folder in front of the first part with a special character, and all in it as deep as the pattern goes: more
  /// than it matches.
  void look_for(const fs::path& pattern) {
    auto folder = root_;
    size_t levels = 0;
    is_hidden_meant_ = false;
    for (auto& part : pattern)
      if (bool is_literal = part.string().find_first_of("*?[{(!") == std::string::npos;
          levels == 0 && is_literal && !part.empty())
        folder /= part;
      else if (!part.empty()) { // as it is behind the last slash
        levels += part == "**" ? workspace_depth_max + 1 : 1;
        is_hidden_meant_ = is_hidden_meant_ || part.string().find('.') != std::string::npos;
      }
    look_into(folder.lexically_normal(), std::min(levels, workspace_depth_max + 1), 0);
  }

  /// `levels`: below it. By links a folder may be seen many times, also from within.
  void look_into(const fs::path& folder, size_t levels, size_t depth) {
    if (folder.filename() == modules_folder || is_over())
      return;
    auto real = look_.end_of(folder.string()).real;
    auto [known, is_new] = levels_.try_emplace(real, levels);
    if (!is_new && known->second >= levels)
      return;
    known->second = levels;
    is_cut_ = folders_left_ == 0 || depth > workspace_depth_max;
    if (is_cut_)
      return;
    --folders_left_;
    if (is_new && is_meant(folder))
      found_.push_back(folder);
    std::error_code ec;
    for (fs::directory_iterator at{real, ec}, end; levels > 0 && !ec && at != end && !is_over(); at.increment(ec))
      if (auto name = at->path().filename().string();
          (is_hidden_meant_ || !name.starts_with('.')) && look_.kind_of(at->path().string()) == path_kind::folder)
        look_into(folder / name, levels - 1, depth + 1);
  }

  /// pnpm leaves out the scope of a name.
  bool is_meant(const fs::path& folder) {
    auto& package = look_.json_in(folder / package_file);
    auto* named = member(package, "name");
    if (name_.empty() || !named || !named->is_string())
      return name_.empty() && package.is_object();
    std::string_view name = named->get_string();
    return name == name_
           || (name.starts_with('@') && name.substr(std::min(name.find('/'), name.size() - 1) + 1) == name_);
  }

  fs::path root_;
  std::string_view name_;
  file_look& look_;
  size_t folders_left_ = workspace_folders_max;
  std::map<std::string, size_t> levels_; ///< below folders that were looked into, by their names without links
  std::vector<fs::path> found_;
  bool is_hidden_meant_ = false; ///< by the pattern; a star alone means no `.git`
  bool is_cut_ = false;
};

} // namespace

std::vector<fs::path> programs_of_package(const fs::path& folder, file_look& look) {
  std::vector<fs::path> programs;
  auto& package = look.json_in(folder / package_file);
  auto values_left = named_values_max;
  if (auto* bin = member(package, "bin"))
    add_named(programs, folder, *bin, values_left);
  if (auto* folders = member(package, "directories"))
    if (auto* tools = member(*folders, "bin"))
      add_program(programs, folder, *tools);
  return programs;
}

std::vector<fs::path> programs_of_yarn(const fs::path& folder, file_look& look) {
  std::vector<fs::path> programs;
  auto& settings = look.yaml_in(folder / ".yarnrc.yml");
  auto values_left = named_values_max;
  for (auto* key : {"yarnPath", "plugins"})
    if (auto* named = member(settings, key))
      add_named(programs, folder, *named, values_left);
  auto& old = look.text_in(folder / ".yarnrc"); // `yarn-path ".yarn/releases/yarn-1.22.19.cjs"`
  if (auto key = old.find("yarn-path"); key != old.npos)
    for (auto& word : split_words(std::string_view{old}.substr(key, old.find('\n', key) - key)))
      if (word != "yarn-path")
        add_program(programs, folder, boost::json::value(word));
  return programs;
}

std::vector<fs::path> entries_of_package(const fs::path& folder, file_look& look) {
  std::vector<fs::path> named{folder / "index"}, files;
  auto& package = look.json_in(folder / package_file);
  auto values_left = named_values_max;
  for (auto* key : {"main", "exports"})
    if (auto* value = member(package, key))
      add_named(named, folder, *value, values_left);
  for (auto& path : named)
    add_as_module(files, path, look);
  return files;
}

std::vector<fs::path> modules_called(const fs::path& folder, std::string_view word, file_look& look) {
  auto modules = folder / modules_folder;
  auto real_modules = fs::path{look.end_of(modules.string()).real};
  auto name = word.substr(0, word.find('/', word.starts_with('@') ? word.find('/') + 1 : 0));
  std::vector<fs::path> files;
  if (real_modules.empty() || package_name(name) != name || name.empty())
    return files;
  add_if_file(files, modules / name / package_file, look);
  add_as_module(files, (modules / word).lexically_normal(), look);
  for (auto& entry : entries_of_package(modules / name, look))
    add_if_file(files, entry, look);
  std::erase_if(files, [&](auto& file) { return process::inside(look.end_of(file.string()).real, real_modules); });
  return files;
}

fs::path folder_of_package(const fs::path& folder, std::string_view word, file_look& look) {
  auto name = package_name(word);
  auto end = name.empty() ? process::path_end{} : look.end_of((folder / modules_folder / name).string());
  return end.kind == path_kind::folder ? fs::path{end.real} : fs::path{};
}

bool is_workspace_option(std::string_view word) {
  return std::find(std::begin(workspace_options), std::end(workspace_options), word) != std::end(workspace_options);
}

std::string_view workspace_in(std::string_view option) {
  auto equals = option.find('=');
  if (equals != option.npos)
    return is_workspace_option(option.substr(0, equals)) ? option.substr(equals + 1) : std::string_view{};
  return option.starts_with("-w") || option.starts_with("-F") ? option.substr(2) : std::string_view{};
}

bool is_workspace_pattern(std::string_view name) {
  return name.find_first_of("*?[{!^") != name.npos || name.find("...") != name.npos;
}

std::vector<fs::path> workspaces_called(const fs::path& root, std::string_view name, file_look& look) {
  return workspace_finder{root, name, look}.find();
}

std::vector<fs::path> files_behind_modules(const fs::path& folder, std::string_view word, file_look& look) {
  std::vector<fs::path> files;
  auto modules = folder / modules_folder, real_modules = fs::path{look.end_of(modules.string()).real};
  auto name = package_name(word);
  if (real_modules.empty() || name.empty())
    return files;
  if (auto real = look.end_of((modules / ".bin" / name).string()).real;
      !real.empty() && !process::inside(real, real_modules)) {
    add_if_file(files, modules / ".bin" / name, look);
    add_package_of(files, real, look);
  }
  auto package = folder_of_package(folder, name, look);
  if (package.empty() || process::inside(package, real_modules))
    return files;
  add_if_file(files, modules / name / package_file, look);
  for (auto& program : programs_of_package(modules / name, look))
    add_if_file(files, program, look);
  return files;
}

} // namespace config
