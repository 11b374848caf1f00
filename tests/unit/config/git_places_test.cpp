#include "config/git_places.hpp"

#include "config/manager_files.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

namespace config_git_places_test {

using config::kept_place;
using places = std::vector<kept_place>;

class git_places_test : public testing::Test {
protected:
  places found() const { return config::git_places(folder_.path("project"), "/home/u"); }
  std::string path(const std::string& below) const { return folder_.path("project/" + below); }
  void link(const std::string& target, const std::string& at) const {
    std::filesystem::create_symlink(target, path(at));
  }

  test::folder folder_;
};

TEST_F(git_places_test, of_none_and_of_an_ordinary_one_there_are_none) {
  EXPECT_EQ(found(), places{});
  folder_.write("project/.git/config", "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n\tpath = y\n");
  EXPECT_EQ(found(), places{});
}

TEST_F(git_places_test, of_a_repository_that_lies_elsewhere) { // git init --separate-git-dir, submodules
  folder_.write("project/.git", "gitdir: ../.bare\n");
  folder_.write(".bare/config", "[core]\n\thooksPath = .hooks\n");
  EXPECT_EQ(found(), (places{{folder_.path(".bare"), true}, {path(".hooks"), true}}));
}

TEST_F(git_places_test, of_a_worktree_what_it_shares_too) {
  folder_.write("project/.git", "gitdir: " + folder_.path(".bare/worktrees/project"));
  folder_.write(".bare/worktrees/project/commondir", "../..\n");
  folder_.write(".bare/config", "[include]\npath = more\n");
  EXPECT_EQ(found(), (places{{folder_.path(".bare/worktrees/project"), true},
                             {folder_.path(".bare/"), true},
                             {folder_.path(".bare/more"), false}}));
}

TEST_F(git_places_test, hooks_and_included_files) {
  folder_.write("project/.git/config", "[CORE] HooksPath = \".husky/_\" ; of husky\n[includeIf \"gitdir:/x.y/\"]\n  "
                                       "path = ../.gitconfig # mine\n[include]\npath=~/more\n");
  folder_.write("project/.gitconfig", "[include]\n\tpath = .third\n[core]\nhookspath=/hooks\n");
  EXPECT_EQ(found(), (places{{path(".husky"), true},
                             {path(".gitconfig"), false},
                             {path(".third"), false},
                             {"/hooks", true},
                             {"/home/u/more", false}}));
}

TEST_F(git_places_test, programs_that_settings_name) {
  for (auto* name : {"project/tools/fs", "project/tools/clean", "project/tools/st", "project/my\\hooks/x"})
    folder_.write(name, "");
  folder_.write(
    "project/.git/config",
    "[core]\n\tfsmonitor = tools/fs\n\thooksPath = \"my\\\\hooks\"\n[filter \"x\"]\n\tclean = \\\ntools/clean %f\n"
    "[alias]\nst = !tools/st now\n[remote \"o\"]\nurl = https://x/tools\nfetch = +refs/heads/*:refs/remotes/o/*\n");
  EXPECT_EQ(
    found(),
    (places{
      {path("tools/fs"), false}, {path("my\\hooks"), true}, {path("tools/clean"), false}, {path("tools/st"), false}}));
}

TEST_F(git_places_test, of_a_worktree_its_own_settings_too) { // git config --worktree core.hooksPath .gh
  folder_.write("project/.git", "gitdir: ../main/.git/worktrees/project\n");
  folder_.write("main/.git/worktrees/project/commondir", "../..\n");
  folder_.write("main/.git/worktrees/project/config.worktree", "[core]\n\thooksPath = .gh\n");
  folder_.write("main/.git/config.worktree", "[core]\n\thooksPath = .main\n");
  auto git = folder_.path("main/.git/");
  EXPECT_EQ(found(),
            (places{{git + "worktrees/project", true}, {git, true}, {path(".main"), true}, {path(".gh"), true}}));
}

TEST_F(git_places_test, links_that_lie_in_folders_of_hooks) {
  folder_.write("project/scripts/pre-commit", "");
  folder_.write("project/.git/hooks/pre-push", "");
  folder_.write("project/.githooks/_/pre-push", "");
  link("../../scripts/pre-commit", ".git/hooks/pre-commit");
  link("../../scripts", ".git/hooks/lib");
  link("../scripts/not-there", ".githooks/pre-commit");
  link("/elsewhere", ".githooks/_/h");
  folder_.write("project/.git/config", "[core]\n\thooksPath = .githooks/_\n");
  auto all = found();
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0], (config::kept_place{path(".githooks"), true}));
  for (auto& one : places{{path(".git/hooks/pre-commit"), false},
                          {path(".git/hooks/lib"), true},
                          {path(".githooks/pre-commit"), false},
                          {path(".githooks/_/h"), false}})
    EXPECT_NE(std::find(all.begin(), all.end(), one), all.end()) << one.path;
  for (size_t i = 0; i < 2 * config::git_hook_files_max; ++i)
    link("x", ".git/hooks/h" + std::to_string(i));
  folder_.write("project/tool", "");
  folder_.write("project/.git/config", "[alias]\na = !tool\n");
  EXPECT_LE(found().size(), 1 + config::git_hook_files_max);
  EXPECT_EQ(found().at(0), (config::kept_place{path("tool"), false})) << "they take no place of others";
}

TEST_F(git_places_test, settings_and_folders_of_hooks_that_are_links) {
  folder_.write("project/mine", "[core]\n\tfsmonitor = mine\n");
  folder_.write("project/hooks/pre-commit", "");
  folder_.write("project/.git/HEAD", "");
  link("../mine", ".git/config");
  link("../hooks", ".git/hooks");
  EXPECT_EQ(found(), (places{{path(".git/hooks"), true}, {path(".git/config"), false}, {path("mine"), false}}));
}

TEST_F(git_places_test, what_lies_above_where_a_link_leads) {
  folder_.write("project/tools/v2/x/keep", "");
  folder_.write("project/tools/v2/more", "[core]\n\thooksPath = h\n");
  folder_.write("project/tools/v2/run", "");
  link("tools/v2/x", "current");
  folder_.write("project/.git/config", "[include]\n\tpath = ../current/../more\n[alias]\n\tr = !current/../run\n");
  EXPECT_EQ(found(),
            (places{{path(".git/../current/../more"), false}, {path("h"), true}, {path("current/../run"), false}}));
}

TEST_F(git_places_test, programs_in_commands_for_a_shell) {
  auto tool = folder_.write("project/tools/st", ""), blank = folder_.write("project/my tools/clean", "");
  for (auto* command : {"!tools/st", "!sh -c 'tools/st'", "\"!sh -c \\\"tools/st x\\\"\"", "\"!f() { tools/st; }; f\"",
                        "\"!tools/st; true\"", "!'tools/st' x", "\"!\\\"tools/st\\\" x\"", "!(tools/st)",
                        "!A=`tools/st` x", "!cat|tools/st", "!x --do=tools/st",
                        "!$(git rev-parse --show-toplevel)/tools/st x", "!\\\"$PWD/tools/st\\\""}) {
    folder_.write("project/.git/config", std::string{"[alias]\n\tx = "} + command + "\n");
    EXPECT_EQ(found(), (places{{tool, false}})) << command;
  }
  folder_.write("project/.git/config",
                "[filter \"x\"]\n\tclean = \\\"my tools/clean\\\" %f\n\tsmudge = my\\\\ tools/clean\n");
  EXPECT_EQ(found(), (places{{blank, false}}));
}

TEST_F(git_places_test, programs_in_folders_that_a_command_goes_to) {
  auto tool = folder_.write("project/t/sub/e.sh", "");
  for (auto* command : {"\"!cd t/sub && ./e.sh\"", "\"!cd 't/sub'; ./e.sh\"", "!cd t && cd sub && e.sh",
                        "!env -C t/sub ./e.sh", "\"!f() { pushd t/sub; ./e.sh; }; f\""}) {
    folder_.write("project/.git/config", std::string{"[alias]\n\ta = !./e.sh\n\tx = "} + command + "\n");
    EXPECT_EQ(found(), (places{{tool, false}})) << command;
  }
  std::string many = "[alias]\n\tx = \"!";
  for (size_t i = 0; i < config::folders_read_max; ++i) {
    std::filesystem::create_directories(path("d" + std::to_string(i)));
    many += "cd d" + std::to_string(i) + "; ";
  }
  folder_.write("project/.git/config", many + "\"\n");
  EXPECT_EQ(found(), (places{{folder_.path("project"), true}}));
}

/// As they are in the folder, so that no other reading of commands is needed.
TEST_F(git_places_test, commands_are_read_as_those_of_servers) {
  auto tool = folder_.write("project/t/x", ""), script = folder_.write("project/t/y.js", "");
  auto make = folder_.write("project/Makefile", "");
  for (auto* command : {"!cd -- t && ./x", "!cd $(git rev-parse --show-toplevel)/t && ./x", "!cd \\\"$PWD/t\\\" && ./x",
                        "!env --chdir=t ./x", "!cd -P t && ./x", "!cd `pwd`/t; ./x", "!$GIT_DIR/../t/x",
                        "!bash -c 'exec \\\"t/x\\\"'", "!CDPATH= cd t && ./x"}) {
    folder_.write("project/.git/config", std::string{"[alias]\n\tx = \""} + command + "\"\n");
    auto all = found();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                            [&](auto& p) { return std::filesystem::path{p.path}.lexically_normal() == tool; }))
      << command;
    EXPECT_TRUE(std::none_of(all.begin(), all.end(), [&](auto& p) { return p.path == folder_.path("project"); }))
      << command;
  }
  folder_.write("project/package.json", "{}");
  folder_.write("project/.git/config", "[alias]\n\ta = !node t/y\n\tb = !make x\n\tc = !npm run x\n");
  auto all = found();
  for (auto& file : {script, make, path("package.json")})
    EXPECT_NE(std::find(all.begin(), all.end(), kept_place{file, false}), all.end()) << file;
}

TEST_F(git_places_test, a_command_that_can_not_be_followed_closes_the_repository) {
  for (auto* setting :
       {"[core]\nfsmonitor = cd $X && ./y\n", "[alias]\na = \"!eval $1 $X\"\n", "[filter \"x\"]\nclean = $X/y\n",
        "[alias]\na = \"!f() { sh \\\"$1\\\"/t.sh; }; f sub\"\n", "[alias]\na = \"!cat s*/t.py | python3 -\"\n",
        "[tar \"x\"]\ncommand = ./s*/t.sh\n", "[remote \"o\"]\nurl = \"ext::sh -c ./s*/t.sh\"\n",
        "[url \"ext::sh -c ./s*/t.sh\"]\ninsteadOf = foo:\n", "[sendemail]\nsendmailcmd = ./s*/t.sh\n",
        "[alias]\na = \"!cd ${GIT_PREFIX:-.} && ./x\"\n", "[alias]\na = -c core.fsmonitor=./s*/t.sh status\n",
        "[filter \"z\"]\nclean = ./sub/%f.sh\n", "[lfs \"extension.x\"]\nclean = ./s*/t.sh\n",
        "[difftool \"x\"]\npath = $X\n"}) {
    folder_.write("project/.git/config", setting);
    auto all = found();
    ASSERT_FALSE(all.empty()) << setting;
    EXPECT_EQ(all.back().path, folder_.path("project")) << setting;
    EXPECT_NE(all.back().why.find("it is not known what git starts there for '"), std::string::npos) << all.back().why;
  }
  folder_.write("project/.git/config", "[core]\nworktree = ../sub\n");
  EXPECT_EQ(found().back().path, folder_.path("project"));
  folder_.write("project/.git/config", "[core]\nworktree = ..\n");
  EXPECT_EQ(found(), places{});
  auto shown = folder_.write("project/sub/t.sh", "");
  for (auto* value : {"grep -lIO./sub/t.sh x", "difftool -yx./sub/t.sh HEAD", "-c core.pager=./sub/t.sh log"}) {
    folder_.write("project/.git/config", std::string{"[alias]\na = "} + value + "\n");
    EXPECT_EQ(found(), (places{{shown, false}})) << value;
  }
  auto tool = folder_.write("project/sub/my tool", "");
  for (auto* setting :
       {"[url \"ext::sub/my% tool\"]\ninsteadOf = foo:\n", "[remote \"o\"]\nurl = ext::sub/my% tool\n"}) {
    folder_.write("project/.git/config", setting);
    EXPECT_EQ(found(), (places{{tool, false}})) << setting;
  }
  folder_.write("project/.git/config",
                "[alias]\na = log --format='%h $x' $y\nb = \"!git log $1 \\\"$@\\\"\"\nc = \"!f() { git push origin "
                "$(git branch --show-current); }; f\"\n"
                "[user]\nname = $X $(y)\n[core]\npager = less -R $LESS\n[branch \"x\"]\nmerge = refs/heads/$x\n"
                "[credential]\nhelper = \"!gh auth git-credential\"\n[filter \"lfs\"]\nclean = git-lfs clean -- %f\n");
  EXPECT_EQ(found(), places{});
}

TEST_F(git_places_test, of_submodules_what_their_git_leads_to) {
  folder_.write("project/.gitmodules",
                "[submodule \"a\"]\n\tpath = a\n[submodule \"b\"]\n\tpath = b\n[submodule \"c\"]\n\tpath = ../c\n");
  folder_.write("project/a/.git", "gitdir: ../.git/modules/a\n");
  folder_.write("project/.git/modules/a/config", "[core]\n\tworktree = ../../../a\n\tfsmonitor = ./fs\n");
  folder_.write("project/.git/modules/libs/d/config", "[core]\n\tworktree = ../../../../libs/d\n");
  auto monitor = folder_.write("project/a/fs", "");
  auto all = found();
  for (auto& place :
       places{{path("a/.git"), false}, {monitor, false}, {path("b/.git"), true}, {path("libs/d/.git"), true}})
    EXPECT_NE(std::find(all.begin(), all.end(), place), all.end()) << place.path;
  EXPECT_TRUE(std::none_of(all.begin(), all.end(), [&](auto& p) { return p.path == folder_.path("c/.git"); }));
  EXPECT_NE(all.back().path, folder_.path("project"));
  std::string many;
  for (size_t i = 0; i <= config::git_submodules_max; ++i)
    many += "[submodule \"s" + std::to_string(i) + "\"]\n\tpath = s" + std::to_string(i) + "\n";
  folder_.write("project/.gitmodules", many);
  EXPECT_EQ(found().back(), (kept_place{folder_.path("project"), true}));
}

TEST_F(git_places_test, what_lies_in_the_home_of_another_user_closes_the_repository) {
  for (auto* setting : {"[include]\npath = ~root/x\n", "[core]\nhooksPath = ~root/h\n", "[alias]\na = !~root/x y\n"}) {
    folder_.write("project/.git/config", setting);
    EXPECT_EQ(found().back().path, folder_.path("project")) << setting;
  }
  folder_.write("project/.git/config", "[alias]\na = diff HEAD~1 ~ x~/y\n");
  EXPECT_EQ(found(), places{});
}

TEST_F(git_places_test, hooks_behind_what_only_looks_continued) {
  for (auto* before : {"# mine \\\n", "a = x\\\\\n", "a = x ; y \\\n"}) {
    folder_.write("project/.git/config", std::string{"\xEF\xBB\xBF[core]\n"} + before + "hooksPath = h\n");
    EXPECT_EQ(found(), (places{{path("h"), true}})) << before;
  }
}

TEST_F(git_places_test, come_to_an_end) {
  folder_.write("project/.git/config", "[include]\npath = config\n[\n[]\n=\n[core\n");
  EXPECT_LE(found().size(), 40u);
}

TEST_F(git_places_test, hooks_that_are_none_and_hooks_in_a_folder_of_that_name) {
  auto of = [&](const std::string& value) {
    folder_.write("project/.git/config", "[core]\n\thooksPath = " + value + "\n");
    return found();
  };
  EXPECT_EQ(of(""), places{});
  EXPECT_EQ(of("\"\""), places{});
  EXPECT_EQ(of("_"), (places{{path("_"), true}})) << "not the project";
  EXPECT_EQ(of("../_"), (places{{folder_.path("_"), true}})) << "nor what it lies in";
  EXPECT_EQ(of("/_"), (places{{"/_", true}}));
  EXPECT_EQ(of(".husky/_/"), (places{{path(".husky"), true}}));
  EXPECT_EQ(of("~/.hooks/_"), (places{{"/home/u/.hooks", true}}));
}

TEST_F(git_places_test, each_file_is_read_once_and_each_word_is_looked_for_once) {
  folder_.write("project/tool", "");
  std::string words(config::git_bytes_max - 200, ' ');
  for (size_t i = 0; i + 1 < words.size(); i += 2)
    words[i] = 'a';
  folder_.write("project/.git/config", "[include]\npath = ../.gitconfig\n[alias]\nst = !tool\n[core]\nhooksPath = h\n");
  folder_.write("project/.gitconfig", "[include]\npath = .gitconfig\npath = .git/config\n[alias]\na = " + words + "\n");
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(found(), (places{{path(".gitconfig"), false}, {path("tool"), false}, {path("h"), true}}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{10});
}

TEST_F(git_places_test, keep_what_was_found_within_the_bounds) {
  folder_.write("project/last", "");
  folder_.write("project/.git/config", "[alias]\nb = 1 2 3 last\n[include]\npath = ../large\npath = ../small\n");
  folder_.write("project/large", std::string(config::git_bytes_max, '#'));
  std::string hooks = "[core]\n";
  for (size_t i = 0; i <= config::git_hooks_max; ++i)
    hooks += "hooksPath = h" + std::to_string(i) + "\n";
  folder_.write("project/small", hooks);
  auto all = found();
  ASSERT_EQ(all.size(), 3 + config::git_hooks_max);
  EXPECT_EQ(all[0], (config::kept_place{path("last"), false}));
  EXPECT_EQ(all[1], (config::kept_place{path("large"), false})) << "not read, but known";
  EXPECT_EQ(all[2], (config::kept_place{path("small"), false}));
  EXPECT_EQ(all.back(), (config::kept_place{path("h" + std::to_string(config::git_hooks_max - 1)), true}));
}

TEST_F(git_places_test, more_commands_than_are_looked_at_close_the_repository) {
  std::string many = "[alias]\n", branches;
  for (size_t i = 0; i <= config::git_values_max; ++i) {
    many += "a = x" + std::to_string(i) + "\n";
    branches += "[branch \"b" + std::to_string(i) + "\"]\nmerge = refs/heads/b" + std::to_string(i) + "\n";
  }
  folder_.write("project/.git/config", branches);
  EXPECT_EQ(found(), places{}) << "they are none";
  folder_.write("project/.git/config", many);
  EXPECT_EQ(found(), (places{{folder_.path("project"), true}}));
}

/// The repository is closed then: who can not follow a name does not know what it keeps.
TEST_F(git_places_test, links_made_to_cost_time_cost_little) {
  std::filesystem::create_directories(path("d"));
  auto repeated = [](size_t n, const std::string& part) {
    std::string all;
    while (n-- > 0)
      all += part;
    return all;
  };
  auto fill = [&](const std::string& start, size_t words, size_t links) {
    std::string settings = "[alias]\n x =";
    for (size_t i = 0; i < words; ++i)
      settings += " " + start + std::to_string(links == 0 ? i : i % links) + "/../" + repeated(38, "s/../") + "f"
                  + std::to_string(i);
    folder_.write("project/.git/config", "[core]\nhooksPath = h\n[include]\npath = ../.gitconfig\n");
    folder_.write("project/.gitconfig", settings + "\n");
  };
  auto begin = std::clock();
  link(repeated(790, "d/../") + "d", "s");
  link("s", "s0");
  fill("s", 300, 1);
  EXPECT_EQ(found(), (places{{path("h"), true}, {path(".gitconfig"), false}, {folder_.path("project"), true}}))
    << "of what is ordinary nothing is lost";
  std::filesystem::remove(path("s"));
  std::filesystem::create_directories(path("s"));
  for (size_t i = 0; i < 1'200; ++i)
    link(repeated(490, "d/../") + "d", "l" + std::to_string(i));
  fill("l", 500, 500);
  EXPECT_EQ(found().back(), (kept_place{folder_.path("project"), true})) << "too many links";
  EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 10);
  std::filesystem::remove_all(path("s"));
  link("d", "s");
  folder_.write("project/.git/config", "[alias]\n x = s/../tool s/../s/../gone\n");
  folder_.write("project/tool", "");
  EXPECT_EQ(found(), (places{{path("tool"), false}})) << "an ordinary one stays open";
}

TEST_F(git_places_test, keep_no_more_files_than_are_read) {
  std::string includes = "[include]\n";
  for (size_t i = 0; i < 2 * config::git_files_max; ++i)
    includes += "path = f" + std::to_string(i) + "\n";
  folder_.write("project/.git/config", includes);
  EXPECT_LE(found().size(), config::git_files_max);
}

} // namespace config_git_places_test
