#include "process/link_path.hpp"

#include "process/inside.hpp"

#include <deque>
#include <system_error>
#include <utility>

namespace process {

namespace fs = std::filesystem;

link_path follow_links(const fs::path& path) {
  link_path way;
  std::deque<fs::path> rest{path.begin(), path.end()};
  fs::path at{"/"};
  while (!rest.empty() && way.links.size() <= links_max) {
    auto part = std::move(rest.front());
    rest.pop_front();
    if (part == "..")
      at = at.parent_path();
    if (part.empty() || part == "." || part == ".." || part == "/")
      continue;
    std::error_code is_no_link; // or it is not there
    auto next = at / part;
    auto target = fs::read_symlink(next, is_no_link);
    if (is_no_link) {
      at = std::move(next);
      continue;
    }
    way.links.push_back(std::move(next));
    if (target.is_absolute())
      at = "/";
    rest.insert(rest.begin(), target.begin(), target.end());
  }
  if (rest.empty())
    way.end = std::move(at);
  return way;
}

} // namespace process
