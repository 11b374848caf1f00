"""`mcp.runtime`: the helpers of the third style of programs, on the requests that all others use too. Each also exists
with the ending `_sync`; awaited or not, a function gives the same plain value."""

import api
import memory
import saved_tools
from aliases import alias_of, unique_aliases
from mcp_error import MCPError
from server_catalog import description, names_in, with_aliases

_SEARCH_LIMIT_MAX = 20
_SYNC = "_sync"

_MANUAL = """--- PYTHON SANDBOX MANUAL ---
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
   approve(["mcp__server__tool x 12"]) asks for all calls of a loop at once, where they need the user's approval."""


class Runtime:
    def __init__(self, workspace):
        functions = workspace.functions
        builders = (
            *(discovered_servers, list_servers, describe_server, list_loaded_server_metadata),
            *(list_tools, list_tools_sync, query_tool_docs, query_tool_docs_sync),
            *(search_tool_docs, search_tool_docs_sync, call_tool),
        )
        self._contents = {
            "MCPError": MCPError,
            "capability_summary": functions.named(lambda: functions.given(_MANUAL), "capability_summary"),
            "read_output": functions.function("read_output", api.output_params),
            **{build.__name__: functions.function(build.__name__, build) for build in builders},
            **memory.functions(functions),
            **saved_tools.functions(workspace),
        }
        for name, value in self._contents.items():
            if name != "MCPError":
                value.__module__ = "mcp.runtime"
        self._functions = functions
        self._contents["__all__"] = sorted(self._contents)

    def attribute(self, name):
        """Raises AttributeError if there is nothing with that name."""
        if name in self._contents:
            return self._contents[name]
        function = self._contents.get(name[: -len(_SYNC)])
        if not name.endswith(_SYNC) or not callable(function):
            raise AttributeError(f"module 'mcp.runtime' has no attribute {name!r}")
        return self._functions.named(
            lambda *args, **kwargs: api.plain(function(*args, **kwargs)), name, function.__doc__
        )


def discovered_servers(detailed=False):
    """discovered_servers(detailed=False): the names of the servers that this program may use; or dicts."""
    return "servers", {}, _server_details if detailed else names_in


def list_servers():
    """list_servers(): the names of the servers that this program may use."""
    return "servers", {}, names_in


def list_loaded_server_metadata():
    """list_loaded_server_metadata(): name, alias and tools of the servers that are connected."""
    return "servers", {}, _connected


def describe_server(name):
    """describe_server(name): name, alias and tools of a server, which is connected for it if need be."""

    def shape(tools):
        described = [description(tool, alias, "inputSchema") for tool, alias in with_aliases(tools)]
        return _server(tools[0]["server"] if tools else name, described)

    return "discover", {"server": _text("describe_server", "name", name), "detail": "full"}, shape


def list_tools(server=None):
    """list_tools(server): name, alias, description and inputSchema of its tools."""
    return "discover", {"server": _text("list_tools", "server", server), "detail": "full"}, _tool_descriptions("inputSchema")


def list_tools_sync(server=None):
    """list_tools_sync(server): name, alias, description and input_schema of its tools."""
    return "discover", {"server": _text("list_tools_sync", "server", server), "detail": "full"}, _tool_descriptions("input_schema")


def query_tool_docs(server, tool=None, detail="summary"):
    """query_tool_docs(server, tool=None, detail="summary"): what the tools of a server do, with schemas if detail is
    "full"; with a tool, by name or alias: only its dict."""

    def shape(tools):
        docs = _docs(tools, detail)
        return docs if tool is None else _the_one(docs, server, tool)

    return "discover", {"server": _text("query_tool_docs", "server", server), "detail": "full"}, shape


def query_tool_docs_sync(server, tool=None, detail="summary"):
    """query_tool_docs_sync(server, tool=None, detail="summary"): the same, but always a list."""
    method, params, shape = query_tool_docs(server, tool, detail)
    return method, params, shape if tool is None else lambda tools: [shape(tools)]


def search_tool_docs(query, limit=5, detail="summary"):
    """search_tool_docs(query, *, limit=5, detail="summary"): the tools of all servers that fit best."""
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise api.invalid("search_tool_docs: 'limit' must be an integer")
    bounded = max(1, min(limit, _SEARCH_LIMIT_MAX))
    params = {"query": _text("search_tool_docs", "query", query), "limit": bounded, "detail": "full"}
    return "search", params, lambda tools: _docs(tools, detail)


def search_tool_docs_sync(query, limit=5, detail="summary"):
    """search_tool_docs_sync(query, *, limit=5, detail="summary"): the same; nothing is found by an empty query."""
    if isinstance(query, str) and not query.strip():
        return "servers", {}, lambda _: []
    return search_tool_docs(query, limit, detail)


def call_tool(server, tool, arguments=None, **named):
    """call_tool(server, tool, arguments=None): the same as call_mcp_tool(server, tool, arguments)."""
    return api.call_params(server, _text("call_tool", "tool", tool), arguments, **named)


def _tool_descriptions(schema_name):
    return lambda tools: [description(tool, alias, schema_name) for tool, alias in with_aliases(tools)]


def _server_details(reply):
    errors = reply.get("errors", {})
    details = [
        {"name": server["name"], "description": f"{server['toolCount']} tools: {', '.join(server['tools'])}"}
        for server in reply["servers"]
    ]
    for name in reply["available"]:
        failed = f"its last start failed: {errors[name]}" if name in errors else "starts when it is first used"
        details.append({"name": name, "description": failed})
    return details


def _connected(reply):
    return [
        _server(server["name"], _named(server["tools"]))
        for server in reply["servers"]
    ]


def _named(tools):
    return [{"name": tool, "alias": alias} for tool, alias in zip(tools, unique_aliases(tools))]


def _server(name, tools):
    # Programs of this style look for `cwd`; where a server runs is not theirs to know.
    return {"name": name, "alias": alias_of(name).lower(), "tools": tools, "cwd": None}


def _docs(tools, detail):
    docs = []
    for tool in tools:
        doc = {"server": tool["server"], "serverAlias": alias_of(tool["server"]).lower()}
        doc.update(tool=tool["tool"], toolAlias=alias_of(tool["tool"]))
        if tool.get("description"):
            doc["description"] = tool["description"]
        if detail == "full":
            doc["inputSchema"] = tool.get("parameters")
        docs.append(doc)
    return docs


def _the_one(docs, server, tool):
    wanted = str(tool).lower()
    for doc in docs:
        if wanted in (doc["tool"].lower(), doc["toolAlias"].lower()):
            return doc
    raise MCPError(f"Tool {tool!r} not found for server {server}", code="unknown_tool", server=server, tool=tool)


def _text(function, parameter, value):
    if not isinstance(value, str) or not value.strip():
        raise api.invalid(f"{function} needs a text as {parameter!r}, got {value!r:.40}")
    return value
