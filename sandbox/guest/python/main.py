"""The Python guest: announces itself, runs the programs that the host sends, and reports how each of them ended.

Every millisecond before `ready` is paid by each run, so neither this nor the modules it loads at the start import
anything that is not built into the interpreter, not even `os` or `json`. What only some programs need is imported when
they use it.
"""

import _thread
import builtins
import posix
import sys
from _frozen_importlib_external import SourceFileLoader

_DIRECTORY = __file__.rpartition("/")[0] or "."
# Folders of packages that the host has mounted, separated by colons.
_SITE_VARIABLE = b"CODE_EXECUTOR_SITE"


class _OwnModules:
    """Our modules import each other through this, at any time, and are in neither `sys.modules` nor `sys.path`: user
    code may have modules of the same names."""

    def __init__(self):
        self._names = frozenset(name[:-3] for name in posix.listdir(_DIRECTORY) if name.endswith(".py"))
        self._modules = {}
        self._unfinished = {}
        self._loading = _thread.RLock()
        self._import = builtins.__import__
        self._builtins = {**builtins.__dict__, "__import__": self.import_module}

    def import_module(self, name, names=None, scope=None, wanted=(), level=0):
        """`__import__` of our modules."""
        if name not in self._names:
            return self._import(name, names, scope, wanted, level)
        return self._modules.get(name) or self._load(name)

    def _load(self, name):
        with self._loading:
            module = self._modules.get(name) or self._unfinished.get(name)
            if module is not None:
                return module
            path = f"{_DIRECTORY}/{name}.py"
            module = self._unfinished[name] = type(sys)(name)
            module.__dict__.update(__file__=path, __builtins__=self._builtins)
            try:
                exec(SourceFileLoader(name, path).get_code(name), module.__dict__)
            finally:
                del self._unfinished[name]
            self._modules[name] = module
            return module


def _main():
    own = _OwnModules()
    folders = posix.environ.pop(_SITE_VARIABLE, None)
    if folders is not None:
        posix.unsetenv(_SITE_VARIABLE)
        own.import_module("site_folders").add(folders.decode("utf-8", "surrogateescape"))
    own.import_module("session").Session().run()


_main()
