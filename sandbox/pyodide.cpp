// Python as WebAssembly: Pyodide in Deno, which has no permission left when a program starts.
#include "sandbox/pyodide.hpp"

#include "messages/limits.hpp"
#include "sandbox/runtime.hpp"

#include <filesystem>

namespace sandbox {

namespace fs = std::filesystem;

namespace {

/// What Deno and the compiled Pyodide need besides the memory of Python (measured: 75 MiB), and room for the largest
/// message on its way to the host.
constexpr size_t runtime_bytes = 192u << 20;

/// Reserved and never used: V8's range for code, and the stacks of its threads (measured with V8 15: 583 MiB in all).
constexpr size_t reserved_bytes = v8_code_range_bytes + (64u << 20);

/// WebAssembly counts its memory in these.
constexpr size_t page_bytes = 64u << 10;

constexpr const char* deno_path = "/runtime/deno";
constexpr const char* pyodide_path = "/runtime/pyodide";
constexpr const char* guest_path = "/guest";

/// Code from text is refused by V8 itself; the loader of Deno has no part in it. JavaScript needs little memory here.
/// The stack of V8 is the one that C code of Python recurses on.
std::string v8_flags(size_t memory_bytes) {
  auto python_bytes = memory_bytes > 2 * runtime_bytes ? memory_bytes - runtime_bytes : memory_bytes / 2;
  return "--v8-flags=--disallow-code-generation-from-strings,--max-old-space-size=128,--stack-size=4000,"
         "--wasm-stack-switching-stack-size=4000,--wasm-max-mem-pages="
         + std::to_string(python_bytes / page_bytes);
}

std::string cached(const char* name) { return std::string{pyodide_cache} + "/" + name; }

std::vector<std::string> command(size_t memory_bytes, const std::string& script, const std::string& more_permissions) {
  return {deno_path,
          "run",
          "--quiet",
          "--no-config",
          "--no-lock",
          "--no-prompt",
          "--no-remote",
          "--no-npm",
          "--no-code-cache",
          v8_flags(memory_bytes),
          std::string{"--allow-read="} + pyodide_path + "," + guest_path + more_permissions,
          std::string{guest_path} + "/pyodide/" + script,
          pyodide_path,
          guest_path};
}

} // namespace

msg::outcome<box> find_pyodide(const runtime_settings& settings, const std::string& guest_files) {
  auto deno = find_deno_executable(settings);
  if (!deno.ok())
    return deno.error;
  fs::path program{settings.program_folder};
  std::error_code ec;
  fs::path folder;
  for (auto& candidate : {program / "pyodide", program / "../share/code-executor/pyodide"})
    if (folder.empty() && fs::exists(candidate / "pyodide.asm.wasm", ec))
      folder = fs::canonical(candidate, ec);
  if (folder.empty())
    return msg::fault{msg::errc::runtime_missing, "Pyodide was found neither in " + (program / "pyodide").string()
                                                    + " nor in ../share/code-executor/pyodide; install the npm package `pyodide` there"};
  box b;
  b.mounts = {{deno.value, deno_path}, {folder.string(), pyodide_path}, {guest_files, guest_path}};
  add_system_libraries(b);
  b.environment = {{"HOME", "/tmp"}, {"NO_COLOR", "1"}, {"DENO_DIR", "/tmp/.deno"}};
  b.reserved_bytes = reserved_bytes;
  b.command = command(b.memory_bytes, "main.ts", "");
  return b;
}

std::vector<std::string> pyodide_files(const box& guest) {
  std::vector<std::string> files;
  for (auto& mount : guest.mounts)
    if (mount.to == deno_path || mount.to == pyodide_path || mount.to == guest_path)
      files.push_back(mount.from);
  return files;
}

box pyodide_snapshot_maker(const box& guest, const std::string& folder) {
  auto maker = guest;
  maker.mounts.push_back({folder, pyodide_cache, access::writable});
  maker.command = command(maker.memory_bytes, "make_snapshot.ts", "");
  maker.command.insert(maker.command.begin() + 2, std::string{"--allow-write="} + pyodide_cache);
  maker.command.push_back(cached("snapshot"));
  return maker;
}

void use_pyodide_snapshot(box& guest, const std::string& folder) {
  guest.mounts.push_back({folder, pyodide_cache});
  guest.command = command(guest.memory_bytes, "main.ts", std::string{","} + pyodide_cache);
  guest.command.push_back(cached("snapshot"));
}

} // namespace sandbox
