// What a program gets from a tool call: the value the tool meant, not its envelope.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

namespace proxy {

/// `result` is a CallToolResult that says of itself that it is an error.
bool is_error(const msg::document& result);

/// `result` is a CallToolResult. `structuredContent` if it is there; else one text block, parsed if it is a JSON object
/// or array; else the one block; else the list of blocks. `isError` gives the fault tool_failed with the text.
msg::outcome<msg::document> unwrap(const msg::document& result);

/// `result` is a ReadResourceResult. The text of the one content there is, parsed if its media type is JSON; else the
/// one content; else the list of contents.
msg::document unwrap_resource(const msg::document& result);

/// Of any request of a program.
msg::outcome<msg::document> unwrap_answer(msg::child_method method, const msg::document& result);

} // namespace proxy
