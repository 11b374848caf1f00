"""Imports that are ours to answer: `mcp.runtime`, `mcp.servers.*`, `mcp_<server>`, `user_tools`, and what editors have files of, which
`code-executor types` and `code-executor sync-wrappers` write: `code_executor` and `wrappers.python.*`; and modules that we have something
to add to once they are loaded."""

import sys
from _frozen_importlib import ModuleSpec


def install(workspace):
    """Puts a finder for this workspace in the place of an earlier one."""
    sys.meta_path[:] = [_Finder(workspace), *(finder for finder in sys.meta_path if type(finder) is not _Finder)]
    workspace.sources.publish(sys.modules.get("linecache"))


class _Finder:
    def __init__(self, workspace):
        self._workspace = workspace
        self._additions = {
            "linecache": workspace.sources.publish,
            "matplotlib.pyplot": self._show_figures,
            "multiprocessing.context": _only_fork,
            "multiprocessing.connection": _without_unix_sockets,
        }

    def find_spec(self, name, path=None, target=None):
        if name in ("mcp", "user_tools", "code_executor") or name.startswith("mcp."):
            return self._spec(name)
        if name.startswith("mcp_") and "." not in name and name != "mcp_servers":  # The user may have a package of that name.
            return _spec_of_others(self, name, path, target) or self._spec(name)
        if f"{name}.".startswith("wrappers."):  # The files themselves may have been granted, or the user has a package of that name.
            return _spec_of_others(self, name, path, target) or self._spec(name)
        add = self._additions.get(name)
        return None if add is None else _with_addition(_spec_of_others(self, name, path, target), add)

    def _spec(self, name):
        module = self._workspace.root.submodule(name)
        return None if module is None else ModuleSpec(name, _Loader(module), is_package=hasattr(module, "__path__"))

    def _show_figures(self, pyplot):
        import display

        display.show_figures(pyplot, self._workspace.functions)


def _only_fork(context):
    """Processes that are no forks know nothing of the program, which is no file: pools of them would start new ones for ever."""
    if sys.platform == "emscripten":  # There are no processes at all, and that is said.
        return
    for kind in (context.SpawnProcess, context.ForkServerProcess):
        kind._Popen = staticmethod(_refuse_to_start)
    # From Python 3.14 on the default is another one.
    context._default_context._default_context = context._concrete_contexts["fork"]


def _refuse_to_start(process):
    raise RuntimeError(
        "processes of the start methods 'spawn' and 'forkserver' cannot find the functions of this program, which is no file; "
        "use 'fork': multiprocessing.get_context('fork')"
    )


def _without_unix_sockets(connection):
    """There are none; managers listen on the loopback network, by number, because no name is found."""
    original = connection.arbitrary_address

    def arbitrary_address(family):
        return ("127.0.0.1", 0) if family == "AF_INET" else original(family)

    connection.default_family = "AF_INET"
    connection.arbitrary_address = arbitrary_address


class _Loader:
    """Of a module that exists."""

    def __init__(self, module):
        self._module = module

    def create_module(self, _):
        return self._module

    def exec_module(self, _):
        pass


def _spec_of_others(ours, name, path, target):
    for finder in sys.meta_path:
        find_spec = getattr(finder, "find_spec", None)
        spec = find_spec(name, path, target) if find_spec and finder is not ours else None
        if spec is not None:
            return spec
    return None


def _with_addition(spec, add):
    """The same module, and then `add(module)`."""
    execute = getattr(getattr(spec, "loader", None), "exec_module", None)
    if execute is None:
        return spec

    def exec_module(module):
        execute(module)
        # One loader may be that of many modules, such as those in an archive.
        if module.__name__ == spec.name:
            add(module)

    try:
        spec.loader.exec_module = exec_module
    except AttributeError:
        pass  # A loader of C, or of the user's: the module works without.
    return spec
