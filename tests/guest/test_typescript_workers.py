"""Workers of TypeScript programs, below the limit of memory that the server gives by default."""

import unittest

import fake_host
import languages
from memory_limit import limited_command

NO_ROOM = "a worker needs 128 MiB of memory, and the program has not that much left (sandbox.memoryMb)"
WEB = "new Worker('data:text/javascript,postMessage(6 * 7)', { type: 'module' })"
NODE = "new Worker(`require('worker_threads').parentPort.postMessage(6 * 7)`, { eval: true })"
ANSWER = "await new Promise((resolve, reject) => { w.onmessage = (e) => { w.terminate(); resolve(e.data) }; w.onerror = reject })"
NODE_ANSWER = "await new Promise((resolve, reject) => { w.on('message', (m) => { w.terminate(); resolve(m) }); w.on('error', reject) })"

# name: (code, result)
WORKERS = {
    "of the web": (f"const w = {WEB}; return {ANSWER}", 42),
    "of a Blob": (
        "const source = new Blob(['const n: number = 42; postMessage(n)'], { type: 'application/typescript' });\n"
        f"const w = new Worker(URL.createObjectURL(source), {{ type: 'module' }}); return {ANSWER}",
        42,
    ),
    "of a subclass": (
        "class Mine extends Worker { constructor() { super('data:text/javascript,postMessage(42)', { type: 'module' }) } }\n"
        f"const w = new Mine(); return [w instanceof Mine, w instanceof Worker, {ANSWER}]",
        [True, True, 42],
    ),
    "of Node": (f"import {{ Worker }} from 'node:worker_threads'; const w = {NODE}; return {NODE_ANSWER}", 42),
    "of Node, imported later": (f"const {{ Worker }} = await import('node:worker_threads'); const w = {NODE}; return {NODE_ANSWER}", 42),
    "of Node, with options": (
        "import { Worker } from 'node:worker_threads';\n"
        "const source = `const t = require('worker_threads'); t.parentPort.postMessage(t.workerData)`;\n"
        "const w = new Worker(source, { eval: true, workerData: [1], resourceLimits: { maxOldGenerationSizeMb: 50 } });\n"
        f"return [w.resourceLimits.maxOldGenerationSizeMb, {NODE_ANSWER}]",
        [50, [1]],
    ),
    "one after the other": (f"let sum = 0; for (let i = 0; i < 20; i++) {{ const w = {WEB}; sum += {ANSWER} }} return sum", 840),
    "nothing is left on all objects": (f"const w = {WEB}; w.terminate(); return 'resourceLimits' in {{}}", False),
}

# A worker and what is left of it, for the next program of a session.
LEFT = {
    "of the web": (
        "globalThis.w = new Worker('data:text/javascript,setInterval(() => postMessage(1), 1)', { type: 'module' });\n"
        "await new Promise((resolve) => w.onmessage = resolve); throw new Error('x')",
        "let n = 0; w.onmessage = () => n++; await new Promise((resolve) => setTimeout(resolve, 50)); return n",
    ),
    "of Node": (
        "const { Worker } = await import('node:worker_threads');\n"
        "globalThis.w = new Worker(`setInterval(() => require('worker_threads').parentPort.postMessage(1), 1)`, { eval: true });\n"
        "await new Promise((resolve) => w.once('message', resolve)); throw new Error('x')",
        "let n = 0; w.on('message', () => n++); await new Promise((resolve) => setTimeout(resolve, 50)); return n",
    ),
}


class WorkersTest(languages.TypeScriptTest):
    command = staticmethod(limited_command)

    def run_program(self, code):
        with fake_host.Guest(self.command()) as guest:
            return guest.run(code)

    def test_workers_work(self):
        for name, (code, expected) in WORKERS.items():
            with self.subTest(name):
                outcome = self.run_program(code)
                self.assertEqual((outcome.error, outcome.result, outcome.stderr), (None, expected, ""))

    def test_no_room(self):
        imported = "import { Worker } from 'node:worker_threads';"
        for name, code in {
            "many": f"for (;;) {WEB}",
            "many of Node": f"{imported} for (;;) new Worker('setInterval(() => 0, 1e6)', {{ eval: true }})",
            "beside much data": f"const data = []; for (let i = 0; i < 4; i++) data.push(new Uint8Array(100 << 20)); {WEB}",
        }.items():
            with self.subTest(name):
                error = self.run_program(code).error
                self.assertIsNotNone(error)
                self.assertEqual(error["name"], "RangeError")
                self.assertIn(NO_ROOM, error["message"])
                self.assertEqual(error["line"], 1)

    def test_error_that_no_code_handles(self):
        """Deno gives no error for it, only a message."""
        code = "new Worker('data:text/javascript,throw new Error(\"boom\")', { type: 'module' }); return 1"
        self.assertIn("boom", self.run_program(code).error["message"])

    def test_what_a_program_of_a_session_leaves(self):
        for name, (first, second) in LEFT.items():
            with self.subTest(name), self.guest() as guest:
                self.assertEqual(guest.program(first, keep=True).error["message"], "x")
                after = guest.program(second, keep=True)
                self.assertEqual((after.error, after.result), (None, 0))

    def test_note_of_one_that_nobody_ends(self):
        with self.guest() as guest:
            guest.send({"type": "run", "code": "new Worker('data:text/javascript,onmessage = () => 0', { type: 'module' }); return 1"})
            guest.wait_for_output("stderr", "such as a worker (terminate() ends it), still open")


if __name__ == "__main__":
    unittest.main()
