// What the tools that find tools answer: results of search_tools, get_tool_signature and list_servers.
#pragma once

#include "messages/errors.hpp"
#include "messages/servers.hpp"
#include "messages/tool_call.hpp"
#include "proxy/surface/arguments.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace surface {

/// `asked`: the arguments of the call.
boost::json::object search_result(const search_arguments& asked, const msg::outcome<msg::tool_matches>& found);

boost::json::object signature_result(const msg::outcome<msg::tool_info>& tool);

/// All of them, with their sources. `problems`: of the configuration, as it is now.
boost::json::object servers_result(const std::vector<msg::server_status>& servers,
                                   const std::vector<std::string>& problems);

} // namespace surface
