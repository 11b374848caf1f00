// Guests: what holds them, and the interpreters.
#include "config/settings_parts.hpp"

#include "config/characters.hpp"

#include <algorithm>
#include <cctype>

namespace config {

namespace limits = msg::limits;
using msg::errc;

namespace {

// Both exec arguments of podman or docker: nothing that they take for an option.
bool is_image(std::string_view text) {
  return !text.empty() && text[0] != '-' && consists_of_letters_digits_and("._-/:@", text);
}
bool is_user(std::string_view text) {
  return !text.empty() && text[0] != '-' && text[0] != ':' && text.back() != ':'
         && consists_of_letters_digits_and("._-:", text);
}

bool is_python_version(std::string_view text) {
  auto minor = text.substr(std::min<size_t>(2, text.size()));
  return text.starts_with("3.") && !minor.empty() && minor.size() <= 2
         && minor.find_first_not_of("0123456789") == minor.npos;
}

/// Far above what any module is called.
constexpr size_t module_name_bytes_max = 200;

/// Identifiers with dots between them.
bool is_module(std::string_view text) {
  bool begins = true; // an identifier
  for (auto c : text) {
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool digit = c >= '0' && c <= '9';
    if (begins ? !letter : !letter && !digit && c != '.')
      return false;
    begins = c == '.';
  }
  return !begins && text.size() <= module_name_bytes_max;
}

} // namespace

void read_sandbox(section s, sandbox_settings& to) {
  s.one_of<isolation>({"isolation", "required: where namespaces are not to be had, programs do not run at all"},
                      {{"auto", isolation::automatic}, {"required", isolation::required}}, to.isolation);
  auto pool = s.inside("pool");
  pool.integer({"size", "guests kept warm per runtime", "CODE_EXECUTOR_POOL_SIZE"}, 0, 64, to.pool_size);
  pool.integer({"max", "at most under demand"}, 1, 64, to.pool_max);
  if (pool.has("max") && to.pool_max < to.pool_size)
    pool.complain(errc::invalid_argument, pool.at("max") + " must not be below 'sandbox.pool.size'");
  if (to.pool_max < to.pool_size) {
    to.pool_max = to.pool_size;
    pool.in_effect("max", to.pool_max);
  }
  pool.seconds({"idleSeconds", "without demand for so long it shrinks"}, 1, 86'400, to.pool_idle);
  s.mebibytes({"memoryMb", "memory of a program, in MiB"}, 64, 1'048'576, to.memory_bytes);
  s.integer({"processes", "its processes and threads"}, 16, 32'768, to.processes);
  s.mebibytes({"tempMb", "its /tmp, in MiB"}, 1, 1'048'576, to.temp_bytes);
}

void read_executors(section s, settings& to) {
  auto typescript = s.inside("typescript");
  typescript.flag({"enabled", "run TypeScript"}, to.typescript.enabled);
  typescript.command({"denoPath", "the Deno to use: a path, or a command in PATH", "DENO_PATH"}, to.typescript.deno);

  auto python = s.inside("python");
  python.flag({"enabled", "run Python", "PYTHON_ENABLED"}, to.python.enabled);
  python.command({"pythonPath", "the CPython to use: a path, or a command in PATH", "PYTHON_PATH"}, to.python.python);
  python.text({"version", "an interpreter of another version is not used"}, is_python_version,
              "a version of Python 3 such as \"3.11\"", to.python.version);
  python.path({"venv", "a virtual environment whose packages programs may import"}, to.python.venv);
  python.list({"preload", "modules that are loaded before there is a program: for those that take long"}, is_module,
              "the name of a module", to.python.preload);
  python.one_of<python_runtime>({"runtime", "what runs Python"},
                                {{"auto", python_runtime::automatic},
                                 {"cpython", python_runtime::cpython},
                                 {"pyodide", python_runtime::pyodide},
                                 {"container", python_runtime::container}},
                                to.python.runtime);

  auto container = s.inside("container");
  auto& c = to.container;
  container.one_of<container_tool>({"runtime", "the first that is found otherwise", "MCP_BRIDGE_RUNTIME"},
                                   {{"podman", container_tool::podman}, {"docker", container_tool::docker}}, c.tool);
  container.text({"image", "of containers", "MCP_BRIDGE_IMAGE"}, is_image, "the name of an image", c.image);
  container.bytes({"memory", "of a container: bytes, or with k, m, g", "MCP_BRIDGE_MEMORY"}, 16ull << 20, 1ull << 40,
                  c.memory_bytes);
  container.integer({"pids", "processes and threads of a container", "MCP_BRIDGE_PIDS"}, 4, 32'768, c.processes);
  container.number({"cpus", "of a container, such as 0.5; as many as there are otherwise", "MCP_BRIDGE_CPUS"}, 0.01,
                   1'024, c.cpus);
  container.text({"user", "of a container", "MCP_BRIDGE_CONTAINER_USER"}, is_user,
                 "a user, or user:group, such as 65534:65534", c.user);
}

void read_bridge(section root, bridge_settings& to) {
  root.one_of<bridge_output>({nullptr, "results of run_python", "MCP_BRIDGE_OUTPUT_MODE"},
                             {{"compact", bridge_output::compact}, {"toon", bridge_output::toon}}, to.output);
  std::chrono::milliseconds usual = to.timeout;
  root.duration({nullptr, "time of run_python that asks for none", "MCP_BRIDGE_TIMEOUT"}, limits::run_timeout_min,
                limits::run_timeout_max, usual);
  root.duration({nullptr, "time that run_python may ask for at most", "MCP_BRIDGE_MAX_TIMEOUT"},
                limits::run_timeout_min, limits::run_timeout_max, to.timeout_max);
  if (!root.origin("MCP_BRIDGE_TIMEOUT").empty() && usual > to.timeout_max)
    root.complain(errc::invalid_argument, "MCP_BRIDGE_TIMEOUT must not be above MCP_BRIDGE_MAX_TIMEOUT");
  to.timeout = std::min(usual, to.timeout_max);
}

} // namespace config
