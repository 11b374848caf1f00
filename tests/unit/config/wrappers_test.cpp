#include "config/wrappers.hpp"

#include "config/launch.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

namespace config_wrappers_test {

using words = std::vector<std::string>;

/// `code-executor` is in the PATH and in the home folder, `other` only in the PATH.
class wrappers_test : public testing::Test {
protected:
  wrappers_test() {
    own_ = folder_.write_program("bin/code-executor");
    other_ = folder_.write_program("bin/other");
    std::filesystem::create_directories(folder_.path("home/bin"));
    std::filesystem::create_symlink(own_, folder_.path("home/bin/ce"));
    env_.cwd = folder_.path();
    env_.home = folder_.path("home");
    env_.path = folder_.path("bin");
  }
  bool starts_us(words line, std::vector<std::pair<std::string, std::string>> variables = {}) const {
    msg::server_entry entry;
    entry.command = line.at(0);
    entry.args.assign(std::next(line.begin()), line.end());
    entry.env = std::move(variables);
    return config::start_detector{own_, env_}.starts(entry);
  }
  bool shell_starts_us(const std::string& script) const { return starts_us({"bash", "-lc", script}); }

  test::folder folder_;
  std::string own_, other_;
  config::environment env_;
};

TEST_F(wrappers_test, are_looked_through) {
  for (auto& line :
       {words{"nice", own_}, words{"/usr/bin/nice", "-n", "5", own_, "serve"}, words{"nice", "-10", own_},
        words{"nohup", own_}, words{"nice", "--adjustment=3", "code-executor"}, words{"setsid", "-w", own_},
        words{"timeout", "10h", own_}, words{"timeout", "-k", "5", "--signal", "INT", "--foreground", "1d", own_},
        words{"xvfb-run", "-a", "-s", "-screen 0", own_}, words{"xvfb-run", "--server-args=-screen 0", own_},
        words{"stdbuf", "-oL", "-e", "0", own_}, words{"ionice", "-c3", own_},
        words{"nice", "--", "nohup", "timeout", "5", "env", "A=b", own_}})
    EXPECT_TRUE(starts_us(line)) << testing::PrintToString(line);
}

TEST_F(wrappers_test, of_another_program_are_not_ours) {
  for (auto& line : {words{"nice", other_}, words{"nice", other_, own_}, words{"timeout", own_},
                     words{"timeout", "5", "other", own_}, words{"nice"}, words{"nice", "-n"},
                     words{"nice", "-n", own_}, words{"env", "A=" + own_}, words{"env"}, words{other_, own_},
                     words{"somebody-elses-nice", own_}, words{"nice", "A=b", own_}})
    EXPECT_FALSE(starts_us(line)) << testing::PrintToString(line);
}

TEST_F(wrappers_test, with_options_that_nobody_knows_are_left_to_the_run) {
  for (auto& line : {words{"nice", "--unknown", own_}, words{"timeout", "-Z", "5", own_}, words{"env", "-S", own_},
                     words{"bash", "--unknown", "-c", own_}})
    EXPECT_FALSE(starts_us(line)) << testing::PrintToString(line);
}

TEST_F(wrappers_test, env_says_where_is_searched) {
  EXPECT_TRUE(starts_us({"env", "A=b", "C=", "code-executor"}));
  EXPECT_TRUE(starts_us({"env", "-i", "PATH=" + folder_.path("bin"), "code-executor"}));
  EXPECT_TRUE(starts_us({"env", "-", "A=b", own_}));
  EXPECT_TRUE(starts_us({"env", "-i", own_}));
  EXPECT_TRUE(starts_us({"env", "-u", "OTHER", "--unset=X", "code-executor"}));
  EXPECT_TRUE(starts_us({"env", "-C", folder_.path("home"), "./bin/ce"}));
  EXPECT_TRUE(starts_us({"env", "--chdir=home", "bin/ce"}));
  for (auto& line : {words{"env", "-i", "code-executor"}, words{"env", "-u", "PATH", "code-executor"},
                     words{"env", "PATH=/nowhere", "code-executor"}, words{"env", "./bin/ce"}})
    EXPECT_FALSE(starts_us(line)) << testing::PrintToString(line);
}

TEST_F(wrappers_test, a_shell_is_told_its_script) {
  for (auto& line :
       {words{"sh", "-c", own_}, words{"/bin/bash", "-lc", "code-executor"},
        words{"bash", "-l", "-c", "exec code-executor serve"}, words{"zsh", "-ic", own_, "name", "argument"},
        words{"bash", "--login", "-o", "pipefail", "-c", "nice " + own_}})
    EXPECT_TRUE(starts_us(line)) << testing::PrintToString(line);
  for (auto& line :
       {words{"sh", own_}, words{"sh", "-c"}, words{"sh", "-c", "other", own_}, words{"sh", "-lc", ""}, words{"sh"}})
    EXPECT_FALSE(starts_us(line)) << testing::PrintToString(line);
}

TEST_F(wrappers_test, of_a_script_the_last_command_counts) {
  for (auto& script : {std::string{"exec ~/bin/ce"}, std::string{"$HOME/bin/ce 2>>/tmp/log"},
                       std::string{"cd ~/bin && ./ce"}, std::string{"source ~/.nvm/nvm.sh; npx code-executor"},
                       std::string{"A=b nice code-executor"}, "export PATH=/nowhere\nexec " + own_,
                       "PATH=" + folder_.path("bin") + " code-executor", "bash -c '" + own_ + "'"})
    EXPECT_TRUE(shell_starts_us(script)) << script;
  for (auto& script :
       {own_ + " doctor; other", "echo " + own_, std::string{"cd ~ && ./ce"}, "exec other; " + own_, "exit 0\n" + own_,
        std::string{"export PATH=/nowhere; code-executor"}, std::string{"export PATH=$X:$PATH; code-executor"}})
    EXPECT_FALSE(shell_starts_us(script)) << script;
}

TEST_F(wrappers_test, scripts_with_a_doubt_are_left_to_the_run) {
  for (auto& script :
       {"other || " + own_, own_ + " | tee log", "$WRAP " + own_, std::string{"cd $X && ./code-executor"},
        "(" + own_ + ")", "if true; then " + own_ + "; fi", std::string{"eval \"$START\""}})
    EXPECT_FALSE(shell_starts_us(script)) << script;
}

TEST_F(wrappers_test, the_entry_says_what_home_and_path_are) {
  EXPECT_TRUE(starts_us({"sh", "-c", "~/bin/ce"}));
  EXPECT_FALSE(starts_us({"sh", "-c", "~/bin/ce"}, {{"HOME", "/nowhere"}}));
  EXPECT_FALSE(starts_us({"nice", "code-executor"}, {{"PATH", "/nowhere"}}));
}

TEST_F(wrappers_test, runners_of_packages) {
  for (auto& line :
       {words{"npx", "code-executor"}, words{"npx", "-y", "code-executor@latest"},
        words{"/usr/bin/npx", "--yes", "code-executor@1.2", "serve"},
        words{"npx", "-y", "--package=code-executor@1", "--", "code-executor"},
        words{"npx", "-p", "code-executor", "code-executor"}, words{"npm", "exec", "--yes", "code-executor"},
        words{"npm", "x", "code-executor", "--", "serve"}, words{"bunx", "code-executor"},
        words{"bun", "x", "code-executor"}, words{"pnpm", "dlx", "code-executor"},
        words{"yarn", "dlx", "-q", "code-executor"}, words{"npx", "--registry", "https://r/", "code-executor"},
        words{"bash", "-lc", "npx -y code-executor"}})
    EXPECT_TRUE(starts_us(line)) << testing::PrintToString(line);
  for (auto& line : {words{"npx", "-y", "code-executor-mcp"}, words{"npx", "@someone/code-executor"},
                     words{"npx", "other", "code-executor"}, words{"npx", "-c", "code-executor"},
                     words{"npx", "-p", "other", "code-executor"}, words{"npm", "run", "code-executor"},
                     words{"npm", "code-executor"}, words{"npx"}, words{"npm"}, words{"uvx", "code-executor"}})
    EXPECT_FALSE(starts_us(line)) << testing::PrintToString(line);
}

TEST_F(wrappers_test, runners_of_containers) {
  for (auto& line :
       {words{"docker", "run", "-i", "--rm", "code-executor"},
        words{"docker", "run", "--rm", "-it", "-v", "/a:/b", "-e", "A=b", "code-executor:latest"},
        words{"podman", "run", "-i", "--network", "none", "--env=A=b", "localhost/code-executor@sha256:00", "serve"},
        words{"docker", "--context", "far", "container", "run", "-i", "--entrypoint", "/usr/bin/code-executor",
              "code-executor"}})
    EXPECT_TRUE(starts_us(line)) << testing::PrintToString(line);
  for (auto& line :
       {words{"docker", "run", "-i", "mcp/code-executor"}, words{"docker", "run", "-i", "node", "code-executor"},
        words{"docker", "exec", "code-executor"}, words{"docker", "run", "--name", "code-executor", "node"},
        words{"docker", "run", "--entrypoint", "sh", "code-executor"}, words{"docker", "run"}, words{"docker"},
        words{"docker", "run", "-Z", "code-executor"}})
    EXPECT_FALSE(starts_us(line)) << testing::PrintToString(line);
}

TEST_F(wrappers_test, have_an_end) {
  words line{own_};
  for (int i = 0; i < config::wrappers_max; ++i)
    line.insert(line.begin(), "nice");
  EXPECT_TRUE(starts_us(line));
  line.insert(line.begin(), "nice");
  EXPECT_FALSE(starts_us(line));
  EXPECT_FALSE(starts_us(words(100'000, "nice")));
}

TEST_F(wrappers_test, of_an_entry_that_nobody_approved_are_read_as_written) {
  msg::server_entry entry;
  entry.command = "nice";
  entry.args = {"${CE_TEST_UNSET:-" + own_ + "}"};
  config::start_detector detector{own_, env_};
  EXPECT_TRUE(detector.starts(entry));
  EXPECT_FALSE(detector.starts_as_written(entry)) << "no variable is looked at";
  entry.args = {own_};
  EXPECT_TRUE(detector.starts_as_written(entry));
}

TEST_F(wrappers_test, arguments_of_other_programs_are_not_expanded) {
  msg::server_entry entry;
  entry.command = "other";
  entry.syntax = msg::variable_syntax::editor;
  entry.args = {"${file:/nowhere}"};
  EXPECT_FALSE(config::start_detector(other_ + "-not", env_).starts(entry));
  EXPECT_TRUE(config::start_detector(other_, env_).starts(entry)) << "which would fail";
}

} // namespace config_wrappers_test
