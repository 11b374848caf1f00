"""Takes out of the interpreter whatever leads from Python to JavaScript, or to raw memory and so to both.

What is left without it: no proxy of a JavaScript object exists, and nothing that could make one."""

import gc
import importlib.abc
import sys
from pathlib import PurePosixPath

_BRIDGE = ("js", "pyodide_js", "pyodide", "_pyodide", "_pyodide_core")
_REFUSALS = {
    **dict.fromkeys(_BRIDGE, "programs have no access to JavaScript"),
    "micropip": "packages cannot be installed",
    **dict.fromkeys(("_multiprocessing", "_posixshmem"), "there are no processes in WebAssembly"),
    **dict.fromkeys(("ctypes", "_ctypes"), "there is no foreign function interface in WebAssembly"),
}


class Refusals(importlib.abc.MetaPathFinder):
    """Says why, where the interpreter would only say that there is no such module."""

    def find_spec(self, name, path=None, target=None, *, _refusals=_REFUSALS):
        reason = _refusals.get(name.partition(".")[0])
        if reason is not None:
            raise ModuleNotFoundError(f"{name!r} is not available in this runtime (Pyodide): {reason}", name=name)
        return None


def seal():
    modules = _forget_bridge()
    sys.meta_path[:] = [Refusals(), *(finder for finder in sys.meta_path if not _is_of_bridge(finder))]
    sys.excepthook = sys.__excepthook__
    root = modules["_pyodide"]
    modules = [module for module in modules.values() if isinstance(module, type(sys))]
    for value in [*modules, *(value for value in gc.get_objects() if _is_of_bridge(type(value)))]:
        if isinstance(getattr(value, "__dict__", None), dict):
            value.__dict__.clear()
    _add_stubs(root)
    del modules, value
    gc.collect()
    _check()


def remove_stubs():
    for name in _STUBS:
        del sys.modules[name]
    sys.modules.pop("_pyodide")


def _forget_bridge():
    import _testinternalcapi

    _testinternalcapi.clear_extension("_pyodide_core", "_pyodide_core")
    del sys.modules["_testinternalcapi"]
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.partition(".")[0] in _BRIDGE}


def _is_of_bridge(value):
    module = getattr(value, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] in _BRIDGE


class _Stub:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


_STUBS = {
    "_pyodide_core": _Stub(),
    "_pyodide._base": _Stub(),
    "pyodide": _Stub(),
    "pyodide.code": _Stub(),
    "pyodide.ffi": _Stub(),
    "pyodide._package_loader": _Stub(SITE_PACKAGES=PurePosixPath("/"), DSO_DIR=PurePosixPath("/")),
}


def _add_stubs(root):
    """Whoever loads a snapshot imports these, and asks no more of them. The root is known to Pyodide by its address."""
    root.__dict__.update(_base=_Stub(eval_code=_evaluate), _importhook=None, set_excepthook=lambda: None)
    sys.modules.update(_STUBS, _pyodide=root)


def _evaluate(code, names=None):
    """The value of the last of some expressions and statements."""
    *statements, expression = code.split(";")
    names = {} if names is None else names
    exec(";".join(statements), names)
    return eval(expression.strip(), names)


def _check():
    """A snapshot with a way out must not come to be. What the collector does not know itself, one that it knows holds."""
    for known in gc.get_objects():
        for value in (known, *gc.get_referents(known)):
            if _is_proxy(value) or _is_bridge_function(value):
                raise RuntimeError(f"an object of JavaScript is left in the interpreter: {type(value).__name__}")


def _is_proxy(value):
    return any(base.__name__ == "JsProxy" for base in type(value).__mro__)


def _is_bridge_function(value):
    return type(value) is type(len) and _is_of_bridge(value)
