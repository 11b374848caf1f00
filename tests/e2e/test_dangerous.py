"""Programs that hold a dangerous pattern: refused, warned, or run, as the settings want it."""

import json
import os

from support.case import Case
from support.server import WITHOUT_PATTERN_CHECK

EVALS = {"typescript": "const a = 1\nreturn  eval('a + 1')", "python": "a = 1\neval('a + 1')"}


class Dangerous(Case):
    def settled(self, **security):
        world = self.world()
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": security}, file)
        return world

    def test_is_refused_with_place_reason_and_setting(self):
        server = self.start()
        for language, code in EVALS.items():
            with self.subTest(language):
                self.refuse(getattr(server, language)(code), "dangerous pattern", "eval at 2:", "runs text as code",
                            '"dangerousPatterns": "warn"', "line 2")

    def test_by_every_run_tool(self):
        server = self.start()
        for name in ("run-typescript-code", "executeTypescript", "execute_code"):
            self.assertIn("function-constructor at 1:5", server.tool(name, {"code": "new Function('return 1')()"}).text)
        for name in ("run-python-code", "executePython", "run_python"):
            self.assertIn("os-system at 2:1", server.tool(name, {"code": "import os\nos.system('true')"}).text)

    def test_before_types_are_checked_and_in_sessions(self):
        server = self.start()
        self.refuse(server.typescript("const x: number = 'no'; eval(x)", typeCheck=True), "dangerous pattern")
        self.succeed(server.python("kept = 5", session="s"))
        self.refuse(server.python("eval('kept')", session="s"), "dangerous pattern")
        self.assertEqual(self.succeed(server.python("kept", session="s")).result, 5)

    def test_of_a_large_program(self):
        server = self.start()
        padding = "# eval(x)\n" * 50_000
        self.refuse(server.python(padding + "eval('1')"), "eval at 50001:1")
        self.assertEqual(self.succeed(server.python(padding + "'eval(1)'")).result, "eval(1)")

    def test_warned(self):
        server = self.start(world=self.settled(dangerousPatterns="warn"))
        for language, code in EVALS.items():
            with self.subTest(language):
                answer = self.succeed(getattr(server, language)(code))
                self.assertEqual(answer.result, 2)
                self.assertIn("Warning: dangerous pattern: eval at 2:", answer.text)

    def test_off(self):
        for options in ({"world": self.settled(dangerousPatterns="off")}, {"world": self.settled(skipDangerousPatternCheck=True)},
                        {"env": WITHOUT_PATTERN_CHECK}):
            server = self.start(**options)
            for language, code in EVALS.items():
                answer = self.succeed(getattr(server, language)(code))
                self.assertEqual(answer.result, 2)
                self.assertNotIn("dangerous", answer.text)

    def test_what_looks_alike_is_none(self):
        server = self.start()
        self.assertEqual(self.succeed(server.typescript("const f = function (s) { return /eval(.)/.exec(s)[1] }; return f('evalx')")).result, "x")
        code = "import re\nclass M:\n  def eval(self): return 'eval(1)'\nopen('/tmp/t', 'w').write('x')\n[re.compile('a').pattern, M().eval()]"
        self.assertEqual(self.succeed(server.python(code)).result, ["a", "eval(1)"])
