#include "config/folder_links.hpp"

#include "messages/limits.hpp"
#include "process/path_walk.hpp"
#include "text/utf8.hpp"

#include <set>
#include <system_error>

namespace config {

namespace fs = std::filesystem;
using process::path_kind;

namespace {

class link_reader {
public:
  folder_links read(const std::vector<fs::path>& folders) && {
    for (auto folder = folders.begin(); folder != folders.end() && out_.problem.empty(); ++folder)
      look_into(*folder);
    return std::move(out_);
  }

private:
  void look_into(const fs::path& folder) {
    auto end = walk_.end_of(folder.string());
    if (end.kind == path_kind::unknown)
      return give_up(folder, " can not be followed within the bound");
    if (end.kind != path_kind::folder || !seen_.insert(end.real).second)
      return;
    std::error_code ec, is_none;
    for (fs::directory_iterator at{end.real, ec}, last; !ec && at != last; at.increment(ec)) {
      if (names_left_-- == 0)
        return give_up(folder, " has more names than are looked at");
      if (!at->is_symlink(is_none))
        continue;
      if (out_.links.size() >= folder_links_max)
        return give_up(folder, " has more links than are followed");
      auto link = folder / at->path().filename();
      out_.links.push_back({link.string(), walk_.kind_of(link.string()) == path_kind::folder});
    }
  }

  void give_up(const fs::path& folder, const char* why) {
    out_.problem = text::quoted(folder.string(), msg::limits::path_bytes_max) + why
                   + ", so what is started by way of it is not known";
  }

  process::path_walk walk_;
  std::set<std::string> seen_; ///< free of links
  size_t names_left_ = folder_links_names_max;
  folder_links out_;
};

} // namespace

folder_links links_in(const std::vector<fs::path>& folders) { return link_reader{}.read(folders); }

} // namespace config
