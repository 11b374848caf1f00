"""The languages of guests: what holds in both is stated once, in a class that is mixed into a test of each language."""

import contextlib
import typing
import unittest

import fake_host


class Both(typing.NamedTuple):
    """What each language says in its own words: a program, or what is expected of it."""

    python: object
    typescript: object


class LanguageTest(unittest.TestCase):
    """A test in one language. `Both` may stand wherever a program or an expectation does."""

    @classmethod
    def own(cls, value):
        """The same value with this language's words in place of every `Both`."""
        if isinstance(value, Both):
            return getattr(value, cls.language)
        if isinstance(value, dict):
            return {key: cls.own(item) for key, item in value.items()}
        return type(value)(map(cls.own, value)) if isinstance(value, (list, tuple)) else value

    @contextlib.contextmanager
    def guest(self):
        """A guest that is ready for programs."""
        with fake_host.Guest(self.command()) as guest:
            guest.expect_ready()
            yield guest

    def run_session(self, *programs, answer=None, keep=True):
        return fake_host.run_session(self.command(), self.own(programs), answer, keep)


class PythonTest(LanguageTest):
    language = "python"
    command = staticmethod(fake_host.python_command)

    def run_program(self, code, answer=None):
        return fake_host.run_python(self.own(code), answer)


@unittest.skipIf(fake_host.deno_path() is None, "there is no Deno to run it with")
class TypeScriptTest(LanguageTest):
    language = "typescript"
    command = staticmethod(fake_host.typescript_command)

    def run_program(self, code, answer=None):
        return fake_host.run_typescript(self.own(code), answer)
