#include "config/kept_places.hpp"

#include "config/clients.hpp"
#include "config/file_look.hpp"
#include "config/folder_links.hpp"
#include "config/git_places.hpp"
#include "config/server_list.hpp"
#include "process/inside.hpp"
#include "process/link_path.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
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
constexpr const char* other_folders[] = {".windsurf",
                                         ".opencode",
                                         ".kilocode",
                                         ".trae",
                                         ".augment",
                                         ".tabnine",
                                         ".iflow",
                                         ".devcontainer",
                                         ".github/hooks",
                                         ".github/copilot",
                                         ".github/agents",
                                         ".github/extensions",
                                         ".hg",
                                         ".cline/hooks",
                                         ".clinerules/hooks",
                                         ".qoder",
                                         ".codebuddy",
                                         ".kilo",
                                         ".letta",
                                         ".grok",
                                         ".pi",
                                         ".mux",
                                         ".rovodev",
                                         ".eca",
                                         ".neovate",
                                         ".theia"};
constexpr const char* other_files[] = {".envrc",
                                       ".aider.conf.yml",
                                       ".continuerc.json",
                                       ".devcontainer.json",
                                       "crushrc",
                                       ".crushrc",
                                       "config/mcporter.jsonc",
                                       ".github/lsp.json",
                                       "kilo.json",
                                       "kilo.jsonc",
                                       "mcp.json",
                                       ".vs/mcp.json",
                                       "fast-agent.config.yaml",
                                       "fastagent.config.yaml"};
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

void add_name(std::vector<kept_place>& to, std::string_view path) {
  auto slash = path.find('/');
  if (is_shared(path.substr(0, slash))) // programs may have much to write there
    return add(to, {std::string{path}, false});
  add(to, {std::string{path.substr(0, slash)}, slash != path.npos});
}

/// Not one that a run has only put an empty folder in the place of.
bool has_repository(const fs::path& folder) {
  std::error_code ec;
  auto git = folder / git_folder;
  return fs::exists(git / bare_git_file, ec) || fs::is_regular_file(git, ec); // a file: of a worktree, of a submodule
}

/// Of a pattern, its folder.
kept_place place_of(const std::string& path) {
  fs::path at{path};
  bool is_pattern = at.filename().string().find('*') != std::string::npos;
  return {is_pattern ? at.parent_path().string() : path, is_pattern};
}

/// What clients read below a project.
std::vector<std::string> paths_in_project() {
  std::vector<std::string> paths;
  auto add_those_of = [&](auto table) {
    for (auto& line : table)
      if (line.root == file_root::project)
        paths.emplace_back(line.path);
  };
  add_those_of(client_files());
  add_those_of(off_lists());
  add_those_of(verdict_lists());
  return paths;
}

/// `closed`: nobody writes there if it is not known where all of the links lead.
void add_links(std::vector<kept_place>& to, const std::vector<fs::path>& folders,
               const std::vector<std::string>& closed) {
  auto found = links_in(folders);
  for (auto& link : found.links)
    add(to, std::move(link));
  for (auto& folder : closed)
    if (!found.problem.empty())
      add(to, {folder, true, found.problem});
}

/// Of a project, or a folder above one. The files of clients by their whole paths, too: one of them may be a link, and
/// the mount of its folder keeps only that name.
void add_names(std::vector<kept_place>& to, const fs::path& folder) {
  std::vector<fs::path> with_links;
  for (auto& name : kept_names()) {
    add(to, {(folder / name.path).string(), name.is_folder});
    if (name.is_folder && name.path != npm_folder && name.path != git_folder) // git_places() knows that one
      with_links.push_back(folder / name.path);
  }
  for (auto& path : paths_in_project()) {
    add(to, place_of((folder / path).string()));
    for (auto above = fs::path{path}.parent_path(); above.has_parent_path(); above = above.parent_path())
      with_links.push_back(folder / above);
  }
  add_links(to, with_links, {folder.string()});
}

/// Folders that belong to a client, or hold a file for each server; not those that everything lies in.
class user_folders {
public:
  explicit user_folders(const environment& env)
    : shared_{env.cwd, env.home, path_of(env, file_root::config, "", nullptr),
              path_of(env, file_root::mac_support, "", nullptr)} {}

  void add_that_of(const std::string& path, bool is_named) {
    auto folder = fs::path{path}.parent_path();
    bool is_shared =
      std::any_of(shared_.begin(), shared_.end(), [&](auto& s) { return folder / "" == fs::path{s} / ""; });
    if (place_of(path).is_folder || !(is_named || is_shared))
      folders_.push_back(std::move(folder));
  }
  const std::vector<fs::path>& all() const { return folders_; }

private:
  std::vector<std::string> shared_;
  std::vector<fs::path> folders_;
};

/// The user's own files, with what the links beside them lead to.
void add_those_of_user(std::vector<kept_place>& to, const environment& env) {
  user_folders folders{env};
  auto add_file = [&](const std::string& path, bool is_named) {
    if (path.empty())
      return;
    add(to, place_of(path));
    folders.add_that_of(path, is_named);
  };
  for (auto& source : server_sources(env))
    if (!source.of_project)
      add_file(source.path, !source.named_by.empty());
  for (auto& list : off_lists())
    if (list.root != file_root::project)
      add_file(path_of(env, list.root, list.path, list.moved_by), false);
  for (auto& list : verdict_lists())
    if (list.root != file_root::project)
      add_file(path_of(env, list.root, list.path, list.moved_by), false);
  add_links(to, folders.all(), {env.home, env.cwd});
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

} // namespace

std::vector<kept_place> kept_names() {
  std::vector<kept_place> names{{own_project_file, false}, {npm_folder, true}, {npm_file, false}, {git_folder, true}};
  for (auto* folder : other_folders)
    names.push_back({folder, true});
  for (auto* file : other_files)
    names.push_back({file, false});
  for (auto& path : paths_in_project())
    add_name(names, path);
  return names;
}

std::vector<kept_place> kept_places(const environment& env, const std::vector<kept_place>& more) {
  std::vector<kept_place> places;
  for (auto& place : more)
    add(places, place);
  add_names(places, env.cwd);
  add_variables(places, env);
  add_repository(places, env);
  add_those_of_user(places, env);
  if (std::erase_if(places, [](auto& place) { return is_unknown(place.path); }) > 0)
    add(places, {env.cwd, true}); // who has made such links there has made them for us
  return places;
}

} // namespace config
