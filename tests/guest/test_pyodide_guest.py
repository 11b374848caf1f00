"""The tests of the Python guest, in Pyodide: all of them, but those that need what WebAssembly does not have."""

import unittest

import fake_host
import test_python_calls
import test_python_display
import test_python_guest
import test_python_llm
import test_python_memory
import test_python_output
import test_python_parallel
import test_python_program_end
import test_python_results
import test_python_runtime
import test_python_saved_tools
import test_python_sessions
import test_python_start

_MODULES = (
    test_python_calls,
    test_python_display,
    test_python_guest,
    test_python_llm,
    test_python_memory,
    test_python_output,
    test_python_parallel,
    test_python_program_end,
    test_python_results,
    test_python_runtime,
    test_python_saved_tools,
    test_python_sessions,
    test_python_start,
)
# Packages of the host, its files and network, bytecode in a file; threads; and lines on stderr, which is not told apart here.
_WITHOUT_CLASSES = ("BuffersTest", "CompiledAheadTest", "LeftThreadsTest", "LibrariesTest", "NotesTest", "SiteFoldersTest", "NetworkTest")
# Threads, processes and timers by signal, lines on stderr; and modules that a CPython guest does not load before they are
# wanted, but that are in the snapshot.
_WITHOUT_TESTS = {
    "CallTest": ("test_a_number_that_is_too_large_is_said",),
    "ProgramEndTest": ("test_what_a_failed_program_has_left_to_threads_fails_no_later_one",),
    "OutputTest": ("test_programs_and_descriptors", "test_stray_errors_do_not_end_the_program"),
    "ParallelTest": (
        "test_blocking_calls_among_tasks_lose_no_reply",
        "test_errors_that_threads_are_about_to_get_are_theirs",
        "test_many_threads_with_replies_in_bursts",
    ),
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
    "ProgramEndTest": {
        "WORK": tuple(test_python_program_end.THREADS),
        "HELD": tuple(test_python_program_end.HELD_OF_THREADS),
    },
    # A size that 32 bits cannot hold is another error.
    "ResultsTest": {"HINTS": ("memory",)},
    "SessionsTest": {"SESSIONS": ("exception hook of threads", "thread that calls")},
}
# Those that look at what was printed, that count requests, and that break the interpreter.
_WITH_A_GUEST_FOR_EACH_PROGRAM = {
    "CallTest": ("test_ids_count_from_one",),
    "HostileProgramTest": ("test_done_arrives",),
    "OutputTest": tuple(name for name in dir(test_python_output.OutputTest) if name.startswith("test_")),
    "ParallelTest": ("test_value_used_and_awaited",),
    "ProgramEndTest": (
        "test_work_that_nobody_awaits",
        "test_further_errors_are_told",
        "test_what_is_to_be_done_at_the_end",
    ),
    "UserToolsTest": ("test_broken_tools_harm_only_those_that_use_them",),
}


def setUpModule():
    fake_host.use_pyodide()


def tearDownModule():
    fake_host.use_cpython()


class _OneGuest:
    """The programs of a class run in one guest, one after the other: each start takes 0.4 s of a processor, and there are
    hundreds of programs. The same tests in CPython start a guest for each."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls._guest = fake_host.GuestForMany()
        cls._guest.__enter__()
        cls.addClassCleanup(cls._guest.__exit__)

    def run(self, result=None):
        if self._testMethodName not in _WITH_A_GUEST_FOR_EACH_PROGRAM.get(type(self).__name__, ()):
            return super().run(result)
        with self._guest.unused():
            return super().run(result)


def _in_pyodide(tests):
    """The same class, less what is left out."""
    changes = {name: None for name in _WITHOUT_TESTS.get(tests.__name__, ())}
    for table, names in _WITHOUT_PROGRAMS.get(tests.__name__, {}).items():
        changes[table] = {name: program for name, program in getattr(tests, table).items() if name not in names}
    return type(tests.__name__, (_OneGuest, tests), {"__module__": __name__, **changes})


for _module in _MODULES:
    for _tests in list(vars(_module).values()):
        is_wanted = isinstance(_tests, type) and issubclass(_tests, unittest.TestCase)
        if is_wanted and _tests.__name__ not in _WITHOUT_CLASSES:
            globals()[_tests.__name__] = _in_pyodide(_tests)
del _tests


if __name__ == "__main__":
    unittest.main()
