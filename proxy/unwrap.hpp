// What a program gets from a tool call: the value the tool meant, not its envelope.
#pragma once

#include "messages/document.hpp"
#include "messages/errors.hpp"
#include "messages/tool_call.hpp"

namespace proxy {

/// `result` is a CallToolResult that says of itself that it is an error: its `isError` is there, and neither false nor
/// null. A server that means success writes nothing else.
bool is_error(const msg::document& result);

/// Of a CallToolResult that unwrap() makes no fault of: which of its blocks no program can reach, as the rest of a
/// sentence that begins with the tool; empty: none, or only texts, which repeat what is structured.
std::string lost_beside_structured(const msg::document& result);

/// `result` is a CallToolResult. `structuredContent` if it is there; else one text block, parsed if it is a JSON object
/// or array; else the one block; else the list of blocks. `isError` gives the fault tool_failed with the text, and
/// with `structuredContent` if no text repeats it.
msg::outcome<msg::document> unwrap(const msg::document& result);

/// `result` is a ReadResourceResult. The text of the one content there is, parsed if its media type is JSON; else the
/// one content; else the list of contents.
msg::document unwrap_resource(const msg::document& result);

/// Of any request of a program.
msg::outcome<msg::document> unwrap_answer(msg::child_method method, const msg::document& result);

} // namespace proxy
