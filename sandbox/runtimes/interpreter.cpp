#include "sandbox/runtimes/interpreter.hpp"

#include "process/find_executable.hpp"
#include "sandbox/isolation/box_parts.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

namespace sandbox {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;

namespace {

fault missing(std::string why) { return {errc::runtime_missing, std::move(why)}; }

/// The real file is <prefix>/bin/python3.N, also behind the links of a virtual environment; its library is beside it.
msg::outcome<interpreter> examine(const std::string& python) {
  constexpr std::string_view name = "python";
  std::error_code ec;
  auto real = fs::canonical(python, ec);
  auto library = real.parent_path().parent_path() / "lib" / real.filename();
  if (!real.filename().string().starts_with("python3.") || !fs::exists(library / "os.py", ec))
    return missing(python + " is no CPython 3 with its library in " + library.string()
                   + "; set PYTHON_PATH to the interpreter itself");
  for (auto& needed : {real, library})
    if (auto closed = closed_to_guests(needed.string()); !closed.empty())
      return missing(closed);
  auto version = real.filename().string().substr(name.size());
  auto shared = library.parent_path() / ("libpython" + version + ".so.1.0");
  bool is_there = fs::exists(fs::symlink_status(shared, ec));
  if (fs::canonical(library, ec) != library
      || (is_there
          && !fs::is_regular_file(fs::symlink_status(shared, ec)))) // every program would see what they lead to
    return missing(python + " has links in the place of " + library.string() + " or " + shared.string()
                   + "; set PYTHON_PATH to an interpreter with its own");
  return interpreter{real.string(), library.string(), version, is_there ? shared.string() : ""};
}

bool is_wanted(const interpreter& found, const runtime_settings& s) {
  return s.python_version.empty() || found.version == s.python_version;
}

fault other_version(const interpreter& found, const runtime_settings& s, const std::string& advice) {
  return missing("executors.python.version: wanted " + s.python_version + ", found " + found.version + " at "
                 + found.program + "; " + advice);
}

msg::outcome<interpreter> examine_named(const std::string& python, const runtime_settings& s,
                                        const std::string& advice) {
  auto found = examine(python);
  if (found.ok() && !is_wanted(found.value, s))
    return other_version(found.value, s, advice);
  return found;
}

void add_from_path(std::vector<std::string>& to, const std::string& name, std::string_view path) {
  while (!path.empty()) {
    auto folder = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(path.size(), folder.size() + 1));
    if (auto found = process::find_executable(name, folder, "."); !found.empty())
      to.push_back(std::move(found));
  }
}

/// Those of the system before those of PATH, where version managers put scripts.
std::vector<std::string> usual_places(const runtime_settings& s) {
  std::vector<std::string> all;
  add_from_path(all, "python3", "/usr/bin");
  if (!s.python_version.empty())
    add_from_path(all, "python" + s.python_version, "/usr/bin:" + s.search_path);
  add_from_path(all, "python3", s.search_path);
  return all;
}

msg::outcome<interpreter> search(const runtime_settings& s) {
  auto places = usual_places(s);
  fault problem;
  for (auto& python : places) {
    auto found = examine(python);
    if (found.ok() && is_wanted(found.value, s))
      return found;
    if (problem.code == errc::none)
      problem = found.ok() ? other_version(
                  found.value, s, "install python" + s.python_version + ", or name it in executors.python.pythonPath")
                           : found.error;
  }
  if (places.empty())
    return missing("python3 was not found in /usr/bin or PATH; install the package `python3` or set PYTHON_PATH");
  return problem;
}

} // namespace

msg::outcome<interpreter> find_interpreter(const runtime_settings& s) {
  if (!s.python.empty()) {
    auto python = process::find_executable(s.python, s.search_path, ".");
    if (python.empty())
      return missing("PYTHON_PATH names " + s.python + ", which is no executable file");
    return examine_named(python, s, "executors.python.pythonPath (PYTHON_PATH) names it: change that, or the version");
  }
  if (s.venv.empty())
    return search(s);
  auto python = s.venv + "/bin/python3"; // its packages were made for it
  if (process::find_executable(python, "", "/").empty())
    return missing("executors.python.venv: " + python
                   + " leads to no interpreter any more; make the environment again: python3 -m venv --clear "
                   + s.venv);
  return examine_named(python, s,
                       "executors.python.venv is made with it: make that again with python" + s.python_version
                         + ", or change the version");
}

} // namespace sandbox
