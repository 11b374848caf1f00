// Python as WebAssembly: Pyodide in Deno, which has no permission left when a program starts.
#include "sandbox/runtimes/pyodide.hpp"

#include "messages/limits.hpp"
#include "sandbox/runtimes/runtime.hpp"

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
constexpr const char* cache_path = "/runtime/pyodide-cache";
constexpr const char* snapshot_path = "/runtime/pyodide-cache/snapshot";
constexpr const char* allow_read = "--allow-read=/runtime/pyodide,/guest";
constexpr const char* allow_read_snapshot = "--allow-read=/runtime/pyodide,/guest,/runtime/pyodide-cache";
constexpr const char* allow_write = "--allow-write=/runtime/pyodide-cache";

/// Code from text is refused by V8 itself; the loader of Deno has no part in it. JavaScript needs little memory here.
/// The stack of V8 is the one that C code of Python recurses on.
std::string v8_flags(size_t memory_bytes) {
  auto python_bytes = memory_bytes > 2 * runtime_bytes ? memory_bytes - runtime_bytes : memory_bytes / 2;
  return "--v8-flags=--disallow-code-generation-from-strings,--max-old-space-size=128,--stack-size=4000,"
         "--wasm-stack-switching-stack-size=4000,--wasm-max-mem-pages="
         + std::to_string(python_bytes / page_bytes);
}

std::vector<std::string> command(size_t memory_bytes, const std::vector<std::string>& permissions,
                                 const std::string& script) {
  std::vector<std::string> all{deno_path,     "run",         "--quiet",  "--no-config",     "--no-lock",
                               "--no-prompt", "--no-remote", "--no-npm", "--no-code-cache", v8_flags(memory_bytes)};
  all.insert(all.end(), permissions.begin(), permissions.end());
  all.insert(all.end(), {std::string{guest_path} + "/pyodide/" + script, pyodide_path, guest_path});
  return all;
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
    return msg::fault{msg::errc::runtime_missing,
                      "Pyodide was found neither in " + (program / "pyodide").string()
                        + " nor in ../share/code-executor/pyodide; install the npm package `pyodide` there"};
  box b;
  b.mounts = {{deno.value, deno_path}, {folder.string(), pyodide_path}, {guest_files, guest_path}};
  add_system_libraries(b);
  b.environment = {{"HOME", "/tmp"}, {"NO_COLOR", "1"}, {"DENO_DIR", "/tmp/.deno"}, {"DENO_NO_UPDATE_CHECK", "1"}};
  b.memory_bytes = settings.memory_bytes;
  b.reserved_bytes = reserved_bytes;
  b.self_contained = true;
  b.command = command(b.memory_bytes, {allow_read}, "main.ts");
  return b;
}

cache_recipe pyodide_snapshot_recipe(const box& pyodide) {
  cache_recipe r{"pyodide", pyodide, 1, pyodide, cache_path, {}};
  r.maker.command = command(pyodide.memory_bytes, {allow_read, allow_write}, "make_snapshot.ts");
  r.maker.command.emplace_back(snapshot_path);
  r.user.command = command(pyodide.memory_bytes, {allow_read_snapshot}, "main.ts");
  r.user.command.emplace_back(snapshot_path);
  for (auto& mount : pyodide.mounts)
    if (mount.to == deno_path || mount.to == pyodide_path || mount.to == guest_path)
      r.inputs.push_back(mount.from.text());
  return r;
}

} // namespace sandbox
