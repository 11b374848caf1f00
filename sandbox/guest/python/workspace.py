"""What a program finds: its `__main__` module, built-ins, the guest API and an event loop. A session keeps one for all
its programs; any other program gets its own."""

import builtins
import sys

import api
import imports
import open_work
import proxies
import rewrite
import stray_errors
from sources import Sources


class Workspace:
    def __init__(self, requests):
        self.sources = Sources()
        self.functions = api.Api(requests)
        # Set by the first program that uses asyncio, or a library that may, and from then on.
        self.uses_asyncio = False
        # Set by the first that imports asyncio itself: programs find a running loop from their first line.
        self.wants_loop = False
        # The event loop and what goes on in it, once there is one.
        self.loop = None
        self.tasks = None
        self.strays = stray_errors.Strays(self.sources)
        self.work = open_work.OpenWork(self, requests)
        self.root = proxies.Servers(self)
        self.user_tools = None
        self.api_names = {**self.functions.names(), **self.root.names()}
        self._builtins = self._own_builtins()
        self._main = self.new_module("__main__")
        self.names = self._main.__dict__

    def new_module(self, name):
        """A module whose code may use the guest API."""
        module = type(sys)(name)
        module.__dict__.update(self.api_names)
        module.__dict__["__builtins__"] = self._builtins
        return module

    def enter(self):
        """From now on this is what imports and errors refer to."""
        ours = ("mcp.", "user_tools.", "code_executor.")
        for name in [name for name, module in sys.modules.items() if f"{name}.".startswith(ours) or type(module) is proxies.Server]:
            del sys.modules[name]
        sys.modules["builtins"] = self._builtins
        sys.modules["__main__"] = self._main
        sys.modules["mcp"] = self.root
        sys.argv = [""]
        sys.breakpointhook = _no_terminal
        imports.install(self)
        stray_errors.install(self.sources)

    def gives(self, name):
        """Whether every program finds this name without an import. Nothing that a server has named takes its place by
        `import *`."""
        return name in self.api_names or name in self._builtins.__dict__

    def prepare_for(self, source, names):
        """What a source that runs next, with `names` as its globals, needs and nobody else can tell."""
        self.uses_asyncio = self.uses_asyncio or source.uses_asyncio
        self.wants_loop = self.wants_loop or source.imports_asyncio
        self.functions.awaitable_results = self.functions.awaitable_results or source.uses_await
        for name in source.servers:
            if name not in names and name not in self._builtins.__dict__:
                names[name] = self.root[name.removeprefix("mcp_")]

    def begin(self, goes_on):
        """A program begins. `goes_on`: others come after it."""
        self.strays.begin()
        self.work.begin(goes_on)

    def wait_for_open_work(self):
        """The program has returned; see OpenWork.wait."""
        self.work.wait()
        self.note_unseen_errors()

    def note_unseen_errors(self):
        """Those of what the program has started and not looked at."""
        for error in (*(self.tasks.take_unseen_errors() if self.tasks else ()), *self.work.unseen_call_errors()):
            self.strays.add(error)

    def set_helpers(self, helpers):
        """The functions that rewritten code calls."""
        self._builtins.__dict__.update(helpers)

    def _own_builtins(self):
        """What user code does to them cannot break the guest."""
        own = type(sys)("builtins")
        own.__dict__.update(builtins.__dict__)
        own.__dict__.update(
            {
                rewrite.DEFER: self.functions.defer,
                rewrite.TO_AWAIT: api.to_await,
                rewrite.EACH_TO_AWAIT: api.each_to_await,
                "exit": sys.exit,
                "quit": sys.exit,
                "help": _help,
            }
        )
        return own


def _no_terminal(*_, **__):
    raise RuntimeError("breakpoint() needs a person at a terminal, and a program has none: print what you want to see")


def _help(*things):
    """help(thing): prints its documentation"""
    import pydoc

    return pydoc.help(*things)


_help.__name__ = _help.__qualname__ = "help"
_help.__module__ = "builtins"
