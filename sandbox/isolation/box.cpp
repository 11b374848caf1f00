#include "sandbox/isolation/box.hpp"

#include "process/inside.hpp"
#include "process/shortage.hpp"
#include "sandbox/isolation/box_parts.hpp"
#include "sandbox/isolation/landlock_only.hpp"

#include <algorithm>
#include <cerrno>

namespace sandbox {

namespace {

constexpr const char* guest_init_path = "/runtime/guest-init";
/// As sandbox/guest/python/template.py knows it.
constexpr const char* guest_fork_path = "/runtime/guest-fork.so";
constexpr const char* guest_spawn_path = "/runtime/guest-spawn";
constexpr const char* one_page = "4096";
/// As guest-init knows it.
const std::string waiting_folder = "/runtime/granted/";

using arguments = process::c_texts;

void add(arguments& to, std::initializer_list<process::c_text> more) { to.insert(to.end(), more); }

void add_namespaces(arguments& a) {
  add(a, {"--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup"});
  add(a, {"--uid", std::to_string(nobody), "--gid", std::to_string(nobody), "--hostname", "sandbox"});
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
      return {msg::errc::runtime_missing, "the sandbox needs " + m.from.text() + ": " + process::error_text(errno)};
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

void add_leash(arguments& a, prepared_box& out) {
  auto [ours, theirs] = process::make_socket_pair();
  a.push_back("leash=" + std::to_string(hand_over(out, std::move(theirs))));
  out.leash = std::move(ours);
}

/// Up to the arguments of that program.
void add_first_program(arguments& a, const box& what, const char* program) {
  for (auto& [name, value] : what.environment)
    add(a, {"--setenv", name, value});
  add(a, {"--remount-ro", "/", "--chdir", "/tmp", "--", program});
}

/// What a guest gives up, but for system calls.
void add_confinement(arguments& a, const box& what) {
  add_limits(a, what);
  a.push_back("nproc=" + std::to_string(what.processes));
  add(a, {"landlock=box", "writable=/tmp", "writable=/dev/shm"});
  for (auto& m : what.mounts)
    if (m.mode == access::writable)
      a.emplace_back("writable=" + m.to.text());
}

/// Behind all that prepares for it.
void add_command(arguments& a, const box& what) {
  a.push_back("--");
  a.insert(a.end(), what.command.begin(), what.command.end());
  if (what.channel_port == 0)
    return;
  a.insert(a.end() - 1, what.channel_flags.begin(), what.channel_flags.end());
  a.emplace_back(std::to_string(what.channel_port));
}

void add_channel(arguments& a, const box& what) {
  if (what.channel_port != 0)
    a.push_back("channel=" + std::to_string(what.channel_port));
}

void add_guest(arguments& a, const box& what, const isolation& isolated, prepared_box& out, const arguments& mounting) {
  add_first_program(a, what, guest_init_path);
  a.insert(a.end(), mounting.begin(), mounting.end());
  if (what.egress)
    add_egress(a, out);
  if (!what.holds.empty())
    add_leash(a, out);
  out.sends_channel = what.channel_port != 0;
  add_channel(a, what);
  add_confinement(a, what); // with few open files no descriptor can be sent while other processes of the user send many
  add_filter(a, isolated, out);
  add_command(a, what);
}

/// The environment stays empty: process 1 begins with what bubblewrap has.
msg::fault complete(prepared_box& out, arguments a) {
  out.launch.argv = std::move(a);
  out.launch.user = guest_user();
  out.launch.niceness = msg::limits::guest_niceness;
  return process::check(out.launch);
}

msg::outcome<prepared_box> prepare_namespaces(const box& what, const isolation_tools& tools) {
  prepared_box out;
  arguments a{tools.bubblewrap, "--disable-userns"};
  add_namespaces(a);
  add_file_system(a, what);
  auto mounts = what.mounts;
  mounts.push_back({tools.guest_init, guest_init_path});
  arguments mounting;
  if (auto problem = add_mounts(a, mounts, out, mounting); problem.code != msg::errc::none)
    return problem;
  add_guest(a, what, tools.isolated, out, mounting);
  if (auto problem = complete(out, std::move(a)); problem.code != msg::errc::none)
    return problem;
  return out;
}

/// A box in which more boxes can be made, with what is needed for that mounted; `program` and its arguments follow.
msg::outcome<prepared_box> prepare_template(const box& what, const isolation_tools& tools, std::vector<mount> more,
                                            const arguments& program) {
  prepared_box out;
  arguments a{tools.bubblewrap};
  add_namespaces(a);
  add_file_system(a, what);
  more.insert(more.begin(), what.mounts.begin(), what.mounts.end());
  arguments mounting;
  if (auto problem = add_mounts(a, more, out, mounting); problem.code != msg::errc::none)
    return problem;
  add_first_program(a, what, program.front().c_str());
  a.insert(a.end(), program.begin() + 1, program.end());
  if (auto problem = complete(out, std::move(a)); problem.code != msg::errc::none)
    return problem;
  return out;
}

void add_temp_options(arguments& a, const box& what) {
  a.emplace_back("temp=mode=0755,size=" + std::to_string(what.temp_bytes));
}

/// In the temp folder of each guest: other links are in the template's box.
void add_temp_links(arguments& a, const box& what) {
  for (auto& [target, path] : what.links)
    if (process::inside(path, "/tmp"))
      add(a, {"target=" + target, "link=" + path});
}

} // namespace

msg::outcome<prepared_box> prepare_forking_template(const box& what, const isolation_tools& tools,
                                                    const std::vector<std::string>& preloaded) {
  arguments program{guest_init_path, "forks=yes", "--"};
  program.insert(program.end(), what.command.begin(), what.command.end());
  for (auto& name : preloaded)
    program.emplace_back("preload=" + name);
  add_temp_options(program, what);
  add_confinement(program, what);
  return prepare_template(what, tools, {{tools.guest_init, guest_init_path}, {tools.guest_fork, guest_fork_path}},
                          program);
}

msg::outcome<prepared_box> prepare_starting_template(const box& what, const isolation_tools& tools) {
  arguments program{guest_spawn_path};
  add_temp_options(program, what);
  add_temp_links(program, what);
  add_channel(program, what);
  add_confinement(program, what);
  add_command(program, what);
  return prepare_template(what, tools, {{tools.guest_spawn, guest_spawn_path}}, program);
}

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
