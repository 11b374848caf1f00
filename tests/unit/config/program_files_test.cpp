#include "config/program_files.hpp"

#include "config/shell_words.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <sys/stat.h>

namespace config_program_files_test {

using strings = std::vector<std::string>;

class program_files_test : public testing::Test {
protected:
  program_files_test() {
    for (auto* name : {"uv", "npx", "npm", "bun", "other"})
      folder_.write_program(std::string{"bin/"} + name, "");
    script_ = folder_.write("project/srv/main.py", "");
    nested_ = folder_.write("project/srv/sub/inner.js", "");
    top_ = folder_.write("project/top.js", "");
    cwd_ = folder_.path("project");
  }
  config::program_places places(strings words) const {
    config::file_look look;
    return config::program_files({std::move(words), folder_.path("bin"), cwd_, folder_.path("project")}, look);
  }
  strings files(strings words) const { return places(std::move(words)).files; }
  bool is_closed(const strings& words) const {
    auto closed = places(words).closed;
    return std::any_of(closed.begin(), closed.end(), [&](auto& folder) { return folder.path == cwd_; });
  }
  bool finds(const strings& words, const std::string& file) const {
    auto found = files(words);
    return std::find(found.begin(), found.end(), file) != found.end();
  }
  std::string path(const std::string& below) const { return folder_.path("project/" + below); }

  test::folder folder_;
  std::string script_, nested_, top_, cwd_;
};

TEST_F(program_files_test, a_script_is_found_from_every_folder_that_the_words_name) {
  auto srv = path("srv");
  for (auto& line :
       {strings{"uv", "--directory", srv, "run", "main.py"}, strings{"uv", "--directory=" + srv, "run", "main.py"},
        strings{"uv", "--directory", "srv", "run", "main.py"}, strings{"env", "-C", srv, "other", "main.py"},
        strings{"env", "-C" + srv, "other", "main.py"}, strings{"env", "--chdir=srv", "other", "main.py"},
        strings{"sh", "-c", "cd " + srv + " && exec other main.py"},
        strings{"bash", "-lc", "cd srv; other ./main.py 2>>log"}, strings{"bash", "-c", "cd ~/srv && other main.py"},
        strings{"sh", "-c", "(cd srv && other main.py) | tee log"},
        strings{"sh", "-c", "if true; then cd \"$HOME/srv\"; other main.py; fi"},
        strings{"sh", "-c", "other srv/main.py || exit 1"},
        strings{"nice", "-n", "5", "env", "-C", "srv", "sh", "-c", "exec other main.py"},
        strings{"other", "--config=srv/main.py"}, strings{"other", "-fsrv/main.py"}, strings{"other", "main.py", srv},
        strings{"other", "srv/sub/../main.py"}})
    EXPECT_TRUE(finds(line, script_)) << testing::PrintToString(line);
  for (auto* text : {". srv/env.sh\nexec other srv/main.py\n", "if true; then\n\texec other\tsrv/main.py\nfi\n",
                     "other srv/main.py;true x", "other srv/main.py|cat", "true&&exec other srv/main.py;true",
                     "other \"$PWD/srv/main.py\"", "other ${PWD}/srv/main.py", "exec(open('srv/main.py').read())"})
    EXPECT_TRUE(finds({"sh", "-c", text}, script_)) << text;
  EXPECT_TRUE(finds({"other", "-cp", "top.js:srv/main.py"}, script_) && finds({"other", "srv/main.py:/x:ro"}, script_));
  EXPECT_TRUE(finds({"npm", "--prefix", "srv", "start", "sub", "inner.js"}, nested_)) << "from a folder in a folder";
  EXPECT_TRUE(finds({"sh", "-c", "cd srv && cd sub && node inner.js"}, nested_));
}

TEST_F(program_files_test, what_runtimes_find_by_less_than_the_name_is_found) {
  auto index = folder_.write("project/dist/index.js", ""), package = folder_.write("project/dist/package.json", "{}");
  auto main = folder_.write("project/app/__main__.py", ""), hook = folder_.write("project/hook.mjs", "");
  for (auto& line : {strings{"other", "dist/index"}, strings{"other", "dist"}, strings{"other", "./dist/"},
                     strings{"sh", "-c", "exec other dist"}})
    EXPECT_TRUE(finds(line, index)) << testing::PrintToString(line);
  EXPECT_TRUE(finds({"other", "dist"}, package));
  EXPECT_TRUE(finds({"other", "app"}, main));
  EXPECT_TRUE(finds({"other", "-r", "./hook", "top.js"}, hook));
  EXPECT_FALSE(finds({"other", "dist/index.js"}, hook));
}

TEST_F(program_files_test, what_runs_a_script_is_found) {
  auto python = folder_.write_program("project/.venv/bin/python");
  auto runs_python = folder_.write_program("project/.venv/bin/run", "#!" + python + " -I\n");
  auto console = folder_.write_program("project/.venv/bin/server", "#!" + runs_python + "\nimport x\n");
  EXPECT_TRUE(finds({".venv/bin/server"}, python)) << "through another script";
  EXPECT_TRUE(finds({"other", ".venv/bin/server"}, runs_python));
  auto through_env = folder_.write("project/s.js", "#!/usr/bin/env -S uv run\n");
  EXPECT_TRUE(finds({"./s.js"}, folder_.path("bin/uv")));
  folder_.write_program("project/self", "#!" + path("self") + "\n");
  EXPECT_TRUE(finds({"./self"}, path("self"))) << "and comes to an end";
}

TEST_F(program_files_test, only_files_that_words_lead_to_are_found) {
  for (auto& line : {strings{"other", "main.py"}, strings{"env", "-C", "bin", "other", "main.py"},
                     strings{"other", "srv"}, strings{"other", "srv", "mai"}})
    EXPECT_FALSE(finds(line, script_)) << testing::PrintToString(line);
  EXPECT_EQ(files({"other", "top.js"}), (strings{folder_.path("bin/other"), top_}));
  EXPECT_EQ(files({"env", "-C", "srv", folder_.path("bin/other"), "main.py"}).size(), 2u)
    << "`env` is not in this PATH";
  EXPECT_EQ(files({"nosuch"}), strings{});
  EXPECT_EQ(files({std::string{config::unread_word}, std::string{config::unread_word}, ""}), strings{});
}

TEST_F(program_files_test, each_word_is_looked_for_in_the_search_path) {
  auto server = folder_.write("project/bin/srv", "#!/usr/bin/env uv\n");
  std::filesystem::permissions(server, std::filesystem::perms{0755});
  std::filesystem::create_symlink(server, folder_.path("bin/my-mcp"));
  for (auto& line : {strings{"my-mcp"}, strings{"sh", "-c", "exec my-mcp"}, strings{"sh", "-c", "my-mcp | cat"},
                     strings{"sh", "-c", "my-mcp 2>/dev/null || true"}, strings{"xargs", "my-mcp"},
                     strings{"other", "--", "my-mcp", "x"}, strings{"sh", "-c", "exec dbus-run-session \"my-mcp\""}}) {
    EXPECT_TRUE(finds(line, folder_.path("bin/my-mcp"))) << testing::PrintToString(line);
    EXPECT_TRUE(finds(line, folder_.path("bin/uv"))) << testing::PrintToString(line);
  }
  EXPECT_TRUE(finds({"env", "PATH=/nosuch", "sh", "-c", "my-mcp | cat"}, folder_.path("bin/my-mcp")))
    << "in any of them";
  EXPECT_TRUE(finds({"env", "PATH=" + folder_.path("project/bin"), "sh", "-c", "srv | cat"}, server)) << "in its own";
  EXPECT_FALSE(finds({"xargs", "srv"}, server));
}

TEST_F(program_files_test, both_places_that_a_way_up_behind_a_link_may_lead_to_are_found) {
  folder_.write("project/tools/v2/server.py", "");
  auto beside = folder_.write("project/server.py", ""), package = folder_.write("project/tools/v2/package.json", "{}");
  folder_.write("project/tools/v2/x/keep", "");
  std::filesystem::create_directory_symlink("tools/v2/x", path("current"));
  EXPECT_TRUE(finds({"other", "current/../server.py"}, path("current/../server.py"))) << "with the link";
  EXPECT_TRUE(finds({"other", "current/../server.py"}, beside));
  EXPECT_TRUE(finds({"other", "--directory", "current/..", "server.py"}, path("current/../server.py")));
  EXPECT_TRUE(finds({"npm", "--prefix", "current/..", "start"}, package));
  std::filesystem::remove(beside);
  EXPECT_TRUE(finds({"other", "current/../server.py"}, path("current/../server.py"))) << "only there";
  EXPECT_EQ(files({"other", "srv/../top.js"}), (strings{folder_.path("bin/other"), top_})) << "no link";
}

TEST_F(program_files_test, what_make_reads_is_found) {
  for (auto* name : {"project/Makefile", "project/GNUmakefile", "project/srv/makefile"})
    folder_.write(name, "");
  for (auto& line : {strings{"make", "mcp"}, strings{"/usr/bin/gmake", "mcp"}, strings{"sh", "-c", "make mcp | cat"},
                     strings{"nice", "make"}})
    for (auto* name : {"Makefile", "GNUmakefile"})
      EXPECT_TRUE(finds(line, path(name))) << name << testing::PrintToString(line);
  EXPECT_TRUE(finds({"make", "-C", "srv", "mcp"}, path("srv/makefile")));
  EXPECT_FALSE(finds({"make", "mcp"}, path("makefile"))) << "not held: no text is right for it";
  EXPECT_FALSE(finds({"other", "mcp"}, path("Makefile")));
}

TEST_F(program_files_test, of_managers_of_python_projects_what_they_read_is_found) {
  auto python = path(".venv");
  std::filesystem::create_directory(python);
  auto project = folder_.write("project/pyproject.toml", ""), inner = folder_.write("project/srv/pyproject.toml", "");
  for (auto& line :
       {strings{"uv", "run", "srv"}, strings{"/usr/bin/poetry", "run", "x"}, strings{"env", "A=b", "pdm", "run", "x"},
        strings{"sh", "-c", "exec uvx --from . x"}, strings{"uv", "--directory", "srv", "run", "x"}})
    EXPECT_TRUE(finds(line, project) && finds(line, python)) << testing::PrintToString(line);
  EXPECT_TRUE(finds({"uv", "--directory", "srv", "run", "x"}, inner));
  for (auto& line : {strings{"uv", "run", "--project", "srv", "x"}, strings{"uv", "run", "--project=srv", "x"},
                     strings{"poetry", "-P", "srv", "run", "x"}, strings{"poetry", "-C", "srv", "run", "x"},
                     strings{"pdm", "run", "-p", "srv", "x"}, strings{"pdm", "run", "-psrv", "x"},
                     strings{"sh", "-c", "exec uv run --project srv x | cat"}})
    EXPECT_TRUE(finds(line, inner) && finds(line, project)) << testing::PrintToString(line);
  EXPECT_FALSE(finds({"npx", "-p", "srv", "x"}, path("srv/.npmrc"))) << "of Python only";
  EXPECT_FALSE(finds({"uv", "run", "x"}, inner));
  EXPECT_FALSE(finds({"uv", "run", "x"}, path("uv.toml"))) << "not held";
  EXPECT_FALSE(finds({"other", "run", "srv"}, project) || finds({"other", "run", "srv"}, python));
}

TEST_F(program_files_test, more_than_what_is_looked_for_closes_the_folders) {
  strings line{"other"};
  for (size_t i = 0; i + 1 < config::words_read_max; ++i)
    line.push_back("w" + std::to_string(i));
  EXPECT_FALSE(is_closed(line));
  line.emplace_back("top.js");
  EXPECT_FALSE(finds(line, top_));
  EXPECT_TRUE(is_closed(line));
  auto elsewhere = folder_.write("elsewhere/x/srv.py", "");
  for (auto& word : {elsewhere, folder_.path("elsewhere/x"), std::string{"../elsewhere/x/srv.py"}}) {
    line.back() = word;
    auto closed = places(line).closed;
    EXPECT_TRUE(std::any_of(closed.begin(), closed.end(),
                            [&](auto& f) { return f.path == folder_.path("elsewhere/x") && f.file.empty(); }))
      << word;
  }
  strings folders{"other"};
  for (size_t i = 0; i + 1 < config::folders_read_max; ++i) {
    folders.push_back("f" + std::to_string(i));
    std::filesystem::create_directory(path(folders.back()));
  }
  EXPECT_FALSE(is_closed(folders));
  folders.insert(folders.end(), {"srv", "main.py", "top.js"});
  EXPECT_FALSE(finds(folders, script_));
  EXPECT_TRUE(is_closed(folders) && finds(folders, top_));
}

TEST_F(program_files_test, a_name_with_a_blank_is_found_wherever_it_ends) {
  auto blank = folder_.write("project/srv/my srv.py", "");
  for (auto* text : {"set -e\nother \"srv/my srv.py\"\nexit 0\n", "test -d . || exit; other \"srv/my srv.py\"&&exit 0",
                     "cd srv\nexec\tother\t'my srv.py'\nwait", "(other srv/my\\ srv.py)|cat",
                     "other <'srv/my srv.py'>log", "other $'srv/my srv.py'; true", "# don't\nother 'srv/my srv.py'"})
    EXPECT_TRUE(finds({"sh", "-c", text}, blank)) << text;
}

TEST_F(program_files_test, the_file_of_a_url_is_found) {
  auto blank = folder_.write("project/srv/my (srv).ts", "");
  auto url = "file://" + path("srv/my%20(srv).ts");
  for (auto& line :
       {strings{"other", url}, strings{"other", "--import=" + url}, strings{"other", "--import", url + "?a#b"},
        strings{"other", "--import=./srv/my%20(srv).ts"}, strings{"other", "file:srv/my%20%28srv%29.ts"},
        strings{"other", "file://localhost" + path("srv/my%20%28srv%29.ts")},
        strings{"sh", "-c", "other file://" + path("srv/my%20%28srv%29.ts") + ";true"}})
    EXPECT_TRUE(finds(line, blank)) << testing::PrintToString(line);
  EXPECT_TRUE(finds({"other", "file://" + path("srv/main.py?v=1")}, script_));
  EXPECT_TRUE(finds({"other", "srv/main.py%00", "file:", "file://", "%"}, folder_.path("bin/other")));
}

TEST_F(program_files_test, of_a_text_in_json_its_pieces_are_looked_for_where_it_is_started) {
  auto absolute = "{\"run\": [\"" + script_ + "\"]}";
  for (auto& line :
       {strings{"other", R"({"run": "srv/main.py"})"}, strings{"other", R"(["other", "--x=srv/main.py"])"},
        strings{"other", absolute}, strings{"other", R"( {"run": "python3 'srv/main.py'", "n": [1, null]} )"},
        strings{"other", "-C", "srv", R"(["main.py"])"}, strings{"sh", "-c", "cd srv && other main.py"},
        strings{"other", "{srv/main.py}"}, strings{"other", R"({"srv": "main.py"}, x)"}})
    EXPECT_TRUE(finds(line, script_)) << testing::PrintToString(line);
  auto blank = folder_.write("project/srv/my, srv.py", "");
  for (auto* text : {R"(["srv/my, srv.py", "x"])", R"({"run": {"a": ["other 'srv/my, srv.py'; x"]}})"})
    EXPECT_TRUE(finds({"other", text}, blank)) << text;
  EXPECT_FALSE(finds({"other", "srv", R"(["main.py"])"}, script_)) << "not in each folder that a word names";
  EXPECT_FALSE(finds({"other", R"({"srv": "main.py"})"}, script_)) << "they name no folder for others";
  EXPECT_TRUE(finds({"other", R"({"command": "npx"})"}, path("package.json"))) << "they say what is among them";
}

TEST_F(program_files_test, folders_in_which_names_can_not_be_followed_are_closed) {
  std::string far;
  for (int i = 0; i < 550; ++i)
    far += "srv/../";
  std::filesystem::create_symlink(far + "srv", path("s"));
  EXPECT_TRUE(is_closed({"other", "top.js", "s/s/../main.py"}));
  EXPECT_TRUE(finds({"other", "top.js", "s/main.py"}, top_));
  EXPECT_FALSE(is_closed({"other", "top.js"}));
  std::filesystem::create_symlink("s/nm", path("node_modules"));
  EXPECT_TRUE(is_closed({"npx", "name"}));
  EXPECT_FALSE(finds({"npx", "name"}, path("node_modules"))) << "who keeps it would follow it";
  EXPECT_TRUE(finds({"npx", "name"}, path("package.json"))) << "the others are known";
}

TEST_F(program_files_test, of_a_package_manager_what_it_looks_at_first_is_found) {
  for (auto& line :
       {strings{"npx", "-y", "name"}, strings{"/usr/bin/npx", "name"}, strings{"npm", "exec", "name"},
        strings{"pnpm", "dlx", "name"}, strings{"pnpx", "name"}, strings{"bunx", "name"}, strings{"bun", "x", "name"},
        strings{"yarn", "dlx", "name"}, strings{"env", "A=b", "npx", "name"}, strings{"sh", "-c", "exec npx -y name"},
        strings{"sh", "-c", "npx -y name | tee log"}, strings{"timeout", "5", "npx", "name"}}) {
    for (auto* name : {"package.json", ".npmrc", "node_modules/.bin"})
      EXPECT_TRUE(finds(line, path(name))) << name << testing::PrintToString(line);
    EXPECT_TRUE(finds(line, folder_.path("package.json")))
      << "where it looks when there is none: " << testing::PrintToString(line);
  }
  EXPECT_TRUE(finds({"npm", "--prefix", "srv", "start"}, path("srv/package.json")));
  EXPECT_TRUE(finds({"npm", "--prefix=srv/sub", "start"}, path("srv/sub/package.json")));
  EXPECT_TRUE(finds({"pnpm", "-C", "srv", "start"}, path("srv/package.json")));
  EXPECT_TRUE(finds({"env", "-C", "srv", "npx", "name"}, path("srv/package.json")));
  EXPECT_TRUE(finds({"sh", "-c", "cd srv && npx name"}, path("srv/package.json")));
  EXPECT_FALSE(finds({"npx", "name", "srv"}, path("srv/package.json")))
    << "a folder that a server is told of is not where it is started";
  for (auto& line :
       {strings{"other", "name"}, strings{"env", "-C", "srv", "other"}, strings{"other", "srv/package.json"}})
    EXPECT_FALSE(finds(line, path("package.json")) || finds(line, path("srv/package.json")))
      << testing::PrintToString(line);
}

TEST_F(program_files_test, a_package_manager_of_another_name_is_one) {
  auto cli = folder_.write_program("lib/npm/bin/npx-cli.js");
  std::filesystem::create_symlink(cli, folder_.path("bin/mine"));
  EXPECT_TRUE(finds({"mine", "-y", "server"}, path("package.json")));
  EXPECT_TRUE(finds({"other", cli, "-y", "server"}, path("package.json")));
  EXPECT_FALSE(finds({"other", "-y", "server"}, path("package.json")));
}

TEST_F(program_files_test, of_a_package_manager_the_folder_of_modules_is_found_if_it_is_there) {
  std::filesystem::create_directory(path("node_modules"));
  folder_.write("project/.yarnrc.yml", "");
  for (auto* name : {"node_modules", ".yarnrc.yml"})
    EXPECT_TRUE(finds({"npx", "name"}, path(name))) << name;
  EXPECT_FALSE(finds({"npx", "name"}, path("node_modules/.bin")));
  EXPECT_FALSE(finds({"npx", "name"}, path("bunfig.toml"))) << "not held: empty JSON is no TOML";
}

/// A test that fails here hangs.
TEST_F(program_files_test, a_pipe_or_a_device_in_the_place_of_a_file_is_not_waited_for) {
  folder_.write("project/runs", "#!/usr/bin/env uv\n");
  for (auto* device : {"", "/dev/ptmx", "/dev/zero", "/dev/tty", "/dev/stdin"}) {
    for (auto* name : {"package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml", "pipe.js", "Makefile",
                       "pyproject.toml"}) {
      std::filesystem::remove(path(name));
      if (std::string_view{device}.empty())
        ASSERT_EQ(::mkfifo(path(name).c_str(), 0600), 0);
      else
        std::filesystem::create_symlink(device, path(name));
    }
    for (auto line : {strings{"npx", "-y", "-w", "x", "-ws", "name", "pipe.js"}, strings{"bun", "pipe.js", "."},
                      strings{"uv", "run", "pipe.js"}}) {
      EXPECT_FALSE(finds(line, path("pipe.js"))) << device;
      line.emplace_back("runs");
      EXPECT_TRUE(finds(line, folder_.path("bin/uv"))) << "the others are read: " << device;
    }
    EXPECT_TRUE(finds({"npx", "name"}, path("package.json")) && finds({"npx", "name"}, path(".npmrc")))
      << "they are kept";
  }
}

} // namespace config_program_files_test
