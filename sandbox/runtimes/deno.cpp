// TypeScript: Deno without any of its permissions, as a second wall inside the box.
#include "messages/limits.hpp"
#include "process/find_executable.hpp"
#include "sandbox/runtimes/runtime.hpp"

#include <filesystem>

namespace sandbox {

namespace fs = std::filesystem;

namespace {

/// V8 ends a program whose heap passes this; it leaves room for the rest of the process below the hard limit.
size_t heap_mib_max(size_t memory_bytes) { return (memory_bytes >> 20) * 3 / 4; }

/// V8 begins with 1 MiB for new objects, which the start of a guest alone fills several times over.
constexpr size_t new_objects_mib_min = 8;

/// Deno takes over no descriptor but through Node's modules, which take longer to load than all else.
constexpr uint16_t channel_port = 3129;

std::string locate(const runtime_settings& s) {
  if (!s.deno.empty())
    return process::find_executable(s.deno, s.search_path, ".");
  auto beside = (fs::path{s.program_folder} / "deno").string();
  for (auto& candidate : {beside, std::string{"deno"}, s.home + "/.deno/bin/deno", std::string{"/usr/local/bin/deno"},
                          std::string{"/opt/homebrew/bin/deno"}})
    if (auto found = process::find_executable(candidate, s.search_path, "."); !found.empty())
      return found;
  return {};
}

} // namespace

msg::outcome<std::string> find_deno_executable(const runtime_settings& settings) {
  auto deno = locate(settings);
  if (deno.empty())
    return msg::fault{
      msg::errc::runtime_missing,
      settings.deno.empty()
        ? "Deno was not found in PATH or ~/.deno/bin; install Deno 2.9 or newer, or set DENO_PATH to its executable"
        : "DENO_PATH names " + settings.deno + ", which is no executable file"};
  std::error_code ec;
  return fs::canonical(deno, ec).string();
}

msg::outcome<box> find_deno(const runtime_settings& settings, const std::string& guest_files) {
  auto deno = find_deno_executable(settings);
  if (!deno.ok())
    return deno.error;
  box b;
  auto program = find_typescript_guest(settings.program_folder);
  if (program.empty())
    return msg::fault{msg::errc::runtime_missing, "typescript-guest.js was found neither in " + settings.program_folder
                                                    + " nor in ../share/code-executor; the installation is incomplete"};
  b.mounts = {{deno.value, "/runtime/deno"},
              {program, typescript_guest_path},
              {guest_files + "/typescript", "/guest/typescript"}}; // for the type check
  add_system_libraries(b);
  b.environment = {{"HOME", "/tmp"}, {"NO_COLOR", "1"}, {"DENO_DIR", "/tmp/.deno"}, {"DENO_NO_UPDATE_CHECK", "1"}};
  b.memory_bytes = settings.memory_bytes;
  b.reserved_bytes = v8_code_range_bytes;
  b.self_contained = true;
  b.channel_port = channel_port;
  b.channel_flags = {"--allow-net=127.0.0.1:" + std::to_string(channel_port)}; // until it is connected
  b.command = {"/runtime/deno",
               "run",
               "--quiet",
               "--no-config",
               "--no-lock",
               "--no-prompt",
               "--no-remote",
               "--no-npm",
               "--no-code-cache",
               "--v8-flags=--max-old-space-size=" + std::to_string(heap_mib_max(settings.memory_bytes))
                 + ",--min-semi-space-size=" + std::to_string(new_objects_mib_min),
               typescript_guest_path};
  return b;
}

} // namespace sandbox
