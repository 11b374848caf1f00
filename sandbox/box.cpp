#include "sandbox/box.hpp"

#include "messages/limits.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace sandbox {

namespace limits = msg::limits;

namespace {

/// Nobody: owns nothing on any system. As root we become it before bubblewrap starts, so that even a guest that
/// breaks out of its box is nobody.
constexpr uid_t nobody = 65534;
constexpr const char* guest_init_path = "/runtime/guest-init";
/// Sources of mounts get these numbers in bubblewrap, above the standard ones and the channel.
constexpr int first_source = 4;

using arguments = std::vector<std::string>;

void add(arguments& to, std::initializer_list<std::string> more) { to.insert(to.end(), more); }

void add_namespaces(arguments& a) {
  add(a, {"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup"});
  add(a, {"--disable-userns", "--uid", std::to_string(nobody), "--gid", std::to_string(nobody), "--hostname", "sandbox"});
  add(a, {"--new-session", "--die-with-parent", "--clearenv"}); // without a new session kill(0, ...) would reach us
}

void add_file_system(arguments& a, const box& what) {
  auto size = std::to_string(limits::guest_temp_bytes_max);
  add(a, {"--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/tmp"});
  add(a, {"--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"}); // /dev itself is a tmpfs without a bound
  for (auto& [target, path] : what.links)
    add(a, {"--symlink", target, path});
}

/// Mounts go by descriptor: a path that only we may walk (a home of mode 0700) works, and nothing can be swapped
/// between looking and mounting. guest-init closes the descriptors before the guest starts.
msg::fault add_mounts(arguments& a, const std::vector<read_only_mount>& mounts, prepared_box& out) {
  for (auto& mount : mounts) {
    process::descriptor source{::open(mount.from.c_str(), O_PATH | O_CLOEXEC)};
    if (!source)
      return {msg::errc::runtime_missing, "the sandbox needs " + mount.from + ": " + std::strerror(errno)};
    auto number = first_source + static_cast<int>(out.sources.size());
    out.launch.descriptors.emplace_back(source.get(), number);
    out.sources.push_back(std::move(source));
    add(a, {"--ro-bind", "/proc/self/fd/" + std::to_string(number), mount.to});
  }
  return {};
}

void add_command(arguments& a, const box& what) {
  for (auto& [name, value] : what.environment)
    add(a, {"--setenv", name, value});
  add(a, {"--remount-ro", "/", "--chdir", "/tmp", "--", guest_init_path, std::to_string(limits::guest_memory_bytes_max + what.reserved_bytes),
          std::to_string(limits::guest_processes_max), std::to_string(limits::guest_open_files_max), std::to_string(what.cpu_seconds)});
  a.insert(a.end(), what.command.begin(), what.command.end());
}

} // namespace

msg::outcome<prepared_box> prepare(const box& what, const isolation_tools& tools) {
  prepared_box out;
  arguments a{tools.bubblewrap};
  add_namespaces(a);
  add_file_system(a, what);
  auto mounts = what.mounts;
  mounts.push_back({tools.guest_init, guest_init_path});
  if (auto problem = add_mounts(a, mounts, out); problem.code != msg::errc::none)
    return problem;
  add_command(a, what);
  out.launch.argv = std::move(a);
  out.launch.user = ::geteuid() == 0 ? nobody : 0;
  return out; // environment stays empty: /proc/1/environ in the box shows bubblewrap's own
}

} // namespace sandbox
