"""The Python side of a guest in Pyodide: what happens before the snapshot is taken, and what after it is loaded."""

import os
import sys
import types

import absent
import sealing
import waiting

# That of the CPython guest; Emscripten and Pyodide have added theirs.
_ENVIRONMENT = {"HOME": "/tmp", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
# Of the files of the CPython guest, those that are no modules, the one that loads the others, and what forks processes.
_SCRIPTS = ("main.py", "make_cache.py", "own_modules.py", "template.py")


def prepare(guest_folder, own_folder, name):
    """Loads the Python guest, takes out what leads to JavaScript, and leaves `start` in a module of this name."""
    own = _own_modules(guest_folder)
    waiting.install(own.import_module("channel"))
    absent.install()
    # Now, because the files are not in the snapshot.
    for file in os.listdir(guest_folder):
        if file not in _SCRIPTS:
            own.import_module(file.removesuffix(".py"))
    for module in own.import_module("warm_up").MODULES:
        __import__(module)
    own.import_module("event_loop").prepare()
    guest = types.ModuleType(name)
    guest.start = lambda: _start(name, own.import_module("session"))
    sys.modules[name] = guest
    for module in list(sys.modules):
        if (getattr(sys.modules[module], "__file__", None) or "").startswith(f"{own_folder}/"):
            del sys.modules[module]
    sys.path[:] = [path for path in sys.path if path not in ("", own_folder)]
    for folder in (guest_folder, own_folder):
        _remove(folder)
    sealing.seal()


def _remove(folder):
    """A guest that is not made from the snapshot has no other files than one that is."""
    for entry in os.scandir(folder):
        if entry.is_dir():
            _remove(entry.path)
        else:
            os.remove(entry.path)
    os.rmdir(folder)


def _own_modules(folder):
    """What `main.py` does."""
    names = {"__name__": "own_modules"}
    with open(f"{folder}/own_modules.py") as file:
        exec(compile(file.read(), file.name, "exec"), names)
    return names["OwnModules"](folder, {})


def _start(name, session):
    del sys.modules[name]
    sealing.remove_stubs()
    _reseed()
    os.environ.clear()
    os.environ.update(_ENVIRONMENT)
    session.Session().run()


def _reseed():
    """All guests share the memory of the snapshot; their random numbers must not be the same."""
    sys.modules["random"].seed()
    sys.modules["tempfile"]._name_sequence = None
