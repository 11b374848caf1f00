#include "sandbox/launch/grants.hpp"

#include "messages/limits.hpp"
#include "process/inside.hpp"
#include "sandbox/isolation/box_parts.hpp"
#include "sandbox/launch/policy_root.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace sandbox {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;

namespace {

enum class use { read, write };

struct grant_kind {
  const char* permission;
  const char* setting;
};
constexpr grant_kind grant_kinds[] = {{"permissions.read", "security.allowRead"},
                                      {"permissions.write", "security.allowWrite"}};

/// Folders that the sandbox makes itself, or that show the machine rather than files.
constexpr std::array<std::string_view, 6> never{"/proc", "/sys", "/dev", "/run", "/runtime", "/guest"};
/// Granting these whole would hide what the sandbox puts there.
constexpr std::array<std::string_view, 2> never_whole{"/", "/tmp"};

fault refuse(errc code, use u, const std::string& path, const std::string& why) {
  return {code, std::string{grant_kinds[static_cast<int>(u)].permission} + ": '"
                  + text::quoted(path, msg::limits::path_bytes_max) + "' " + why};
}

std::string list_of(const std::vector<std::string>& roots) {
  std::string out;
  for (auto& root : roots)
    out += (out.empty() ? "" : ", ") + root;
  return out;
}

/// Why the roots that can not be used are not, so that a refusal says it.
struct allowance {
  bool is_given = false;
  std::string unusable = {}; ///< begins with "; "
};

allowance allowed(const fs::path& real, const std::vector<std::string>& roots) {
  allowance out;
  for (auto& root : roots) {
    auto real_root = real_path_of_root(root);
    out.is_given = out.is_given || (real_root.ok() && process::inside(real, real_root.value));
    if (!real_root.ok())
      out.unusable += "; " + real_root.error.message;
  }
  return out;
}

bool is_reserved(const fs::path& path) {
  return std::any_of(never.begin(), never.end(), [&](auto folder) { return process::inside(path, folder); })
         || std::any_of(never_whole.begin(), never_whole.end(), [&](auto folder) { return path == folder; });
}

/// Guests of a server that runs as root are nobody: better told now than by a program that fails.
bool nobody_may_write(const process::descriptor& opened) {
  struct stat s {};
  return ::geteuid() != 0 || (::fstat(opened.get(), &s) == 0 && (s.st_mode & S_IWOTH) != 0);
}

class resolver {
public:
  explicit resolver(const path_policy& policy) : policy_(policy) {}

  fault add(use u, const std::string& given) {
    if (!process::c_text{given}.sound())
      return refuse(errc::invalid_argument, u, given, "has a NUL character in it, which no path can");
    auto path = (fs::path{policy_.folder} / given).lexically_normal();
    if (!path.has_filename() && path.has_parent_path() && path != path.root_path())
      path = path.parent_path(); // a slash at the end
    auto opened = std::make_shared<process::descriptor>(::open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!*opened)
      return refuse(errno == ENOENT ? errc::invalid_argument : errc::not_allowed, u, given, could_not_open(u));
    auto real = process::path_of_opened(opened->get()).string();
    if (auto problem = check(u, given, path, real, *opened); problem.code != errc::none)
      return problem;
    grants_.push_back({path.string(), real, u == use::write, false, opened});
    if (real != path)
      grants_.push_back({real, real, u == use::write, false, opened});
    return {};
  }

  msg::outcome<std::vector<granted_path>> take() && {
    if (auto problem = check_parts(); problem.code != errc::none)
      return problem;
    if (auto problem = add_other_names(); problem.code != errc::none)
      return problem;
    if (auto problem = check_parts(); problem.code != errc::none)
      return problem;
    std::stable_sort(grants_.begin(), grants_.end(), [](auto& a, auto& b) {
      return std::pair{a.path.size(), a.writable} < std::pair{b.path.size(), b.writable};
    });
    for (auto& g : grants_)
      g.by_link =
        std::any_of(grants_.begin(), grants_.end(), [&](auto& outer) { return has_link(outer, g.path.text()); });
    return std::move(grants_);
  }

private:
  fault check_parts() const {
    size_t parts = 0;
    for (auto& g : grants_)
      parts += static_cast<size_t>(std::count(g.path.text().begin(), g.path.text().end(), '/'));
    if (parts <= msg::limits::granted_parts_max)
      return {};
    return {errc::invalid_argument,
            "permissions: the paths have " + std::to_string(parts) + " parts together, which is more than "
              + std::to_string(msg::limits::granted_parts_max) + "; name fewer of them, or folders further up"};
  }

  /// An inner folder of another kind would be of the outer one's kind there.
  fault add_other_names() {
    auto as_given = grants_;
    for (auto& g : as_given)
      for (auto& name : g.path.text() == g.real ? names_in_grants(g.real, as_given) : std::vector<std::string>{}) {
        if (std::any_of(as_given.begin(), as_given.end(), [&](auto& known) { return known.path.text() == name; }))
          continue;
        if (grants_.size() >= msg::limits::granted_places_max)
          return {errc::invalid_argument,
                  "permissions: too many folders within folders that are named in several ways (over "
                    + std::to_string(msg::limits::granted_places_max) + " places); name each once, by its real path"};
        grants_.push_back({name, g.real, g.writable, false, g.opened});
      }
    return {};
  }

  /// On the way to `path`, below that folder.
  static bool has_link(const granted_path& outer, const fs::path& path) {
    if (!process::inside(path, outer.path.text()))
      return false;
    fs::path relative;
    for (auto& part : path.lexically_relative(outer.path.text())) {
      relative /= part;
      struct stat s {};
      if (part != "." && ::fstatat(outer.opened->get(), relative.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0
          && S_ISLNK(s.st_mode))
        return true;
    }
    return false;
  }

  static std::string could_not_open(use u) {
    auto why = std::string{"can not be opened: "} + std::strerror(errno);
    return u == use::write && errno == ENOENT ? why + "; to let a program make a new file, name its folder" : why;
  }

  fault check(use u, const std::string& given, const fs::path& path, const fs::path& real,
              const process::descriptor& opened) const {
    auto& setting = grant_kinds[static_cast<int>(u)].setting;
    auto roots = policy_.write;
    if (u == use::read)
      roots.insert(roots.end(), policy_.read.begin(), policy_.read.end());
    if (roots.empty())
      return refuse(errc::not_allowed, u, given, std::string{"is not allowed: "} + setting + " names no folder");
    if (auto by_user = allowed(real, roots); real.empty() || !by_user.is_given) {
      auto where =
        real == path ? std::string{} : "(really " + text::quoted(real.string(), msg::limits::path_bytes_max) + ") ";
      return refuse(errc::not_allowed, u, given,
                    where + "is outside of " + setting + ": " + list_of(roots) + by_user.unusable);
    }
    auto& narrowed = u == use::write ? policy_.project_write : policy_.project_read;
    auto by_project = narrowed ? allowed(real, *narrowed) : allowance{true};
    if (!by_project.is_given
        && (u == use::write || !policy_.project_write || !allowed(real, *policy_.project_write).is_given))
      return refuse(errc::not_allowed, u, given,
                    std::string{"is outside of "} + setting + " in the settings of the project: " + list_of(*narrowed)
                      + by_project.unusable);
    if (is_reserved(path) || is_reserved(real))
      return refuse(errc::not_allowed, u, given,
                    "can not be given to a sandbox, which has its own; name a folder below it");
    if (auto folder = folder_closed_to_guests(real.string()); !folder.empty())
      return refuse(errc::not_allowed, u, given,
                    "can not be reached: guests of a server that runs as root are nobody (65534), who may not walk "
                    "through "
                      + text::quoted(folder, msg::limits::path_bytes_max)
                      + "; give others that right (chmod o+x), or run the server as the owner");
    if (u == use::write && !nobody_may_write(opened))
      return refuse(
        errc::not_allowed, u, given,
        "can not be written: guests of a server that runs as root are nobody (65534), who has no right there; "
        "give others that right (chmod o+rwx), or run the server as the owner");
    return {};
  }

  const path_policy& policy_;
  std::vector<granted_path> grants_;
};

} // namespace

std::vector<std::string> names_in_grants(const std::string& path, const std::vector<granted_path>& grants) {
  std::vector<std::string> names;
  for (auto& g : grants)
    if (path != g.real && process::inside(path, g.real))
      names.push_back((fs::path{g.path.text()} / fs::path{path}.lexically_relative(g.real)).string());
  return names;
}

msg::outcome<std::vector<granted_path>> resolve_grants(const msg::permissions& wanted, const path_policy& policy) {
  resolver r{policy};
  for (auto& path : wanted.read)
    if (auto problem = r.add(use::read, path); problem.code != errc::none)
      return problem;
  for (auto& path : wanted.write)
    if (auto problem = r.add(use::write, path); problem.code != errc::none)
      return problem;
  return std::move(r).take();
}

} // namespace sandbox
