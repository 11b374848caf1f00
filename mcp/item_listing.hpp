// All pages of a server's list of resources or prompts, kept as they came: taking them takes no time, however long they
// are.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mcp {

/// Lists: parts of the server's answers. Those with nothing in them are left out, unless the answer was long.
using item_pages = std::vector<msg::document>;

/// It is for another thread to join them, or to let go of them.
bool are_long(const item_pages& pages);
/// Joining them is no work at all: there is one page, or none.
bool are_joined(const item_pages& pages);
/// What is on all of them, as one list: the first child_tools_max items. Takes as long as parsing them took.
msg::document joined(const item_pages& pages);

class item_listing {
public:
  struct step {
    bool is_over = false; ///< else the next page is to be asked for, with that cursor
    std::string cursor;   ///< empty: none
    msg::fault problem;   ///< errc::none: there is none. Else there is no list
  };

  /// Of list_resources or list_prompts.
  item_listing(std::string server, msg::child_method method) : server_(std::move(server)), method_(method) {}

  /// What is to be asked for now.
  std::string_view request() const { return are_templates_ ? "resources/templates/list" : to_string(method_); }
  /// Few servers have those, and some do not know the word: an error ends the list with what there is.
  bool may_be_refused() const { return are_templates_; }
  /// `page`: the result of `answer`. At most child_tool_pages_max pages and catalog_server_bytes_max bytes of memory.
  step take(const boost::json::object& page, const msg::document& answer);
  item_pages release() { return std::move(pages_); }

private:
  msg::fault problem_of(size_t limit, std::string_view unit) const;

  std::string server_;
  msg::child_method method_;
  item_pages pages_;
  size_t held_bytes_ = 0;
  size_t cursors_ = 0;         ///< that were asked for
  bool are_templates_ = false; ///< resources are listed, their templates are being listed
};

} // namespace mcp
