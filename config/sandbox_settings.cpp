// Guests: what holds them, and the interpreters.
#include "config/settings_sections.hpp"

#include <algorithm>
#include <cctype>

namespace config {

namespace limits = msg::limits;
using msg::errc;
using std::chrono::milliseconds;

namespace {

bool all_of(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) { return std::isalnum(static_cast<unsigned char>(c)) || others.find(c) != others.npos; });
}

// Both become arguments of podman or docker: nothing that they take for an option.
bool is_image(std::string_view text) { return !text.empty() && text[0] != '-' && all_of(text, "._-/:@"); }
bool is_user(std::string_view text) { return !text.empty() && text[0] != '-' && text[0] != ':' && text.back() != ':' && all_of(text, "._-:"); }

bool is_python_version(std::string_view text) {
  auto minor = text.substr(std::min<size_t>(2, text.size()));
  return text.starts_with("3.") && !minor.empty() && minor.size() <= 2 && minor.find_first_not_of("0123456789") == minor.npos;
}

} // namespace

void read_sandbox(section s, settings_reader& reader, sandbox_settings& to) {
  s.one_of<isolation>({"isolation"}, {{"auto", isolation::automatic}, {"required", isolation::required}}, to.isolation);
  auto pool = s.inside("pool");
  uint32_t most = 0; // not given
  pool.integer({"size"}, 0, 64, to.pool_size);
  pool.integer({"max"}, 1, 64, most);
  if (most > 0 && most < to.pool_size)
    reader.complain({errc::invalid_argument, reader.at("sandbox.pool.max") + " must not be below 'sandbox.pool.size'"});
  to.pool_max = most > 0 ? most : std::max(to.pool_max, to.pool_size);
  pool.seconds({"idleSeconds"}, 1, 86'400, to.pool_idle);
  s.mebibytes({"memoryMb"}, 64, 1'048'576, to.memory_bytes);
  s.integer({"processes"}, 16, 32'768, to.processes);
  s.mebibytes({"tempMb"}, 1, 1'048'576, to.temp_bytes);
}

void read_executors(section s, settings& to) {
  auto typescript = s.inside("typescript");
  typescript.flag({"enabled"}, to.typescript.enabled);
  typescript.command({"denoPath", "DENO_PATH"}, to.typescript.deno);

  auto python = s.inside("python");
  python.flag({"enabled", "PYTHON_ENABLED"}, to.python.enabled);
  python.command({"pythonPath", "PYTHON_PATH"}, to.python.python);
  python.text({"version"}, is_python_version, "a version of Python 3 such as \"3.11\"", to.python.version);
  python.path({"venv"}, to.python.venv);
  python.one_of<python_runtime>({"runtime"},
                                {{"auto", python_runtime::automatic},
                                 {"cpython", python_runtime::cpython},
                                 {"pyodide", python_runtime::pyodide},
                                 {"container", python_runtime::container}},
                                to.python.runtime);

  auto container = s.inside("container");
  auto& c = to.container;
  container.one_of<container_tool>({"runtime", "MCP_BRIDGE_RUNTIME"}, {{"podman", container_tool::podman}, {"docker", container_tool::docker}},
                                   c.tool);
  container.text({"image", "MCP_BRIDGE_IMAGE"}, is_image, "the name of an image", c.image);
  container.bytes({"memory", "MCP_BRIDGE_MEMORY"}, 16ull << 20, 1ull << 40, c.memory_bytes);
  container.integer({"pids", "MCP_BRIDGE_PIDS"}, 4, 32'768, c.processes);
  container.number({"cpus", "MCP_BRIDGE_CPUS"}, 0.01, 1'024, c.cpus);
  container.text({"user", "MCP_BRIDGE_CONTAINER_USER"}, is_user, "a user, or user:group, such as 65534:65534", c.user);
}

void read_bridge(section s, settings_reader& reader, bridge_settings& to) {
  s.one_of<bridge_output>({nullptr, "MCP_BRIDGE_OUTPUT_MODE"}, {{"compact", bridge_output::compact}, {"toon", bridge_output::toon}}, to.output);
  milliseconds usual{0}, most{0}; // not given
  s.duration({nullptr, "MCP_BRIDGE_TIMEOUT"}, limits::run_timeout_min, limits::run_timeout_max, usual);
  s.duration({nullptr, "MCP_BRIDGE_MAX_TIMEOUT"}, limits::run_timeout_min, limits::run_timeout_max, most);
  if (most.count() > 0 && most < usual)
    reader.complain({errc::invalid_argument, "MCP_BRIDGE_TIMEOUT must not be above MCP_BRIDGE_MAX_TIMEOUT"});
  to.timeout_max = most.count() > 0 ? most : to.timeout_max;
  to.timeout = usual.count() > 0 ? usual : std::min(to.timeout, to.timeout_max);
}

} // namespace config
