#include "catalog/list_update.hpp"

#include "catalog/store.hpp"
#include "catalog/tool_text.hpp"

#include <utility>

namespace catalog {

list_update::list_update(tool_search::search_index& index, const std::string& server, msg::listed_tools tools)
  : tools_(std::move(tools)),
    content_(digest_of(*tools_)),
    reading_(index, server) {}

bool list_update::read_until(time_point end) {
  while (next_ < tools_->size()) {
    auto& tool = (*tools_)[next_++];
    reading_.add(read_tool(tool.name, tool.description, tool.definition));
    if (next_ < tools_->size() && std::chrono::steady_clock::now() >= end)
      return false;
  }
  return true;
}

} // namespace catalog
