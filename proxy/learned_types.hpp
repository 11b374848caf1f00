// What the results of tools looked like, learned call by call and kept in the catalog.
#pragma once

#include "catalog/catalog.hpp"
#include "proxy/types/observed.hpp"

#include <map>
#include <string>
#include <utility>

namespace proxy {

/// Tools whose shapes are in memory at once; the others are read from the catalog when they are called again.
inline constexpr size_t learned_tools_max = 500;

class learned_types {
public:
  /// `knows`: what may be no part of a shape, as it is shown to other runs.
  explicit learned_types(types::private_things knows = {}) : is_private_(std::move(knows)) {}

  /// One more result. Written when the shape changes, and when the number of results has doubled.
  msg::fault learn(catalog::tool_catalog& tools, const std::string& server, const std::string& tool,
                   const msg::document& result);
  /// A JSON Schema; null: nothing was learned.
  msg::document schema_of(catalog::tool_catalog& tools, const std::string& server, const std::string& tool);

private:
  types::observed& shape_of(catalog::tool_catalog& tools, const std::string& server, const std::string& tool);

  types::private_things is_private_;
  std::map<std::pair<std::string, std::string>, types::observed> shapes_; ///< by server and tool
};

} // namespace proxy
