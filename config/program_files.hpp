// The files on this machine that a command line runs, as far as its words lead to them.
#pragma once

#include "config/file_look.hpp"
#include "config/manager_files.hpp"
#include "config/wrappers.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace config {

/// Of one command line; what is beyond them is not looked for, and closes the folders. Of as many more words it is
/// known where they lead.
inline constexpr size_t words_read_max = 256, words_beyond_max = 4'096;

/// Nobody writes in it, since what else would be among the files is not known.
struct closed_folder {
  std::string path;
  /// That was not read (file_look::unread()); empty: names could not be followed, or there are too many, or, with a
  /// reason, a text for a shell can not be followed (doubt_in()).
  std::string file, why;
};

struct program_places {
  std::vector<std::string> files;
  /// Those of files that were not read: what such a file names lies there, mostly. If a name could not be followed, or
  /// there are more than the bounds above, also the folders that words name, those of files that the words beyond name,
  /// and those that something is started in.
  std::vector<closed_folder> closed;
};

/// Regular files that are there: the program, that behind each wrapper (inner_command()), and every word of theirs that
/// names one, as seen from the folders that they are started in and from all folders that words name (`--directory DIR
/// ... main.py`), or in PATH. A word is also what stands behind a `=` or the letter of an option, and each word of a
/// text with blanks (`sh -c`), and a path in a URL (`file:///my%20srv.ts`). Also what Node.js and Python find by a word
/// that names a folder, or leaves the ending out, what the first line of a script says that runs it, and the
/// virtual environment that such a file is a program of.
///
/// Each folder that words name is one that a manager may be started in if a text for a shell is among the words, or no
/// manager stands in front of it; what it is only given as an argument (`npx srv DIR`) counts as far as it is there.
/// Where it is not known what a text for a shell starts (texts_among()), the folders that it may be started in are
/// closed.
///
/// Of those that run tasks (task_files): their files in such folders and above, if they are there.
///
/// If Node.js or one of its kin is among them: what it finds by the name of a folder (entries_of_package()) or module
/// (modules_called()).
///
/// If a manager of Python projects is (`uv`, `poetry`, `pdm`, ...): `pyproject.toml`, its other settings and `.venv` in
/// all such folders and in those above, if they are there.
///
/// If a package manager (`npx`, `npm`, `pnpm`, `yarn`, `bun`, ...) is among them, there or not: `package.json`,
/// `.npmrc` and `node_modules` of the folder that it is started in, or told to go to (also as a workspace: `-w NAME`,
/// or all of them: `-ws`), and of those above, where it looks before anywhere else; a folder that is not there is given
/// by a name in it. There, too: the programs that such a `package.json` names, and of packages that words name what
/// `node_modules` only leads to (files_behind_modules()).
///
/// Of an argument that is a JSON text its pieces are such words, too, but only as seen from the folders that something
/// is started in.
///
/// Absolute, without `.` and `..`; with them only where a link makes that another place. `line`: its words may be
/// unread_word.
program_places program_files(command_line line, file_look& look);

} // namespace config
