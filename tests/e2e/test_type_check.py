"""`typeCheck: true`: a program whose types do not fit does not run."""

import threading
import time
import unittest

from support.case import WITHOUT_POOL, Case, SharedServerCase
from support.http_client import HttpServer, LegacyClient

CALLED = "display('it ran');\n"
# The compiler does not come to an end of it.
ENDLESS = "type T<N extends number, A extends unknown[] = []> = A['length'] extends N ? A : T<N, [...A, A]>;\n" \
          + "".join(f"const x{i}: T<{900 + i}> = 1 as any;\n" for i in range(60))


class TypeCheck(SharedServerCase):
    def check(self, code, **arguments):
        return self.typescript(code, typeCheck=True, **arguments)

    def refused(self, code, *places, **arguments):
        """Nothing was executed, and the error names these places."""
        answer = self.check(code, **arguments)
        error = self.refuse(answer)
        self.assertNotIn("it ran", answer.text)
        for place in places:
            self.assertIn(place, answer.text)
        return error

    def test_what_fits_runs(self):
        code = "import path, { basename } from 'node:path';\nfunction twice(n) { return 2 * n }\nconst x: number = twice(2);\n" \
               "try { JSON.parse('{') } catch (e) { e.message }\nif (x > 1) return basename(path.join('a', 'b'));\n"
        self.assertEqual(self.succeed(self.check(code)).result, "b")

    def test_what_does_not_fit_does_not_run(self):
        self.refused(
            "display('it ran'); const n: number = 'text';\nconst m: number = 'text';\n  return undefined_name;",
            "1:26: ", "'string'", "2:7: ", "3:10: Cannot find name 'undefined_name'",
        )

    def test_known_tools_have_types(self):
        self.succeed(self.typescript("return await mcp.kid.add({a: 1, b: 2})"))
        good = "import { kid } from './mcp-wrappers';\nawait callMCPTool('kid', 'add', {a: 1, b: 2});\nawait mcp.unknown_server?.x;\n" \
               "return (await kid.add({a: 1, b: 2})).sum + (await callMCPTool('mcp__kid__add', {a: 1, b: 2})).sum"
        self.assertEqual(self.succeed(self.check(good)).result, 6)
        self.refused(
            CALLED + "await mcp.kid.add({a: 1, b: 'x'});\nawait mcp.kid.add({a: 1, c: 1});\nawait callMCPTool('mcp__kid__add', {a: 1});\n"
            "await callMCPTool('kid', 'add', {a: 1});\nawait mcp.kid.addd({a: 1, b: 2});",
            "2:26: ", "'string'", "3:26: ", "'c'", "4:36: ", "'b'", "5:33: ", "6:15: ", "'add'",
        )

    def test_without_it_nothing_is_checked(self):
        self.assertEqual(self.succeed(self.typescript("const n: number = 'text'; return n")).result, "text")

    def test_a_mistake_of_syntax_is_told_as_ever(self):
        self.assertIn("SyntaxError", self.refused("display('it ran');\nconst = 5"))

    def test_where_it_means_nothing_it_is_refused(self):
        for answer, word in ((self.python("1", typeCheck=True), "TypeScript"), (self.check("1", session="s"), "session")):
            self.assertTrue(answer.is_error)
            self.assertIn(word, answer.text)

    def test_it_is_bounded_in_time(self):
        begin = time.monotonic()
        answer = self.check(ENDLESS, timeoutMs=1_000)
        self.assertTrue(answer.is_error)
        self.assertLess(time.monotonic() - begin, 5)


class Turns(Case):
    """More checks than may work at once."""
    MANY = 9

    def setUp(self):
        self.server = HttpServer(env=WITHOUT_POOL)
        self.addCleanup(self.server.stop)

    def client(self, name):
        made = LegacyClient(self.server, name=name)
        self.addCleanup(made.close)
        return made

    def test_a_client_with_many_checks_takes_the_compiler_from_nobody(self):
        many, one = self.client("many"), self.client("one")
        begun = [many.begin_run("run-typescript-code", ENDLESS, typeCheck=True, timeoutMs=4_000) for _ in range(self.MANY)]
        all_ended = threading.Event()

        def wait_for_all():
            for run in begun:
                run.message()
            all_ended.set()
        waits = threading.Thread(target=wait_for_all)
        waits.start()
        self.addCleanup(waits.join)
        self.assertEqual(self.succeed(one.typescript("const n: number = 5; return n", typeCheck=True, timeoutMs=60_000)).result, 5)
        self.assertFalse(all_ended.is_set(), "it has waited for all checks of another client")


if __name__ == "__main__":
    unittest.main()
