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

/// All that is known of a tool: `{name, server, tool, description, parameters, outputSchema?, observedOutputSchema?,
/// annotations?}`.
boost::json::object tool_doc(const msg::tool_info& tool);

/// A list for programs. minimal: name; standard: and summary of the description, and parameters as `path: string,
/// head?: number`, so that ten tools have about 4,000 bytes; declared: both as the server wrote them; full: tool_doc().
/// In any: `alsoOn`, names of other servers that have the same tool. Schemas in lists do not say their `$schema`.
boost::json::array tool_docs(const msg::tool_matches& found, msg::tool_detail detail);

/// The same for `search_tools`, whose entries always have server, tool and a description.
boost::json::array search_entries(const msg::tool_matches& found, msg::tool_detail detail);

/// tool_doc(), and in it `call`, an example that works as it is written, and `signature`, the declaration of what is
/// called, both as `lang` writes them.
boost::json::object signature_doc(const msg::tool_info& tool, msg::language lang);

/// The same for `get_tool_signature`, which has always had `inputSchema` as well.
boost::json::object signature_answer(const msg::tool_info& tool);

/// `{servers: [connected ones with their tools' names], available: [names of the others], indexed?: [those of the
/// others whose tools are known], totalTools, more?}`, and what went wrong where. Bounds: proxy/listed_servers.hpp.
boost::json::object servers_doc(const std::vector<msg::server_status>& servers);

/// For an answer that is empty or fits poorly: what that means, which servers' tools are not known yet, and how to ask
/// for them. Empty: there is nothing to say.
std::string search_hint(const msg::tool_matches& found);

} // namespace proxy
