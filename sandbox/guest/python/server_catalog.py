"""What servers and tools there are, as the host's replies tell, in the words of `mcp.runtime` and `mcp.servers`."""

import keyword


def server_names(functions):
    return names_in(functions.request("servers", {}))


def names_in(reply):
    """Connected servers first."""
    return [server["name"] for server in reply["servers"]] + list(reply["available"])


def with_aliases(tools):
    """Pairs of a tool and its alias, which differs from all others of the same server."""
    taken = set()
    pairs = []
    for tool in tools:
        alias = first = alias_of(tool["tool"])
        number = 1
        while alias in taken:
            number += 1
            alias = f"{first}_{number}"
        taken.add(alias)
        pairs.append((tool, alias))
    return pairs


def alias_of(name):
    """The name as Python can write it."""
    text = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
    if not text or text[0].isdigit():
        text = f"_{text}"
    return f"{text}_" if keyword.iskeyword(text) else text


def module_names(server, module, functions):
    """What `from mcp.servers.<server> import *` and its like find."""
    pairs = with_aliases(functions.request("discover", {"server": server}))
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
