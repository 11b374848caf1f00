"""`mcp.<server>.<tool>(...)`, `mcp_servers["server"]` and what can be imported from `mcp`: any name is taken for a
server, and any name of a server for a tool; the host knows which exist."""

import sys

import api

# Functions of `mcp.runtime` that are global names as well.
_GLOBAL_FUNCTIONS = (
    "save_tool save_memory load_memory delete_memory list_memories update_memory memory_exists get_memory_info"
).split()
# What a server's module tells about all its tools; it has to be asked for.
_CATALOG = ("__all__", "TOOLS", "TOOL_MAP")


class Servers(type(sys)):
    """The module `mcp`."""

    def __init__(self, workspace):
        super().__init__("mcp", "MCP servers: mcp.<server>.<tool>(**parameters)")
        self.__dict__.update(
            __path__=[],
            _Servers__workspace=workspace,
            _Servers__known={},
            _Servers__runtime=None,
            runtime=LateModule("mcp.runtime", lambda name: self.__runtime_attribute(name)),
            servers=LateModule("mcp.servers", lambda name: self.__server_attribute(name), __path__=[]),
        )

    def names(self):
        """The global names by value."""
        functions = {name: _late_function(self.runtime, name) for name in _GLOBAL_FUNCTIONS}
        return {"mcp": self, "mcp_servers": ServerTable(self, self.__workspace), "runtime": self.runtime, **functions}

    def submodule(self, name):
        """The module with this full name, or None."""
        if name == "user_tools":
            import saved_tools

            return saved_tools.module(self.__workspace)
        if name == "code_executor":
            return self.__workspace.new_module(name)
        if name in ("wrappers", "wrappers.python"):
            return LateModule(name, _no_such_name(name), __path__=[])
        for package in ("mcp.servers.", "wrappers.python.", "mcp_"):
            head, _, server = name.partition(package)
            if not head and server and "." not in server:
                return self[server]
        return {"mcp": self, "mcp.runtime": self.runtime, "mcp.servers": self.servers}.get(name)

    def __runtime_attribute(self, name):
        if self.__runtime is None:
            import runtime

            self.__dict__["_Servers__runtime"] = runtime.Runtime(self.__workspace)
        return self.__runtime.attribute(name)

    def __server_attribute(self, name):
        if name != "__all__":
            return self[name]
        import server_catalog

        return server_catalog.open_server_names(self.__workspace)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"module 'mcp' has no attribute {name!r}")
        return self[name]

    def __getitem__(self, name):
        known = self.__known
        if name not in known:
            known[name] = Server(name, self.__workspace)
        return known[name]

    def __repr__(self):
        return "<mcp>"


class Server(type(sys)):
    """The module `mcp.servers.<server>`."""

    def __init__(self, name, workspace):
        super().__init__(f"mcp.servers.{name}", f"The tools of the MCP server {name}")
        self.__dict__.update(_Server__name=name, _Server__workspace=workspace, _Server__tools={})

    def __getattr__(self, name):
        if name in _CATALOG:
            import server_catalog

            self.__dict__.update(server_catalog.module_names(self.__name, self, self.__workspace))
            return self.__dict__[name]
        if name.startswith("__"):
            raise AttributeError(f"mcp server {self.__name!r} has no attribute {name!r}")
        return self[name]

    def __getitem__(self, name):
        if name not in self.__tools:
            self.__tools[name] = self.__workspace.functions.function(name, _tool_params(self.__name, name))
            self.__tools[name].__module__ = self.__name__
        return self.__tools[name]

    def __dir__(self):
        return list(self.TOOL_MAP)

    def __repr__(self):
        return f"<mcp.{self.__name}>"


class ServerTable:
    """The dict-like `mcp_servers`. Every name can be looked up; which of them exist is asked for when it matters."""

    def __init__(self, root, workspace):
        self._root = root
        self._workspace = workspace

    def __getitem__(self, name):
        return self._root[name]

    def keys(self):
        import server_catalog

        return server_catalog.server_names(self._workspace.functions)

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self.keys())

    def __contains__(self, name):
        return name in self.keys()

    def get(self, name, default=None):
        return self[name] if name in self else default

    def values(self):
        return [self[name] for name in self.keys()]

    def items(self):
        return [(name, self[name]) for name in self.keys()]

    def __repr__(self):
        return "<mcp_servers>"


class LateModule(type(sys)):
    """A module whose names are found when they are asked for; `find(name)` gives a value or raises AttributeError."""

    def __init__(self, name, find, **names):
        super().__init__(name)
        self.__dict__.update(_LateModule__find=find, **names)

    def __getattr__(self, name):
        if name.startswith("__") and name != "__all__":
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = self.__find(name)
        if name != "__all__":
            self.__dict__[name] = value
        return value

    def __dir__(self):
        return self.__all__


def _no_such_name(module):
    """For a package of which nothing but modules is known."""

    def find(name):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return find


def _late_function(module, name):
    def late(*args, **kwargs):
        return getattr(module, name)(*args, **kwargs)

    late.__name__ = late.__qualname__ = name
    late.__module__ = "__main__"
    return late


def _tool_params(server, tool):
    def params(*args, **kwargs):
        return "call", {"server": server, "tool": tool, "args": api.tool_arguments(f"{server}.{tool}", args, kwargs)}

    return params
