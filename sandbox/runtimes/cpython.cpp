// Python: CPython with its standard library, isolated from every site package of the host.
#include "sandbox/runtimes/interpreter.hpp"
#include "sandbox/runtimes/runtime.hpp"
#include "sandbox/runtimes/venv.hpp"

#include <filesystem>

namespace sandbox {

namespace fs = std::filesystem;

msg::outcome<box> find_cpython(const runtime_settings& settings, const std::string& guest_files) {
  if (!settings.venv.empty())
    if (auto problem = check_venv(settings.venv); problem.code != msg::errc::none)
      return problem;
  auto python = find_interpreter(settings);
  if (!python.ok())
    return python.error;
  auto& [program, library, version, shared] = python.value;
  box b;
  b.memory_bytes = settings.memory_bytes;
  b.mounts = {{program, program}, {library, library}, {guest_files + "/python", "/guest/python"}};
  if (!shared.empty())
    b.mounts.push_back({shared, shared});
  std::error_code ec;
  if (fs::exists("/usr/share/zoneinfo", ec))
    b.mounts.push_back({"/usr/share/zoneinfo", "/usr/share/zoneinfo"});
  add_system_libraries(b);
  b.environment = {{"HOME", "/tmp"}, {"LANG", "C.UTF-8"}, {"PYTHONDONTWRITEBYTECODE", "1"}};
  if (!settings.venv.empty())
    if (auto problem = add_venv(b, settings.venv, python.value); problem.code != msg::errc::none)
      return problem;
  b.command = {program, "-I", "-S", "-u", "/guest/python/main.py"};
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
      r.inputs.push_back(mount.from.text());
  return r;
}

} // namespace sandbox
