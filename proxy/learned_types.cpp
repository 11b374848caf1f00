#include "proxy/learned_types.hpp"

#include <bit>

namespace proxy {

msg::fault learned_types::learn(catalog::tool_catalog& tools, const std::string& server, const std::string& tool,
                                const msg::document& result) {
  auto& shape = shape_of(tools, server, tool);
  auto version = shape.version();
  shape.merge(result.value(), is_private_);
  if (shape.version() == version && !std::has_single_bit(shape.samples()))
    return {};
  return tools.observe(server, tool, {msg::document{shape.to_json()}, static_cast<uint32_t>(shape.samples()), 0});
}

msg::document learned_types::schema_of(catalog::tool_catalog& tools, const std::string& server,
                                       const std::string& tool) {
  auto& shape = shape_of(tools, server, tool);
  return shape.samples() == 0 ? msg::document{} : msg::document{boost::json::value(shape.schema())};
}

types::observed& learned_types::shape_of(catalog::tool_catalog& tools, const std::string& server,
                                         const std::string& tool) {
  auto key = std::pair{server, tool};
  if (auto known = shapes_.find(key); known != shapes_.end())
    return known->second;
  if (shapes_.size() >= learned_tools_max)
    shapes_.clear();
  auto stored = tools.observed(server, tool);
  auto read = stored.ok() ? types::observed::from_json(stored.value.counts.value()) : std::nullopt;
  return shapes_.emplace(std::move(key), read ? std::move(*read) : types::observed{}).first->second;
}

} // namespace proxy
