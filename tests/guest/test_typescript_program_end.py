"""When TypeScript programs end: promises, timers and ports; and what is said of a promise that is taken for its value."""

import time
import unittest

import languages
import program_end_cases
from fake_host import Guest, echo, typescript_command, typescript_command_by_descriptor

# name: (code, result, what was printed)
WORK = {
    "calls one after the other": (
        "const next = async (n) => { await mcp.s.t(); console.log(n); if (n < 3) next(n + 1) }; next(1); return 3",
        3,
        "1\n2\n3\n",
    ),
    "timer that is not waited for": ("setTimeout(() => console.log('never'), 60_000).unref(); return 1", 1, ""),
    "interval": (
        "let n = 0; const t = setInterval(() => { console.log(++n); if (n === 3) clearInterval(t) }, 5); return n",
        0,
        "1\n2\n3\n",
    ),
    "timers of node": (
        "import { setTimeout as sleep } from 'node:timers/promises'; sleep(10).then(() => console.log('slept'))",
        None,
        "slept\n",
    ),
    "rejections of a race that is over": (
        "const fail = new Promise((_, no) => setTimeout(() => no(new Error('late')), 10));\n"
        "return await Promise.race([Promise.resolve(1), fail])",
        1,
        "",
    ),
}

# name: (code, result, what was printed); as Deno and Node tell of the end
ENDS = {
    "listener that exits": ("process.on('exit', (c) => { console.log('end', c); process.exit(0) }); return 1", 1, "end 0\n"),
    "listener of Deno that exits": ("addEventListener('unload', () => { console.log('end'); Deno.exit(0) }); return 1", 1, "end\n"),
    "timer that exits": ("setTimeout(() => Deno.exit(0), 5); return 1", 1, ""),
    "what may go on": (
        "let n = 0; process.on('exit', () => console.log('end'));\n"
        "process.on('beforeExit', (c) => { console.log('idle', c); if (n++ < 1) setTimeout(() => console.log('timer'), 5) }); return 1",
        1,
        "idle 0\ntimer\nidle 0\nend\n",
    ),
    "what goes on later": (
        "process.once('beforeExit', async () => { await null; await null; await mcp.s.t(); console.log('sent') }); return 1",
        1,
        "sent\n",
    ),
    "what is prevented": (
        "let n = 0; addEventListener('beforeunload', (e) => { console.log('idle'); if (n++ < 1) e.preventDefault() }); return 1",
        1,
        "idle\nidle\n",
    ),
    "what settles a promise at the end": (
        "return await new Promise((resolve) => process.once('beforeExit', () => resolve(1)))",
        1,
        "",
    ),
}

# name: (code, name, message, line)
FAILURES = {
    "rejection": ("\nPromise.reject(new RangeError('lost')); return 1", "RangeError", "lost", 2),
    "timer while the program waits": (
        "setTimeout(() => { throw new Error('timer') }, 5);\nawait new Promise((r) => setTimeout(r, 60_000))",
        "Error",
        "timer",
        1,
    ),
    "exit code": ("process.exitCode = 4; return 1", "ProcessExit", "Process exited with code 4", None),
    "exit code of Deno, later": ("setTimeout(() => { Deno.exitCode = 2 }, 5)", "ProcessExit", "Process exited with code 2", None),
    "listener of the end": ("\naddEventListener('unload', () => { throw new Error('late') })", "Error", "late", 2),
    "listener of Node of the end": ("\nprocess.on('exit', () => { throw new Error('late') })", "Error", "late", 2),
    "listener that exits with a code": ("process.on('exit', () => process.exit(3)); return 1", "ProcessExit", "Process exited with code 3", None),
    "listener that exits after a failure": ("process.on('exit', () => process.exit(0));\nthrow new Error('x')", "Error", "x", 2),
    "listener of what may go on": ("\nprocess.on('beforeExit', () => { throw new Error('idle') })", "Error", "idle", 2),
    "microtask": ("queueMicrotask(() => { throw new Error('micro') }); return 1", "Error", "micro", 1),
    "beside an interval": ("setInterval(() => {}, 1); Promise.reject(new Error('lost'))", "Error", "lost", 1),
    "what the program itself throws comes first": (
        "Promise.reject(new Error('stray')); await mcp.s.t();\nthrow new Error('own')",
        "Error",
        "own",
        2,
    ),
}

# name: (code, part of the message)
MISSING_AWAITS = {
    "property": ("const r = mcp.s.t(); return r.content", "`content` is read from the promise"),
    "property by text": ("const r = callMCPTool('mcp__s__t'); return r['a b']", "`a b` is read from the promise"),
    "element": ("return listServers()[0]", "`0` is read from the promise"),
    "method": ("return searchTools('x').map((t) => t.name)", "`map` is read from the promise"),
    "destructuring": ("const { tools } = mcp.s.t(); return tools", "`tools` is read from the promise"),
    "JSON": ("return JSON.stringify({ r: mcp.s.t() })", "its JSON is read from the promise"),
    "argument of a call": ("await mcp.s.t({ text: mcp.s.u() })", "`await` is missing"),
    "in the result": ("return { r: mcp.s.t() }", "the result holds a Promise"),
    "list of promises as the result": ("return [1, 2].map(async (i) => (await mcp.s.t({ i })).args.i)", "Promise.all(list)"),
}

# All that a promise is used for goes on as before.
PROMISES = {
    "await": "return (await mcp.s.t({ i: 1 })).args.i",
    "then": "return mcp.s.t({ i: 1 }).then((r) => r.args.i)",
    "finally and catch": "return mcp.s.t({ i: 1 }).finally(() => 0).catch(() => 0).then((r) => r.args.i)",
    "result of an async function": "const f = async () => mcp.s.t({ i: 1 }); return (await f()).args.i",
    "all": "return (await Promise.all([mcp.s.t({ i: 1 }), 2]))[0].args.i",
    "allSettled": "return (await Promise.allSettled([mcp.s.t({ i: 1 })]))[0].value.args.i",
    "race": "return (await Promise.race([mcp.s.t({ i: 1 })])).args.i",
    "resolve": "return (await Promise.resolve(mcp.s.t({ i: 1 }))).args.i",
    "instanceof": "return mcp.s.t() instanceof Promise ? 1 : 0",
    "types of node": "import { types } from 'node:util'; return types.isPromise(mcp.s.t()) ? 1 : 0",
    "printing": "console.log(mcp.s.t()); return 1",
    "text": "return `${mcp.s.t()}` === '[object Promise]' ? 1 : 0",
    "names of all objects": "const r = mcp.s.t(); return r.hasOwnProperty('x') || r.constructor !== Promise ? 0 : 1",
    "own properties": "const r = mcp.s.t(); r.label = 1; return 'label' in r ? r.label : 0",
}


def list_of_three(_):
    return {"result": [1, 2, 3]}


class ProgramEndTest(program_end_cases.ProgramEndTests, languages.TypeScriptTest):
    WORK = {**program_end_cases.WORK, **WORK}
    FAILURES = {**program_end_cases.FAILURES, **FAILURES}
    GOES_ON = {
        **program_end_cases.GOES_ON,
        "what nobody knows": (
            "new MessageChannel().port1.onmessage = () => {}; return 1",
            0,
            "something that it started still open",
        ),
    }

    def commands(self):
        return [typescript_command(), typescript_command_by_descriptor()]

    def in_a_session(self, code):
        return code if "import" in code else f"{{ {code} }}"

    def test_timers_of_a_failed_program_of_a_session(self):
        """Else they would be open work of the next one, which would never end."""
        with self.guest() as guest:
            for begin in ("", "await import('node:timers'); "):
                with self.subTest(begin):
                    failed = guest.program(begin + "globalThis.n = 0; setInterval(() => n++, 1); setTimeout(() => {}, 1e6); throw new Error('x')", keep=True)
                    self.assertEqual(failed.error["message"], "x")
                    after = guest.program("const before = n; await new Promise(r => setTimeout(r, 50)); return n - before", keep=True)
                    self.assertEqual((after.error, after.result), (None, 0))

    def test_what_is_told_of_the_end(self):
        for name, (code, result, printed) in ENDS.items():
            with self.subTest(name):
                outcome = self.run_program(code)
                self.assertEqual((outcome.error, outcome.result, outcome.stdout, outcome.stderr), (None, result, printed, ""))

    def test_a_run_of_a_session_is_no_end(self):
        code = "process.on('beforeExit', () => console.log('idle')); addEventListener('beforeunload', () => console.log('idle')); return 1"
        with self.guest() as guest:
            self.assertEqual([guest.program(code, keep=True).result, guest.program("return 2", keep=True).result], [1, 2])
            guest.finish()
            self.assertEqual(guest.output("stdout"), "")

    def test_promise_that_the_program_waits_for_in_vain(self):
        for code in ("await new Promise(() => {})", "await mcp.s.t(); await new Promise(() => {})"):
            with self.subTest(code):
                self.assertIn("nothing can settle any more", self.run_program(code).error["message"])

    def test_calls_that_are_not_answered_are_waited_for(self):
        with self.guest() as guest:
            guest.send({"type": "run", "code": "mcp.s.t().then(() => console.log('answered')); return 1"})
            request = guest.receive()
            guest.socket.settimeout(0.2)
            self.assertRaises(TimeoutError, guest.receive)
            guest.socket.settimeout(30)
            guest.reply(request, echo(request))
            self.assertEqual(guest.receive(), {"type": "done", "result": 1})

    def test_what_the_host_has_not_read_yet_is_no_open_work(self):
        for command in self.commands():
            with self.subTest(command[-1]), Guest(command) as guest:
                guest.expect_ready()
                guest.send({"type": "run", "code": "for (let i = 0; i < 8; i++) display('x'.repeat(1e6)); return 1"})
                time.sleep(1.5) # longer than the note waits: that it does not come can not be awaited
                frames = [guest.receive()["type"] for _ in range(9)]
                self.assertEqual(frames, ["display"] * 8 + ["done"])
                guest.finish()
                self.assertEqual(guest.output("stderr"), "")


class HintsTest(languages.TypeScriptTest):
    def test_missing_awaits(self):
        for name, (code, message) in MISSING_AWAITS.items():
            with self.subTest(name):
                error = self.run_program(code).error
                self.assertIsNotNone(error)
                self.assertIn("`await` is missing", error["message"])
                self.assertIn(message, error["message"])

    def test_promises_work_as_ever(self):
        for name, code in PROMISES.items():
            with self.subTest(name):
                outcome = self.run_program(code)
                self.assertEqual((outcome.error, outcome.result, outcome.stderr), (None, 1, ""))
        self.assertEqual(self.run_program(PROMISES["printing"]).stdout, "Promise { <pending> }\n")

    def test_results_that_are_unwrapped_again(self):
        for access in ("r.content[0].text", "r['content'][0].text", "(r as any).content![0].text"):
            with self.subTest(access):
                error = self.run_program(f"const r = await mcp.s.t();\nreturn {access}", list_of_three).error
                self.assertIn("a call already returns the data, a list of 3: use it as it is", error["message"])
                self.assertEqual(error["line"], 2)

    def test_other_errors_have_no_hint(self):
        message = self.run_program("const r = await mcp.s.t();\nreturn r.items[0].text", list_of_three).error["message"]
        self.assertEqual(message, "Cannot read properties of undefined (reading '0')")

    def test_memory(self):
        message = self.run_program("return new ArrayBuffer(1e14)").error["message"]
        self.assertEqual(message, "Array buffer allocation failed (the memory of a program is limited: sandbox.memoryMb)")


if __name__ == "__main__":
    unittest.main()
