// Folders that words of a command line go to, in whatever way, and what managers read there.
#include "config/program_files.hpp"

#include "config/known_programs.hpp"
#include "testing/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace config_started_folders_test {

using strings = std::vector<std::string>;

class started_folders_test : public testing::Test {
protected:
  started_folders_test() {
    for (auto* name : {"package.json", ".npmrc", "Makefile", "pyproject.toml", "node_modules/.bin/srv", "justfile",
                       ".venv/bin/python", ".venv/bin/activate", "main.go", "server.py", "src/main.tsx", "src/x.mts"})
      folder_.write(std::string{"project/app/"} + name, name == std::string_view{"package.json"} ? "{}" : "");
    cwd_ = folder_.path("project");
  }
  config::program_places places(const strings& words) const {
    config::file_look look;
    return config::program_files({words, folder_.path("bin"), cwd_, folder_.path("home")}, look);
  }
  bool finds(const strings& words, const std::string& below) const {
    auto found = places(words).files;
    return std::find(found.begin(), found.end(), folder_.path("project/" + below)) != found.end();
  }

  std::string path(const std::string& below) const { return folder_.path("project/" + below); }

  test::folder folder_;
  std::string cwd_;
};

TEST_F(started_folders_test, of_texts_for_a_shell) {
  for (auto* text :
       {"cd app && npx srv 2>>err.log | tee out.log", "cd app || exit 1; npx srv", "cd -- app && exec npx srv",
        "cd \"$PWD/app\" && exec npx srv", "pushd app >/dev/null && npx srv", "(cd app && exec npx srv)",
        "cd -P app; npx srv", "{ cd app; npx srv; }", "if true; then cd app; npx srv; fi", "cd `pwd`/app && npx srv",
        "cd app && npx srv < /dev/stdin", "env -C app npx srv | cat", "bash -lc \"cd \\\"app\\\" && npx srv\"",
        "D=app; cd $D && npx srv", "npm --prefix app exec srv | cat", "cd ./x/../app && npx srv"})
    for (auto* name : {"app/node_modules", "app/package.json", "app/.npmrc"}) {
      EXPECT_TRUE(finds({"bash", "-c", text}, name)) << text;
      EXPECT_TRUE(places({"bash", "-c", text}).closed.empty()) << text;
    }
  for (auto& line :
       {strings{"flock", "l", "sh", "-c", "cd app && npx srv"}, strings{"npx", "-c", "cd app && srv"},
        strings{"mise", "exec", "--cd", "app", "--", "npx", "srv"}, strings{"fish", "-c", "cd app; and npx srv"},
        strings{"npx", "concurrently", "cd app && npx srv"}, strings{"direnv", "exec", "app", "npx", "srv"}})
    EXPECT_TRUE(finds(line, "app/node_modules")) << testing::PrintToString(line);
  std::filesystem::remove(folder_.path("project/app/package.json"));
  EXPECT_TRUE(finds({"bash", "-c", "cd app | npx srv"}, "app/package.json")) << "held";
  EXPECT_FALSE(finds({"npx", "srv", "app"}, "app/package.json")) << "a server is told of it";
  EXPECT_TRUE(finds({"npx", "srv", "app"}, "app/.npmrc")) << "it is there";
}

TEST_F(started_folders_test, from_each_other_in_whatever_order_the_words_come) {
  folder_.write("project/a/b/s.py", "");
  EXPECT_TRUE(finds({"sh", "-c", "cd \"$2\" && cd \"$1\" && exec python3 s.py", "sh", "b", "a"}, "a/b/s.py"));
}

TEST_F(started_folders_test, of_modules_and_of_variables_that_name_code) {
  folder_.write("project/pkg/__init__.py", "");
  folder_.write("project/pkg/srv.py", "");
  folder_.write("project/pkg/sub/__main__.py", "");
  folder_.write("project/lib/Tools/Run.pm", "");
  folder_.write("project/my lib/x.mjs", "");
  for (auto& line : {strings{"python3", "-m", "pkg.srv"}, strings{"python3", "-mpkg.srv"},
                     strings{"sh", "-c", "exec python3 -u -m pkg.srv"}, strings{"python3", "-um", "pkg.srv"},
                     strings{"uvicorn", "pkg.srv:app"}, strings{"python3", "-m", "runpy", "pkg.srv"}}) {
    EXPECT_TRUE(finds(line, "pkg/srv.py")) << testing::PrintToString(line);
    EXPECT_TRUE(finds(line, "pkg/__init__.py")) << testing::PrintToString(line);
  }
  EXPECT_TRUE(finds({"python3", "-m", "pkg.sub"}, "pkg/sub/__main__.py"));
  EXPECT_TRUE(finds({"perl", "-Ilib", "-MTools::Run", "-e", "1"}, "lib/Tools/Run.pm"));
  config::file_look look;
  auto found = config::program_files(
                 {{"python3", "-m", "srv"},
                  "",
                  cwd_,
                  folder_.path("home"),
                  {{"PYTHONPATH", "/x:pkg"}, {"NODE_OPTIONS", "--import \"./my lib/x.mjs\""}, {"X", "app/main.go"}}},
                 look)
                 .files;
  EXPECT_EQ(found, (strings{path("pkg/srv.py"), path("my lib/x.mjs"), path("pkg/__init__.py")}));
}

TEST_F(started_folders_test, are_closed_where_a_shell_expands_a_variable_of_the_entry) {
  using variables = std::map<std::string, std::string>;
  for (auto& known :
       {variables{{"BASH_ENV", "$D/rc"}}, variables{{"ENV", "`x`"}}, variables{{"BASH_FUNC_f%%", "() { x; }"}}}) {
    config::file_look look;
    EXPECT_FALSE(config::program_files({{"bash", "s.sh"}, "", cwd_, folder_.path("home"), known}, look).closed.empty())
      << known.begin()->first;
  }
}

TEST_F(started_folders_test, of_those_that_run_tasks_and_projects) {
  for (auto& line : {strings{"bash", "-c", "cd app && make -s run | cat"}, strings{"make", "-sC", "app"},
                     strings{"make", "-sCapp"}, strings{"mcp-proxy", "--", "sh", "-c", "cd app && make run"}})
    EXPECT_TRUE(finds(line, "app/Makefile")) << testing::PrintToString(line);
  for (auto& line :
       {strings{"uvx", "--from", "./app", "x"}, strings{"uvx", "--from", "./app[extra]", "x"},
        strings{"uv", "run", "--with", "./app", "x"}, strings{"uv", "run", "--with-editable", "./app", "x"},
        strings{"pipx", "run", "--spec", "./app", "x"}, strings{"sh", "-c", "cd app || exit; uv run x"},
        strings{"npx", "supergateway", "--stdio", "sh -c 'cd app && uv run srv'"}})
    EXPECT_TRUE(finds(line, "app/pyproject.toml")) << testing::PrintToString(line);
  EXPECT_TRUE(finds({"just", "--working-directory", "app", "x"}, "app/justfile"));
  EXPECT_TRUE(finds({"go", "run", "./app"}, "app/main.go"));
  EXPECT_TRUE(finds({"uvicorn", "--app-dir", "app", "server:app"}, "app/server.py"));
  folder_.write("project/env/bin/python", "");
  EXPECT_TRUE(finds({"conda", "run", "-p", "./env", "python"}, "env/bin"));
  EXPECT_TRUE(finds({"java", "@app/Makefile"}, "app/Makefile"));
  EXPECT_TRUE(finds({"tsx", "app/src/main"}, "app/src/main.tsx") && finds({"tsx", "app/src/x"}, "app/src/x.mts"));
  EXPECT_TRUE(finds({"bash", "-c", ". app/.venv/bin/activate && exec python server.py"}, "app/.venv"));
  EXPECT_FALSE(finds({"app/.venv/bin/python"}, "app/.venv")) << "no environment by its files";
  folder_.write("project/app/.venv/pyvenv.cfg", "");
  EXPECT_TRUE(finds({"app/.venv/bin/python"}, "app/.venv"));
}

TEST_F(started_folders_test, of_search_paths_and_class_paths_whole) {
  folder_.write_program("project/bin/srv");
  folder_.write("project/lib/a.jar", "");
  folder_.write("project/tools/x", "");
  folder_.write("project/pkg/server.py", "");
  auto of = [&](const std::string& search_path, const strings& words) {
    config::file_look look;
    config::command_line line{words, search_path, cwd_, folder_.path("home")};
    line.usual_path = "/usr/bin:/bin";
    return config::program_files(line, look);
  };
  auto has = [&](const config::program_places& places, const std::string& below) {
    return std::find(places.files.begin(), places.files.end(), path(below)) != places.files.end();
  };
  auto both = of(path("tools") + ":/usr/bin:bin", {"srv"});
  EXPECT_TRUE(has(both, "tools") && has(both, "bin") && has(both, "bin/srv"));
  EXPECT_TRUE(has(of(path("absent") + ":/usr/bin", {"srv"}), "absent")) << "held";
  EXPECT_TRUE(both.closed.empty());
  EXPECT_EQ(std::count(both.files.begin(), both.files.end(), "/usr/bin"), 0);
  for (auto* here : {".", "", "..", "./x/.."})
    EXPECT_FALSE(of(std::string{here} + ":/usr/bin", {"srv"}).closed.empty()) << here;
  for (auto& line : {strings{"sh", "-c", "PATH=$PWD/tools:$PATH exec srv"}, strings{"env", "PATH=tools:/bin", "srv"},
                     strings{"sh", "-c", "export PATH=\"$PWD/tools:$PATH\"; srv"}})
    EXPECT_TRUE(has(of("/usr/bin", line), "tools")) << testing::PrintToString(line);
  for (auto& line : {strings{"java", "-cp", "lib/*", "Main"}, strings{"java", "--class-path=x.jar:lib", "Main"},
                     strings{"sh", "-c", "exec java -cp 'lib/*:.m2' Main"}, strings{"sh", "-c", "CLASSPATH=lib/\\* x"}})
    EXPECT_TRUE(has(of("/usr/bin", line), "lib")) << testing::PrintToString(line);
  EXPECT_FALSE(has(of("/usr/bin", {"other", "-p", "lib"}), "lib"));
  EXPECT_TRUE(has(of("/usr/bin", {"python3", "-umpkg.server"}), "pkg/server.py"));
}

TEST_F(started_folders_test, of_files_of_variables_that_tools_read) {
  folder_.write("project/hook.cjs", "");
  folder_.write("project/a.env", "X=app/server.py\nNODE_OPTIONS='--require ./hook.cjs'\n");
  EXPECT_TRUE(finds({"node", "--env-file=a.env", "/x.js"}, "hook.cjs"));
  EXPECT_FALSE(finds({"node", "--env-file=a.env", "/x.js"}, "app/server.py"));
  folder_.write("project/.env", "PYTHONPATH=lib\n");
  folder_.write("project/lib/sitecustomize.py", "");
  EXPECT_TRUE(finds({"pipenv", "run", "x"}, "lib/sitecustomize.py"));
}

TEST_F(started_folders_test, of_locks_and_of_what_tools_read_by_themselves) {
  struct {
    strings words;
    std::string files;
  } const cases[] = {
    {{"npx", "x"}, "package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock bun.lock bun.lockb"},
    {{"uv", "run", "x"}, "uv.lock poetry.lock pdm.lock Pipfile Pipfile.lock"},
    {{"sh", "-c", "pipenv sync && pipenv run x"}, "Pipfile.lock .env"},
    {{"bundle", "exec", "x"}, "Gemfile Gemfile.lock gems.rb"},
    {{"deno", "run", "x"}, "deno.lock"},
    {{"docker", "compose", "run", "x"}, "compose.yaml compose.override.yml docker-compose.yml .env Dockerfile"},
    {{"docker-compose", "run", "x"}, "compose.yaml docker-compose.override.yaml .env"},
    {{"podman", "compose", "up"}, "compose.yml .env Containerfile"},
    {{"flask", "run"}, ".env .flaskenv"},
    {{"npx", "-y", "dotenv-cli@7", "--", "x"}, ".env"},
    {{"foreman", "start"}, "Procfile .env"},
    {{"bun", "run", "x"}, ".env bun.lock tsconfig.json"},
    {{"mise", "run", "x"}, ".mise/config.toml .config/mise/config.toml .mise.local.toml"},
    {{"task", "x"}, "Taskfile.dist.yml taskfile.dist.yaml"},
    {{"rake", "x"}, "rakefile Rakefile.rb"},
    {{"nx", "run", "x"}, "package.json nx.json project.json"},
    {{"turbo", "run", "x"}, "package.json turbo.json"},
    {{"run-s", "x"}, "package.json"},
    {{"lerna", "run", "x"}, "package.json lerna.json"},
    {{"devbox", "run", "x"}, "devbox.json"},
    {{"fastmcp", "run"}, "fastmcp.json"},
    {{"ant", "x"}, "build.xml"},
    {{"gunicorn", "x:app"}, "gunicorn.conf.py"},
    {{"conda", "run", "-p", "./env", "x"}, "env/etc/conda"},
  };
  for (auto& each : cases)
    config::for_each_of(each.files, [&](auto file) {
      folder_.write("project/" + std::string{file} + (file.ends_with("conda") ? "/activate.d/a.sh" : ""), "");
    });
  for (auto& each : cases)
    config::for_each_of(each.files, [&](auto file) {
      EXPECT_TRUE(finds(each.words, std::string{file})) << file << testing::PrintToString(each.words);
    });
  EXPECT_FALSE(finds({"docker", "run", "-i", "image"}, ".env"));
}

TEST_F(started_folders_test, a_text_that_can_not_be_followed_closes_where_it_is_started) {
  auto closed = places({"bash", "-c", "cd $X && npx srv app"}).closed;
  ASSERT_EQ(closed.size(), 1u);
  EXPECT_EQ(closed[0].path, cwd_);
  EXPECT_EQ(closed[0].why, "'cd' names a file or folder that only the shell knows");
  auto with = [&](strings words) {
    return config::command_line{std::move(words), folder_.path("bin"), cwd_, folder_.path("home"), {{"X", "app"}}};
  };
  config::file_look look;
  auto known = config::program_files(with({"bash", "-c", "cd $X && npx srv"}), look);
  EXPECT_TRUE(known.closed.empty()) << "of the entry's own variables";
  EXPECT_NE(std::find(known.files.begin(), known.files.end(), folder_.path("project/app/package.json")),
            known.files.end());
}

} // namespace config_started_folders_test
