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
/// and `server.py` by `server:app`.
inline constexpr const char* endings_of_scripts[] = {".js",  ".mjs", ".cjs", ".ts", ".mts",
                                                     ".cts", ".tsx", ".jsx", ".py"};
inline constexpr const char* scripts_of_folders[] = {"index.js", "index.mjs", "index.cjs", "package.json",
                                                     "__main__.py"};
/// Each may name a program as its interpreter, which may be a script itself.
inline constexpr size_t files_looked_into_max = 200;
/// The options by which those, and others, go to a folder first.
inline constexpr std::string_view folder_options[] = {
  "--prefix", "--directory", "--dir", "--cwd", "-C", "--cd", "--chdir", "--working-directory", "--app-dir"};
/// Words of a shell that do, too.
inline constexpr std::string_view going_words[] = {"cd", "pushd", "chdir"};
/// Say what is run, too. They are not held while they are not there: no text is right for all of them.
inline constexpr const char* manager_files[] = {".yarnrc",     ".yarnrc.yml", ".pnpmfile.cjs",  "pnpm-workspace.yaml",
                                                "bunfig.toml", ".pnp.cjs",    ".pnp.loader.mjs"};
/// What those of Python read in the folder that they are started in and above, and run the programs of; not held, as
/// above.
inline constexpr std::string_view python_managers[] = {"uv",  "uvx",     "poetry", "pdm",     "hatch",
                                                       "rye", "pipx",    "pipenv", "pip",     "uvicorn",
                                                       "mcp", "fastmcp", "conda",  "gunicorn"};
inline constexpr std::string_view conda_programs[] = {"conda", "mamba", "micromamba"};
inline constexpr const char* python_files[] = {"pyproject.toml", "uv.toml",         "poetry.toml",
                                               "pdm.toml",       "hatch.toml",      "setup.py",
                                               "setup.cfg",      ".python-version", "Pipfile"};
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
/// while they are not there, as above.
struct task_file {
  std::string_view program;
  const char* file;
};
inline constexpr task_file task_files[] = {{"make", "GNUmakefile"},
                                           {"make", "makefile"},
                                           {"make", "Makefile"},
                                           {"gmake", "GNUmakefile"},
                                           {"gmake", "makefile"},
                                           {"gmake", "Makefile"},
                                           {"just", "justfile"},
                                           {"just", "Justfile"},
                                           {"just", ".justfile"},
                                           {"task", "Taskfile.yml"},
                                           {"task", "Taskfile.yaml"},
                                           {"cargo", "Cargo.toml"},
                                           {"cargo", "build.rs"},
                                           {"cargo", ".cargo/config.toml"},
                                           {"deno", "deno.json"},
                                           {"deno", "deno.jsonc"},
                                           {"composer", "composer.json"},
                                           {"mise", "mise.toml"},
                                           {"mise", ".mise.toml"},
                                           {"mise", ".tool-versions"},
                                           {"rake", "Rakefile"},
                                           {"bundle", "Gemfile"},
                                           {"go", "go.mod"},
                                           {"task", "taskfile.yml"},
                                           {"task", "taskfile.yaml"},
                                           {"task", "Taskfile.dist.yml"},
                                           {"just", "JUSTFILE"},
                                           {"mise", "mise.local.toml"},
                                           {"mise", ".config/mise.toml"},
                                           {"bundle", ".bundle/config"},
                                           {"ts-node", "tsconfig.json"},
                                           {"tsx", "tsconfig.json"},
                                           {"nodemon", "nodemon.json"},
                                           {"docker", "compose.override.yaml"},
                                           {"docker", "compose.override.yml"},
                                           {"docker", "docker-compose.override.yml"},
                                           {"docker", "docker-compose.override.yaml"},
                                           {"docker-compose", "docker-compose.yml"},
                                           {"docker-compose", "docker-compose.yaml"},
                                           {"docker-compose", "compose.yaml"},
                                           {"docker-compose", "compose.yml"},
                                           {"docker-compose", "docker-compose.override.yml"},
                                           {"docker", "compose.yaml"},
                                           {"docker", "compose.yml"},
                                           {"docker", "docker-compose.yml"},
                                           {"docker", "docker-compose.yaml"}};
/// Of a folder of which all files of one kind are run.
inline constexpr size_t names_looked_at_max = 1'000;

} // namespace config
