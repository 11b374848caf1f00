// A container as a sandbox: what podman or docker is told, and what it says. Pure; starting is in container_guest.hpp.
#pragma once

#include "messages/errors.hpp"
#include "messages/isolation.hpp"
#include "messages/limits.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sandbox {

struct container_settings {
  /// MCP_BRIDGE_RUNTIME: podman, docker or a path; empty: the first of them that works.
  std::string runtime;
  std::string image = "python:3.14-slim";                      ///< MCP_BRIDGE_IMAGE
  uint64_t memory_bytes = msg::limits::guest_memory_bytes_max; ///< MCP_BRIDGE_MEMORY
  uint32_t pids = 128;                                         ///< MCP_BRIDGE_PIDS
  std::string cpus;                                            ///< MCP_BRIDGE_CPUS; empty: all
  std::string user = "65534:65534";                            ///< MCP_BRIDGE_CONTAINER_USER
};

enum class container_tool : uint8_t { podman, docker };
const char* to_string(container_tool tool);

/// Which limits the kernel holds for a whole container, as seen from inside of one. Never what was asked for.
struct enforced_limits {
  bool memory = false;
  bool pids = false;
  bool cpus = false;
};

/// Our own hard limits, which an unprivileged engine can not raise. ~0: none.
struct process_ceiling {
  uint64_t open_files = ~uint64_t{0};
  uint64_t processes = ~uint64_t{0};
};

/// A container engine that was seen to work on this machine.
struct container_engine {
  std::string executable; ///< absolute path
  container_tool tool = container_tool::podman;
  std::string oci_runtime; ///< empty: the engine's default works
  std::string default_runtime, storage_driver, cgroup_version;
  bool rootless = false;
  bool selinux = false;
  bool remote = false;
  bool own_users = false; ///< every container gets a user namespace of its own, so that its processes are counted alone
  enforced_limits enforced;
  process_ceiling ceiling;
};

/// One container.
struct container_run {
  std::string name;
  std::string owner;       ///< see container_owner.hpp
  std::string guest_files; ///< the folder with python/ and container/
  std::string ipc_folder;  ///< holds the socket that the guest's descriptors come from; empty: none
  /// After this podman kills it, whatever became of us and of its first process; 0: never. Docker has no such limit.
  std::chrono::seconds alive_max{0};
  std::vector<std::string> command;
};

/// Variable that carries the token to the first process. Only its name is in the arguments: those are for every user to
/// read.
inline constexpr const char* token_variable = "CODE_EXECUTOR_TOKEN";

/// The whole command, engine first.
std::vector<std::string> run_arguments(const container_settings& settings, const container_engine& engine,
                                       const container_run& run);
/// The command of a container that holds a guest. `cpu_seconds` of one process; 0: no limit.
std::vector<std::string> guest_command(const container_settings& settings, uint32_t cpu_seconds);
std::vector<std::string> remove_arguments(const container_engine& engine, const std::vector<std::string>& names);
std::vector<std::string> info_arguments(const container_engine& engine);
std::vector<std::string> image_arguments(const container_engine& engine, const std::string& image);
/// Lists containers of all our servers, one a line: name, space, owner.
std::vector<std::string> list_arguments(const container_engine& engine);

/// Names in such a list whose owner is dead.
std::vector<std::string> leftovers_in(std::string_view list,
                                      const std::function<bool(std::string_view owner)>& is_dead);

/// Reads the engine's own description into `engine`.
msg::fault read_info(std::string_view json, container_engine& engine);
/// Reads what guest/container/probe.py printed. The fault: the image can not run guests.
msg::outcome<enforced_limits> read_probe(std::string_view json, const container_settings& settings);

/// The error among what an engine printed: it warns first, and fails last.
std::string error_in(std::string_view printed);

/// What an engine's client may know of our environment: how to find its files and its daemon; nothing that is secret.
std::vector<std::string> engine_environment(const std::function<std::string(std::string_view)>& variable);

/// For `health` and `doctor`: which limit holds, and by what.
msg::isolation_report report_isolation(const container_settings& settings, const container_engine& engine);

} // namespace sandbox
