// The MCP resources of this server: what runs have left behind, and a manual.
#pragma once

#include "messages/artifacts.hpp"

#include <boost/json/object.hpp>

#include <vector>

namespace surface {

/// The result of resources/list.
boost::json::object resource_list(const std::vector<msg::kept_artifact>& kept);
/// The result of resources/templates/list.
boost::json::object resource_templates();

} // namespace surface
