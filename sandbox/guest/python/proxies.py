"""`mcp.<server>.<tool>(...)`, `mcp_servers["server"]` and `import mcp`: any name is taken for a server, and any name of
a server for a tool; the host knows which exist."""

import sys

import api


def install(functions):
    """Makes `import mcp` work; returns the module."""
    root = Servers(functions)
    sys.modules["mcp"] = root
    return root


class Servers(type(sys)):
    """The module `mcp`, which is also the dict-like `mcp_servers`."""

    def __init__(self, functions):
        super().__init__("mcp", "MCP servers: mcp.<server>.<tool>(**parameters)")
        self.__dict__["_Servers__functions"] = functions
        self.__dict__["_Servers__known"] = {}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"module 'mcp' has no attribute {name!r}")
        return self[name]

    def __getitem__(self, name):
        known = self.__known
        if name not in known:
            known[name] = Server(name, self.__functions)
        return known[name]

    def __repr__(self):
        return "<mcp>"


class Server:
    def __init__(self, name, functions):
        self.__name = name
        self.__functions = functions
        self.__tools = {}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"mcp server {self.__name!r} has no attribute {name!r}")
        return self[name]

    def __getitem__(self, name):
        if name not in self.__tools:
            self.__tools[name] = self.__functions.function(name, _tool_params(self.__name, name))
        return self.__tools[name]

    def __repr__(self):
        return f"<mcp.{self.__name}>"


def _tool_params(server, tool):
    def params(*args, **kwargs):
        return "call", {"server": server, "tool": tool, "args": api.tool_arguments(f"{server}.{tool}", args, kwargs)}

    return params
