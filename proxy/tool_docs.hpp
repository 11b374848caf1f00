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

/// minimal: name; standard: and description, parameters; full: and output schema, annotations.
boost::json::object tool_doc(const msg::tool_info& tool, msg::tool_detail detail);

boost::json::array tool_docs(const msg::tool_list& tools, msg::tool_detail detail);

/// The same in the words of `search_tools`: server, tool, description (shortened for minimal), inputSchema (full only).
boost::json::array search_entries(const msg::tool_list& tools, msg::tool_detail detail);

/// `{server, tool, signature, description, inputSchema, outputSchema?, annotations?}`; the signature as `lang` writes it.
boost::json::object signature_doc(const msg::tool_info& tool, msg::language lang);

/// `{servers: [connected ones with their tools' names], available: [names of the others], totalTools}`, and what went wrong where.
boost::json::object servers_doc(const std::vector<msg::server_status>& servers);

/// A sentence for an empty answer: which servers' tools are not known yet, and how to ask for them. Empty: none.
std::string not_indexed_hint(const msg::tool_matches& matches);

} // namespace proxy
