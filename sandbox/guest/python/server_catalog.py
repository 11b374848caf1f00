"""What servers and tools there are, as the host's replies tell, in the words of `mcp.runtime` and `mcp.servers`."""

from aliases import unique_aliases


def server_names(functions):
    return names_in(functions.request("servers", {}))


def open_server_names(workspace):
    """What `from mcp.servers import *` brings."""
    return [name for name in server_names(workspace.functions) if not name.startswith("_") and not workspace.gives(name)]


def names_in(reply):
    """Connected servers first."""
    return [server["name"] for server in reply["servers"]] + list(reply["available"])


def with_aliases(tools):
    """Pairs of a tool and its alias, which differs from all others of the same server."""
    return list(zip(tools, unique_aliases([tool["tool"] for tool in tools])))


def module_names(server, module, workspace):
    """What `from mcp.servers.<server> import *` and its like find."""
    pairs = with_aliases(workspace.functions.request("discover", {"server": server, "detail": "full"}))
    names = {}
    for tool, alias in pairs:
        # What begins with an underscore is the module's own, such as `__spec__`; `__getattr__` finds the rest of those.
        if not alias.startswith("_"):
            names[alias] = module[tool["tool"]]
            names[alias].__doc__ = tool.get("description")
    catalog = {
        "TOOLS": [description(tool, alias, "input_schema") for tool, alias in pairs],
        "TOOL_MAP": {alias: tool["tool"] for tool, alias in pairs},
    }
    open_names = [name for name in names if name not in catalog and not _is_taken(name, workspace)]
    return {**names, **catalog, "__all__": open_names}


def _is_taken(name, workspace):
    """A tool of that name stays out of `import *`: its server would get what the program gives to another function, such as
    `print`, or to another server by `mcp_<server>`."""
    return name.startswith("mcp_") or workspace.gives(name)


def description(tool, alias, schema_name):
    return {
        "name": tool["tool"],
        "alias": alias,
        "description": tool.get("description", ""),
        schema_name: tool.get("parameters"),
    }
