#include "sandbox/launch/kept.hpp"

#include "messages/limits.hpp"
#include "process/inside.hpp"
#include "process/link_path.hpp"
#include "process/mount_names.hpp"
#include "sandbox/isolation/box_parts.hpp"
#include "sandbox/launch/folder_names.hpp"
#include "sandbox/launch/placeholder.hpp"
#include "sandbox/launch/policy_root.hpp"
#include "sandbox/launch/spelling.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sandbox {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;
using process::descriptor;

namespace {

/// At a path on which other servers make and remove placeholders meanwhile.
constexpr int looks_max = 1'000;

mode_t kind_of(const descriptor& opened) {
  struct stat s {};
  return opened && ::fstat(opened.get(), &s) == 0 ? s.st_mode & S_IFMT : 0;
}

/// Guests of root are nobody, and so is bubblewrap: neither can reach what is in there.
bool is_closed_to_guests(const descriptor& folder) {
  struct stat s {};
  return guest_user() != 0 && ::fstat(folder.get(), &s) == 0 && s.st_uid != guest_user() && (s.st_mode & S_IXOTH) == 0;
}

fault refuse(const std::string& granted, const std::string& why) {
  return {errc::not_allowed, "permissions.write: '" + text::quoted(granted, msg::limits::path_bytes_max) + "' " + why};
}

std::string shown(const fs::path& path) { return text::quoted(path.string(), msg::limits::path_bytes_max); }

fault lies_in(const std::string& granted, const kept_path& kept) {
  auto why = kept.why.empty() ? std::string{"which decides what is started on this machine"} : "and " + kept.why;
  return refuse(granted, "can not be granted for writing: it is, or lies in, " + shown(kept.path) + ", " + why
                           + "; name another folder");
}

enum class absent : uint8_t { ignored, held };

class keeper {
public:
  keeper(const std::vector<granted_path>& grants, const path_policy& policy, folder_questions questions)
    : grants_(grants),
      spellings_(std::move(questions)) {
    for (auto& k : policy.kept)
      for (auto& name : all_names_of(k.path))
        kept_.push_back({name.string(), k.is_folder, k.why});
    names_ = policy.kept_names;
    for (auto& root : policy.write)
      if (auto real = real_path_of_root(root); real.ok()) // else nothing is granted there
        roots_.push_back(std::move(real.value));
  }

  fault run() {
    bool is_any_writable = std::any_of(grants_.begin(), grants_.end(), [](auto& g) { return g.writable; });
    if (auto problem = is_any_writable ? add_mounted_names() : fault{}; problem.code != errc::none)
      return problem;
    for (auto& g : grants_)
      if (g.writable)
        if (auto problem = look_into(g); problem.code != errc::none)
          return problem;
    return {};
  }

  kept_mounts take() && { return std::move(out_); }

private:
  /// A folder that is granted may hold a second mount of what is kept, or of a part of it.
  fault add_mounted_names() {
    auto mounts = process::mount_names::read();
    if (!mounts.ok())
      return std::move(mounts.error);
    for (size_t i = 0, n = kept_.size(); i < n; ++i) {
      for (auto& name : mounts.value.others(kept_[i].path))
        kept_.push_back({name.string(), kept_[i].is_folder});
      if (kept_[i].is_folder)
        for (auto& name : mounts.value.others_inside(kept_[i].path))
          kept_.push_back({name.string(), true});
    }
    return {};
  }

  fault look_into(const granted_path& g) {
    auto root = process::path_of_opened(g.opened->get());
    for (auto& k : kept_) {
      if (places_.place_in(k.path, root))
        return lies_in(g.path, k);
      if (auto place = places_.place_in(root, k.path))
        if (auto problem = keep(g, *place, k.is_folder, absent::held); problem.code != errc::none)
          return problem;
    }
    if (auto part = kept_name_in(root); !part.empty())
      return refuse(g.path, "can not be granted for writing: " + shown(part)
                              + " in it is a name of files that decide what is started on this machine; name another "
                                "folder, or that one in "
                                "security.allowWrite");
    if (auto problem = check_spelling(g, root); problem.code != errc::none)
      return problem;
    if (kind_of(*g.opened) != S_IFDIR)
      return {};
    for (auto& name : names_)
      if (auto problem = keep(g, below(root, name.path), name.is_folder, absent::ignored); problem.code != errc::none)
        return problem;
    return {};
  }

  /// Of a file in a folder that others write to as well (`config/mcporter.json`), which may be the granted folder.
  static fs::path below(const fs::path& root, const fs::path& name) {
    return name.has_parent_path() && root.filename() == name.parent_path() ? name.filename() : name;
  }

  /// A project that is another one's, below a folder that the user has named. Empty: there is none. What is further up
  /// may be called as it likes
  /// (~/src/mcp-servers/mine) unless it is hidden.
  fs::path kept_name_in(const fs::path& granted) const {
    for (auto& root : roots_) {
      auto rest = process::inside(granted, root) ? granted.lexically_relative(root) : fs::path{};
      for (auto part = rest.begin(); part != rest.end(); ++part)
        if (is_kept_name(*part, std::next(part) == rest.end()))
          return *part;
      for (auto& name : names_)
        if (name.path.find('/') != name.path.npos && leads_to(rest.string(), name))
          return name.path;
    }
    return {};
  }
  /// Or into it, if it is a folder.
  static bool leads_to(const std::string& path, const kept_path& name) {
    auto place = ("/" + path + "/").find("/" + name.path + "/");
    return place != std::string::npos && (name.is_folder || ("/" + path).ends_with("/" + name.path));
  }
  bool is_kept_name(const fs::path& part, bool is_last) const {
    return std::any_of(names_.begin(), names_.end(), [&](auto& name) {
      return part == name.path && (is_last || (name.is_folder && name.path.starts_with('.')));
    });
  }

  /// By another spelling it may be kept all the same. The innermost folder that the user has named is what it is.
  fault check_spelling(const granted_path& g, const fs::path& granted) {
    fs::path root;
    for (auto& each : roots_)
      if (process::inside(granted, each) && each.native().size() > root.native().size())
        root = each;
    for (auto at = granted; !root.empty() && !names_.empty() && at != root; at = at.parent_path()) {
      descriptor folder{::open(at.parent_path().c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
      if (folder && spellings_.are_several(folder, at.filename()))
        return spelled_otherwise(g, at.parent_path(),
                                 "so it may be another name of a file that decides what is started on this machine",
                                 ", or name that one itself in security.allowWrite");
    }
    return {};
  }

  static fault spelled_otherwise(const granted_path& g, const fs::path& folder, const std::string& so,
                                 const std::string& or_else) {
    return refuse(g.path, "can not be granted for writing: the file system of " + shown(folder)
                            + " does not tell upper from lower case, or has several names for one file, " + so
                            + "; use a folder on another file system" + or_else);
  }

  /// Else a mount on that name keeps nothing.
  fault check_only_name(const granted_path& g, const descriptor& folder, const fs::path& path) {
    if (!spellings_.are_several(folder, path.filename()))
      return {};
    return spelled_otherwise(g, path.parent_path(),
                             "so " + shown(path.filename())
                               + ", which decides what is started on this machine, could not be kept as it is",
                             {});
  }

  /// Of all grants the innermost decides, as far as nothing is kept.
  bool is_writable(const fs::path& path) const {
    const granted_path* innermost = nullptr;
    for (auto& g : grants_)
      if (process::inside(path, g.path.text())
          && (!innermost || g.path.size() + g.writable > innermost->path.size() + innermost->writable))
        innermost = &g;
    return innermost && innermost->writable;
  }

  /// `relative`: below the granted folder. Every folder on the way there becomes a mount as well: else its name could
  /// be changed, and another one take it.
  fault keep(const granted_path& g, const fs::path& relative, bool is_folder, absent when_absent) {
    auto above = fs::path{g.path.text()};
    auto folder = g.opened;
    int attempts = 0;
    for (auto part = relative.begin(); part != relative.end();) {
      auto path = above / *part;
      if (is_kept(path)) // with all that is in it
        return {};
      bool is_last = std::next(part) == relative.end();
      auto found =
        std::make_shared<descriptor>(::openat(folder->get(), part->c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      if (!*found && errno == ENOENT)
        return when_absent == absent::held ? keep_absent(g, *folder, path, is_last && !is_folder) : fault{};
      if (!*found)
        return unseen(g, *folder, path, errno);
      if (auto problem = check_only_name(g, *folder, path); problem.code != errc::none)
        return problem;
      auto kind = kind_of(*found);
      if (kind == S_IFLNK)
        return keep_link(g, path);
      // Of another run or server, or left behind: also of a folder on the way.
      auto held = hold_if_placeholder(*folder, *part);
      if (!held.ok())
        return std::move(held.error);
      bool is_placeholder = held.value != nullptr;
      if (!is_placeholder && !has_name(*found, *folder, *part) && ++attempts < looks_max)
        continue; // it was one, and another server has removed it just now
      if (is_placeholder)
        out_.holds.push_back(std::move(held.value));
      if (is_last || is_placeholder || kind != S_IFDIR || is_closed_to_guests(*found))
        return add_kept(path, found);
      if (mount_of_.try_emplace(path.string(), out_.mounts.size()).second)
        out_.mounts.push_back(
          {path.string(), path.string(), is_writable(path) ? access::writable : access::read_only, found, true, true});
      folder = found;
      above = path;
      ++part;
    }
    return {};
  }

  /// What we can not look at, guests can not write, unless the folder is theirs: then they can give themselves the
  /// right to it.
  static fault unseen(const granted_path& g, const descriptor& folder, const fs::path& path, int why) {
    struct stat s {};
    bool is_of_others = ::fstat(folder.get(), &s) == 0 && s.st_uid != uid_of_guests();
    if ((why == EACCES || why == EPERM) && is_of_others)
      return {};
    return refuse(
      g.path,
      "can not be granted for writing: " + shown(path.parent_path()) + " can not be looked into (" + std::strerror(why)
        + "), and may hold what decides what is started on this machine; give its owner all rights (chmod u+rwx)");
  }

  /// A link can not be mounted: its folder is, unless that is what is to be written.
  fault keep_link(const granted_path& g, const fs::path& link) {
    if (mount_of_.contains(link.parent_path().string()))
      return add_kept(link.parent_path(), nullptr);
    return refuse(g.path,
                  "can not be granted for writing: " + shown(link)
                    + " in it is a symbolic link, which can not be kept as it is; name a folder that does not hold it");
  }

  fault keep_absent(const granted_path& g, const descriptor& folder, const fs::path& path, bool is_file) {
    if (is_writable(path))
      return take_place(g, folder, path, is_file);
    out_.paths.push_back(path.string()); // nobody can make it where all is read-only
    return {};
  }

  fault take_place(const granted_path& g, const descriptor& folder, const fs::path& path, bool is_file) {
    if (auto problem = check_only_name(g, folder, path); problem.code != errc::none)
      return problem; // before anything is made where it may not be known again: without rights of files, say
    auto name = path.filename();
    auto held = hold_place(folder, name, is_file ? placeholder_kind::file : placeholder_kind::folder);
    if (!held.ok())
      return {held.error.code, "permissions.write: " + shown(path)
                                 + " has to stay as it is while the program runs: " + held.error.message};
    if (held.value)
      out_.holds.push_back(std::move(held.value));
    auto found = std::make_shared<descriptor>(::openat(folder.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (auto problem = *found ? check_only_name(g, folder, path) : fault{}; problem.code != errc::none)
      return problem;
    return *found && kind_of(*found) != S_IFLNK ? add_kept(path, std::move(found)) : fault{};
  }

  bool is_kept(const fs::path& path) const {
    auto known = mount_of_.find(path.string());
    return known != mount_of_.end() && !out_.mounts[known->second].leads_to_kept;
  }

  /// What was only a folder on the way may exec one that is kept; `opened` is not looked at then.
  fault add_kept(const fs::path& path, std::shared_ptr<descriptor> opened) {
    for (auto& g : grants_)
      if (g.writable && process::inside(g.path.text(), path))
        return lies_in(g.path, {path.string()});
    if (mount_of_.try_emplace(path.string(), out_.mounts.size()).second)
      out_.mounts.push_back({path.string(), path.string(), access::read_only, std::move(opened), true});
    for (auto& m : out_.mounts)
      if (process::inside(m.to.text(), path)) {
        m.mode = access::read_only;
        m.leads_to_kept = false;
      }
    out_.paths.push_back(path.string());
    return {};
  }

  const std::vector<granted_path>& grants_;
  std::vector<kept_path> kept_;
  std::vector<kept_path> names_;
  std::vector<fs::path> roots_; ///< security.allowWrite
  folder_names places_;
  spellings spellings_;
  std::map<std::string, size_t> mount_of_; ///< in out_.mounts, by path
  kept_mounts out_;
};

} // namespace

std::vector<fs::path> all_names_of(const fs::path& path) {
  auto [names, end] = process::follow_links(path);
  if (!end.empty())
    names.push_back(std::move(end));
  return std::move(names);
}

msg::outcome<kept_mounts> keep(const std::vector<granted_path>& grants, const path_policy& policy,
                               folder_questions questions) {
  keeper k{grants, policy, std::move(questions)};
  if (auto problem = k.run(); problem.code != errc::none)
    return problem;
  return std::move(k).take();
}

} // namespace sandbox
