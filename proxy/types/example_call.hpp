// A call of a tool as a program writes it.
#pragma once

#include "messages/run.hpp"
#include "messages/tool_call.hpp"

#include <string>

namespace types {

/// `await mcp.filesystem.readTextFile({path: "..."})`, in Python `await mcp_filesystem.read_text_file(path="...")`:
/// valid code, with a value of the right type for each parameter that must be given. A tool that its aliases do not
/// lead to is called by the names of its server and itself. At most about bounds::example_bytes_max long; then it says
/// `...` for what is missing.
std::string example_call(const msg::tool_info& tool, msg::language lang);

/// Where the tool is in the guest API: `mcp.filesystem`, in Python `mcp_filesystem`. Empty: aliases do not lead to it.
std::string namespace_of(const msg::tool_info& tool, msg::language lang);

} // namespace types
