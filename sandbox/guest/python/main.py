"""The Python guest: announces itself, runs the programs that the host sends, and reports how each of them ended.

Every millisecond before `ready` is paid by each run, so neither this nor the modules it loads at the start import
anything that is not built into the interpreter, not even `os` or `json`. What only some programs need is imported when
they use it.
"""

import posix
from _frozen_importlib_external import SourceFileLoader

_FOLDER = __file__.rpartition("/")[0] or "."
# Folders of packages that the host has mounted, separated by colons.
_SITE_VARIABLE = b"CODE_EXECUTOR_SITE"


def _own_modules():
    names = {"__name__": "own_modules"}
    exec(SourceFileLoader("own_modules", f"{_FOLDER}/own_modules.py").get_code("own_modules"), names)
    return names["OwnModules"](_FOLDER)


def _main():
    own = _own_modules()
    folders = posix.environ.pop(_SITE_VARIABLE, None)
    if folders is not None:
        posix.unsetenv(_SITE_VARIABLE)
        own.import_module("site_folders").add(folders.decode("utf-8", "surrogateescape"))
    own.import_module("session").Session().run()


_main()
