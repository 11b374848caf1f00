#include "config/package_files.hpp"

#include "config/program_files.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace config_package_files_test {

namespace fs = std::filesystem;
using paths = std::vector<fs::path>;
using strings = std::vector<std::string>;

/// A project with a package in it that `node_modules` has a link to, as npm makes it of a workspace, and an ordinary
/// one.
class package_files_test : public testing::Test {
protected:
  package_files_test() {
    folder_.write("project/package.json", R"({"name": "root", "workspaces": ["packages/*"]})");
    folder_.write("project/packages/mine/package.json",
                  R"({"name": "my-mcp", "bin": {"my-mcp": "./dist/cli.js", "other": "gone.js"}})");
    folder_.write("project/packages/mine/dist/cli.js", "#!/usr/bin/env runner\n");
    folder_.write("project/node_modules/theirs/package.json", R"({"bin": "cli.js"})");
    folder_.write("project/node_modules/theirs/cli.js", "");
    for (auto* name : {"bin/npx", "bin/npm", "bin/runner", "bin/xargs"})
      folder_.write_program(name, "");
    fs::create_directories(path("node_modules/.bin"));
    fs::create_directories(path("node_modules/@scope"));
    link("../packages/mine", "node_modules/my-mcp");
    link("../../packages/mine", "node_modules/@scope/x");
    link("../my-mcp/dist/cli.js", "node_modules/.bin/my-mcp");
    link("../theirs/cli.js", "node_modules/.bin/theirs");
  }
  void link(const std::string& target, const std::string& at) const { fs::create_symlink(target, path(at)); }
  std::string path(const std::string& below) const { return folder_.path("project/" + below); }
  paths behind(std::string_view word) const {
    config::file_look look;
    return config::files_behind_modules(folder_.path("project"), word, look);
  }
  paths programs_of(const std::string& below) const {
    config::file_look look;
    return config::programs_of_package(folder_.path(below), look);
  }
  paths workspaces_called(std::string_view name) const {
    config::file_look look;
    return config::workspaces_called(folder_.path("project"), name, look);
  }
  bool finds(const strings& words, const std::string& file, const std::string& cwd = "project") const {
    config::file_look look;
    auto found = config::program_files({words, folder_.path("bin"), folder_.path(cwd), "/home/u"}, look).files;
    for (auto& name : found)
      name = fs::weakly_canonical(name).string(); // links are followed by who keeps them
    return std::find(found.begin(), found.end(), fs::path{path(file)}.lexically_normal()) != found.end();
  }

  test::folder folder_;
};

TEST_F(package_files_test, of_a_package_its_programs) {
  auto of = [&](std::string_view text) {
    folder_.write("p/package.json", text);
    auto found = programs_of("p");
    strings names;
    for (auto& program : found)
      names.push_back(program.lexically_relative(folder_.path("p")).string());
    return names;
  };
  EXPECT_EQ(of(R"({"bin": "./cli.js"})"), (strings{"cli.js"}));
  EXPECT_EQ(of(R"({"bin": {"a": "a.js", "b": "/b/../b.js", "c": 1, "d": ""}, "directories": {"bin": "tools"}})"),
            (strings{"a.js", "b.js", "tools"}));
  for (auto* text : {"", "{", "[]", "{}", R"({"bin": null, "directories": []})", R"({"bin": "a\u0000b"})"})
    EXPECT_EQ(of(text), strings{}) << text;
  std::string many = R"({"bin": {)";
  for (size_t i = 0; i <= config::package_programs_max; ++i)
    many += "\"" + std::to_string(i) + "\": \"x\",";
  EXPECT_EQ(of(many + R"("z": "z"}})").size(), config::package_programs_max);
  EXPECT_EQ(of(R"({"bin": "cli.js", "x": ")" + std::string(config::package_bytes_max, 'x') + "\"}"), strings{});
  EXPECT_EQ(programs_of("gone"), paths{});
}

TEST_F(package_files_test, what_modules_only_lead_to) {
  auto real_package = path("packages/mine/package.json");
  paths mine{path("node_modules/.bin/my-mcp"), real_package, path("node_modules/my-mcp/package.json"),
             path("node_modules/my-mcp/dist/cli.js")};
  EXPECT_EQ(behind("my-mcp"), mine);
  EXPECT_EQ(behind("my-mcp@latest"), mine);
  EXPECT_EQ(behind("@scope/x@1.2"),
            (paths{path("node_modules/@scope/x/package.json"), path("node_modules/@scope/x/dist/cli.js")}));
  for (auto* word :
       {"theirs", "gone", "", "@scope", "..", "../packages", "@scope/..", "-y", ".bin", "my-mcp/dist", "@scope/x/dist"})
    EXPECT_EQ(behind(word), paths{}) << word;
  link("../../packages/mine/dist/cli.js", "node_modules/.bin/alone");
  EXPECT_EQ(behind("alone"), (paths{path("node_modules/.bin/alone"), real_package}))
    << "a program that is called otherwise than its package";
}

TEST_F(package_files_test, of_a_package_of_the_project_that_is_run_by_its_name) {
  for (auto& line :
       {strings{"npx", "my-mcp"}, strings{"npx", "-y", "my-mcp@latest"}, strings{"npx", "--package=@scope/x", "x"},
        strings{"npm", "exec", "--", "my-mcp"}, strings{"sh", "-c", "npx my-mcp | cat"},
        strings{"npm", "run", "-w", "my-mcp", "mcp"}, strings{"npm", "run", "--workspace", "my-mcp", "mcp"},
        strings{"npm", "run", "--workspace=my-mcp", "mcp"}, strings{"npm", "start", "--workspace=packages/mine"},
        strings{"npm", "start", "-w", "./packages/mine"}, strings{"pnpm", "--filter", "my-mcp", "mcp"},
        strings{"pnpm", "-F", "./packages/mine", "mcp"}, strings{"yarn", "workspace", "@scope/x", "mcp"},
        strings{"pnpm", "--filter-prod", "my-mcp", "mcp"}, strings{"pnpm", "--filter-prod=my-mcp", "mcp"},
        strings{"npm", "--prefix", "packages/mine", "start"}}) {
    EXPECT_TRUE(finds(line, "packages/mine/package.json")) << testing::PrintToString(line);
    EXPECT_TRUE(finds(line, "packages/mine/dist/cli.js")) << testing::PrintToString(line);
    EXPECT_TRUE(finds(line, "../bin/runner")) << "by its first line: " << testing::PrintToString(line);
  }
  EXPECT_TRUE(finds({"npx", "my-mcp"}, "packages/mine/dist/cli.js", "project/packages"))
    << "modules are looked for above";
  EXPECT_TRUE(finds({"npm", "start", "-w", "my-mcp"}, "packages/mine/package.json", "project/packages"));
  for (auto& line : {strings{"npx", "theirs"}, strings{"xargs", "my-mcp"}, strings{"npm", "start", "-w", "theirs"}})
    EXPECT_FALSE(finds(line, "packages/mine/dist/cli.js")) << testing::PrintToString(line);
}

TEST_F(package_files_test, what_node_finds_in_a_folder) {
  auto of = [&](const std::string& text) {
    folder_.write("p/package.json", text);
    config::file_look look;
    strings names;
    for (auto& file : config::entries_of_package(folder_.path("p"), look))
      names.push_back(file.lexically_relative(folder_.path("p")).string());
    return names;
  };
  for (auto* name : {"p/lib/server.js", "p/lib/x.cjs", "p/dist/index.mjs", "p/index.json"})
    folder_.write(name, "");
  EXPECT_EQ(of("{}"), (strings{"index.json"}));
  EXPECT_EQ(of(R"({"main": "lib/server.js"})"), (strings{"index.json", "lib/server.js"}));
  EXPECT_EQ(of(R"({"main": "./lib/server"})"), (strings{"index.json", "lib/server.js"}));
  EXPECT_EQ(of(R"({"main": "dist/"})"), (strings{"index.json", "dist/index.mjs"}));
  EXPECT_EQ(
    of(
      R"({"exports": {".": {"import": "./dist/index.mjs", "default": ["./lib/x.cjs", 1]}, "./*": "./*.js", "./y": null}})"),
    (strings{"index.json", "dist/index.mjs", "lib/x.cjs"}));
}

TEST_F(package_files_test, of_a_folder_that_words_name_what_its_package_says) {
  folder_.write("project/tools/t/package.json", R"({"name": "t", "main": "lib/server", "bin": {"t": "lib/cli"}})");
  folder_.write("project/tools/t/lib/server.js", "");
  folder_.write("project/tools/t/lib/cli", "");
  auto absolute = path("tools/t");
  for (auto& line : {strings{"node", "tools/t"}, strings{"node", "-r", "./tools/t", "-e", "1"},
                     strings{"node", absolute}, strings{"tsx", "tools/t/"},
                     strings{"node", "-e", "require('./tools/t')"}, strings{"env", "-C", "tools/t", "node", "."}})
    EXPECT_TRUE(finds(line, "tools/t/lib/server.js")) << testing::PrintToString(line);
  EXPECT_TRUE(finds({"node", "."}, "tools/t/lib/server.js", "project/tools/t"));
  for (auto& line : {strings{"npx", "-y", "./tools/t"}, strings{"npx", absolute},
                     strings{"npm", "exec", "-y", "--", "./tools/t"}, strings{"npx", "--package=./tools/t", "t"},
                     strings{"npx", "-y", "file:tools/t"}, strings{"npx", "file:./tools/t"}})
    EXPECT_TRUE(finds(line, "tools/t/lib/cli")) << testing::PrintToString(line);
  EXPECT_FALSE(finds({"xargs", "tools/t"}, "tools/t/lib/server.js") || finds({"xargs", "tools/t"}, "tools/t/lib/cli"));
}

TEST_F(package_files_test, modules_that_node_finds_by_their_names) {
  folder_.write("project/packages/mine/util.cjs", "");
  for (auto& line :
       {strings{"node", "-r", "my-mcp/dist/cli.js", "x"}, strings{"node", "--require=my-mcp/dist/cli"},
        strings{"node", "-e", "require('my-mcp/dist/cli.js')"}, strings{"node", "-r", "@scope/x/dist/cli", "x"}}) {
    EXPECT_TRUE(finds(line, "packages/mine/dist/cli.js")) << testing::PrintToString(line);
    EXPECT_TRUE(finds(line, "packages/mine/package.json")) << testing::PrintToString(line);
  }
  EXPECT_TRUE(finds({"node", "-r", "my-mcp/dist/cli.js"}, "packages/mine/dist/cli.js", "project/packages"))
    << "from below";
  config::file_look look;
  for (auto* word :
       {"", "theirs", "theirs/cli.js", "gone/x", "..", "./my-mcp", "@scope", ".bin/my-mcp", "my-mcp@1.2/dist/cli.js"})
    EXPECT_EQ(config::modules_called(folder_.path("project"), word, look), paths{}) << word;
  EXPECT_FALSE(finds({"xargs", "my-mcp/dist/cli.js"}, "packages/mine/dist/cli.js"));
}

TEST_F(package_files_test, all_workspaces_where_all_are_meant) {
  folder_.write("project/packages/second/package.json", R"({"name": "second", "bin": "s.js"})");
  folder_.write("project/packages/second/s.js", "");
  for (auto& line :
       {strings{"npm", "run", "mcp", "-ws"}, strings{"npm", "run", "mcp", "--workspaces", "--if-present"},
        strings{"pnpm", "-r", "mcp"}, strings{"npx", "pnpm@9", "-r", "mcp"},
        strings{"npx", "@pnpm/exe", "recursive", "mcp"}, strings{"npm", "--recursive", "mcp"},
        strings{"sh", "-c", "corepack pnpm.cjs -r mcp"}, strings{"env", "npm_config_recursive=true", "pnpm", "mcp"},
        strings{"npm", "run", "mcp", "-w", "packages"}, strings{"npm", "run", "mcp", "--workspace=./packages/"},
        strings{"pnpm", "--filter", "*", "mcp"}, strings{"env", "npm_config_workspaces=true", "npm", "run", "mcp"},
        strings{"yarn", "workspaces", "run", "mcp"}, strings{"npm", "-wsecond", "run", "mcp"},
        strings{"env", "npm_config_workspace=second", "npm", "run", "mcp"}})
    for (auto* file : {"packages/second/package.json", "packages/second/s.js"})
      EXPECT_TRUE(finds(line, file)) << testing::PrintToString(line);
  EXPECT_TRUE(finds({"npm", "run", "mcp", "-ws"}, "packages/mine/dist/cli.js"));
  EXPECT_FALSE(finds({"npm", "run", "mcp", "-w", "./packages/mine"}, "packages/second/package.json"));
  for (auto& line :
       {strings{"node", "-r", "x"}, strings{"npx", "ts-node", "-r", "dotenv/config", "server.ts"},
        strings{"yarn", "m", "-r"}, strings{"npm", "exec", "--", "mocha", "-r", "x"}, strings{"bun", "-r", "./x"}})
    EXPECT_FALSE(finds(line, "packages/second/package.json")) << testing::PrintToString(line) << ": of pnpm only";
  EXPECT_TRUE(finds({"node", "--run", "mcp"}, "package.json")) << "of Node.js itself";
}

TEST_F(package_files_test, of_yarn_what_it_runs_instead_of_itself) {
  folder_.write("project/.yarnrc.yml", "yarnPath: .yarn/releases/yarn-4.5.0.cjs\nplugins:\n  - path: "
                                       ".yarn/plugins/x.cjs\n    spec: '@yarnpkg/x'\n");
  folder_.write("project/.yarnrc", "lastUpdateCheck 1\nyarn-path \".yarn/releases/yarn-1.cjs\"\n");
  for (auto* name : {".yarn/releases/yarn-4.5.0.cjs", ".yarn/releases/yarn-1.cjs", ".yarn/plugins/x.cjs", ".pnp.cjs"}) {
    folder_.write(std::string{"project/"} + name, "");
    EXPECT_TRUE(finds({"yarn", "mcp"}, name)) << name;
    EXPECT_TRUE(finds({"yarn", "mcp"}, name, "project/packages/mine")) << name;
    EXPECT_FALSE(finds({"xargs", "mcp"}, name)) << name;
  }
  for (auto* text : {"", ":", "yarnPath:", "yarnPath: [1]", "- 1"}) {
    folder_.write("project/.yarnrc.yml", text);
    folder_.write("project/.yarnrc", "yarn-path");
    EXPECT_FALSE(finds({"yarn", "mcp"}, ".yarn/plugins/x.cjs")) << text;
  }
}

TEST_F(package_files_test, of_the_package_that_it_is_started_in) {
  EXPECT_TRUE(finds({"npx", "my-mcp"}, "packages/mine/dist/cli.js", "project/packages/mine"));
  EXPECT_TRUE(finds({"npm", "exec", "my-mcp"}, "packages/mine/dist/cli.js", "project/packages/mine/dist"));
  EXPECT_FALSE(finds({"npx", "my-mcp"}, "packages/mine/gone.js", "project/packages/mine"));
  folder_.write("project/package.json", R"({"directories": {"bin": "tools"}})");
  fs::create_directory(path("tools"));
  EXPECT_TRUE(finds({"npx", "x"}, "tools"));
}

TEST_F(package_files_test, workspaces_that_no_modules_lead_to) {
  fs::remove(path("node_modules/my-mcp"));
  paths mine{path("packages/mine")};
  auto of = [&](const std::string& patterns) {
    folder_.write("project/package.json", R"({"workspaces": )" + patterns + "}");
    return workspaces_called("my-mcp");
  };
  for (auto* patterns : {R"(["x/*", "packages/*"])", R"({"packages": ["./packages/m*"]})", R"(["packages/mine/"])",
                         R"(["**"])", R"(["{packages,x}/*"])"})
    EXPECT_EQ(of(patterns), mine) << patterns;
  for (auto* patterns : {"1", "[]", "[1]", R"(["*"])", R"(["gone/*"])", R"(["node_modules/*"])"})
    EXPECT_EQ(of(patterns), paths{}) << patterns;
  folder_.write("project/pnpm-workspace.yaml", "packages:\n  - 'packages/*'\n");
  EXPECT_TRUE(finds({"pnpm", "--filter", "my-mcp", "start"}, "packages/mine/package.json"));
  EXPECT_TRUE(finds({"pnpm", "--filter", "my-mcp", "start"}, "packages/mine/package.json", "project/packages"))
    << "from below";
  EXPECT_FALSE(finds({"pnpm", "--filter", "gone", "start"}, "packages/mine/package.json"));
}

TEST_F(package_files_test, a_workspace_is_found_by_its_name_without_the_scope) {
  folder_.write("project/packages/mine/package.json", R"({"name": "@own/tool"})");
  EXPECT_EQ(workspaces_called("tool"), paths{path("packages/mine")});
  EXPECT_EQ(workspaces_called("@own/tool"), paths{path("packages/mine")});
  EXPECT_TRUE(finds({"pnpm", "--filter=tool", "mcp"}, "packages/mine/package.json"));
  for (auto* name : {"ool", "own/tool", "@own", "@other/tool"})
    EXPECT_EQ(workspaces_called(name), paths{}) << name;
}

TEST_F(package_files_test, workspaces_in_folders_of_folders) {
  auto closed = [&] {
    config::file_look look;
    config::workspaces_called(folder_.path("project"), "", look);
    return !look.unread().empty();
  };
  folder_.write("project/a/b/c/d/e/package.json", R"({"name": "deep"})");
  for (auto* pattern : {"**", "a/**", "a/*/*/*/*", "a/**/e"}) {
    folder_.write("project/package.json", R"({"workspaces": [")" + std::string{pattern} + "\"]}");
    EXPECT_EQ(workspaces_called("deep"), paths{path("a/b/c/d/e")}) << pattern;
    EXPECT_FALSE(closed());
  }
  folder_.write("project/package.json", R"({"workspaces": ["**"]})");
  link("..", "a/up");
  for (int i = 0; i < 1'100; ++i)
    fs::create_directories(path(".git/objects/" + std::to_string(i)));
  EXPECT_FALSE(closed()) << "nobody looks there";
  std::string far = "f";
  for (int i = 0; i < 20; ++i)
    far += "/f";
  fs::create_directories(path(far));
  EXPECT_TRUE(closed());
}

TEST_F(package_files_test, no_more_folders_are_looked_at_for_a_workspace) {
  for (size_t i = 0; i < config::workspace_folders_max; ++i)
    fs::create_directories(path("packages/mine/" + std::to_string(i)));
  folder_.write("project/package.json", R"({"workspaces": ["packages/mine/*", "packages/mine"]})");
  EXPECT_EQ(workspaces_called("my-mcp"), paths{path("packages/mine")}) << "once";
  folder_.write("project/package.json",
                R"({"workspaces": ["packages/mine/0", "packages/mine/1/*", "packages/mine/*", "packages/*"]})");
  EXPECT_EQ(workspaces_called("my-mcp").size(), 1u);
  config::file_look look;
  config::workspaces_called(folder_.path("project"), "my-mcp", look);
  EXPECT_TRUE(look.unread().contains(path("package.json")));
}

TEST_F(package_files_test, workspaces_that_name_nothing) {
  strings line{"npm", "start"};
  for (size_t i = 0; i < 2 * config::words_read_max; ++i)
    line.insert(line.end(), {"-w", "x" + std::to_string(i)});
  line.insert(line.end(), {"-w", "my-mcp", "-w"});
  EXPECT_FALSE(finds(line, "packages/mine/package.json")) << "beyond the bounds";
  EXPECT_FALSE(finds({"npm", "-w", std::string(1, '\0'), "--workspace=", "-w", ""}, "packages/mine/package.json"));
}

} // namespace config_package_files_test
