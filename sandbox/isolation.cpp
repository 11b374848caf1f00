#include "sandbox/isolation.hpp"

#include "messages/limits.hpp"
#include "sandbox/box.hpp"
#include "sandbox/landlock.hpp"
#include "sandbox/seccomp.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <system_error>
#include <unistd.h>

namespace sandbox {

namespace {

constexpr size_t complaint_bytes_max = 500;
constexpr uint32_t trial_cpu_seconds = 5;

struct trial {
  bool worked = false;
  std::string complaint; ///< what it printed on stderr
};

/// What a failed trial has printed: it is dead, so nothing more is coming.
std::string printed(const process::descriptor& from) {
  std::string text(complaint_bytes_max, '\0');
  auto n = ::read(from.get(), text.data(), text.size());
  text.resize(n > 0 ? static_cast<size_t>(n) : 0);
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

bool ends_in_time(process::child& child) {
  pollfd watched{child.pidfd.native_handle(), POLLIN, 0};
  int result = -1;
  while ((result = ::poll(&watched, 1, static_cast<int>(msg::limits::isolation_probe_timeout.count()))) < 0 && errno == EINTR)
    ;
  return result == 1;
}

trial run(const asio::any_io_executor& executor, process::launch& launch) {
  auto err = process::make_pipe();
  process::descriptor nothing{::open("/dev/null", O_RDWR | O_CLOEXEC)};
  launch.descriptors.insert(launch.descriptors.end(), {{nothing.get(), 0}, {nothing.get(), 1}, {err.write.get(), 2}, {nothing.get(), 3}});
  auto child = process::start(executor, launch);
  err.write = {};
  if (!child.ok())
    return {false, child.error.message};
  if (!ends_in_time(*child.value))
    return {false, "it did not end within " + std::to_string(msg::limits::isolation_probe_timeout.count()) + " ms"};
  auto status = child.value->reap();
  if (!status.by_signal && status.code == 0)
    return {true, {}};
  auto text = printed(err.read);
  return {false, text.empty() ? "it ended with " + status.text() : text};
}

/// A box without anything in it; guest-init without a command ends when it has done all else.
trial try_walls(const asio::any_io_executor& executor, isolation_tools tools, const isolation& walls) {
  box empty;
  empty.self_contained = true;
  empty.cpu_seconds = trial_cpu_seconds;
  tools.walls = walls;
  try {
    auto prepared = prepare(empty, tools);
    return prepared.ok() ? run(executor, prepared.value.launch) : trial{false, prepared.error.message};
  } catch (const std::system_error& e) {
    return {false, e.what()};
  }
}

bool sysctl_is(const char* name, long value) {
  std::ifstream file{std::string{"/proc/sys/"} + name};
  long found = 0;
  return file >> found && found == value;
}

/// What an administrator would have to change, as far as it can be seen from here.
std::string advice() {
  if (sysctl_is("user/max_user_namespaces", 0))
    return "user namespaces are switched off: sysctl user.max_user_namespaces is 0";
  if (sysctl_is("kernel/unprivileged_userns_clone", 0))
    return "user namespaces are switched off: sysctl kernel.unprivileged_userns_clone is 0";
  if (sysctl_is("kernel/apparmor_restrict_unprivileged_userns", 1))
    return "AppArmor restricts user namespaces: give bwrap a profile with `userns,`, or set sysctl kernel.apparmor_restrict_unprivileged_userns to 0";
  if (::access("/.dockerenv", F_OK) == 0 || ::access("/run/.containerenv", F_OK) == 0)
    return "this is a container: start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined (and apparmor=unconfined)";
  return "the kernel, or the container that this runs in, does not permit user namespaces";
}

std::string why_no_namespaces(const isolation_tools& tools, const trial& t) {
  if (tools.bubblewrap.empty())
    return "bubblewrap (bwrap) was not found in PATH; install the package `bubblewrap`";
  return "bubblewrap could not build a sandbox (" + t.complaint + "); " + advice();
}

std::shared_ptr<process::descriptor> filter_for(filter_profile profile) { return has_seccomp() ? make_filter(profile).value : nullptr; }

isolation none(std::string reason) { return {isolation_mode::none, std::move(reason), nullptr, landlock::abi()}; }

isolation without_namespaces(const asio::any_io_executor& executor, const isolation_tools& tools, const std::string& reason) {
  isolation walls{isolation_mode::bare, reason, filter_for(filter_profile::bare), landlock::abi()};
  if (!walls.filter || walls.landlock_abi == 0)
    return none(reason + ". Without namespaces seccomp and Landlock are needed; this kernel has no " + (walls.filter ? "Landlock" : "seccomp"));
  auto result = try_walls(executor, tools, walls);
  return result.worked ? walls : none(reason + ". A guest without namespaces did not start either: " + result.complaint);
}

} // namespace

std::string_view to_string(isolation_mode mode) {
  switch (mode) {
    case isolation_mode::untried: return "untried";
    case isolation_mode::namespaces: return "namespaces";
    case isolation_mode::bare: return "bare";
    case isolation_mode::none: break;
  }
  return "none";
}

isolation probe_isolation(const asio::any_io_executor& executor, const isolation_tools& tools, isolation_policy policy) {
  isolation walls{isolation_mode::namespaces, {}, filter_for(filter_profile::boxed), landlock::abi()};
  auto result = tools.bubblewrap.empty() ? trial{} : try_walls(executor, tools, walls);
  if (result.worked)
    return walls;
  auto reason = why_no_namespaces(tools, result);
  if (policy == isolation_policy::required)
    return none("sandbox.isolation is `required`, and there are no namespaces: " + reason);
  return without_namespaces(executor, tools, reason);
}

} // namespace sandbox
