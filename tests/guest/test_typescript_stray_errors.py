"""Handlers that TypeScript programs have for errors that none of their code gets to see."""

import unittest

import languages
from fake_host import Guest, typescript_command

_REJECT = "Promise.reject(new Error('lost'))"
_THROW = "setTimeout(() => { throw new Error('lost') })"

# Ways to handle one, which call `done` with the message. Name: (code, what fails)
HANDLERS = {
    "listener of rejections": (
        "addEventListener('unhandledrejection', (e) => { e.preventDefault(); done(e.reason.message) })",
        _REJECT,
    ),
    "listener of the global object": (
        "globalThis.addEventListener('unhandledrejection', { handleEvent(e: any) { e.preventDefault(); done(e.reason.message) } })",
        _REJECT,
    ),
    "property for rejections": ("globalThis.onunhandledrejection = (e: any) => { e.preventDefault(); done(e.reason.message) }", _REJECT),
    "listener of exceptions": ("addEventListener('error', (e) => { e.preventDefault(); done(e.error.message) })", _THROW),
    "listener of exceptions, for one that is reported": (
        "addEventListener('error', (e) => { e.preventDefault(); done(e.error.message) })",
        "reportError(new Error('lost'))",
    ),
    "property for exceptions": ("globalThis.onerror = (e: any) => { e.preventDefault(); done(e.error.message) }", _THROW),
    "Node, rejections": ("process.on('unhandledRejection', (e: any) => done(e.message))", _REJECT),
    "Node, exceptions": ("process.on('uncaughtException', (e: any) => done(e.message))", _THROW),
    "Node, rejections as exceptions": (
        "process.on('uncaughtException', (e: any, origin: string) => done(origin === 'unhandledRejection' ? e.message : origin))",
        _REJECT,
    ),
    "Node, imported": (
        "(await import('node:process')).default.once('unhandledRejection', (e: any) => done(e.message))",
        _REJECT,
    ),
}

# Handlers with which the run fails. Name: (code, message)
FAILURES = {
    "listener that prevents nothing": (f"addEventListener('unhandledrejection', () => {{}}); {_REJECT}; return 1", "lost"),
    "listener of exceptions that prevents nothing": (f"addEventListener('error', () => {{}}); {_THROW}; return 1", "lost"),
    "listener of something else": (f"addEventListener('rejectionhandled', (e) => e.preventDefault()); {_REJECT}; return 1", "lost"),
    "listener of Node that throws": (
        f"process.on('unhandledRejection', () => {{ throw new Error('mine') }}); {_REJECT}; return 1",
        "mine",
    ),
    "listener that is gone": (
        f"const f = () => {{}}; process.on('unhandledRejection', f); process.off('unhandledRejection', f); {_REJECT}; return 1",
        "lost",
    ),
    "listener of a program that breaks what lists are made of": (
        f"addEventListener('error', () => {{}}); process.on('unhandledRejection', () => {{ throw new Error('mine') }});\n"
        f"(Array.prototype as any)[Symbol.iterator] = null; {_REJECT}; return 1",
        "mine",
    ),
    "one that comes after it was handled": (
        "addEventListener('unhandledrejection', (e) => { if (e.reason === 1) { e.preventDefault(); Promise.reject(new Error('second')) } });\n"
        "Promise.reject(1); return 1",
        "second",
    ),
}


def program(code, fails):
    return f"return await new Promise(async (done) => {{ {code}; {fails} }})"


class StrayErrorsTest(languages.TypeScriptTest):
    def test_handlers_of_the_program(self):
        for name, (code, fails) in HANDLERS.items():
            with self.subTest(name):
                outcome = self.run_program(program(code, fails))
                self.assertEqual((outcome.error, outcome.result, outcome.stderr), (None, "lost", ""))

    def test_sessions(self):
        """A handler ends with its program: it hides nothing of the next, which may have one of its own."""
        for name, (code, fails) in HANDLERS.items():
            with self.subTest(name):
                programs = (program(code, fails), f"{fails}; return 2", program(code, fails), f"{fails}; return 4")
                outcomes = self.run_session(*programs)
                ends = [each.error["message"] if each.error else [each.result] for each in outcomes]
                self.assertEqual(ends, [["lost"], "lost", ["lost"], "lost"])

    def test_handler_that_a_failed_program_has_left(self):
        for name, (code, fails) in HANDLERS.items():
            with self.subTest(name):
                left = f"const done = () => {{}}; {code}; throw new Error('own')"
                outcomes = self.run_session(left, f"{fails}; return 2")
                self.assertEqual([each.error["message"] for each in outcomes], ["own", "lost"])

    def test_handler_that_does_not_handle(self):
        for name, (code, message) in FAILURES.items():
            with self.subTest(name):
                outcome = self.run_program(code)
                self.assertIsNotNone(outcome.error, outcome)
                self.assertEqual(outcome.error["message"], message)

    def test_program_goes_on_after_what_it_has_handled(self):
        code = (
            "addEventListener('unhandledrejection', (e) => { e.preventDefault(); console.log(e.reason.message) });\n"
            f"{_REJECT}; await mcp.s.t(); {_REJECT}; setTimeout(() => console.log('end')); return 1"
        )
        with Guest(typescript_command()) as guest:
            outcome = guest.run(code)
            self.assertEqual((outcome.error, outcome.result, outcome.stdout), (None, 1, "lost\nlost\nend\n"))


if __name__ == "__main__":
    unittest.main()
