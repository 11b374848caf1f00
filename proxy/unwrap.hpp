// What a program gets from a tool call: the value the tool meant, not its envelope.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"

namespace proxy {

/// `result` is a CallToolResult. `structuredContent` if it is there; else one text block, parsed if it is a JSON object
/// or array; else the one block; else the list of blocks. `isError` gives the fault tool_failed with the text.
msg::outcome<msg::document> unwrap(const msg::document& result);

} // namespace proxy
