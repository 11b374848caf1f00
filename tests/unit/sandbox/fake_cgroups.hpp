// A kernel's cgroup hierarchies in memory, as far as they refuse things.
#pragma once

#include "sandbox/cgroup/cgroup_files.hpp"

#include <cerrno>
#include <fcntl.h>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace test {

/// Folders begin with "/v2" (one hierarchy, all controllers), "/memory", "/pids" or "/cpu" (v1).
class fake_cgroups : public sandbox::cgroup_files {
public:
  std::set<std::string> controllers{"memory", "pids"}; ///< that v2's root offers
  std::map<std::string, std::string> processes;        ///< cgroup.procs by folder
  std::set<std::string> folders_{"/v2", "/memory", "/pids", "/cpu"};
  std::map<std::string, std::string> files_; ///< what was written
  std::set<std::string> read_only;           ///< folders in which nothing may be made or written
  std::set<std::string> in_use;              ///< folders that can not be removed
  std::set<std::string> refused;             ///< controllers that v2 offers, and does not give
  bool keeps_values = true;
  int lacks = 0;      ///< errno of everything that is made or written
  int open_lacks = 0; ///< of what is opened

  static std::string parent(const std::string& path) { return path.substr(0, path.rfind('/')); }
  static std::string name(const std::string& path) { return path.substr(path.rfind('/') + 1); }
  bool has(const std::string& folder) const { return folders_.contains(folder); }

  int make_folder(const std::string& path) override {
    if (lacks != 0)
      return lacks;
    if (read_only.contains(parent(path)))
      return EACCES;
    if (!has(parent(path)))
      return ENOENT;
    return folders_.insert(path).second ? 0 : EEXIST;
  }
  int remove_folder(const std::string& path) override {
    if (!has(path))
      return ENOENT;
    if (in_use.contains(path) || !processes[path].empty() || !folders(path).empty())
      return EBUSY;
    folders_.erase(path);
    std::erase_if(files_, [&](auto& f) { return parent(f.first) == path; });
    return 0;
  }
  int write(const std::string& path, const std::string& text) override {
    auto folder = parent(path), file = name(path);
    if (lacks != 0)
      return lacks;
    if (!has(folder) || !exists(folder, file))
      return ENOENT;
    if (read_only.contains(folder))
      return EACCES;
    if (file == "cgroup.procs") {
      if (folder.starts_with("/v2") && folder != "/v2" && !files_[folder + "/cgroup.subtree_control"].empty())
        return EBUSY; // no internal processes
      for (auto& [other, pids] : processes)
        if (pids == text && other.substr(0, 3) == folder.substr(0, 3))
          pids.clear();
      processes[folder] = text;
      return 0;
    }
    if (file == "cgroup.subtree_control")
      return change_subtree(folder, text);
    files_[path] = keeps_values ? text : "max";
    return 0;
  }
  std::string read(const std::string& path) override {
    auto folder = parent(path), file = name(path);
    if (file == "cgroup.procs")
      return processes[folder];
    if (file == "cgroup.controllers" && folder.starts_with("/v2")) {
      std::string all;
      for (auto& c : controllers)
        all += (all.empty() ? "" : " ") + c;
      return folder == "/v2" ? all : files_[parent(folder) + "/cgroup.subtree_control"];
    }
    auto found = files_.find(path);
    return found == files_.end() ? "" : found->second;
  }
  std::vector<std::string> folders(const std::string& path) override {
    std::vector<std::string> out;
    for (auto& f : folders_)
      if (parent(f) == path)
        out.push_back(name(f));
    return out;
  }
  process::descriptor open(const std::string& path) override {
    errno = open_lacks != 0 ? open_lacks : EACCES;
    return process::descriptor{
      open_lacks == 0 && exists(parent(path), name(path)) ? ::open("/dev/null", O_WRONLY | O_CLOEXEC) : -1};
  }

private:
  bool gives(const std::string& folder, const std::string& controller) {
    auto text = files_[folder + "/cgroup.subtree_control"];
    return (" " + text + " ").find(" " + controller + " ") != std::string::npos;
  }
  bool exists(const std::string& folder, const std::string& file) {
    if (file.starts_with("cgroup."))
      return has(folder) && file != "cgroup.kill";
    if (file == "tasks")
      return has(folder) && !folder.starts_with("/v2");
    auto controller = file.substr(0, file.find('.'));
    return folder.starts_with("/v2") ? folder != "/v2" && gives(parent(folder), controller)
                                     : folder.starts_with("/" + controller);
  }
  int change_subtree(const std::string& folder, const std::string& text) {
    if (folder != "/v2" && !processes[folder].empty() && text.find('+') != text.npos)
      return EBUSY;
    std::istringstream words{text};
    std::set<std::string> now;
    for (auto& c : {"memory", "pids", "cpu"})
      if (gives(folder, c))
        now.insert(c);
    for (std::string word; words >> word;) {
      auto controller = word.substr(1);
      if (refused.contains(controller))
        return EINVAL;
      if (word[0] == '+' && !(folder == "/v2" ? controllers.contains(controller) : gives(parent(folder), controller)))
        return ENOENT;
      if (word[0] == '+')
        now.insert(controller);
      else
        now.erase(controller);
    }
    auto& stored = files_[folder + "/cgroup.subtree_control"];
    stored.clear();
    for (auto& c : now)
      stored += (stored.empty() ? "" : " ") + c;
    return 0;
  }
};

} // namespace test
