"""The Python guest: announces itself, runs the programs that the host sends, and reports how each of them ended.

    main.py [FILE [ARGUMENT...]]    FILE is what make_cache.py has written for this interpreter. With arguments it forks guests: see
                                    template.py

Every millisecond before `ready` is paid by each run, so neither this nor the modules it loads at the start import
anything that is not built into the interpreter, not even `os` or `json`. What only some programs need is imported when
they use it. Compiling all this takes longer than the rest of the start, hence FILE.
"""

import marshal
import posix
import sys
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader

_FOLDER = __file__.rpartition("/")[0] or "."
# Folders of packages that the host has mounted, separated by colons.
_SITE_VARIABLE = b"CODE_EXECUTOR_SITE"


def _bytecode(path):
    """Nothing if the file is missing or of another interpreter: then all is compiled."""
    try:
        with open(path, "rb") as file:
            magic, modules = marshal.loads(file.read())
    except (OSError, ValueError, EOFError, TypeError):
        return {}
    return modules if magic == MAGIC_NUMBER else {}


def _own_modules():
    bytecode = _bytecode(sys.argv[1]) if len(sys.argv) > 1 else {}
    if "own_modules" in bytecode:
        code = marshal.loads(bytecode["own_modules"])
    else:
        code = SourceFileLoader("own_modules", f"{_FOLDER}/own_modules.py").get_code("own_modules")
    names = {"__name__": "own_modules"}
    exec(code, names)
    return names["OwnModules"](_FOLDER, bytecode)


def _main():
    own = _own_modules()
    folders = posix.environ.pop(_SITE_VARIABLE, None)
    if folders is not None:
        posix.unsetenv(_SITE_VARIABLE)
        own.import_module("site_folders").add(folders.decode("utf-8", "surrogateescape"))
    is_forked = len(sys.argv) > 2
    if is_forked:
        own.import_module("template").become_guests(sys.argv[2:])
    own.import_module("session").Session(is_warm=is_forked).run()


_main()
