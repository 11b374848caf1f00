#include "config/git_places.hpp"

#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace config_git_places_test {

using places = std::vector<config::kept_place>;

class git_places_test : public testing::Test {
protected:
  places found() const { return config::git_places(folder_.path("project"), "/home/u"); }
  std::string path(const std::string& below) const { return folder_.path("project/" + below); }

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
  EXPECT_EQ(found(), (places{{folder_.path(".bare/worktrees/project"), true}, {folder_.path(".bare/"), true}, {folder_.path(".bare/more"), false}}));
}

TEST_F(git_places_test, hooks_and_included_files) {
  folder_.write("project/.git/config",
                "[CORE] HooksPath = \".husky/_\" ; of husky\n[includeIf \"gitdir:/x.y/\"]\n  path = ../.gitconfig # mine\n[include]\npath=~/more\n");
  folder_.write("project/.gitconfig", "[include]\n\tpath = .third\n[core]\nhookspath=/hooks\n");
  EXPECT_EQ(found(),
            (places{{path(".husky"), true}, {path(".gitconfig"), false}, {path(".third"), false}, {"/hooks", true}, {"/home/u/more", false}}));
}

TEST_F(git_places_test, programs_that_settings_name) {
  for (auto* name : {"project/tools/fs", "project/tools/clean", "project/tools/st", "project/my\\hooks/x"})
    folder_.write(name, "");
  folder_.write("project/.git/config",
                "[core]\n\tfsmonitor = tools/fs\n\thooksPath = \"my\\\\hooks\"\n[filter \"x\"]\n\tclean = \\\ntools/clean %f\n"
                "[alias]\nst = !tools/st now\n[remote \"o\"]\nurl = https://x/tools\nfetch = +refs/heads/*:refs/remotes/o/*\n");
  EXPECT_EQ(found(), (places{{path("tools/fs"), false}, {path("my\\hooks"), true}, {path("tools/clean"), false}, {path("tools/st"), false}}));
}

TEST_F(git_places_test, come_to_an_end) {
  folder_.write("project/.git/config", "[include]\npath = config\n[\n[]\n=\n[core\n");
  EXPECT_LE(found().size(), 40u);
}

} // namespace config_git_places_test
