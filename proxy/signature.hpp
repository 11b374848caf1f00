// TypeScript signatures from JSON Schemas. Plain for now: what it does not understand is `unknown`, never wrong syntax.
#pragma once

#include "messages/tool_call.hpp"

#include <boost/json/value.hpp>

#include <string>

namespace proxy {

/// `declare function tool(params: {...}): Promise<...>;`, with the alias that TypeScript can write.
std::string signature_of(const msg::tool_info& tool);

/// The type of one schema.
std::string type_of(const boost::json::value& schema);

} // namespace proxy
