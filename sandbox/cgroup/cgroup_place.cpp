#include "sandbox/cgroup/cgroup_place.hpp"

#include "process/mount_names.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sandbox {

namespace {

using strings = std::vector<std::string>;

constexpr std::string_view folder_prefix = "code-executor-";
constexpr const char* probe_name = "/guest-0"; // guests count from 1

struct controller_kind {
  const char* name;
  cgroup_controller cgroup_place::*controller;
  const char *file_v1, *file_v2; ///< of its limit
  const char* probe;             ///< a limit
};

constexpr controller_kind kinds[] = {
  // A multiple of every page size, so that it is read back as it was written.
  {"memory", &cgroup_place::memory, "memory.limit_in_bytes", "memory.max", "67108864"},
  {"pids", &cgroup_place::pids, "pids.max", "pids.max", "64"},
  {"cpu", &cgroup_place::cpu, "cpu.shares", "cpu.weight", "512"},
};
constexpr std::span<const controller_kind> limiting{kinds, 2}, sharing{kinds + 2, 1};

/// Half of what the kernel gives by default to a process, or to a group of them.
constexpr const char *guests_shares_v1 = "512", *guests_weight_v2 = "50";
/// In v2, where the server is beside its guests, each of which has 100: the most that there is. 20 guests leave it
/// five sixths of a processor that it wants.
constexpr const char* server_weight_v2 = "10000";
constexpr const char* server_leaf = "/server";

strings split(std::string_view text, char separator) {
  strings parts;
  for (size_t begin = 0; begin <= text.size();) {
    auto end = std::min(text.find(separator, begin), text.size());
    if (end > begin)
      parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool has(const strings& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// ---- what the kernel tells -------------------------------------------------------------------

/// Our path in the hierarchy; `controller` empty: in v2's.
std::optional<std::string> own_path(const std::string& cgroup, std::string_view controller) {
  for (auto& line : split(cgroup, '\n')) {
    auto first = line.find(':');
    auto second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos)
      continue;
    auto controllers = split(std::string_view{line}.substr(first + 1, second - first - 1), ',');
    if (controller.empty() ? line.starts_with("0::") : has(controllers, controller))
      return line.substr(second + 1);
  }
  return {};
}

/// The folder of our own cgroup, as we see it; empty: it is not mounted, or outside of what we see.
std::string own_folder(const cgroup_membership& we, std::string_view controller) {
  auto path = own_path(we.cgroup, controller);
  if (!path || path->find("/..") != path->npos)
    return {};
  for (auto& line : split(we.mountinfo, '\n')) {
    auto dash = line.find(" - ");
    if (dash == line.npos)
      continue;
    auto fields = split(line.substr(0, dash), ' '), after = split(line.substr(dash + 3), ' ');
    if (fields.size() < 5 || after.size() < 3)
      continue;
    bool fits =
      controller.empty() ? after[0] == "cgroup2" : after[0] == "cgroup" && has(split(after[2], ','), controller);
    auto root = process::unescaped_mount(fields[3]);
    root = root == "/" ? "" : root;
    if (fits && path->starts_with(root) && (path->size() == root.size() || (*path)[root.size()] == '/'))
      return process::unescaped_mount(fields[4]) + (*path == "/" ? "" : path->substr(root.size()));
  }
  return {};
}

// ---- what dead servers have left -------------------------------------------------------------

/// Of all PID namespaces that may share our cgroup.
std::string name_of(const cgroup_membership& we, pid_t own_pid) {
  return std::string{folder_prefix} + std::to_string(own_pid) + '-' + std::to_string(we.pid_namespace);
}

template <class Number>
bool read_whole(std::string_view text, Number& to) {
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), to);
  return ec == std::errc{} && end == text.data() + text.size();
}

/// Versions before have named no namespace. What those have left costs nothing and goes when the machine is restarted:
/// it stays, because it may be of a living server that is not in ours.
bool is_dead(std::string_view name, const cgroup_membership& we, pid_t own_pid) {
  name.remove_prefix(folder_prefix.size());
  auto dash = name.find('-');
  pid_t pid = 0;
  uint64_t pid_namespace = 0;
  if (dash == name.npos || !read_whole(name.substr(0, dash), pid) || !read_whole(name.substr(dash + 1), pid_namespace))
    return false;
  if (pid <= 0 || pid_namespace == 0 || pid_namespace != we.pid_namespace)
    return false;
  return pid == own_pid || (::kill(pid, 0) != 0 && errno == ESRCH); // our own number was another's before
}

std::string within(std::string folder, std::string_view name) {
  folder += '/';
  return folder += name;
}

void remove_with_folders(cgroup_files& files, const std::string& folder) {
  for (auto& inner : files.folders(folder))
    files.remove_folder(within(folder, inner)); // in use: it is not dead after all, and stays
  files.remove_folder(folder);
}

void sweep(cgroup_files& files, const std::string& folder, const cgroup_membership& we, pid_t own_pid) {
  for (auto& name : files.folders(folder))
    if (name.starts_with(folder_prefix) && is_dead(name, we, own_pid))
      remove_with_folders(files, within(folder, name));
}

/// Back from the leaf: only possible once the cgroup gives no controllers to others.
void return_to(cgroup_files& files, const std::string& folder, const std::string& base, pid_t own_pid) {
  for (auto& giving : {base, folder})
    for (auto& kind : kinds) // one by one: a kernel without one of them takes none of a line that names it
      files.write(giving + "/cgroup.subtree_control", std::string{"-"} + kind.name);
  files.write(folder + "/cgroup.procs", std::to_string(own_pid));
}

/// Of guests and server.
void share_processor(cgroup_files& files, const cgroup_place& place) {
  auto& base = place.cpu.folder;
  if (place.cpu.version == cgroup_version::v1) {
    files.write(base + "/cpu.shares", guests_shares_v1);
  } else if (place.cpu.version == cgroup_version::v2) {
    files.write(base + "/cpu.weight", guests_weight_v2);
    if (!place.left.empty())
      files.write(base + server_leaf + "/cpu.weight", server_weight_v2);
  }
}

// ---- trying ----------------------------------------------------------------------------------

class attempt {
public:
  attempt(cgroup_files& files, const cgroup_membership& we, pid_t own_pid) : files_(files), we_(we), pid_(own_pid) {}

  cgroup_place find() {
    cgroup_place place;
    place.name = name_of(we_, pid_);
    for (auto& kind : kinds)
      place.*kind.controller = in_v1(kind);
    if (auto folder = own_folder(we_, ""); !folder.empty()) {
      sweep(files_, folder, we_, pid_);
      in_v2(folder, limiting, place);
      in_v2(folder, sharing, place); // on its own: the kernel refuses it where processes run in real time
    }
    share_processor(files_, place);
    return place;
  }

private:
  static std::string because(int error) { return std::string{": "} + std::strerror(error); }

  /// Makes a cgroup in `base` and sets a limit. Empty: it holds.
  std::string probe(const std::string& base, const std::string& file, const std::string& value) {
    auto folder = base + probe_name;
    if (auto error = files_.make_folder(folder); error != 0)
      return "can not make " + folder + because(error);
    auto error = files_.write(folder + "/" + file, value);
    auto problem =
      error != 0                                  ? "can not write " + file + " in " + base + because(error)
      : files_.read(folder + "/" + file) != value ? file + " in " + base + " does not keep what is written to it"
      : !files_.open(folder + "/cgroup.procs")    ? "can not put processes into a cgroup in " + base + because(errno)
                                                  : std::string{};
    files_.remove_folder(folder);
    return problem;
  }

  std::string base_in(const std::string& folder) const { return within(folder, name_of(we_, pid_)); }

  cgroup_controller in_v1(const controller_kind& kind) {
    auto folder = own_folder(we_, kind.name);
    if (folder.empty())
      return {cgroup_version::none, "",
              std::string{"there is no cgroup v1 hierarchy with the controller "} + kind.name};
    sweep(files_, folder, we_, pid_);
    auto base = base_in(folder);
    if (auto error = files_.make_folder(base); error != 0)
      return {cgroup_version::none, "", "can not make a cgroup in " + folder + because(error)};
    if (auto problem = probe(base, kind.file_v1, kind.probe); !problem.empty()) {
      files_.remove_folder(base);
      return {cgroup_version::none, "", problem};
    }
    return {cgroup_version::v1, base, ""};
  }

  /// Which of them v1 does not have, and v2 does.
  std::vector<const controller_kind*> wanted_of(std::span<const controller_kind> these, const std::string& folder,
                                                cgroup_place& place) {
    auto offered = split(files_.read(folder + "/cgroup.controllers"), ' ');
    std::vector<const controller_kind*> wanted;
    for (auto& kind : these) {
      auto& controller = place.*kind.controller;
      if (!controller.folder.empty())
        continue;
      if (has(offered, kind.name))
        wanted.push_back(&kind);
      else if (own_folder(we_, kind.name).empty()) // else v1 has it, and has said why not
        controller.problem = std::string{"cgroup v2 does not offer the controller "} + kind.name + " in " + folder;
    }
    return wanted;
  }

  void in_v2(const std::string& folder, std::span<const controller_kind> these, cgroup_place& place) {
    auto wanted = wanted_of(these, folder, place);
    if (wanted.empty())
      return;
    auto base = base_in(folder);
    auto problem = enter_v2(folder, wanted, place);
    for (auto* kind : wanted) {
      auto why = problem.empty() ? probe(base, kind->file_v2, kind->probe) : problem;
      place.*kind->controller = why.empty() ? cgroup_controller{cgroup_version::v2, base, ""}
                                            : cgroup_controller{cgroup_version::none, "", why};
    }
    auto is_there = [&](auto& kind) { return (place.*kind.controller).folder == base; };
    if (std::none_of(std::begin(kinds), std::end(kinds), is_there))
      back_out(folder, place);
  }

  /// Makes our folder with the controllers in it. The fault as text.
  std::string enter_v2(const std::string& folder, const std::vector<const controller_kind*>& wanted,
                       cgroup_place& place) {
    auto base = base_in(folder);
    if (auto error = files_.make_folder(base); error != 0 && error != EEXIST) // it may have other controllers already
      return "can not make a cgroup in " + folder + because(error);
    auto error = enable(folder, wanted);
    if (error == EBUSY) {
      if (auto problem = move_out(folder, place); !problem.empty())
        return problem;
      error = enable(folder, wanted);
    }
    if (error != 0)
      return "can not give controllers to the cgroups in " + folder + because(error);
    error = enable(base, wanted);
    return error == 0 ? "" : "can not give controllers to the cgroups in " + base + because(error);
  }

  int enable(const std::string& folder, const std::vector<const controller_kind*>& wanted) {
    auto present = split(files_.read(folder + "/cgroup.subtree_control"), ' ');
    std::string missing;
    for (auto* kind : wanted)
      if (!has(present, kind->name))
        missing += std::string{missing.empty() ? "+" : " +"} + kind->name;
    return missing.empty() ? 0 : files_.write(folder + "/cgroup.subtree_control", missing);
  }

  /// This process leaves its cgroup for a leaf, if no other process is in it: others are not ours to move.
  std::string move_out(const std::string& folder, cgroup_place& place) {
    auto self = std::to_string(pid_);
    if (files_.read(folder + "/cgroup.procs") != self)
      return "there are other processes in our cgroup " + folder
             + "; start the program in one of its own, with delegation (Delegate=yes)";
    auto leaf = base_in(folder) + server_leaf;
    auto error = files_.make_folder(leaf);
    if (error == 0)
      error = files_.write(leaf + "/cgroup.procs", self);
    if (error != 0)
      return "can not move to " + leaf + because(error);
    place.left = folder;
    return {};
  }

  void back_out(const std::string& folder, cgroup_place& place) {
    if (!place.left.empty())
      return_to(files_, folder, base_in(folder), pid_);
    place.left.clear();
    remove_with_folders(files_, base_in(folder));
  }

  cgroup_files& files_;
  const cgroup_membership& we_;
  pid_t pid_;
};

} // namespace

const char* to_string(cgroup_version v) {
  switch (v) {
    case cgroup_version::none: return "none";
    case cgroup_version::v1: return "cgroup v1";
    case cgroup_version::v2: return "cgroup v2";
  }
  return "none";
}

cgroup_place find_cgroup_place(cgroup_files& files, const cgroup_membership& we, pid_t own_pid) {
  return attempt{files, we, own_pid}.find();
}

int make_place_again(cgroup_files& files, const cgroup_place& place, const std::string& folder) {
  if (auto error = files.make_folder(folder); error != 0)
    return error;
  for (auto& kind : kinds) {
    auto& controller = place.*kind.controller;
    if (controller.folder != folder || controller.version != cgroup_version::v2)
      continue;
    if (auto error = files.write(folder + "/cgroup.subtree_control", std::string{"+"} + kind.name); error != 0)
      return error;
  }
  share_processor(files, place);
  return 0;
}

void leave_cgroup_place(cgroup_files& files, const cgroup_place& place, pid_t own_pid) {
  if (!place.left.empty())
    return_to(files, place.left, within(place.left, place.name), own_pid);
  for (auto& kind : kinds)
    if (auto& folder = (place.*kind.controller).folder; !folder.empty())
      remove_with_folders(files, folder);
}

} // namespace sandbox
