// Programs that start others, and the files that tell them what.
#pragma once

#include <cstddef>
#include <string_view>

namespace config {

inline constexpr std::string_view package_managers[] = {"npx",  "npm",     "pnpx",     "pnpm",       "bunx",      "bun",
                                                        "yarn", "yarnpkg", "corepack", "npx-cli.js", "npm-cli.js"};
/// Node.js finds `dist/server.js` and `dist/index.js` by `dist/server` and `dist`, Python `__main__.py` in a folder.
inline constexpr const char* endings_of_scripts[] = {".js", ".mjs", ".cjs", ".ts"};
inline constexpr const char* scripts_of_folders[] = {"index.js", "index.mjs", "index.cjs", "package.json",
                                                     "__main__.py"};
/// Each may name a program as its interpreter, which may be a script itself.
inline constexpr size_t files_looked_into_max = 200;
/// The options by which those, and others, go to a folder first.
inline constexpr std::string_view folder_options[] = {"--prefix", "--directory", "--dir", "--cwd", "-C"};
/// Say what is run, too. They are not held while they are not there: no text is right for all of them.
inline constexpr const char* manager_files[] = {".yarnrc",     ".yarnrc.yml", ".pnpmfile.cjs",  "pnpm-workspace.yaml",
                                                "bunfig.toml", ".pnp.cjs",    ".pnp.loader.mjs"};
/// What those of Python read in the folder that they are started in and above, and run the programs of; not held, as
/// above.
inline constexpr std::string_view python_managers[] = {"uv", "uvx", "poetry", "pdm", "hatch", "rye"};
/// By which those take a project in another folder than the one that they are started in; to other programs they mean
/// something else.
inline constexpr std::string_view python_folder_options[] = {"--project", "-P", "-p"};
inline constexpr const char* python_files[] = {"pyproject.toml", "uv.toml",  "poetry.toml", "pdm.toml",
                                               "hatch.toml",     "setup.py", "setup.cfg",   ".python-version"};
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
/// What `make` reads in the folder that it is started in; not held while they are not there, as above.
inline constexpr std::string_view makes[] = {"make", "gmake"};
inline constexpr const char* make_files[] = {"GNUmakefile", "makefile", "Makefile"};

} // namespace config
