#include "config/kept_places.hpp"

#include "config/clients.hpp"
#include "config/file_look.hpp"
#include "config/git_places.hpp"
#include "config/server_list.hpp"
#include "process/inside.hpp"
#include "process/link_path.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace config {

namespace fs = std::filesystem;

namespace {

/// Files that this program reads beside those of clients.
constexpr const char* own_project_file = ".code-executor.json";
/// What `npx`, which starts most servers, takes from the folder that it is started in, before anything else.
constexpr const char *npm_folder = "node_modules", *npm_file = ".npmrc";
/// Its hooks and settings (core.fsmonitor) are commands that the next `git status` of a person runs.
constexpr const char* git_folder = ".git";
/// With this file in it a folder that has no such folder is a repository itself, and its `config.worktree` holds the
/// settings.
constexpr const char* bare_git_file = "HEAD";
/// Of clients and other tools that list no servers there, but run what they find: plugins, hooks, rules of what is
/// allowed, settings with commands.
constexpr const char* other_folders[] = {
  ".windsurf", ".opencode",     ".kilocode",         ".trae",           ".augment",       ".tabnine",
  ".iflow",    ".devcontainer", ".github/hooks",     ".github/copilot", ".github/agents", ".github/extensions",
  ".hg",       ".cline/hooks",  ".clinerules/hooks", ".qoder",          ".codebuddy",     ".kilo",
  ".letta"};
constexpr const char* other_files[] = {".envrc",    ".aider.conf.yml", ".continuerc.json",      ".devcontainer.json",
                                       "crushrc",   ".crushrc",        "config/mcporter.jsonc", ".github/lsp.json",
                                       "kilo.json", "kilo.jsonc"};
/// Gemini CLI and Qwen Code take the first file of variables, or one in their folder, that they find from the project
/// up to the root, or in the home folder, and hand NODE_OPTIONS on to the servers that they start. To users of other
/// clients it is an ordinary file of the project.
constexpr const char* variables_file = ".env";
constexpr const char* folders_of_variable_readers[] = {".gemini", ".qwen"};

void add(std::vector<kept_place>& to, kept_place place) {
  if (!place.path.empty() && std::find(to.begin(), to.end(), place) == to.end())
    to.push_back(std::move(place));
}

bool is_shared(std::string_view folder) {
  auto all = shared_folders();
  return std::find(all.begin(), all.end(), folder) != all.end();
}

void add_name(std::vector<kept_place>& to, file_root root, std::string_view path) {
  auto slash = path.find('/');
  if (root != file_root::project)
    return;
  if (is_shared(path.substr(0, slash))) // programs may have much to write there
    return add(to, {std::string{path}, false});
  add(to, {std::string{path.substr(0, slash)}, slash != path.npos});
}

/// Links that are followed out of the folders of a project's clients; a repository with more of them is closed.
constexpr size_t links_max = 400;
/// Out of the folders where a user's own lists lie.
constexpr size_t own_links_max = 10'000;

/// Who keeps a link keeps what it leads to. False: there are more of them.
bool add_links_in(std::vector<kept_place>& to, const fs::path& folder, size_t& left) {
  std::error_code ec, ignored;
  for (fs::directory_iterator at{folder, ec}, end; !ec && at != end; at.increment(ec)) {
    if (!at->is_symlink(ignored))
      continue;
    if (left-- == 0)
      return false;
    add(to, {at->path().string(), fs::is_directory(at->path(), ignored)});
  }
  return true;
}

/// Of a file further below it, each part that is a link.
void add_links_on_way(std::vector<kept_place>& to, const fs::path& folder, const fs::path& below) {
  auto way = folder;
  std::error_code ec;
  for (auto& part : below) {
    way /= part;
    if (fs::is_symlink(way, ec))
      add(to, {way.string(), fs::is_directory(way, ec)});
  }
}

/// A folder of a client is kept, and links in it lead to files that decide as much: `.claude/settings.json` may be one
/// to a folder of dotfiles. Not those of packages and of repositories, which have their own rules.
void add_links_of_clients(std::vector<kept_place>& to, const fs::path& folder) {
  auto left = links_max;
  std::set<fs::path> seen;
  auto add_of = [&](const fs::path& path) {
    auto client = folder / *path.begin();
    bool is_whole = !is_shared(path.begin()->string());
    if (is_whole && seen.insert(client).second && !add_links_in(to, client, left))
      add(to, {folder.string(), true});
    add_links_on_way(to, folder, path);
  };
  for (auto& c : client_files())
    if (c.root == file_root::project)
      add_of(c.path);
  for (auto& list : off_lists())
    if (list.root == file_root::project)
      add_of(list.path);
  for (auto& list : verdict_lists())
    if (list.root == file_root::project)
      add_of(list.path);
  for (fs::path other : other_folders)
    if (other != ".hg" && seen.insert(folder / other).second && !add_links_in(to, folder / other, left))
      add(to, {folder.string(), true});
}

/// Not one that a run has only put an empty folder in the place of.
bool has_repository(const fs::path& folder) {
  std::error_code ec;
  auto git = folder / git_folder;
  return fs::exists(git / bare_git_file, ec) || fs::is_regular_file(git, ec); // a file: of a worktree, of a submodule
}

void add_names(std::vector<kept_place>& to, const fs::path& folder) {
  for (auto& name : kept_names())
    add(to, {(folder / name.path).string(), name.is_folder});
  add_links_of_clients(to, folder);
}

/// A link can not be kept in a folder that is granted, and many projects have one (`.env -> .env.local`): what it leads
/// to is kept instead. A folder of that name is a virtual environment of Python: programs write in it, but something
/// kept in there keeps its name.
void add_variables_file(std::vector<kept_place>& to, const fs::path& folder, const fs::path& name) {
  auto file = folder / name;
  if (is_unknown(file.string())) // kept_places() closes the project
    return add(to, {file.string(), false});
  auto end = process::follow_links(file).end;
  bool is_link = end != process::follow_links(folder).end / name;
  std::error_code ec;
  if (fs::is_directory(end, ec))
    return is_link ? void() : add(to, {(file / variables_file).string(), false});
  add(to, {is_link ? end.string() : file.string(), false});
}

/// Of those clients that the user has, or had.
void add_variables(std::vector<kept_place>& to, const environment& env) {
  std::error_code ec;
  for (auto* client : folders_of_variable_readers) {
    if (env.home.empty() || !fs::exists(fs::path{env.home} / client, ec))
      continue;
    auto add_those_in = [&](const fs::path& folder) {
      for (auto& name : {fs::path{variables_file}, fs::path{client} / variables_file})
        add_variables_file(to, folder, name);
    };
    for (fs::path folder{env.cwd}; folder.has_relative_path(); folder = folder.parent_path())
      add_those_in(folder);
    add_those_in(env.home);
  }
}

/// Where git would find a repository of the project that was not there before: in its folder, and in those between that
/// and its repository. There clients look for files, too (Claude Code for `.mcp.json`), and in the folder of the
/// repository itself.
void add_repository(std::vector<kept_place>& to, const environment& env) {
  fs::path project{env.cwd}, folder = project;
  for (; folder.has_relative_path() && !has_repository(folder); folder = folder.parent_path()) {
    add(to, {(folder / git_folder).string(), true});
    add(to, {(folder / bare_git_file).string(), false});
  }
  if (!folder.has_relative_path()) // it is in none
    return;
  for (auto& place : git_places(folder.string(), env.home))
    add(to, place);
  for (auto between = project; between != folder; between = between.parent_path())
    add_names(to, between.parent_path());
}

/// Of a pattern, its folder, and the links in it.
void add_place_of(std::vector<kept_place>& to, const std::string& path) {
  fs::path at{path};
  if (at.filename().string().find('*') == std::string::npos)
    return add(to, {path, false});
  add(to, {at.parent_path().string(), true});
  auto left = own_links_max;
  if (!path.empty() && !add_links_in(to, at.parent_path(), left))
    add(to, {at.parent_path().parent_path().string(), true});
}

} // namespace

std::vector<kept_place> kept_names() {
  std::vector<kept_place> names{{own_project_file, false}, {npm_folder, true}, {npm_file, false}, {git_folder, true}};
  for (auto* folder : other_folders)
    names.push_back({folder, true});
  for (auto* file : other_files)
    names.push_back({file, false});
  for (auto& c : client_files())
    add_name(names, c.root, c.path);
  for (auto& list : off_lists())
    add_name(names, list.root, list.path);
  for (auto& list : verdict_lists())
    add_name(names, list.root, list.path);
  return names;
}

std::vector<kept_place> kept_places(const environment& env, const std::vector<kept_place>& more) {
  std::vector<kept_place> places;
  for (auto& place : more)
    add(places, place);
  add_names(places, env.cwd);
  add_variables(places, env);
  add_repository(places, env);
  for (auto& source : server_sources(env))
    if (!source.of_project)
      add_place_of(places, source.path);
  for (auto& list : off_lists())
    if (list.root != file_root::project)
      add_place_of(places, path_of(env, list.root, list.path, list.moved_by));
  for (auto& list : verdict_lists())
    if (list.root != file_root::project)
      add_place_of(places, path_of(env, list.root, list.path, list.moved_by));
  if (std::erase_if(places, [](auto& place) { return is_unknown(place.path); }) > 0)
    add(places, {env.cwd, true}); // who has made such links there has made them for us
  return places;
}

} // namespace config
