"""The Python guest in Pyodide: the tests of the CPython guest, what Pyodide cannot do, and attempts to get out of it."""

import os
import tempfile
import unittest

import fake_host
import test_python_guest as python_guest
from fake_host import run_python

_folder = None


def setUpModule():
    global _folder
    _folder = tempfile.TemporaryDirectory()
    fake_host.python_snapshot = fake_host.make_pyodide_snapshot(_folder.name)


def tearDownModule():
    fake_host.python_snapshot = None
    _folder.cleanup()


def without(table, *names):
    """A table of programs without those that need threads or processes."""
    return {name: program for name, program in table.items() if name not in names}


class TablesTest(python_guest.TablesTest):
    pass


class CallTest(python_guest.CallTest):
    pass


class ParallelTest(python_guest.ParallelTest):
    PROGRAMS = without(python_guest.ParallelTest.PROGRAMS, "threads", "to_thread")
    test_blocking_calls_among_tasks_lose_no_reply = None
    test_many_threads_with_replies_in_bursts = None


class OutputTest(python_guest.OutputTest):
    test_programs_and_descriptors = None
    test_stray_errors_do_not_end_the_program = None


class StackTest(python_guest.StackTest):
    pass


class HostileProgramTest(python_guest.HostileProgramTest):
    PROGRAMS = without(python_guest.HostileProgramTest.PROGRAMS, "forked child", "threads left running")


class ChannelTest(python_guest.ChannelTest):
    pass


if __name__ == "__main__":
    unittest.main()
