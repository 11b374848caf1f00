// Programs that do nothing but start another one: what is started in the end, as far as the words of the command line
// say it for sure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// A program with its arguments, and what decides which program that is.
struct command_line {
  std::vector<std::string> words;
  std::string path; ///< a PATH
  std::string cwd;  ///< absolute
  std::string home;
  std::map<std::string, std::string> variables = {}; ///< others, as far as they are known
  std::string usual_path = {}; ///< of this process, whose folders are kept anyway; empty: `path`, as it is first
};

/// A wrapper in a wrapper, and so on. What is wrapped deeper is not looked for.
inline constexpr int wrappers_max = 8;

/// Whether it is a wrapper by the name of its file, so that it pays to look at its arguments.
bool may_wrap(std::string_view command);

/// What `env`, `nice`, `nohup`, `setsid`, `stdbuf`, `ionice`, `timeout`, `xvfb-run`, or a shell with `-c` starts. Of a
/// script that is commands in a row the last one. None: it is no such program, or its words leave a doubt.
std::optional<command_line> inner_command(const command_line& outer);

/// Whether a runner of packages (`npx`, `npm exec`, `bunx`, `pnpm dlx`, ...) or of containers (`docker run`, `podman
/// run`) is told to run ours.
bool runs_own_package(const command_line& line);

} // namespace config
