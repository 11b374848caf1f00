// What the results of tools looked like, learned call by call and kept in the catalog.
#pragma once

#include "catalog/catalog.hpp"
#include "signatures/observed.hpp"

#include <map>
#include <string>
#include <utility>

namespace proxy {

/// Tools whose shapes are in memory at once; the others are read from the catalog when they are called again.
inline constexpr size_t learned_tools_max = 500;

class learned_types {
public:
  /// One more result. Written when the shape changes, and when the number of results has doubled.
  msg::fault learn(catalog::tool_catalog& tools, const std::string& server, const std::string& tool, const msg::document& result);
  /// A JSON Schema; null: nothing was learned.
  msg::document schema_of(catalog::tool_catalog& tools, const std::string& server, const std::string& tool);

private:
  signatures::observed& shape_of(catalog::tool_catalog& tools, const std::string& server, const std::string& tool);

  std::map<std::pair<std::string, std::string>, signatures::observed> shapes_; ///< by server and tool
};

} // namespace proxy
