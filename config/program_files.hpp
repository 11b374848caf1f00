// The files on this machine that a command line runs, as far as its words lead to them.
#pragma once

#include "config/wrappers.hpp"
#include "process/path_walk.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace config {

/// Of one command line; what is beyond them is not looked for.
inline constexpr size_t words_read_max = 256, folders_read_max = 16;

/// Regular files that are there: the program, that behind each wrapper (inner_command()), and every word of theirs that names one, as seen from the
/// folders that they are started in and from all folders that words name (`--directory DIR ... main.py`), or in PATH. A word is also what stands
/// behind a `=` or the letter of an option, and each word of a text with blanks (`sh -c`). Also what Node.js and Python find by a word that names a
/// folder, or leaves the ending out, what the first line of a script says that runs it, and, if `make` is among them, its files in the folder that it
/// is started in.
///
/// If Node.js or one of its kin is among them: what it finds by the name of a folder (entries_of_package()) or module (modules_called()).
///
/// If a manager of Python projects is (`uv`, `poetry`, `pdm`, ...): `pyproject.toml`, its other settings and `.venv` in the folder that it is started
/// in, or told to go to, and in those above, if they are there.
///
/// If a package manager (`npx`, `npm`, `pnpm`, `yarn`, `bun`, ...) is among them, there or not: `package.json`, `.npmrc` and `node_modules` of the
/// folder that it is started in, or told to go to (also as a workspace: `-w NAME`, or all of them: `-ws`), and of those above, where it looks before
/// anywhere else; a folder that is not there is given by a name in it. There, too: the programs that such a `package.json` names, and of packages
/// that words name what `node_modules` only leads to (files_behind_modules()).
///
/// All of it takes at most as long as a path_walk. Where names are more than that follows, what they lead to is not known: then the folders that
/// words name, and those that something is started in, are in the list themselves, so that nobody writes there.
///
/// Absolute, without `.` and `..`; with them only where a link makes that another place. `line`: its words may be unread_word.
std::vector<std::string> program_files(command_line line);

/// The kernel goes through a link before it goes up with `..`; Node.js, and `cd` of a shell, do not: `path` without `..`, and if the kernel finds
/// something there and elsewhere, `path` itself as the last one.
std::vector<std::filesystem::path> ways_to(const std::filesystem::path& path, process::path_walk& walk);

/// Of a path that leads through links made to cost time: who keeps it (sandbox::all_names_of()) would be at it as long as the kernel.
bool is_unknown(const std::string& path);

} // namespace config
