// Tools and servers as programs and clients see them: JSON with the names of the guest API.
#pragma once

#include "messages/run.hpp"
#include "messages/servers.hpp"
#include "messages/tool_call.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace proxy {

/// minimal: name; standard: and description, parameters; full: and output schema (or what was learned of it), annotations.
boost::json::object tool_doc(const msg::tool_info& tool, msg::tool_detail detail);

/// `alsoOn` names other servers that have the same tool.
boost::json::array tool_docs(const msg::tool_matches& found, msg::tool_detail detail);

/// The same in the words of `search_tools`: server, tool, description (shortened for minimal), inputSchema (full only).
boost::json::array search_entries(const msg::tool_matches& found, msg::tool_detail detail);

/// `{server, tool, signature, description, inputSchema, outputSchema?, observedOutputSchema?, annotations?}`; the signature as `lang` writes it.
boost::json::object signature_doc(const msg::tool_info& tool, msg::language lang);

/// `{servers: [connected ones with their tools' names], available: [names of the others], indexed?: [those of the others
/// whose tools are known], totalTools}`, and what went wrong where.
boost::json::object servers_doc(const std::vector<msg::server_status>& servers);

/// For an answer that is empty or fits poorly: what that means, which servers' tools are not known yet, and how to ask for
/// them. Empty: there is nothing to say.
std::string search_hint(const msg::tool_matches& found);

} // namespace proxy
