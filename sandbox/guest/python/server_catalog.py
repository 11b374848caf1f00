"""What servers and tools there are, as the host's replies tell, in the words of `mcp.runtime` and `mcp.servers`."""

from aliases import unique_aliases


def server_names(functions):
    return names_in(functions.request("servers", {}))


def names_in(reply):
    """Connected servers first."""
    return [server["name"] for server in reply["servers"]] + list(reply["available"])


def with_aliases(tools):
    """Pairs of a tool and its alias, which differs from all others of the same server."""
    return list(zip(tools, unique_aliases([tool["tool"] for tool in tools])))


def module_names(server, module, functions):
    """What `from mcp.servers.<server> import *` and its like find."""
    pairs = with_aliases(functions.request("discover", {"server": server, "detail": "full"}))
    names = {}
    for tool, alias in pairs:
        names[alias] = module[tool["tool"]]
        names[alias].__doc__ = tool.get("description")
    names["__all__"] = list(names)
    names["TOOLS"] = [description(tool, alias, "input_schema") for tool, alias in pairs]
    names["TOOL_MAP"] = {alias: tool["tool"] for tool, alias in pairs}
    return names


def description(tool, alias, schema_name):
    return {
        "name": tool["tool"],
        "alias": alias,
        "description": tool.get("description", ""),
        schema_name: tool.get("parameters"),
    }
