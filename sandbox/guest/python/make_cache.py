"""Compiles the guest's modules for the interpreter that runs this, into one file that main.py starts from.

    make_cache.py FILE      run it where the modules have the paths that they will have in the sandbox
"""

import marshal
import posix
import sys
from _frozen_importlib_external import MAGIC_NUMBER

_FOLDER = __file__.rpartition("/")[0] or "."
# Started by name, so never imported.
_PROGRAMS = ("main.py", "make_cache.py")


def _compiled(name):
    path = f"{_FOLDER}/{name}"
    with open(path, "rb") as file:
        return marshal.dumps(compile(file.read(), path, "exec", dont_inherit=True, optimize=0))


def _main():
    files = sorted(name for name in posix.listdir(_FOLDER) if name.endswith(".py") and name not in _PROGRAMS)
    modules = {name[:-3]: _compiled(name) for name in files}
    with open(sys.argv[1], "wb") as file:
        file.write(marshal.dumps((MAGIC_NUMBER, modules)))


_main()
