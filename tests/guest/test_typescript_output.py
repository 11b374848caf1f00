"""What TypeScript programs print, and what they can break; the channel as port and as descriptor."""

import unittest

import languages
import output_cases
from calls_cases import failing
from fake_host import Guest, typescript_command_by_descriptor


class OutputTest(output_cases.OutputTests, languages.TypeScriptTest):
    LARGE = {
        **output_cases.OutputTests.LARGE,
        "node": ("import process from 'node:process'\nprocess.stdout.write('x'.repeat(3_000_000) + '\\n')", 3_000_001),
        "deno": ("await Deno.stdout.write(new TextEncoder().encode('x'.repeat(30_000) + '\\n'))", 30_001),
        "before exit": ("console.log('x'.repeat(3_000_000)); Deno.exit(0)", 3_000_001),
        "before a failure": ("console.log('x'.repeat(3_000_000)); throw 1", 3_000_001),
    }

    def test_stray_errors_fail_the_program(self):
        code = (
            "Promise.reject(new Error('lost'));\nsetTimeout(() => { throw new TypeError('timer') }, 1);\n"
            "Promise.reject('text');\nawait new Promise((r) => setTimeout(r, 30));\nreturn 'on'"
        )
        outcome = self.run_program(code)
        self.assertEqual((outcome.error["message"], outcome.error["line"], outcome.error["column"]), ("lost", 1, 16))
        self.assertIn("Unhandled rejection: Error: text\n", outcome.stderr)
        self.assertIn("Uncaught error: TypeError: timer\n", outcome.stderr)
        self.assertIn("code.ts:2:26", outcome.stderr)
        self.assertNotIn("blob:", outcome.stderr)

    def test_calls_that_nobody_awaits(self):
        error = self.run_program("mcp.s.t();\nawait mcp.s.u().catch(() => 0);\nreturn 1", failing).error
        self.assertEqual((error["name"], error["message"], error["line"]), ("MCPError", "no such tool", 1))


class HostileProgramTest(output_cases.HostileProgramTests, languages.TypeScriptTest):
    PROGRAMS = {
        **output_cases.HOSTILE,
        "globals": "globalThis.callMCPTool = null; globalThis.mcp = null; globalThis.Promise = null; return ['end']",
        "prototypes": (
            "const classes = [Array, String, Map, Set, Promise, RegExp, Date, Function, Error, Uint8Array, TextEncoder];\n"
            "for (const c of classes)\n"
            "  for (const k of Object.getOwnPropertyNames(c.prototype)) try { c.prototype[k] = null } catch {}\n"
            "return ['end']"
        ),
        "iterators": "Array.prototype[Symbol.iterator] = null; return ['end']",
        "Object": "for (const k of ['keys', 'create', 'defineProperty', 'freeze']) Object[k] = null; return ['end']",
        "toJSON": "Object.prototype.toJSON = undefined; return ['end']",
    }
    # name: code; each throws
    THROWING = {
        "thrown proxy": (
            "throw new Proxy({}, { get() { throw 1 }, ownKeys() { throw 1 }, getPrototypeOf() { throw 1 } })"
        ),
        "broken stack": "Error.prepareStackTrace = () => { throw 1 }; throw new Error('x')",
        "thrown function": "throw () => 1",
    }

    def test_done_arrives_with_the_error(self):
        for name, code in self.THROWING.items():
            with self.subTest(name):
                outcome = self.run_program(code)
                self.assertEqual(outcome.done["type"], "done")
                self.assertIsNotNone(outcome.error)

    def test_calls_after_breaking_builtins(self):
        code = "JSON.parse = null; Array.prototype.push = null; Promise.prototype.then = null;\nreturn await mcp.s.t()"
        self.assertEqual(self.run_program(code, lambda _: {"result": [1]}).result, [1])


class ChannelTest(output_cases.ChannelTests, languages.TypeScriptTest):
    def test_a_large_frame_and_many_small_ones_in_order(self):
        code = "const all = []; for (let i = 0; i < 200; i++) all.push(mcp.s.t({ i, pad: 'x'.repeat(i === 0 ? 3e6 : 1e4) })); " \
            "return (await Promise.all(all)).length"
        with Guest(self.command()) as guest:
            outcome = guest.run(code, lambda request: {"result": request["params"]["args"]["i"]})
            self.assertEqual(outcome.result, 200)
            self.assertEqual([request["params"]["args"]["i"] for request in outcome.requests], list(range(200)))

    def test_a_program_that_leaves_while_it_sends(self):
        with Guest(self.command()) as guest:
            outcome = guest.run("mcp.s.t({}); mcp.s.t({}); Deno.exit(0)", lambda request: None)
            self.assertEqual((len(outcome.requests), outcome.done), (2, {"type": "done", "exits": True}))


class DescriptorTest(ChannelTest):
    command = staticmethod(typescript_command_by_descriptor)


if __name__ == "__main__":
    unittest.main()
