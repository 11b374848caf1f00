#include "sandbox/container/container.hpp"
#include "sandbox/isolation/temp_files.hpp"

#include <utility>

namespace sandbox {

namespace {

using msg::isolation_layer;

isolation_layer held_by(std::string of, std::string by, std::string limit = {}) {
  return {std::move(of), true, std::move(by), std::move(limit)};
}

std::string ignores(const container_engine& engine, const char* option) {
  auto why = engine.rootless && engine.cgroup_version == "v1" ? ": rootless on cgroup v1" : "";
  return std::string{to_string(engine.tool)} + " ignores " + option + " here" + why;
}

std::string cgroup(const container_engine& engine) { return "cgroup " + engine.cgroup_version; }

isolation_layer memory(const container_settings& settings, const container_engine& engine) {
  auto limit = std::to_string(settings.memory_bytes >> 20) + " MiB";
  if (engine.enforced.memory)
    return held_by("memory", cgroup(engine), limit + ", temp space included");
  return held_by(
    "memory", "rlimit per process + watcher of the whole container every 100 ms (" + ignores(engine, "--memory") + ")",
    limit);
}

isolation_layer processes(const container_settings& settings, const container_engine& engine) {
  auto limit = std::to_string(settings.pids);
  if (engine.enforced.pids)
    return held_by("processes", cgroup(engine), limit);
  if (engine.own_users)
    return held_by("processes",
                   "rlimit of the container's own user namespace (" + ignores(engine, "--pids-limit") + ")", limit);
  return held_by("processes", "rlimit of all containers together (" + ignores(engine, "--pids-limit") + ")", limit);
}

isolation_layer temp_files(const container_engine& engine) {
  auto limit = std::to_string(guest_temp_files_max);
  return engine.enforced.memory
           ? held_by("temp files", cgroup(engine) + ", which counts the memory of the kernel for them")
           : held_by("temp files", "watcher of each temp folder every 100 ms (" + ignores(engine, "--memory") + ")",
                     limit);
}

isolation_layer cpus(const container_settings& settings, const container_engine& engine) {
  if (engine.enforced.cpus)
    return held_by("cpus", cgroup(engine), settings.cpus);
  return {"cpus", false, ignores(engine, "--cpus"), {}};
}

} // namespace

const char* to_string(container_tool tool) { return tool == container_tool::podman ? "podman" : "docker"; }

msg::isolation_report report_isolation(const container_settings& settings, const container_engine& engine) {
  msg::isolation_report report;
  report.mode = "container";
  auto runtime = engine.oci_runtime.empty()
                   ? engine.default_runtime
                   : engine.oci_runtime + " (" + engine.default_runtime + " does not work here)";
  report.reason = std::string{to_string(engine.tool)} + (engine.rootless ? ", rootless, " : ", as root, ") + runtime
                  + ", storage " + engine.storage_driver + ", image " + settings.image;
  if (engine.storage_driver == "vfs")
    report.reason += "; vfs copies the image at every start, which takes seconds: set driver = \"overlay\" in "
                     "~/.config/containers/storage.conf";
  report.layers = {memory(settings, engine), processes(settings, engine)};
  if (!settings.cpus.empty())
    report.layers.push_back(cpus(settings, engine));
  report.layers.push_back(held_by("temp space", "tmpfs size, of /tmp, /workspace and /dev/shm"));
  report.layers.push_back(temp_files(engine));
  report.layers.push_back(held_by("file system", "read-only image, the guest's own files, nothing else of the host"));
  report.layers.push_back(held_by("network", "network namespace without a device but loopback"));
  report.layers.push_back(held_by("system calls", "seccomp filter, no capabilities, no new privileges"));
  return report;
}

} // namespace sandbox
