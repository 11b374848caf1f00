"""The Python side of a guest in Pyodide: what happens before the snapshot is taken, and what after it is loaded."""

import os
import sys

# That of the CPython guest; Emscripten and Pyodide have added theirs.
_ENVIRONMENT = {"HOME": "/tmp", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}


def prepare(folder, name):
    """Imports the guest, takes out what leads to JavaScript, and leaves `start` in a module of this name."""
    import absent
    import sealing
    import waiting

    waiting.install()
    absent.install()
    import session  # all of the guest, while its files are there

    for module in list(sys.modules):
        if (getattr(sys.modules[module], "__file__", None) or "").startswith(f"{folder}/"):
            del sys.modules[module]
    sys.path[:] = [path for path in sys.path if path and not path.startswith(folder)]
    guest = type(sys)(name)
    guest.start = lambda: _start(name, session, sealing)
    sys.modules[name] = guest
    sealing.seal()


def _start(name, session, sealing):
    del sys.modules[name]
    sealing.remove_stubs()
    _reseed()
    os.environ.clear()
    os.environ.update(_ENVIRONMENT)
    session.Session().run()


def _reseed():
    """All guests share the memory of the snapshot; their random numbers must not be the same."""
    random = sys.modules.get("random")
    if random is not None:
        random.seed()
    tempfile = sys.modules.get("tempfile")
    if tempfile is not None:
        tempfile._name_sequence = None
