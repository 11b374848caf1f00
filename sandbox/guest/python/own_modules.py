"""How our modules import each other, at the start or when one is first needed: through this instead of `sys.modules`
and `sys.path`, because user code may have modules of the same names."""

import _thread
import builtins
import marshal
import posix
import sys
from _frozen_importlib_external import SourceFileLoader


class OwnModules:
    def __init__(self, folder, bytecode):
        """`bytecode`: of each module that was compiled ahead, its marshalled code."""
        self._folder = folder
        self._bytecode = bytecode
        self._names = frozenset(name[:-3] for name in posix.listdir(folder) if name.endswith(".py"))
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
            path = f"{self._folder}/{name}.py"
            module = self._unfinished[name] = type(sys)(name)
            module.__dict__.update(__file__=path, __builtins__=self._builtins)
            try:
                exec(self._code(name, path), module.__dict__)
            finally:
                del self._unfinished[name]
            self._modules[name] = module
            return module

    def _code(self, name, path):
        if name in self._bytecode:
            return marshal.loads(self._bytecode[name])
        return SourceFileLoader(name, path).get_code(name)
