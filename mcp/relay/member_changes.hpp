// An object of others, passed on with a few members changed.
#pragma once

#include "messages/document.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace mcp::relay {

struct member_changes {
  boost::json::object set; ///< in place of members of the same name, or after all others
  std::vector<std::string_view> dropped;
};

/// `head` + the object + `tail`, its members in their order and as they were spelled. `object` is the value of `whole`,
/// a member of that, or a member of a member; else it is copied.
msg::spliced_text with_changes(std::string head, const msg::document& whole, const boost::json::object& object,
                               member_changes changes, std::string tail);

} // namespace mcp::relay
