// All pages of a server's list of tools, as they come one after the other.
#pragma once

#include "mcp/tool_page.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace mcp {

class tool_listing {
public:
  struct step {
    std::optional<std::string> next; ///< the cursor to ask for; none: the list has ended, or `problem` says why not
    std::string warning;             ///< for the log; empty: none
    msg::fault problem;              ///< errc::none: there is none. Then the tools so far are as they were
  };

  explicit tool_listing(std::string server) : server_(std::move(server)) {}

  /// Forgets everything.
  void begin();
  bool is_at_first_page() const { return cursors_.empty(); }
  /// The tools of the page are taken out of it, unless there is a problem. At most child_tools_max tools,
  /// child_tool_pages_max pages and catalog_server_bytes_max bytes of memory in all.
  step take(tool_page& page);
  /// Each name once: of two of one name the first one counts.
  msg::tool_list release();
  /// What those tools want said in headers.
  header_arguments release_headers() { return std::exchange(headers_, {}); }

private:
  /// How many of them are too many.
  size_t join(msg::tool_list page);

  std::string server_;
  size_t bytes_ = 0; ///< of memory
  msg::tool_list tools_;
  std::unordered_set<std::string> names_; ///< of those; empty while there is one page
  std::vector<std::string> cursors_;
  header_arguments headers_;
};

} // namespace mcp
