#include "config/kept_places.hpp"

#include "config/clients.hpp"
#include "config/folder_links.hpp"
#include "config/server_list.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace config_kept_places_test {

using config::kept_place;

bool has(const std::vector<kept_place>& all, const kept_place& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

TEST(kept_places, every_file_of_a_project_that_is_read_is_in_them) {
  auto names = config::kept_names();
  auto covers = [&](std::string_view path) {
    auto slash = path.find('/');
    return has(names, {std::string{path.substr(0, slash)}, slash != path.npos})
           || has(names, {std::string{path}, false});
  };
  for (auto& c : config::client_files())
    EXPECT_TRUE(c.root != config::file_root::project || covers(c.path)) << c.path;
  for (auto& list : config::off_lists())
    EXPECT_TRUE(list.root != config::file_root::project || covers(list.path)) << list.path;
  for (auto* path : {".mcp.json",
                     ".code-executor.json",
                     ".cursor/mcp.json",
                     ".vscode/mcp.json",
                     ".claude/settings.local.json",
                     ".gemini/settings.json",
                     ".codex/config.toml",
                     "opencode.json",
                     "opencode.jsonc",
                     ".zed/settings.json",
                     ".windsurf/mcp.json",
                     "mcp-servers/x.json",
                     "node_modules/.bin/x",
                     ".npmrc",
                     ".github/mcp.json",
                     "config/mcporter.json",
                     ".opencode/plugin/x.js",
                     ".kilocode/mcp.json",
                     ".trae/mcp.json",
                     ".hg/hgrc",
                     ".envrc",
                     ".aider.conf.yml",
                     ".crush/crush.json",
                     ".crushrc",
                     "crushrc",
                     ".continuerc.json",
                     ".augment/settings.json",
                     ".tabnine/mcp_servers.json",
                     ".iflow/settings.json",
                     ".devcontainer/devcontainer.json",
                     ".devcontainer/x/devcontainer.json",
                     ".devcontainer.json",
                     ".qoder/settings.json",
                     ".codebuddy/settings.json",
                     ".kilo/plugin/x.js",
                     ".letta/settings.json",
                     "kilo.json",
                     "kilo.jsonc"})
    EXPECT_TRUE(covers(path)) << path;
  EXPECT_FALSE(covers(".env")) << "of any folder of another project";
}

TEST(kept_places, of_folders_that_many_programs_share_only_the_file_is_in_them) {
  auto names = config::kept_names();
  for (auto* path : {".github/mcp.json", "config/mcporter.json", "config/mcporter.jsonc", ".github/lsp.json"})
    EXPECT_TRUE(has(names, {path, false})) << path;
  for (auto* path : {".github/hooks", ".github/copilot", ".github/agents", ".github/extensions", ".clinerules/hooks",
                     ".cline/hooks"})
    EXPECT_TRUE(has(names, {path, true})) << path << ": clients run what is there";
  for (auto* path : {".github", ".github/workflows", ".clinerules", ".cline"})
    EXPECT_FALSE(has(names, {path, true}) || has(names, {path, false})) << path;
  for (auto* folder : config::shared_folders()) {
    EXPECT_FALSE(has(names, {folder, true})) << folder << ": programs write workflows and settings there";
    EXPECT_FALSE(has(names, {folder, false})) << folder;
  }
}

TEST(kept_places, every_place_that_is_read_is_in_them) {
  config::environment env;
  env.home = "/home/u";
  env.cwd = "/home/u/project";
  env.mcp_config_path = "/elsewhere/servers.json";
  env.places["MCP_SERVERS_CONFIG"] = "/elsewhere/more.json";
  auto places = config::kept_places(env, {{"/home/u/.code-executor", true}});
  auto is_inside = [](const std::string& path, const kept_place& k) {
    return path == k.path || (k.is_folder && path.starts_with(k.path + "/"));
  };
  for (auto& source : config::server_sources(env))
    EXPECT_TRUE(std::any_of(places.begin(), places.end(), [&](auto& k) { return is_inside(source.path, k); }))
      << source.path;
  EXPECT_TRUE(has(places, {"/home/u/.code-executor", true}));
  EXPECT_TRUE(has(places, {"/home/u/.claude/settings.json", false}));
  EXPECT_TRUE(has(places, {"/home/u/project/.cursor", true}));
  EXPECT_TRUE(has(places, {"/home/u/MCPs", true}));
  EXPECT_TRUE(has(places, {"/home/u/project/.github/mcp.json", false}));
  EXPECT_TRUE(has(places, {"/home/u/.mcporter/mcporter.json", false}));
}

TEST(kept_places, variables_that_clients_load_are_in_them_for_who_has_such_a_client) {
  test::folder folder;
  config::environment env;
  env.home = folder.path("home");
  env.cwd = folder.path("mono/packages/app");
  std::filesystem::create_directories(env.cwd);
  folder.write("mono/.git/HEAD", "ref: refs/heads/main");
  auto keeps = [&](const std::string& name) { return has(config::kept_places(env, {}), {folder.path(name), false}); };
  EXPECT_FALSE(keeps("mono/packages/app/.env")) << "an ordinary file, which programs may write";
  for (auto* client : {".gemini", ".qwen"}) {
    std::filesystem::create_directories(folder.path("home/" + std::string{client}));
    for (auto* file : {"mono/packages/app/.env", "mono/packages/.env", "mono/.env", "home/.env"})
      EXPECT_TRUE(keeps(file)) << client << file;
    EXPECT_TRUE(keeps("home/" + std::string{client} + "/.env"));
    for (auto* above : {"", "mono/", "mono/packages/", "mono/packages/app/"}) // also above the repository
      EXPECT_TRUE(keeps(above + std::string{".env"}) && keeps(above + std::string{client} + "/.env"))
        << above << client;
    EXPECT_FALSE(keeps(".qwen/.env") && keeps(".gemini/.env")) << "of the other one";
    std::filesystem::remove_all(env.home);
  }
  env.home = "";
  EXPECT_FALSE(keeps("mono/packages/app/.env"));
}

TEST(kept_places, variables_behind_a_link_or_in_the_place_of_a_folder) {
  namespace fs = std::filesystem;
  test::folder folder;
  config::environment env;
  env.home = folder.path("home");
  env.cwd = folder.path("project");
  fs::create_directories(env.home + "/.gemini");
  folder.write("project/.env.local", "");
  auto keeps = [&](const std::string& name) { return has(config::kept_places(env, {}), {env.cwd + name, false}); };
  auto link_to = [&](const std::string& target) {
    fs::remove(env.cwd + "/.env");
    fs::create_symlink(target, env.cwd + "/.env");
  };
  fs::create_symlink("nothing", env.cwd + "/second");
  fs::create_symlink("no/where", env.cwd + "/far");
  std::pair<const char*, const char*> cases[] = {
    {".env.local", "/.env.local"}, {"../project/.env.local", "/.env.local"},
    {"nothing", "/nothing"},       {"no/thing", "/no/thing"},
    {"second", "/nothing"},        {"far/x", "/no/where/x"}};
  for (auto& [target, end] : cases) {
    link_to(target);
    EXPECT_FALSE(keeps("/.env")) << "it could not be kept where the project is granted: " << target;
    EXPECT_TRUE(keeps(end)) << target;
  }
  link_to(".env");
  EXPECT_FALSE(keeps("/.env")) << "nobody reads it";
  EXPECT_FALSE(has(config::kept_places(env, {}), {env.cwd, true}));
  fs::create_directory(env.cwd + "/venv");
  link_to("venv");
  EXPECT_FALSE(keeps("/.env") || keeps("/venv") || keeps("/.env/.env"));
  fs::remove(env.cwd + "/.env");
  fs::create_directory(env.cwd + "/.env");
  EXPECT_FALSE(keeps("/.env")) << "programs write in it";
  EXPECT_TRUE(keeps("/.env/.env")) << "so that no file takes its place";
}

TEST(kept_places, a_project_becomes_no_repository) {
  test::folder folder;
  config::environment env;
  env.cwd = folder.path("mono/packages/app");
  std::filesystem::create_directories(env.cwd);
  auto keeps = [&](std::string_view name, bool is_folder) {
    return has(config::kept_places(env, {}), {folder.path(name), is_folder});
  };
  for (auto* above : {"mono/packages/app/", "mono/packages/", "mono/"}) {
    EXPECT_TRUE(keeps(above + std::string{"HEAD"}, false)) << above;
    EXPECT_TRUE(keeps(above + std::string{".git"}, true)) << above;
  }
  folder.write("mono/.git/HEAD", "ref: refs/heads/main");
  EXPECT_TRUE(keeps("mono/packages/app/HEAD", false));
  EXPECT_TRUE(keeps("mono/packages/HEAD", false)) << "git would find it before the repository";
  EXPECT_FALSE(keeps("mono/HEAD", false)) << "it is one";
  for (auto* name : {"mono/.mcp.json", "mono/packages/.mcp.json"})
    EXPECT_TRUE(keeps(name, false)) << "clients look there, too";
  EXPECT_FALSE(keeps(".mcp.json", false));
  std::filesystem::create_directory(env.cwd + "/.git");
  EXPECT_TRUE(keeps("mono/packages/app/HEAD", false)) << "an empty folder is the placeholder of a run";
  folder.write("mono/packages/app/.git/HEAD", "");
  EXPECT_FALSE(keeps("mono/packages/app/HEAD", false));
  EXPECT_TRUE(keeps("mono/packages/app/.git", true));
  std::filesystem::remove_all(env.cwd + "/.git");
  folder.write("mono/packages/app/.git", "gitdir: elsewhere");
  EXPECT_FALSE(keeps("mono/packages/app/HEAD", false)) << "of a worktree";
}

TEST(kept_places, a_project_with_links_that_can_not_be_followed_is_closed) {
  test::folder folder;
  config::environment env;
  env.cwd = folder.path("project");
  folder.write("project/d/x", "");
  std::string far;
  for (int i = 0; i < 600; ++i)
    far += "d/../";
  std::filesystem::create_symlink("d", env.cwd + "/.cursor");
  EXPECT_FALSE(has(config::kept_places(env, {}), {env.cwd, true}));
  std::filesystem::create_symlink(far + "d", env.cwd + "/node_modules");
  auto places = config::kept_places(env, {{"/home/u/.code-executor", true}});
  EXPECT_TRUE(has(places, {env.cwd, true}));
  EXPECT_FALSE(has(places, {env.cwd + "/node_modules", true})) << "who keeps it would follow it";
  EXPECT_TRUE(has(places, {env.cwd + "/.cursor", true}) && has(places, {"/home/u/.code-executor", true}))
    << "the others stay";
}

TEST(kept_places, links_in_folders_of_clients) {
  namespace fs = std::filesystem;
  test::folder folder;
  config::environment env;
  env.home = folder.path("home");
  env.cwd = folder.path("mono/app");
  folder.write("mono/.git/HEAD", "");
  auto keeps = [&](const std::string& name, bool is_folder = false) {
    return has(config::kept_places(env, {}), {folder.path(name), is_folder});
  };
  auto link = [&](const std::string& target, const std::string& at) {
    fs::create_directories(fs::path{folder.path(at)}.parent_path());
    fs::create_symlink(target, folder.path(at));
  };
  for (auto* file : {".claude/settings.json", ".claude/settings.local.json", ".cursor/mcp.json", ".codex/config.toml",
                     ".kiro/settings/mcp.json"})
    EXPECT_TRUE(keeps(std::string{"mono/app/"} + file) && keeps(std::string{"mono/"} + file))
      << "it may become a link: " << file;
  for (auto* file : {"mono/app/.vscode/tasks.json", "mono/app/.opencode/opencode.json", "mono/app/mcp-servers/a.json",
                     "mono/app/.continue/mcpServers/a.yaml", "mono/app/.github/hooks/h.json", "mono/.cursor/hooks.json",
                     "home/MCPs/a.json", "home/.config/mcp/servers/b.json", "home/.claude/settings.local.json",
                     "home/.cursor/hooks.json", "home/.config/Code/User/tasks.json"}) {
    EXPECT_FALSE(keeps(file)) << file;
    link("/dotfiles/gone", file);
    EXPECT_TRUE(keeps(file)) << file;
  }
  fs::create_directory(folder.path("mono/app/prompts"));
  link("../prompts", "mono/app/.claude/commands");
  EXPECT_TRUE(keeps("mono/app/.claude/commands", true));
  link("elsewhere", "home/.config/other");
  link("elsewhere", "home/other");
  link("../x", "mono/app/node_modules/x");
  EXPECT_FALSE(keeps("home/.config/other") || keeps("home/other") || keeps("mono/app/node_modules/x"))
    << "of no client";
}

TEST(kept_places, too_many_links_of_clients_close_what_they_may_lead_to) {
  namespace fs = std::filesystem;
  test::folder folder;
  config::environment env;
  env.home = folder.path("home");
  env.cwd = folder.path("project");
  fs::create_directories(env.cwd + "/.claude");
  fs::create_directories(env.home + "/MCPs");
  auto why = [&](const std::string& path) {
    for (auto& place : config::kept_places(env, {}))
      if (place.path == path && place.is_folder)
        return place.why;
    return std::string{};
  };
  auto fill = [&](const std::string& below) {
    for (size_t i = 0; i <= config::folder_links_max; ++i) {
      if (i == config::folder_links_max)
        EXPECT_EQ(why(env.cwd) + why(env.home), "");
      fs::create_symlink("x", below + "/l" + std::to_string(i));
    }
  };
  fill(env.cwd + "/.claude");
  EXPECT_EQ(why(env.cwd),
            env.cwd + "/.claude has more links than are followed, so what is started by way of it is not known");
  EXPECT_EQ(why(env.home), "");
  fs::remove_all(env.cwd + "/.claude");
  fill(env.home + "/MCPs");
  EXPECT_NE(why(env.home).find("/MCPs has more links"), std::string::npos) << why(env.home);
  EXPECT_EQ(why(env.cwd), why(env.home));
}

} // namespace config_kept_places_test
