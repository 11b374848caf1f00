#include "sandbox/box.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace sandbox {

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
  auto size = std::to_string(what.temp_bytes);
  add(a, {"--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/tmp"});
  add(a, {"--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"}); // /dev itself is a tmpfs without a bound
  for (auto& [target, path] : what.links)
    add(a, {"--symlink", target, path});
}

/// Gives the launch one more descriptor; the result is its number in the box.
int hand_over(prepared_box& out, process::descriptor source) {
  auto number = first_source + static_cast<int>(out.sources.size());
  out.launch.descriptors.emplace_back(source.get(), number);
  out.sources.push_back(std::move(source));
  return number;
}

/// A descriptor of our own in any case: it must stay open until the launch, the mount need not.
process::descriptor open_source(const mount& m) {
  return process::descriptor{m.opened ? ::fcntl(m.opened->get(), F_DUPFD_CLOEXEC, 0) : ::open(m.from.c_str(), O_PATH | O_CLOEXEC)};
}

/// Mounts go by descriptor: a path that only we may walk (a home of mode 0700) works, and nothing can be swapped
/// between looking and mounting. guest-init closes the descriptors before the guest starts. Bubblewrap makes every
/// mount nosuid and nodev.
msg::fault add_mounts(arguments& a, const std::vector<mount>& mounts, prepared_box& out) {
  for (auto& m : mounts) {
    auto source = open_source(m);
    if (!source)
      return {msg::errc::runtime_missing, "the sandbox needs " + m.from + ": " + std::strerror(errno)};
    auto number = hand_over(out, std::move(source));
    add(a, {m.mode == access::writable ? "--bind" : "--ro-bind", "/proc/self/fd/" + std::to_string(number), m.to});
  }
  return {};
}

void add_egress(arguments& a, prepared_box& out) {
  auto [ours, theirs] = process::make_socket_pair();
  a.push_back("listener=" + std::to_string(hand_over(out, std::move(theirs))));
  out.listener_source = std::move(ours);
}

void add_command(arguments& a, const box& what, prepared_box& out) {
  for (auto& [name, value] : what.environment)
    add(a, {"--setenv", name, value});
  add(a, {"--remount-ro", "/", "--chdir", "/tmp", "--", guest_init_path});
  add(a, {"data=" + std::to_string(what.memory_bytes + what.reserved_bytes), "nproc=" + std::to_string(what.processes),
          "nofile=" + std::to_string(what.open_files), "fsize=" + std::to_string(what.file_bytes), "cpu=" + std::to_string(what.cpu_seconds)});
  if (what.egress)
    add_egress(a, out);
  a.push_back("--");
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
  add_command(a, what, out);
  out.launch.argv = std::move(a);
  out.launch.user = ::geteuid() == 0 ? nobody : 0;
  return out; // environment stays empty: /proc/1/environ in the box shows bubblewrap's own
}

} // namespace sandbox
