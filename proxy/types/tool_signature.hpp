// What one tool looks like to a program.
#pragma once

#include "messages/tool_call.hpp"

#include <string>

namespace types {

/// Above bounds::definition_bytes_max: its types are not read, and its parameters are anything.
bool is_too_large(const msg::tool_info& tool);

/// `declare namespace mcp.disk { function readFile(params: {...}): Promise<...>; }`, as a program calls it, with its
/// doc above, and behind it the types that it needs. Without the namespace if its aliases do not lead to it. Valid
/// whatever the schemas are; at most about bounds::signature_bytes_max long.
std::string typescript_of(const msg::tool_info& tool);

/// A stub that Python can also execute: `async def read_file(*, path: str, ...) -> ...: ...` with its doc, behind the
/// imports and types that it needs. A tool whose parameters are no identifiers takes them as one dict, as the guest's
/// functions do.
std::string python_of(const msg::tool_info& tool);

} // namespace types
