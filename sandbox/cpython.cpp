// Python: CPython with its standard library, isolated from every site package of the host.
#include "process/find_executable.hpp"
#include "sandbox/runtime.hpp"

#include <filesystem>

namespace sandbox {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;

namespace {

std::string locate(const runtime_settings& s) {
  if (!s.python.empty())
    return process::find_executable(s.python, s.search_path, ".");
  if (!s.venv.empty()) // its packages were made for its own interpreter
    return process::find_executable(s.venv + "/bin/python3", "", "/");
  auto system = process::find_executable("/usr/bin/python3", "", "/"); // before PATH: version managers put scripts there
  return system.empty() ? process::find_executable("python3", s.search_path, ".") : system;
}

/// Packages of a virtual environment, read-only and where they are: compiled ones know their own paths.
fault add_venv(box& b, const std::string& venv, const std::string& interpreter) {
  std::error_code ec;
  auto packages = fs::path{venv} / "lib" / interpreter / "site-packages";
  if (!fs::is_directory(packages, ec))
    return {errc::runtime_missing,
            "executors.python.venv: " + packages.string() + " does not exist; " + venv + " is no virtual environment of " + interpreter};
  b.mounts.push_back({venv, venv});
  b.environment.insert(b.environment.end(), {{"CODE_EXECUTOR_SITE", packages.string()}, {"MPLBACKEND", "Agg"}, {"MPLCONFIGDIR", "/tmp"}});
  return {};
}

} // namespace

msg::outcome<box> find_cpython(const runtime_settings& settings, const std::string& guest_files) {
  auto python = locate(settings);
  if (python.empty())
    return fault{errc::runtime_missing, settings.python.empty()
                                          ? "python3 was not found in /usr/bin or PATH; install the package `python3` or set PYTHON_PATH"
                                          : "PYTHON_PATH names " + settings.python + ", which is no executable file"};
  // The real file is <prefix>/bin/python3.N, also behind the links of a virtual environment; its library is beside it.
  std::error_code ec;
  auto real = fs::canonical(python, ec);
  auto library = real.parent_path().parent_path() / "lib" / real.filename();
  if (!real.filename().string().starts_with("python3.") || !fs::exists(library / "os.py", ec))
    return fault{errc::runtime_missing,
                 python + " is no CPython 3 with its library in " + library.string() + "; set PYTHON_PATH to the interpreter itself"};
  box b;
  b.memory_bytes = settings.memory_bytes;
  b.mounts = {{real.string(), real.string()}, {library.string(), library.string()}, {guest_files + "/python", "/guest/python"}};
  if (fs::exists("/usr/share/zoneinfo", ec))
    b.mounts.push_back({"/usr/share/zoneinfo", "/usr/share/zoneinfo"});
  add_system_libraries(b);
  b.environment = {{"HOME", "/tmp"}, {"LANG", "C.UTF-8"}, {"PYTHONDONTWRITEBYTECODE", "1"}};
  if (!settings.venv.empty())
    if (auto problem = add_venv(b, settings.venv, real.filename().string()); problem.code != errc::none)
      return problem;
  b.command = {real.string(), "-I", "-S", "-u", "/guest/python/main.py"};
  return b;
}

cache_recipe cpython_cache_recipe(const box& cpython) {
  constexpr const char* mount_point = "/runtime/python-cache";
  auto modules = std::string{mount_point} + "/modules";
  cache_recipe r{"python", cpython, 1, cpython, mount_point, {}};
  r.maker.command.back() = "/guest/python/make_cache.py";
  r.maker.command.push_back(modules);
  r.user.command.push_back(modules);
  for (auto& mount : cpython.mounts)
    if (mount.to == cpython.command.front() || mount.to == "/guest/python")
      r.inputs.push_back(mount.from);
  return r;
}

} // namespace sandbox
