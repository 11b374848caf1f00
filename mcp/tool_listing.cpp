#include "mcp/tool_listing.hpp"

#include "messages/limits.hpp"

#include <algorithm>
#include <utility>

namespace mcp {

namespace limits = msg::limits;

void tool_listing::begin() {
  release();
  headers_.clear();
  cursors_.clear();
  bytes_ = 0;
}

tool_listing::step tool_listing::take(tool_page& page) {
  step out;
  bytes_ += page.bytes;
  if (page.problem.code == msg::errc::none && bytes_ > limits::catalog_server_bytes_max)
    page.problem = too_large_a_list(server_);
  if (page.problem.code != msg::errc::none) {
    out.problem = std::move(page.problem);
    return out;
  }
  auto warn = [&](size_t tools, const std::string& of_them) {
    if (tools > 0)
      out.warning += (out.warning.empty() ? "" : "; ") + std::to_string(tools) + " tools " + of_them;
  };
  warn(page.left_out, "without a name, or with one of more than " + std::to_string(limits::child_tool_name_bytes_max)
                        + " bytes, are left out");
  warn(page.too_large,
       "whose definition takes more than " + std::to_string(limits::child_tool_bytes_max >> 20) + " MiB are left out");
  warn(page.unsayable, "are left out that can not be called over HTTP: " + page.first_unsayable
                         + (page.unsayable > 1 ? ", and others" : ""));
  headers_.merge(page.headers); // of two of one name the first one counts
  auto too_many = join(std::exchange(page.tools, {}));
  warn(page.too_many + too_many,
       "beyond the first " + std::to_string(limits::child_tools_max) + " are left out, and can not be called");
  if (!page.next)
    return out;
  bool repeated = std::find(cursors_.begin(), cursors_.end(), *page.next) != cursors_.end();
  if (repeated || cursors_.size() + 1 >= limits::child_tool_pages_max) {
    out.warning += out.warning.empty() ? "" : "; ";
    out.warning += "tools/list does not end (a cursor came twice, or too many pages); the tools so far are used";
    return out;
  }
  cursors_.push_back(*page.next);
  out.next = std::move(page.next);
  return out;
}

/// Most servers have one page, which may hold 80,000 tools.
size_t tool_listing::join(msg::tool_list page) {
  if (tools_.empty()) {
    tools_ = std::move(page);
    return 0;
  }
  size_t too_many = 0;
  if (names_.empty())
    for (auto& tool : tools_)
      names_.insert(tool.name);
  for (auto& tool : page)
    if (tools_.size() >= limits::child_tools_max)
      ++too_many;
    else if (names_.insert(tool.name).second)
      tools_.push_back(std::move(tool));
  return too_many;
}

msg::tool_list tool_listing::release() {
  names_.clear();
  return std::exchange(tools_, {});
}

} // namespace mcp
