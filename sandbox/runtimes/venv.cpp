#include "sandbox/runtimes/venv.hpp"

#include "process/child.hpp"
#include "sandbox/isolation/box_parts.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sandbox {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;

namespace {

/// OpenBLAS takes a thread per core: on a large machine that alone would reach the limit of processes.
constexpr unsigned arithmetic_threads_max = 4;
/// It reserves 128 MiB for every thread that calculates and uses little of that (measured with 0.3.21), and it tries
/// for ever when it does not get them. These are its own threads and as many of the program.
constexpr size_t arithmetic_reserved_bytes = size_t{2} * arithmetic_threads_max * (128u << 20);
/// python -m venv writes five lines. What is behind these is not read.
constexpr size_t config_bytes_max = 16u << 10;
constexpr const char* alternatives = "/etc/alternatives";

fault wrong(std::string why) { return {errc::runtime_missing, "executors.python.venv: " + std::move(why)}; }

/// A project may bring a pipe or a device of that name: nothing but a regular file is read, and nothing is waited for.
std::string config_of(const fs::path& venv) {
  process::descriptor file{::open((venv / "pyvenv.cfg").c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
  struct stat s {};
  if (!file || ::fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode))
    return {};
  std::string text(config_bytes_max, '\0');
  auto size = ::read(file.get(), text.data(), text.size());
  text.resize(size > 0 ? static_cast<size_t>(size) : 0);
  return text;
}

bool has_system_packages(const fs::path& venv) {
  std::istringstream lines{config_of(venv)};
  for (std::string line; std::getline(lines, line);) {
    line.erase(std::remove(line.begin(), line.end(), ' '), line.end());
    std::transform(line.begin(), line.end(), line.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (line == "include-system-site-packages=true")
      return true;
  }
  return false;
}

/// "3.10"; empty: of none.
std::string made_for(const fs::path& venv) {
  constexpr std::string_view name = "python";
  std::error_code ec;
  for (auto it = fs::directory_iterator{venv / "lib", ec}; !ec && it != fs::directory_iterator{}; it.increment(ec))
    if (auto file = it->path().filename().string(); file.starts_with("python3."))
      return file.substr(name.size());
  return {};
}

void add_if_there(box& to, const std::string& path) {
  std::error_code ec;
  if (fs::exists(path, ec))
    to.mounts.push_back({path, path});
}

/// Where `site` looks, in its order; those of Debian come second and third.
std::vector<std::string> system_packages(const interpreter& python) {
  std::vector<std::string> folders{python.library + "/site-packages"};
  if (python.library.starts_with("/usr/lib/"))
    folders = {"/usr/local/lib/python" + python.version + "/dist-packages", "/usr/lib/python3/dist-packages"};
  std::error_code ec;
  std::erase_if(folders, [&](auto& folder) { return !fs::is_directory(folder, ec); });
  return folders;
}

/// Debian's libblas.so.3 is a link into this folder, which points back to the folder of libraries. Only such links are
/// made.
void add_library_alternatives(box& to) {
  std::error_code ec;
  for (auto it = fs::directory_iterator{alternatives, ec}; !ec && it != fs::directory_iterator{}; it.increment(ec)) {
    if (it->path().filename().string().find(".so.") == std::string::npos)
      continue;
    std::error_code unread;
    if (auto target = fs::read_symlink(it->path(), unread).string(); target.starts_with("/usr/lib/"))
      to.links.emplace_back(target, it->path().string());
  }
}

} // namespace

fault check_venv(const std::string& folder) {
  if (folder.find(':') != folder.npos)
    return wrong(folder + " has a colon in its path, where Python's list of folders begins another one; move it");
  std::error_code ec;
  if (!fs::is_directory(folder, ec))
    return wrong(folder
                 + (ec && ec != std::errc::no_such_file_or_directory
                      ? ": " + ec.message()
                      : " is no folder; make it with `python3 -m venv " + folder + "`, or correct the setting"));
  if (!fs::exists(fs::path{folder} / "pyvenv.cfg", ec))
    return wrong(folder
                 + " is no virtual environment, it has no pyvenv.cfg; name the folder that `python3 -m venv` has made");
  return {};
}

fault add_venv(box& to, const std::string& folder, const interpreter& python) {
  std::error_code ec;
  fs::path venv{folder};
  auto packages = venv / "lib" / ("python" + python.version) / "site-packages";
  if (!fs::is_directory(packages, ec)) {
    auto other = made_for(venv);
    return wrong(folder + " was made for Python " + (other.empty() ? "unknown" : other) + ", and programs run in "
                 + python.version + " (" + python.program + "); make it again with `" + python.program
                 + " -m venv --clear " + folder
                 + "`, or set executors.python.pythonPath to the interpreter that it was made for");
  }
  for (auto& needed : {venv, venv / "lib", packages.parent_path(), packages})
    if (auto closed = closed_to_guests(needed.string()); !closed.empty())
      return wrong(closed);
  auto site = packages.string();
  to.mounts.push_back({folder, folder});
  if (has_system_packages(venv))
    for (auto& more : system_packages(python)) {
      to.mounts.push_back({more, more});
      site += ":" + more;
    }
  add_library_alternatives(to);
  for (auto path : {"/etc/matplotlibrc", "/usr/share/matplotlib", "/usr/share/fonts/truetype/dejavu",
                    "/usr/share/fonts/truetype/lyx"})
    add_if_there(to, path);
  to.reserved_bytes = arithmetic_reserved_bytes;
  auto threads = std::clamp(std::thread::hardware_concurrency(), 1u, arithmetic_threads_max);
  to.environment.insert(to.environment.end(), {{"CODE_EXECUTOR_SITE", site},
                                               {"MPLBACKEND", "Agg"},
                                               {"MPLCONFIGDIR", "/tmp"},
                                               {"OMP_NUM_THREADS", std::to_string(threads)}});
  return {};
}

} // namespace sandbox
