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
# Packages of the host, its network, and bytecode in a file.
_WITHOUT_CLASSES = ("CompiledAheadTest", "LibrariesTest", "SiteFoldersTest", "NetworkTest")
# Threads, processes and timers by signal; and modules that a CPython guest does not load before they are wanted, but
# that are in the snapshot.
_WITHOUT_TESTS = {
    "OutputTest": ("test_programs_and_descriptors", "test_stray_errors_do_not_end_the_program"),
    "ParallelTest": ("test_blocking_calls_among_tasks_lose_no_reply", "test_many_threads_with_replies_in_bursts"),
    "SessionsTest": (
        "test_program_that_arrives_while_a_thread_waits_for_its_reply",
        "test_signal_handler_that_fires_between_programs",
    ),
    "WarmUpTest": (
        "test_modules_that_are_used_less_are_not",
        "test_program_that_is_queued_behind_it",
        "test_stray_errors",
    ),
}
_WITHOUT_PROGRAMS = {
    "DisplayTest": {"DISPLAYED": ("in a thread",)},
    "HostileProgramTest": {"PROGRAMS": ("forked child", "threads left running")},
    "ParallelTest": {"PROGRAMS": ("threads", "to_thread")},
    "SessionsTest": {"SESSIONS": ("exception hook of threads", "thread that calls")},
}

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
        is_wanted = isinstance(_tests, type) and issubclass(_tests, unittest.TestCase)
        if is_wanted and _tests.__name__ not in _WITHOUT_CLASSES:
            globals()[_tests.__name__] = _in_pyodide(_tests)
del _tests


if __name__ == "__main__":
    unittest.main()
