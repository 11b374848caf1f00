#include "sandbox/launch/hidden.hpp"

#include "messages/limits.hpp"
#include "process/inside.hpp"
#include "process/mount_names.hpp"
#include "sandbox/isolation/box_parts.hpp"
#include "sandbox/launch/policy_root.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <utility>

namespace sandbox {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;

namespace {

class hidden_folder {
public:
  /// `names`: its real path, and those of other mounts of it.
  hidden_folder(std::vector<fs::path> names, const path_policy& policy) : names_(std::move(names)), policy_(policy) {}

  bool holds(const fs::path& path) const {
    return std::any_of(names_.begin(), names_.end(), [&](auto& name) { return process::inside(path, name); });
  }

  /// errc::none: what of the grants lies in it is meant so.
  fault check(const std::vector<granted_path>& grants) const {
    for (auto& g : grants) {
      if (!holds(g.real))
        continue;
      if (!is_named(g.real))
        return refuse(g, "is kept from programs; to give them a part of it, name that in security.allowRead");
      if (!names_in(grants).empty())
        return refuse(g, "is empty for a program that is given a folder above it; ask for one of the two");
    }
    return {};
  }

  /// Those that lie in what is granted.
  std::vector<std::string> names_in(const std::vector<granted_path>& grants) const {
    std::vector<std::string> all;
    for (auto& name : names_)
      for (auto& seen : names_in_grants(name.string(), grants))
        if (std::find(all.begin(), all.end(), seen) == all.end())
          all.push_back(std::move(seen));
    return all;
  }

private:
  bool is_named(const fs::path& path) const {
    auto names_it = [&](const std::string& root) {
      auto real = real_path_of_root(root);
      return real.ok() && holds(real.value) && process::inside(path, real.value);
    };
    return std::any_of(policy_.read.begin(), policy_.read.end(), names_it)
           || std::any_of(policy_.write.begin(), policy_.write.end(), names_it);
  }

  fault refuse(const granted_path& g, const std::string& why) const {
    auto quoted = [](const std::string& path) { return text::quoted(path, msg::limits::path_bytes_max); };
    return {errc::not_allowed, "permissions: '" + quoted(g.path.text()) + "' lies in " + quoted(names_.front().string())
                                 + ", which " + why};
  }

  std::vector<fs::path> names_;
  const path_policy& policy_;
};

msg::outcome<std::shared_ptr<process::descriptor>> open_empty(const std::string& folder) {
  std::error_code ec;
  fs::create_directory(folder, ec);
  auto opened =
    std::make_shared<process::descriptor>(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!*opened)
    return fault{errc::not_allowed, "permissions: a folder can not be granted in which the state folder lies, because "
                                      + folder + " can not be opened: " + std::strerror(errno)
                                      + "; name folders beside it"};
  return opened;
}

} // namespace

msg::outcome<std::vector<mount>> hide(const std::vector<granted_path>& grants, const path_policy& policy,
                                      const std::vector<mount>& own) {
  std::vector<mount> out;
  if (grants.empty() || policy.hidden.empty())
    return out;
  auto mounts = process::mount_names::read();
  if (!mounts.ok())
    return std::move(mounts.error);
  for (auto& folder : policy.hidden) {
    std::error_code ec;
    auto real = fs::canonical(folder, ec);
    if (ec) // there is none
      continue;
    auto names = mounts.value.others(real);
    names.insert(names.begin(), real);
    hidden_folder hidden{std::move(names), policy};
    if (auto problem = hidden.check(grants); problem.code != errc::none)
      return problem;
    if (!closed_to_guests(real.string()).empty()) // nobody can see it anyway
      continue;
    auto seen = hidden.names_in(grants);
    bool is_needed = std::any_of(own.begin(), own.end(), [&](auto& m) { return hidden.holds(m.to.text()); });
    if (seen.empty() || is_needed)
      continue;
    auto empty = open_empty(policy.empty_folder);
    if (!empty.ok())
      return std::move(empty.error);
    for (auto& name : seen) {
      mount over{policy.empty_folder, name, access::read_only, empty.value};
      over.hides = true;
      out.push_back(std::move(over));
    }
  }
  return out;
}

} // namespace sandbox
