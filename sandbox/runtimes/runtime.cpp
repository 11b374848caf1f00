#include "sandbox/runtimes/runtime.hpp"

#include "process/find_executable.hpp"

#include <filesystem>

namespace sandbox {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;

namespace {

/// The first that exists; empty: none.
std::string first_existing(std::initializer_list<fs::path> candidates) {
  std::error_code ec;
  for (auto& c : candidates)
    if (fs::exists(c, ec))
      return fs::weakly_canonical(c, ec).string();
  return {};
}

msg::outcome<isolation_tools> find_tools(const runtime_settings& settings) {
  isolation_tools tools;
  tools.bubblewrap = process::find_executable("bwrap", settings.search_path + ":/usr/bin:/usr/local/bin", "/");
  fs::path folder{settings.program_folder};
  tools.guest_init = first_existing({folder / "guest-init", folder / "../libexec/code-executor/guest-init"});
  tools.guest_fork = first_existing({folder / "guest-fork.so", folder / "../libexec/code-executor/guest-fork.so"});
  tools.guest_spawn = first_existing({folder / "guest-spawn", folder / "../libexec/code-executor/guest-spawn"});
  if (tools.guest_init.empty())
    return fault{errc::runtime_missing, "guest-init was found neither in " + folder.string()
                                          + " nor in ../libexec/code-executor; the installation is incomplete"};
  return tools;
}

} // namespace

void add_system_libraries(box& to) {
  std::error_code ec;
  for (auto path : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64"})
    if (fs::is_directory(path, ec))
      to.mounts.push_back({path, path});
  for (auto name : {"lib", "lib64"}) {
    auto path = fs::path{"/"} / name;
    if (fs::is_symlink(path, ec))
      to.links.emplace_back(fs::read_symlink(path, ec).string(), path.string());
    else if (fs::is_directory(path, ec))
      to.mounts.push_back({path.string(), path.string()});
  }
}

std::string find_guest_files(const std::string& program_folder) {
  fs::path folder{program_folder};
  return first_existing({folder / "guest", folder / "../share/code-executor/guest"});
}

std::string find_typescript_guest(const std::string& program_folder) {
  fs::path folder{program_folder};
  return first_existing({folder / "typescript-guest.js", folder / "../share/code-executor/typescript-guest.js"});
}

runtimes find_runtimes(const runtime_settings& settings) {
  runtimes found;
  found.tools = find_tools(settings);
  fs::path folder{settings.program_folder};
  auto guest_files = find_guest_files(settings.program_folder);
  if (guest_files.empty()) {
    fault missing{errc::runtime_missing, "the guest files were found neither in " + (folder / "guest").string()
                                           + " nor in ../share/code-executor/guest; the installation is incomplete"};
    found.typescript = missing;
    found.python = missing;
    found.pyodide = missing;
    return found;
  }
  found.typescript = find_deno(settings, guest_files);
  found.python = find_cpython(settings, guest_files);
  found.pyodide = find_pyodide(settings, guest_files);
  return found;
}

} // namespace sandbox
