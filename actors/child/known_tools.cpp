#include "actors/child/known_tools.hpp"

#include "mcp/tool_page.hpp"
#include "messages/limits.hpp"

#include <algorithm>
#include <utility>

namespace child {

known_tools::known_tools(process::background_work offload) : offload_(std::move(offload)) {}

void known_tools::replace(msg::listed_tools list) {
  auto before = std::exchange(list_, std::move(list));
  if (mcp::is_long(*before))
    process::destroy_there(offload_, std::move(before));
  is_stale_ = false;
  forget_contracts();
}

std::shared_ptr<const proxy::contract> known_tools::contract_of(const std::string& tool) {
  if (is_stale_)
    return nullptr;
  if (auto known = contracts_.find(tool); known != contracts_.end())
    return known->second;
  auto listed = std::find_if(list_->begin(), list_->end(), [&](auto& t) { return t.name == tool; });
  return listed == list_->end() ? nullptr
                                : contracts_.emplace(tool, std::make_shared<proxy::contract>(*listed)).first->second;
}

void known_tools::bound_contracts() {
  size_t bytes = 0;
  for (auto& [tool, contract] : contracts_)
    bytes += contract->memory_bytes();
  if (bytes > msg::limits::child_contracts_bytes_max)
    forget_contracts();
}

/// Their end takes as long as their making.
void known_tools::forget_contracts() {
  if (auto old = std::exchange(contracts_, {}); !old.empty())
    process::destroy_there(offload_, std::move(old));
}

void known_tools::drop(msg::tool_list list) const {
  if (mcp::is_long(list))
    process::destroy_there(offload_, std::move(list));
}

} // namespace child
