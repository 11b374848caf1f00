#include "sandbox/isolation/landlock_only.hpp"

#include "process/inside.hpp"
#include "process/shortage.hpp"
#include "sandbox/isolation/box_parts.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>

namespace sandbox {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;

namespace {

/// (path in the box, path on the host), longer ones first.
using moves = std::vector<std::pair<std::string, std::string>>;

bool may_begin_here(std::string_view text, size_t at) {
  return at == 0 || std::string_view{"=,:"}.find(text[at - 1]) != std::string_view::npos;
}

bool ends_here(std::string_view text, size_t at) {
  return at == text.size() || std::string_view{"/=,:"}.find(text[at]) != std::string_view::npos;
}

std::string moved(const std::string& text, const moves& all) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    auto applies = [&](auto& m) {
      return text.compare(at, m.first.size(), m.first) == 0 && ends_here(text, at + m.first.size());
    };
    auto found = may_begin_here(text, at) ? std::find_if(all.begin(), all.end(), applies) : all.end();
    out += found == all.end() ? std::string(1, text[at]) : found->second;
    at += found == all.end() ? 1 : found->first.size();
  }
  return out;
}

fault check_readable(const std::string& path) {
  auto closed = closed_to_guests(path);
  return closed.empty() ? fault{} : fault{errc::runtime_missing, std::move(closed)};
}

/// Rights add up for Landlock: what lies in a folder that may be written may be written.
fault check_nested(const std::vector<mount>& mounts) {
  for (auto& inner : mounts)
    for (auto& outer : mounts) {
      if (inner.opened && inner.mode == access::read_only && outer.mode == access::writable
          && process::inside(inner.to.text(), outer.to.text()))
        return {errc::not_allowed, "permissions.read: '" + inner.to + "' lies in '" + outer.to
                                     + "', which may be written, and without namespaces it could be written as well; "
                                       "leave it out, or name other folders in "
                                       "permissions.write"};
    }
  return {};
}

fault check(const box& what, const isolation_tools& tools) {
  if (!what.self_contained)
    return {errc::runtime_missing,
            "this runtime runs in namespaces only, and there are none: " + tools.isolated.reason};
  if (what.egress)
    return {errc::not_allowed,
            "network can be given to a guest in namespaces only, and there are none: " + tools.isolated.reason};
  // Deno refuses by the path that a program gives, and a link is another one.
  auto kept = std::find_if(what.mounts.begin(), what.mounts.end(), [](auto& m) { return m.narrows_a_grant; });
  if (kept != what.mounts.end())
    return {errc::not_allowed,
            "permissions.write: " + fs::path{kept->to.text()}.parent_path().string()
              + " holds, or may get, files that decide what is started on this machine (" + kept->to
              + "), and without namespaces nothing keeps a program from them; name a folder inside of it"};
  if (auto problem = check_nested(what.mounts); problem.code != errc::none)
    return problem;
  return check_readable(tools.guest_init);
}

/// What a guest may read and, where granted, write; gives the paths that this moves.
msg::outcome<moves> add_mounts(const box& what, const isolation_tools& tools, prepared_box& out) {
  moves all;
  for (auto& m : what.mounts) {
    if (m.narrows_a_grant || m.hides)
      continue;
    auto source = open_source(m);
    if (!source)
      return fault{errc::runtime_missing, "the sandbox needs " + m.from.text() + ": " + process::error_text(errno)};
    std::error_code ec;
    auto real = fs::read_symlink("/proc/self/fd/" + std::to_string(source.get()), ec).string();
    if (auto problem = check_readable(real); problem.code != errc::none)
      return problem;
    if (real.find(',') != real.npos)
      return fault{errc::runtime_missing,
                   "the path " + real
                     + " has a comma in it, where Deno's permissions begin another path; without namespaces "
                       "guests need it, so rename that folder: "
                     + tools.isolated.reason};
    all.emplace_back(m.to, real);
    auto number = hand_over(out, std::move(source));
    out.launch.argv.emplace_back((m.mode == access::writable ? "writable=/proc/self/fd/" : "readable=/proc/self/fd/")
                                 + std::to_string(number));
  }
  std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.first.size() > b.first.size(); });
  return all;
}

} // namespace

msg::outcome<prepared_box> prepare_landlock_only(const box& what, const isolation_tools& tools) {
  if (auto problem = check(what, tools); problem.code != errc::none)
    return problem;
  prepared_box out;
  out.launch.argv = {tools.guest_init, "landlock=only", "readable=/proc/self", "readable=/dev/urandom",
                     "writable=/dev/null"};
  auto all = add_mounts(what, tools, out);
  if (!all.ok())
    return std::move(all.error);
  // Without nproc: it would count all processes of the user, and fork is denied anyway.
  add_limits(out.launch.argv, what);
  add_filter(out.launch.argv, tools.isolated, out);
  out.launch.argv.push_back("--");
  for (auto& argument : what.command)
    out.launch.argv.emplace_back(moved(argument, all.value));
  for (auto& [name, value] : what.environment)
    out.launch.environment.emplace_back(name + "=" + moved(value, all.value));
  out.launch.user = guest_user();
  out.launch.niceness = msg::limits::guest_niceness;
  if (auto problem = process::check(out.launch); problem.code != errc::none)
    return problem;
  return out;
}

} // namespace sandbox
