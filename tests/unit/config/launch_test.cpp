#include "config/launch.hpp"

#include "messages/limits.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/c_texts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace config_launch_test {

using strings = std::vector<std::string>;

constexpr auto outer = "CODE_EXECUTOR_OUTER=1";

config::variable_lookup lookup(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](std::string_view name) {
    auto found = variables.find(std::string{name});
    return found == variables.end() ? std::string{} : found->second;
  };
}

class launch_test : public testing::Test {
protected:
  launch_test() {
    program_ = folder_.write_program("bin/server", "");
    env_.cwd = folder_.path();
    env_.home = "/home/u";
    env_.path = folder_.path("bin");
    entry_.name = "srv";
    entry_.command = "server";
    entry_.source = "/c.json";
    variables_ = {{"PATH", folder_.path("bin")}, {"HOME", "/home/u"},        {"USER", "u"},           {"LANG", "C"},
                  {"SECRET_TOKEN", "s3cret"},    {"LD_PRELOAD", "/evil.so"}, {"NODE_OPTIONS", "-r x"}};
  }
  msg::outcome<process::launch> make() { return config::make_launch(entry_, env_, lookup(variables_)); }
  test::folder folder_;
  std::string program_;
  config::environment env_;
  msg::server_entry entry_;
  std::map<std::string, std::string> variables_;
};

TEST_F(launch_test, has_the_executable_and_expanded_arguments) {
  entry_.args = {"${USER}", "plain", "${UNSET}", ""};
  auto l = make();
  ASSERT_TRUE(l.ok()) << l.error.message;
  EXPECT_EQ(test::strings_of(l.value.argv), (strings{program_, "u", "plain", "${UNSET}", ""}));
  EXPECT_EQ(l.value.cwd, "");
  EXPECT_EQ(l.value.user, 0u);
}

TEST_F(launch_test, inherits_only_what_every_program_may_expect) {
  auto l = make();
  EXPECT_EQ(test::strings_of(l.value.environment),
            (strings{outer, "HOME=/home/u", "LANG=C", "PATH=" + folder_.path("bin"), "USER=u"}));
}

TEST_F(launch_test, nothing_is_made_of_an_entry_that_nobody_approved) {
  for (auto level : {msg::trust_level::unapproved, msg::trust_level::changed, msg::trust_level::rejected}) {
    entry_.trust = level;
    entry_.env = {{"TOKEN", "${file:/nowhere}"}};
    auto l = make();
    EXPECT_EQ(l.error.code, msg::errc::needs_approval);
    EXPECT_NE(l.error.message.find("`code-executor trust --server srv`"), std::string::npos) << l.error.message;
    EXPECT_TRUE(l.value.argv.empty() && l.value.environment.empty());
  }
}

TEST_F(launch_test, adds_what_the_entry_sets) {
  entry_.env = {{"TOKEN", "${SECRET_TOKEN}"}, {"HOME", "/other"}, {"EMPTY", ""}, {"X", "${UNSET:-y}"}};
  auto l = make();
  EXPECT_EQ(test::strings_of(l.value.environment),
            (strings{outer, "EMPTY=", "HOME=/other", "LANG=C", "PATH=" + folder_.path("bin"), "TOKEN=s3cret", "USER=u",
                     "X=y"}));
}

TEST_F(launch_test, knows_what_is_told_to_nobody) {
  entry_.args = {
    "--token",   "${SECRET_TOKEN}", "--key=k-4711", "${USER}", "--header", "Authorization: Bearer abcdef-4711",
    "--api-key", "first",           "--port",       "80"};
  entry_.env = {{"API_KEY", "k3y"}, {"LOG_LEVEL", "debug"}, {"DB", "postgresql://app:p4ssword-4711@db/app"}};
  auto l = make();
  ASSERT_TRUE(l.ok()) << l.error.message;
  auto found = l.value.secrets;
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  EXPECT_EQ(found, (strings{"Authorization: Bearer abcdef-4711", "abcdef-4711", "first", "k-4711", "k3y",
                            "p4ssword-4711", "postgresql://app:p4ssword-4711@db/app", "s3cret"}));
}

TEST_F(launch_test, knows_secrets_by_the_names_within_its_texts) {
  entry_.args = {
    "-e",     "API_KEY=q7Lm2Rv5Zp81", "--header", "X-API-Key:q7Lm2Rv5Zp82", "https://h/mcp?token=q7Lm2Rv5Zp83",
    "--auth", "q7Lm2Rv5Zp84"};
  entry_.env = {{"HEADERS", R"({"Authorization":"Bearer q7Lm2Rv5Zp85"})"},
                {"DB", "Server=h;Password=q7Lm2Rv5Zp86;"},
                {"GITLAB_PAT", "q7Lm2Rv5Zp87"}};
  entry_.url = "https://h/mcp?api_key=q7Lm2Rv5Zp88";
  entry_.headers = {{"X-Auth-Token", "q7Lm2Rv5Zp89"}};
  auto l = make();
  ASSERT_TRUE(l.ok()) << l.error.message;
  for (auto n : {"1", "2", "3", "4", "5", "6", "7", "8", "9"})
    EXPECT_EQ(std::count(l.value.secrets.begin(), l.value.secrets.end(), std::string{"q7Lm2Rv5Zp8"} + n), 1) << n;
}

TEST_F(launch_test, knows_passwords_behind_names_of_users) {
  for (const strings& args :
       {strings{"-u", "admin:q7Lm=2Rv5"}, strings{"--user", "admin:q7Lm=2Rv5"}, strings{"--user=admin:q7Lm=2Rv5"}}) {
    entry_.args = args;
    auto secrets = make().value.secrets;
    EXPECT_EQ(std::count(secrets.begin(), secrets.end(), "q7Lm=2Rv5"), 1) << args[0];
  }
}

TEST_F(launch_test, what_people_write_is_no_secret) {
  entry_.args = {"run",
                 "-e",
                 "AUTHOR=somebody-else-1",
                 "--header",
                 "Accept: application/json",
                 "valkey/valkey:8.0.1-alpine3.20",
                 "--no-auth",
                 "-u",
                 "1000:1000",
                 "--user=node:node",
                 "--transport=stdio",
                 "https://example.com/mcp?lang=en-GB&limit=12345678"};
  entry_.env = {{"PATTERN", "q7Lm2Rv5Zp8"},
                {"AUTHOR", "q7Lm2Rv5Zp8"},
                {"BASIC_AUTH", "disabled"},
                {"WEBHOOK_URL", "https://example.com/hooks/new"}};
  EXPECT_EQ(make().value.secrets, strings{});
}

TEST_F(launch_test, what_linux_does_not_take_is_refused) {
  std::string most(msg::limits::argument_bytes_max - 1, 'x'), assigned(most.size() - 4, 'x'); // BIG=
  folder_.write(".env", "BIG=" + assigned + "\n");
  entry_.env_file = folder_.path(".env");
  entry_.args = {most};
  EXPECT_TRUE(make().ok());
  entry_.args = {most + "x"};
  EXPECT_EQ(make().error.code, msg::errc::limit_exceeded);
  EXPECT_NE(make().error.message.find("arguments is longer than 128 KiB"), std::string::npos) << make().error.message;
  entry_.args = {};
  folder_.write(".env", "BIG=" + assigned + "x\n");
  EXPECT_EQ(make().error.code, msg::errc::limit_exceeded);
  EXPECT_EQ(make().error.server, "srv");
  EXPECT_NE(make().error.message.find("BIG"), std::string::npos) << make().error.message;
}

TEST_F(launch_test, secrets_of_one_entry_take_no_more_than_linux_takes_of_it) {
  for (int i = 0; i < 20; ++i) { // each with as many ends and parts as there are
    auto& text = entry_.env.emplace_back("V" + std::to_string(i), "").second;
    for (int n = 0; text.size() < 50'000; ++n)
      text += "key" + std::to_string(i) + "=<" + std::to_string(n) + "/&";
  }
  size_t bytes = 0;
  for (auto& secret : make().value.secrets)
    bytes += secret.size();
  EXPECT_LE(bytes, 2u << 20);
}

TEST_F(launch_test, looks_in_the_path_of_the_entry) {
  auto other = folder_.write_program("other/server");
  entry_.env = {{"PATH", folder_.path("other")}};
  EXPECT_EQ(make().value.argv.at(0).text(), other);
  entry_.env = {{"PATH", "${UNSET:-/nowhere}"}};
  EXPECT_FALSE(make().ok());
}

TEST_F(launch_test, a_relative_command_is_relative_to_the_entrys_folder) {
  auto local = folder_.write_program("work/run");
  entry_.command = "./run";
  EXPECT_FALSE(make().ok());
  entry_.cwd = "${BASE}/work";
  variables_["BASE"] = folder_.path();
  auto l = make();
  ASSERT_TRUE(l.ok()) << l.error.message;
  EXPECT_EQ(std::filesystem::path{l.value.argv.at(0).text()}.lexically_normal(), local);
  EXPECT_EQ(l.value.cwd, folder_.path("work"));
}

// The child changes its folder before it looks.
TEST_F(launch_test, a_relative_folder_still_gives_an_absolute_executable) {
  folder_.write_program("work/run");
  entry_.command = "./run";
  entry_.cwd = "work";
  auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path()); // as in the program: env.cwd is ours
  auto l = make();
  std::filesystem::current_path(before);
  ASSERT_TRUE(l.ok()) << l.error.message;
  EXPECT_TRUE(std::filesystem::path{l.value.argv.at(0).text()}.is_absolute()) << l.value.argv.at(0).text();
}

TEST_F(launch_test, a_missing_command_is_told_with_its_place) {
  entry_.command = "nosuch";
  auto l = make();
  EXPECT_EQ(l.error.code, msg::errc::server_start_failed);
  EXPECT_EQ(l.error.server, "srv");
  for (auto& part : {std::string{"'nosuch'"}, folder_.path("bin"), std::string{"/c.json"}})
    EXPECT_NE(l.error.message.find(part), std::string::npos) << l.error.message;
  entry_.command = "/nowhere/x";
  EXPECT_EQ(make().error.message.find("PATH"), std::string::npos) << make().error.message;
}

TEST_F(launch_test, names_of_ours_are_passed_on) {
  entry_.env_names = {"SECRET_TOKEN", "UNSET"};
  auto l = make();
  EXPECT_EQ(test::strings_of(l.value.environment),
            (strings{outer, "HOME=/home/u", "LANG=C", "PATH=" + folder_.path("bin"), "SECRET_TOKEN=s3cret", "USER=u"}));
}

TEST_F(launch_test, a_file_of_variables_counts_less_than_the_entry) {
  folder_.write(".env", "A=file\nB=file\nUSER=other\n");
  entry_.env = {{"A", "entry"}};
  entry_.syntax = msg::variable_syntax::editor;
  entry_.workspace = folder_.path();
  for (auto* path : {"${workspaceFolder}/.env", ".env"}) {
    entry_.env_file = path;
    auto l = make();
    ASSERT_TRUE(l.ok()) << l.error.message;
    EXPECT_EQ(test::strings_of(l.value.environment), (strings{"A=entry", "B=file", outer, "HOME=/home/u", "LANG=C",
                                                              "PATH=" + folder_.path("bin"), "USER=other"}));
  }
}

TEST_F(launch_test, what_is_missing_is_told_without_values) {
  entry_.env = {{"TOKEN", "${env:SECRET_TOKEN}"}};
  entry_.syntax = msg::variable_syntax::editor;
  struct {
    const char *args, *env_file, *says;
  } const cases[] = {
    {"${input:key}", "", "'key'"}, {"${file:/no/token}", "", "/no/token"}, {"", ".env", "no such file"}};
  for (auto& c : cases) {
    entry_.args = {c.args};
    entry_.env_file = c.env_file;
    auto l = make();
    EXPECT_EQ(l.error.code, msg::errc::server_start_failed);
    EXPECT_EQ(l.error.server, "srv");
    for (auto* part : {c.says, "/c.json"})
      EXPECT_NE(l.error.message.find(part), std::string::npos) << l.error.message;
    EXPECT_EQ(l.error.message.find("s3cret"), std::string::npos);
  }
}

TEST_F(launch_test, a_missing_command_is_told_as_it_is_written) {
  entry_.command = "${SECRET_TOKEN}";
  auto l = make();
  EXPECT_NE(l.error.message.find("'${SECRET_TOKEN}'"), std::string::npos) << l.error.message;
  EXPECT_EQ(l.error.message.find("s3cret"), std::string::npos);
}

TEST_F(launch_test, relative_files_start_at_the_file_of_the_entry) {
  entry_.source = folder_.write("config/opencode.json", "{}");
  folder_.write("config/token", "from file\n");
  entry_.syntax = msg::variable_syntax::opencode;
  entry_.args = {"{file:token}"};
  EXPECT_EQ(test::strings_of(make().value.argv), (strings{program_, "from file"}));
}

TEST_F(launch_test, knows_the_files_that_say_more_of_an_entry) {
  entry_.source = folder_.path("config/opencode.json");
  entry_.syntax = msg::variable_syntax::opencode;
  entry_.args = {"{file:token}"};
  entry_.env = {{"KEY", "{file:/keys/one}"}};
  entry_.headers = {{"Authorization", "Bearer {file:~/two}"}};
  entry_.env_file = "{env:HOME}/.env";
  auto files = [&] { return config::files_of(entry_, env_, lookup(variables_)); };
  EXPECT_EQ(files(), (strings{folder_.path("config/token"), "/keys/one", "/home/u/two", "/home/u/.env", program_}));
  entry_.args = {"-m", "script.py", "bin/../script.py", "bin"};
  auto script = folder_.write("script.py", "");
  EXPECT_EQ(files(), (strings{"/keys/one", "/home/u/two", "/home/u/.env", program_, script}));
  entry_.args = {"{file:token}"};
  entry_.env_file = "{file:absent}";
  EXPECT_EQ(files().size(), 4u) << "the one that would name it is kept";
  entry_.trust = msg::trust_level::unapproved;
  entry_.args = {"{file:token}", "{file:" + folder_.write("told", "script.py") + "}", "{env:X}"};
  entry_.env_file = folder_.write(".env", "PATH=/nosuch");
  variables_["X"] = script;
  auto of_client = files();
  auto has = [&](auto& file) { return std::find(of_client.begin(), of_client.end(), file) != of_client.end(); };
  EXPECT_TRUE(has(entry_.env_file) && has(program_) && has("/keys/one"));
  EXPECT_FALSE(has(script)) << "nothing is looked up for what nobody approved";
}

TEST_F(launch_test, a_file_of_variables_says_what_code_is_loaded_as_the_entry_does) {
  folder_.write("hook.cjs", "");
  folder_.write("lib/sitecustomize.py", "");
  env_.cwd = folder_.path();
  entry_.env_file = folder_.write("cmd.env", "NODE_OPTIONS=--require ./hook.cjs\nPYTHONPATH=lib\nPATH="
                                               + folder_.path("tools") + ":" + folder_.path("bin") + "\n");
  auto has = [&](const std::string& below) {
    auto files = config::files_of(entry_, env_, lookup(variables_));
    return std::find(files.begin(), files.end(), folder_.path(below)) != files.end();
  };
  EXPECT_TRUE(has("hook.cjs") && has("lib/sitecustomize.py") && has("tools"));
  EXPECT_FALSE(has("bin")) << "of our own PATH";
  entry_.env = {{"NODE_OPTIONS", ""}};
  EXPECT_FALSE(has("hook.cjs")) << "the entry counts more";
  entry_.env_file.clear();
  entry_.env_names = {"NODE_OPTIONS"};
  entry_.env.clear();
  variables_["NODE_OPTIONS"] = "-r ./hook.cjs";
  EXPECT_TRUE(has("hook.cjs"));
}

TEST_F(launch_test, knows_what_would_start_an_executable) {
  std::filesystem::create_symlink(program_, folder_.path("bin/alias"));
  EXPECT_TRUE(config::start_detector(program_, env_).starts(entry_));
  entry_.command = "alias";
  EXPECT_TRUE(config::start_detector(program_, env_).starts(entry_));
  entry_.command = program_;
  EXPECT_TRUE(config::start_detector(program_, env_).starts(entry_));
  entry_.command = "server";
  entry_.syntax = msg::variable_syntax::editor;
  entry_.env_file = folder_.write(".env", "PATH=" + folder_.path("bin"));
  env_.path = "/nowhere";
  EXPECT_TRUE(config::start_detector(program_, env_).starts(entry_)) << "through the PATH of its file";
  entry_.env_file.clear();
  entry_.command = "${workspaceFolder}/bin/alias";
  entry_.workspace = folder_.path();
  EXPECT_TRUE(config::start_detector(program_, env_).starts(entry_));
  entry_.command = "${input:none}";
  EXPECT_FALSE(config::start_detector(program_, env_).starts(entry_));
  for (auto* command : {"", "nosuch", "/bin/sh"}) {
    entry_.command = command;
    EXPECT_FALSE(config::start_detector(program_, env_).starts(entry_)) << command;
  }
}

} // namespace config_launch_test
