#include "sandbox/isolation/box.hpp"

#include "process/inside.hpp"
#include "sandbox/isolation/box_parts.hpp"
#include "sandbox/isolation/landlock_only.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sandbox {

namespace {

constexpr const char* guest_init_path = "/runtime/guest-init";
constexpr const char* one_page = "4096";
/// As guest-init knows it.
const std::string waiting_folder = "/runtime/granted/";

using arguments = process::c_texts;

void add(arguments& to, std::initializer_list<process::c_text> more) { to.insert(to.end(), more); }

void add_namespaces(arguments& a) {
  add(a, {"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup"});
  add(a,
      {"--disable-userns", "--uid", std::to_string(nobody), "--gid", std::to_string(nobody), "--hostname", "sandbox"});
  // Without a new session kill(0, ...) would reach us.
  add(a, {"--new-session", "--die-with-parent", "--as-pid-1", "--clearenv"});
}

void add_file_system(arguments& a, const box& what) {
  auto size = std::to_string(what.temp_bytes);
  add(a, {"--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/tmp"});
  add(a, {"--size", size, "--tmpfs", "/dev/shm"});
  // Terminals are counted for the whole machine (kernel.pty.max).
  add(a, {"--size", one_page, "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"});
  add(a, {"--remount-ro", "/dev"}); // itself a tmpfs without a bound
  for (auto& [target, path] : what.links)
    add(a, {"--symlink", target, path});
}

bool lies_in_a_grant(const mount& m, const std::vector<mount>& all) {
  return std::any_of(all.begin(), all.end(),
                     [&](auto& o) { return o.opened && o.to != m.to && process::inside(m.to.text(), o.to.text()); });
}

/// Bubblewrap is told descriptors, but looks up their names again, and those of the places: in a folder that other
/// programs may write both can be led astray meanwhile. So what lies in a granted folder is put aside, guest-init
/// mounts it without following a link, and of all that is granted it sees whether it is what we have opened. Bubblewrap
/// makes every mount nosuid and nodev. guest-init closes the descriptors before the guest starts.
msg::fault add_mounts(arguments& a, const std::vector<mount>& mounts, prepared_box& out, arguments& for_guest_init) {
  bool puts_aside = false;
  for (auto& m : mounts) {
    auto source = open_source(m);
    if (!source)
      return {msg::errc::runtime_missing, "the sandbox needs " + m.from.text() + ": " + std::strerror(errno)};
    auto number = std::to_string(hand_over(out, std::move(source)));
    bool is_inner = lies_in_a_grant(m, mounts);
    puts_aside = puts_aside || is_inner;
    add(a, {m.mode == access::writable ? "--bind" : "--ro-bind", "/proc/self/fd/" + number,
            is_inner ? waiting_folder + number : m.to.text()});
    if (is_inner || m.opened)
      add(for_guest_init, {"source=" + number, (!is_inner              ? "seen="
                                                : m.opened && !m.hides ? "over="
                                                                       : "on=")
                                                 + m.to.text()});
  }
  if (puts_aside)
    add(a, {"--cap-add", "CAP_SYS_ADMIN"}); // in the box, and gone before the guest starts
  return {};
}

void add_egress(arguments& a, prepared_box& out) {
  auto [ours, theirs] = process::make_socket_pair();
  a.push_back("listener=" + std::to_string(hand_over(out, std::move(theirs))));
  out.listener_source = std::move(ours);
}

void add_command(arguments& a, const box& what, const isolation& isolated, prepared_box& out,
                 const arguments& mounting) {
  for (auto& [name, value] : what.environment)
    add(a, {"--setenv", name, value});
  add(a, {"--remount-ro", "/", "--chdir", "/tmp", "--", guest_init_path});
  a.insert(a.end(), mounting.begin(), mounting.end());
  if (what.egress)
    add_egress(a, out);
  out.sends_channel = what.channel_port != 0;
  if (out.sends_channel)
    a.push_back("channel=" + std::to_string(what.channel_port));
  add_limits(a, what); // with few open files no descriptor can be sent while other processes of the user send many
  a.push_back("nproc=" + std::to_string(what.processes));
  add(a, {"landlock=box", "writable=/tmp", "writable=/dev/shm"});
  for (auto& m : what.mounts)
    if (m.mode == access::writable)
      a.emplace_back("writable=" + m.to.text());
  add_filter(a, isolated, out);
  a.push_back("--");
  a.insert(a.end(), what.command.begin(), what.command.end());
  if (out.sends_channel) {
    a.insert(a.end() - 1, what.channel_flags.begin(), what.channel_flags.end());
    a.emplace_back(std::to_string(what.channel_port));
  }
}

msg::outcome<prepared_box> prepare_namespaces(const box& what, const isolation_tools& tools) {
  prepared_box out;
  arguments a{tools.bubblewrap};
  add_namespaces(a);
  add_file_system(a, what);
  auto mounts = what.mounts;
  mounts.push_back({tools.guest_init, guest_init_path});
  arguments mounting;
  if (auto problem = add_mounts(a, mounts, out, mounting); problem.code != msg::errc::none)
    return problem;
  add_command(a, what, tools.isolated, out, mounting);
  out.launch.argv = std::move(a);
  out.launch.user = guest_user();
  out.launch.niceness = msg::limits::guest_niceness;
  if (auto problem = process::check(out.launch); problem.code != msg::errc::none)
    return problem;
  return out; // environment stays empty: process 1 begins with what bubblewrap has
}

} // namespace

msg::outcome<prepared_box> prepare(const box& what, const isolation_tools& tools) {
  switch (tools.isolated.mode) {
    case isolation_mode::namespaces: return prepare_namespaces(what, tools);
    case isolation_mode::landlock_only: return prepare_landlock_only(what, tools);
    case isolation_mode::untried:
      if (!tools.isolated.reason.empty())
        return msg::fault{msg::errc::overloaded,
                          tools.isolated.reason + "; wait some seconds, then run the program again"};
      break;
    case isolation_mode::none: break;
  }
  return msg::fault{msg::errc::runtime_missing,
                    "programs can not be kept in on this machine: " + tools.isolated.reason};
}

} // namespace sandbox
