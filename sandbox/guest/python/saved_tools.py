"""Functions that programs save for later ones, and the module `user_tools` that gives them back. A tool is loaded when
it is imported or used, so that a broken one harms nobody else."""

import sys

import program


def functions(workspace):
    api = workspace.functions

    def save_tool(func, description=None):
        """save_tool(func, description=None): later programs can `from user_tools import <its name>`."""
        import function_source

        name, source, unknown = function_source.source_of(func, workspace.sources, workspace.api_names)
        params = {"name": name, "source": source}
        about = description or _first_paragraph(func.__doc__)
        if about:
            params["description"] = about
        warning = f" Warning: it uses {', '.join(unknown)}, which this program does not define." if unknown else ""
        return "tool_save", params, lambda _: f"Tool '{name}' saved. It will be available in future sessions.{warning}"

    def list_saved_tools():
        """list_saved_tools(): name and description of what save_tool has kept."""
        return "tool_list", {}

    def delete_saved_tool(name):
        """delete_saved_tool(name)"""
        return "tool_delete", {"name": name}, lambda found: f"Tool '{name}' {'deleted' if found else 'not found'}."

    return {
        build.__name__: api.function(build.__name__, build)
        for build in (save_tool, list_saved_tools, delete_saved_tool)
    }


class UserTools(type(sys)):
    """The module `user_tools`."""

    def __init__(self, workspace):
        super().__init__("user_tools", "Functions that were saved by save_tool")
        self.__dict__["_UserTools__workspace"] = workspace
        self.__dict__["_UserTools__loading"] = set()

    def __getattr__(self, name):
        if name == "__all__":
            return self.__loadable()
        if name.startswith("__"):
            raise AttributeError(f"module 'user_tools' has no attribute {name!r}")
        if name in self.__loading:
            raise ImportError(f"the saved tool {name!r} needs itself to be loaded")
        self.__loading.add(name)
        try:
            value = self.__dict__[name] = self.__load(name)
        finally:
            self.__loading.discard(name)
        return value

    def __dir__(self):
        return sorted(tool["name"] for tool in self.__workspace.functions.request("tool_list", {}))

    def __load(self, name):
        found = self.__workspace.functions.request("tool_load", {"name": name})
        if found is None:
            known = ", ".join(dir(self)) or "none"
            raise AttributeError(f"no tool {name!r} was saved; saved tools: {known}")
        return _loaded(self.__workspace, name, found["source"])

    def __loadable(self):
        """For `from user_tools import *`: whoever asks for all gets those that work."""
        names = []
        for name in dir(self):
            try:
                getattr(self, name)
                names.append(name)
            except (Exception, SystemExit) as error:
                sys.stderr.write(f"The saved tool {name!r} cannot be loaded: {type(error).__name__}: {error}\n")
        return names


def module(workspace):
    if workspace.user_tools is None:
        workspace.user_tools = UserTools(workspace)
    return workspace.user_tools


def _loaded(workspace, name, text):
    file_name = f"<saved tool {name}>"
    workspace.sources.add(file_name, text)
    source = program.Source(text, file_name, True)
    names = workspace.new_module("user_tools").__dict__
    workspace.prepare_for(source, names)
    exec(source.compile(), names)
    if name not in names:
        raise ImportError(f"the saved tool {name!r} does not define {name}")
    return names[name]


def _first_paragraph(text):
    return " ".join((text or "").strip().partition("\n\n")[0].split())
