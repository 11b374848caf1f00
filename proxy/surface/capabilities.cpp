#include "proxy/surface/capabilities.hpp"

#include "proxy/artifacts/resource.hpp"

namespace surface {

namespace json = boost::json;

namespace {

constexpr std::string_view media_type = "text/markdown";

constexpr std::string_view text = R"md(# Code Execution MCP Capabilities

`run_python` runs Python in a sandbox. Its code can call the tools of all configured MCP servers, combine what they return,
and print only what matters. Nothing is kept from run to run but what `save_tool` and `save_memory` keep.

## Quick usage

- `servers=["github"]` restricts a run to those servers; left out, all can be used. They start when they are first used.
- `await mcp_github.search_issues(query="is:open")` or `mcp_servers["github"]["search_issues"](query="is:open")`
- `from mcp import runtime` has everything below; `import mcp.runtime as runtime` works too, and `runtime` is also a global name.
- Every function of `runtime` can be awaited or not, and exists with the ending `_sync` as well: `runtime.list_tools_sync("github")`.
- Where a server runs (`cwd` in `runtime.describe_server(name)`) is not told: it is always None.
- `print(runtime.capability_summary())` prints the manual that follows.

## Manual

1. DISCOVER: runtime.discovered_servers(); search_tools("what you need"); get_tool_schema("mcp__server__tool");
   runtime.query_tool_docs("server"); runtime.search_tool_docs("words", limit=5).
2. CALL: result = await mcp_server.tool(argument=value). Also mcp.server.tool(...), mcp_servers["server"]["tool"](...),
   call_mcp_tool("mcp__server__tool", {...}), from mcp.servers.server import *. Results are plain dicts, lists, texts.
   `await` may be left out; await asyncio.gather(...) runs calls at the same time. Failures raise MCPError.
   A server starts when it is first used.
3. ANSWER: the value of the last expression is the result. print() and display(text, data, image or figure) are shown.
   What is too large to show gets a handle: read_output("out_...", path="items[0]", offset=0, limit=100) in a later run.
4. PERSIST: save_tool(function) keeps it; later: from user_tools import function. dir(user_tools) lists all.
5. MEMORY: save_memory(key, value), load_memory(key, default=None), update_memory(key, function), delete_memory(key),
   list_memories(), memory_exists(key), get_memory_info(key). Values are JSON data.
6. MODEL, if the run has sampling: text = await llm.ask("question", system_prompt="", max_tokens=1000);
   llm.think([{"role": "user", "content": "..."}], tools=["mcp__server__*"]); with stream=True: async for piece in llm.ask(...).
7. PERSON: ask_user("question", {"type": "object", "properties": {...}}) gives {"action": "accept", "content": {...}};
   approve(["mcp__server__tool x 12"]) asks for all calls of a loop at once, where they need the user's approval.
)md";

} // namespace

std::string_view capabilities_text() { return text; }

json::object capabilities_resource() {
  return json::object{{"uri", capabilities_uri},
                      {"name", "code-execution-capabilities"},
                      {"title", "Code Execution Sandbox Helpers"},
                      {"mimeType", media_type},
                      {"size", text.size()}};
}

json::object capabilities_contents() { return artifacts::contents(capabilities_uri, media_type, text); }

} // namespace surface
