// Programs that start others, and the files that tell them what.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace config {

inline bool is_among(std::string_view word, const auto& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

inline constexpr std::string_view package_managers[] = {"npx",  "npm",     "pnpx",     "pnpm",       "bunx",      "bun",
                                                        "yarn", "yarnpkg", "corepack", "npx-cli.js", "npm-cli.js"};
/// Node.js finds `dist/server.js` and `dist/index.js` by `dist/server` and `dist`, Python `__main__.py` in a folder,
/// and `server.py` by `server:app`; of a folder of `PYTHONPATH` it loads two by itself.
inline constexpr const char* endings_of_scripts[] = {".js",  ".mjs", ".cjs", ".ts", ".mts",
                                                     ".cts", ".tsx", ".jsx", ".py"};
inline constexpr const char* scripts_of_folders[] = {
  "index.js", "index.mjs", "index.cjs", "package.json", "__main__.py", "sitecustomize.py", "usercustomize.py"};
/// Each may name a program as its interpreter, which may be a script itself.
inline constexpr size_t files_looked_into_max = 200;
/// The options by which those, and others, go to a folder first.
inline constexpr std::string_view folder_options[] = {
  "--prefix", "--directory", "--dir", "--cwd", "-C", "--cd", "--chdir", "--working-directory", "--app-dir"};
/// Words of a shell that do, too.
inline constexpr std::string_view going_words[] = {"cd", "pushd", "chdir"};
/// Say what is run, too. They are not held while they are not there: no text is right for all of them.
inline constexpr const char* manager_files[] = {
  ".yarnrc",   ".yarnrc.yml",     ".pnpmfile.cjs",     "pnpm-workspace.yaml", "bunfig.toml",
  ".pnp.cjs",  ".pnp.loader.mjs", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml",
  "yarn.lock", "bun.lock",        "bun.lockb"};
/// What those of Python read in the folder that they are started in and above, and run the programs of; not held, as
/// above.
inline constexpr std::string_view python_managers[] = {"uv",    "uvx",      "poetry", "pdm",        "hatch", "rye",
                                                       "pipx",  "pipenv",   "pip",    "uvicorn",    "mcp",   "fastmcp",
                                                       "conda", "gunicorn", "mamba",  "micromamba", "flask"};
inline constexpr std::string_view conda_programs[] = {"conda", "mamba", "micromamba"};
inline constexpr const char* python_files[] = {"pyproject.toml", "uv.toml",      "poetry.toml",    "pdm.toml",
                                               "hatch.toml",     "setup.py",     "setup.cfg",      ".python-version",
                                               "Pipfile",        "Pipfile.lock", "uv.lock",        "poetry.lock",
                                               "pdm.lock",       "pylock.toml",  "environment.yml"};
/// Of an environment of conda, what is run when it is started.
inline constexpr const char* conda_folders[] = {"bin", "etc/conda", "conda-meta"};
/// By which those go to all packages of the project; the latter ones of pnpm alone: to others `-r` is the start of
/// `--require`.
inline constexpr std::string_view all_workspaces[] = {"-ws",     "--workspaces", "--recursive",
                                                      "foreach", "workspaces",   "npm_config_workspaces"};
inline constexpr std::string_view pnpm_all_workspaces[] = {"-r", "recursive", "multi", "m", "npm_config_recursive"};
/// Of those that all are meant of.
inline constexpr size_t workspaces_kept_max = 100;
/// Find what they run by the name of a folder, as Node.js does.
inline constexpr std::string_view node_programs[] = {"node", "nodejs",  "bun",     "deno",
                                                     "tsx",  "ts-node", "nodemon", "electron"};
/// What those that run tasks, or build what they run, read in the folder that they are started in, or above; not held
/// while they are not there, as above. Each name is one of a program, or of several, between spaces; so are the files.
struct task_files_of {
  std::string_view programs, files;
};
inline constexpr task_files_of task_files[] = {
  {"make gmake", "GNUmakefile makefile Makefile"},
  {"just", "justfile Justfile .justfile JUSTFILE .env"},
  {"task", "Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml "
           "taskfile.dist.yml taskfile.dist.yaml .env"},
  {"cargo", "Cargo.toml build.rs .cargo/config.toml .cargo/config Cargo.lock rust-toolchain.toml "
            "rust-toolchain"},
  {"go", "go.mod go.sum go.work"},
  {"deno", "deno.json deno.jsonc deno.lock import_map.json"},
  {"composer", "composer.json composer.lock"},
  {"mise rtx", "mise.toml .mise.toml mise.local.toml .mise.local.toml mise/config.toml .mise/config.toml "
               ".mise/config.local.toml .config/mise.toml .config/mise/config.toml .tool-versions "
               ".miserc.toml"},
  {"asdf", ".tool-versions .asdfrc"},
  {"rake", "rakefile Rakefile rakefile.rb Rakefile.rb"},
  {"bundle bundler", "Gemfile Gemfile.lock gems.rb gems.locked .bundle/config"},
  {"tsx ts-node bun", "tsconfig.json"},
  {"nodemon", "nodemon.json"},
  {"bun", "bun.lock bun.lockb .env .env.local .env.development"},
  {"nx", "nx.json project.json package.json workspace.json .env"},
  {"turbo", "turbo.json turbo.jsonc package.json"},
  {"lerna", "lerna.json package.json"},
  {"run-s run-p npm-run-all npm-run-all2 wireit ultra", "package.json"},
  {"devbox", "devbox.json devbox.lock"},
  {"devenv", "devenv.nix devenv.yaml devenv.lock"},
  {"pixi", "pixi.toml pixi.lock"},
  {"fastmcp", "fastmcp.json .env"},
  {"gunicorn", "gunicorn.conf.py"},
  {"flask", "app.py wsgi.py .env .flaskenv"},
  {"pipenv dotenv dotenvx dotenv-cli dotenvx-rs env-cmd",
   ".env .env.local .env.vault .env.keys .env-cmdrc .env-cmdrc.json .env-cmdrc.js"},
  {"foreman honcho overmind hivemind goreman", "Procfile Procfile.dev .env .foreman .overmind.env"},
  {"ant", "build.xml"},
  {"dotnet", ".config/dotnet-tools.json dotnet-tools.json global.json Directory.Build.props "
             "Directory.Build.targets NuGet.config nuget.config"},
  {"nix nix-shell", "flake.nix flake.lock shell.nix default.nix"},
  {"docker podman nerdctl", "Dockerfile Containerfile dockerfile docker-bake.hcl docker-bake.json"},
  {"compose docker-compose podman-compose",
   "compose.yaml compose.yml docker-compose.yaml docker-compose.yml compose.override.yaml "
   "compose.override.yml docker-compose.override.yaml docker-compose.override.yml "
   "podman-compose.yaml podman-compose.yml container-compose.yaml container-compose.yml .env"}};

/// The words of a list that stand between spaces.
template <class F>
void for_each_of(std::string_view list, const F& work) {
  while (!list.empty()) {
    auto word = list.substr(0, list.find(' '));
    work(word);
    list.remove_prefix(std::min(word.size() + 1, list.size()));
  }
}
inline bool is_listed(std::string_view word, std::string_view list) {
  bool is_there = false;
  for_each_of(list, [&](auto listed) { is_there = is_there || listed == word; });
  return is_there;
}
/// Of a folder of which all files of one kind are run.
inline constexpr size_t names_looked_at_max = 1'000;

} // namespace config
