"""The tests of the Python guest, in Pyodide: all of them, but those that need what WebAssembly does not have."""

import tempfile
import unittest

import fake_host
import test_python_calls
import test_python_display
import test_python_guest
import test_python_memory
import test_python_output
import test_python_parallel
import test_python_runtime
import test_python_saved_tools
import test_python_sessions
import test_python_start

_MODULES = (
    test_python_calls,
    test_python_display,
    test_python_guest,
    test_python_memory,
    test_python_output,
    test_python_parallel,
    test_python_runtime,
    test_python_saved_tools,
    test_python_sessions,
    test_python_start,
)
# Threads, processes, or packages of the host.
_WITHOUT_TESTS = {}
_WITHOUT_PROGRAMS = {}

_folder = None


def setUpModule():
    global _folder
    _folder = tempfile.TemporaryDirectory()
    fake_host.python_snapshot = fake_host.make_pyodide_snapshot(_folder.name)


def tearDownModule():
    fake_host.python_snapshot = None
    _folder.cleanup()


def _in_pyodide(tests):
    """The same class, less what is left out."""
    changes = {name: None for name in _WITHOUT_TESTS.get(tests.__name__, ())}
    for table, names in _WITHOUT_PROGRAMS.get(tests.__name__, {}).items():
        changes[table] = {name: program for name, program in getattr(tests, table).items() if name not in names}
    return type(tests.__name__, (tests,), {"__module__": __name__, **changes})


for _module in _MODULES:
    for _tests in list(vars(_module).values()):
        if isinstance(_tests, type) and issubclass(_tests, unittest.TestCase):
            globals()[_tests.__name__] = _in_pyodide(_tests)
del _tests


if __name__ == "__main__":
    unittest.main()
