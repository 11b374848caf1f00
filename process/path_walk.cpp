#include "process/path_walk.hpp"

#include "process/inside.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace process {

namespace {

path_kind kind_of_mode(mode_t mode) {
  if (S_ISREG(mode))
    return path_kind::file;
  return S_ISDIR(mode) ? path_kind::folder : path_kind::other;
}

} // namespace

path_end path_walk::end_of(std::string_view path) {
  auto found = walk(0, path, 0);
  if (found.node == nowhere)
    return {found.is_unknown ? path_kind::unknown : path_kind::nothing, {}};
  return {nodes_[found.node].kind, real_path(found.node)};
}

bool path_walk::spend(size_t steps) {
  gave_up_ = gave_up_ || steps > steps_left_;
  steps_left_ -= std::min(steps, steps_left_);
  return steps_left_ > 0;
}

path_walk::way path_walk::give_up() {
  gave_up_ = true;
  return {nowhere, 0, 0, false, true};
}

path_walk::way path_walk::walk(size_t from, std::string_view path, size_t depth) {
  if (path.empty() || path.size() >= PATH_MAX || path.find('\0') != path.npos)
    return {}; // the kernel does not follow it either
  bool is_folder_meant = path.ends_with('/');
  way at{path.starts_with('/') ? 0 : from};
  while (!path.empty()) {
    auto part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    if (part.empty())
      continue;
    ++at.steps;
    if (!spend(1) || at.steps > way_steps_max)
      return give_up();
    if (nodes_[at.node].kind != path_kind::folder)
      return {};
    if (part == "..")
      at.node = nodes_[at.node].parent;
    if (part == "." || part == "..")
      continue;
    auto next = step(at.node, part, depth);
    if (next.node == nowhere)
      return next;
    at = {next.node, at.links + next.links, at.steps + next.steps};
    if (at.links > links_max)
      return {};
    if (at.steps > way_steps_max)
      return give_up();
  }
  return is_folder_meant && nodes_[at.node].kind != path_kind::folder ? way{} : at;
}

path_walk::way path_walk::step(size_t from, std::string_view name, size_t depth) {
  auto& names = nodes_[from].names;
  if (auto known = names.find(name); known != names.end())
    return known->second;
  auto found = look_at(from, name, depth);
  if (found.is_cut && depth > 0)
    return found; // it may lead somewhere for who comes here by fewer links
  found.is_cut = false;
  return names.emplace(std::string{name}, found).first->second;
}

path_walk::way path_walk::look_at(size_t folder, std::string_view name, size_t depth) {
  if (!spend(disk_look_steps + nodes_[folder].depth))
    return give_up();
  auto path = (folder == 0 ? std::string{} : real_path(folder)) + '/' + std::string{name};
  if (path.size() >= PATH_MAX)
    return give_up(); // by other names the kernel gets there
  struct stat s {};
  if (::lstat(path.c_str(), &s) != 0)
    return {};
  if (!S_ISLNK(s.st_mode)) {
    nodes_.push_back({folder, nodes_[folder].depth + 1, std::string{name}, kind_of_mode(s.st_mode)});
    return {nodes_.size() - 1};
  }
  if (depth >= links_max)
    return {nowhere, 0, 0, true};
  std::array<char, PATH_MAX> target;
  auto size = ::readlink(path.c_str(), target.data(), target.size());
  if (size <= 0)
    return {};
  auto end = walk(folder, {target.data(), static_cast<size_t>(size)}, depth + 1);
  ++end.links;
  return end;
}

std::string path_walk::real_path(size_t at) const {
  std::vector<size_t> parts;
  for (; at != 0; at = nodes_[at].parent)
    parts.push_back(at);
  std::string path;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    path.append("/").append(nodes_[*part].name);
  return path.empty() ? "/" : path;
}

} // namespace process
