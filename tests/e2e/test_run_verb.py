"""`code-executor run`: one run of a program, typed by a person."""

import json
import os
import pty
import signal
import subprocess
import time

from support import processes
from support.case import TRY_TYPESCRIPT, Case
from support.config import child
from support.faults import FaultCase, rule
from support.paths import binary
from support.record import lines_of, wait_for_line
from support.server import MARK, World
from support.waiting import PATIENCE_SECONDS


class RunCase(Case):
    def setUp(self):
        self.journal_of_kid = self.journal()
        self.there = self.world(user={"kid": child(journal=self.journal_of_kid)})

    def write(self, name, text):
        path = os.path.join(self.there.cwd, name)
        with open(path, "wb" if isinstance(text, bytes) else "w", **({} if isinstance(text, bytes) else {"encoding": "utf-8"})) as file:
            file.write(text)
        return path

    def run_code(self, code, *words, **options):
        return self.there.command("run", "-e", code, *words, **options)

    def begin(self, *words, **options):
        process = subprocess.Popen([binary(), *words], env=self.there.environment(options.pop("env", {})), cwd=self.there.cwd, stdin=subprocess.DEVNULL,
                                   **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True, **options})
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def expect_nothing_left(self):
        self.wait_until(lambda: not processes.marked(self.there.mark[MARK]), "the end of all processes")


class Results(RunCase):
    def test_results_of_both_languages(self):
        for code, words, told in (
                ("console.log('said'); return {a: [1, 'two']}", (), '{"a":[1,"two"]}\n'),
                ("return 'a text\\nas it is'", (), "a text\nas it is\n"),
                ("return 1.5", (), "1.5\n"), ("return null", (), "null\n"), ("const x: number = 1", (), ""),
                ("print('said')\n{'a': [1, 'two']}", ("--python",), '{"a":[1,"two"]}\n'),
                ("'a text'", ("--python",), "a text\n")):
            with self.subTest(code):
                done = self.run_code(code, *words)
                self.assertEqual([done.returncode, done.stdout], [0, told], done.stderr)
                self.assertEqual("said\n" in done.stderr, "said" in code)

    def test_files_and_stdin(self):
        self.write("program.py", "import sys\nprint('to stderr', file=sys.stderr)\n6 * 7")
        self.write("program.mts", "#!/usr/bin/env -S code-executor run\nreturn 6 * 7 as number")
        self.write("program", "'from ' + 'python'")
        for words, told in ((("program.py",), "42\n"), (("program.mts",), "42\n"), (("program", "--python"), "from python\n")):
            done = self.there.command("run", *words)
            self.assertEqual([done.returncode, done.stdout], [0, told], done.stderr)
        done = subprocess.run([binary(), "run", "-"], env=self.there.environment({}), cwd=self.there.cwd, input="return 'typed'", capture_output=True,
                              text=True, timeout=PATIENCE_SECONDS, check=False)
        self.assertEqual([done.returncode, done.stdout], [0, "typed\n"], done.stderr)

    def test_tools_are_called_and_recorded(self):
        done = self.run_code("return (await mcp.kid.add({a: 1, b: 2})).sum")
        self.assertEqual([done.returncode, done.stdout], [0, "3\n"], done.stderr)
        ends = [line for line in lines_of(self.there) if line["event"] in ("run", "tool_call")]
        self.assertEqual([[line["event"], line["success"]] for line in ends], [["tool_call", True], ["run", True]])
        self.assertIn("code-executor run", ends[1]["clientId"])
        self.expect_nothing_left()

    def test_a_large_result_is_whole(self):
        done = self.run_code("return 'x'.repeat(3_000_000)")
        self.assertEqual([done.returncode, len(done.stdout)], [0, 3_000_001])
        done = self.run_code("for (let i = 0; i < 30_000; i++) console.log('line', i, 'x'.repeat(100)); return 'end'")
        self.assertEqual([done.returncode, done.stdout, len(done.stderr.splitlines())], [0, "end\n", 30_000])
        self.assertNotIn("missing", done.stderr)

    def test_the_report_alone(self):
        done = self.run_code("console.log('said'); await mcp.kid.echo({text: 'x'}); return [1]", "--json")
        report = json.loads(done.stdout)
        self.assertEqual([report["success"], report["result"], report["output"], report["toolCallsMade"]], [True, [1], "said\n", ["mcp__kid__echo"]])
        done = self.run_code("throw new TypeError('no')", "--json")
        report = json.loads(done.stdout)
        self.assertEqual([done.returncode, report["success"]], [1, False])
        self.assertIn("TypeError: no", report["error"])

    def test_what_is_displayed_is_told(self):
        done = self.run_code("display('shown'); display({type: 'image', data: 'aGFsbG8=', mimeType: 'image/png'})")
        self.assertEqual([done.returncode, done.stdout], [0, ""])
        self.assertIn("shown\n", done.stderr)
        self.assertIn("[image image/png, 8 bytes of base64]", done.stderr)
        self.assertNotIn("Done:", self.run_code("1").stderr)


class Refusals(RunCase):
    def test_failures(self):
        for code, words, why in (("\nthrow new TypeError('not so')", (), "TypeError: not so"), ("1 / 0", ("--python",), "ZeroDivisionError"),
                                 ("while (true);", ("--timeout", "1s"), "1000 ms"), ("return await mcp.kid.fail({message: 'the disk is full'})", (), "the disk is full"),
                                 ("process.exit(3)", (), "exit")):
            with self.subTest(code):
                done = self.run_code(code, *words)
                self.assertEqual([done.returncode, done.stdout], [1, ""], done.stderr)
                self.assertIn(why, done.stderr)

    def test_allowed_tools(self):
        call = TRY_TYPESCRIPT + "return (await attempt(() => callMCPTool('mcp__kid__echo', {text: 'x'}))).error?.code ?? 'called'"
        for words, told in (((), "called"), (("--allow", "mcp__kid__add"), "not_allowed"), (("--allow", "mcp__kid__add", "--allow", "mcp__kid__e*"), "called"),
                            (("--no-tools",), "not_allowed")):
            done = self.run_code(call, *words)
            self.assertEqual([done.returncode, done.stdout], [0, told + "\n"], done.stderr)

    def test_wrong_words(self):
        self.write("program.rb", "1")
        self.write("latin.ts", b"return '\xff'")
        for words, why in ((("program.rb",), "which language is it?"), (("nowhere.ts",), "nowhere.ts can not be read: No such file"),
                           (("latin.ts",), "it is no UTF-8 text"), ((".", "--python"), "Is a directory"), ((), "which program?"),
                           (("-e", "1", "--timeout", "soon"), "'soon' is no time"), (("-e", "1", "--timeout", "1h"), "timeoutMs"),
                           (("-e", "1", "x.ts"), "excludes"), (("-e", "1", "--python", "--typescript"), "excludes"), (("-e", "  "), "code"),
                           (("-e", "1", "--allow", "x", "--no-tools"), "excludes"), (("-e", "1", "--faults", "nowhere.json"), "nowhere.json")):
            with self.subTest(words):
                done = self.there.command("run", *words)
                self.assertEqual([done.returncode, done.stdout], [2, ""], done.stderr)
                self.assertIn(why, done.stderr)
        done = self.there.command("rum", "x.ts")
        self.assertIn("did you mean 'run'?", done.stderr)
        self.assertIn("Example: code-executor run", self.there.command("run", "--help").stdout)

    def test_too_much_code(self):
        self.write("long.py", "#" * (1 << 20) + "\n1")
        done = self.there.command("run", "long.py")
        self.assertEqual(done.returncode, 2)
        self.assertIn("security.maxCodeSize", done.stderr)

    def test_what_the_user_has_not_approved_does_not_start(self):
        world = World(trusts_project=False)
        self.addCleanup(world.remove)
        world.configure(project={"kid": child(journal=self.journal_of_kid, eager=True)})
        done = world.command("run", "-e", "return await mcp.kid.echo({text: 'x'})", env={"CONNECTED_SERVERS": "kid"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("code-executor trust --server kid", done.stderr)
        self.assertEqual(self.journal_of_kid.events(), [])

    def test_nothing_is_started_that_is_not_needed(self):
        self.there.configure(user={"kid": child(journal=self.journal_of_kid, eager=True)})
        self.assertEqual(self.run_code("return 1", env={"CONNECTED_SERVERS": "kid"}).stdout, "1\n")
        self.assertEqual(self.journal_of_kid.events(), [])

    def test_dangerous_code(self):
        done = self.run_code("return eval('1')")
        self.assertEqual([done.returncode, done.stdout], [1, ""])
        self.assertIn("eval", done.stderr)

    def test_within_another_of_us(self):
        done = self.run_code("return 1", env={"CODE_EXECUTOR_OUTER": "1"})
        self.assertEqual([done.returncode, done.stdout], [1, ""], done.stderr)
        self.assertIn("code-executor does nothing for a program of code-executor", done.stderr)


class Streams(RunCase):
    def test_output_comes_as_it_is_printed(self):
        for code, words in (("console.log('first'); await new Promise((done) => setTimeout(done, 4000)); console.log('second'); return 1", ()),
                            ("import asyncio\nprint('first')\nawait asyncio.sleep(4)\nprint('second')\n1", ("--python",))):
            process = self.begin("run", "-e", code, *words)
            self.assertEqual(process.stderr.readline(), b"first\n")
            begin = time.monotonic()
            self.assertEqual(process.stderr.readline(), b"second\n")
            self.assertGreater(time.monotonic() - begin, 2)
            self.assertEqual([process.stdout.read(), process.wait(PATIENCE_SECONDS)], [b"1\n", 0])

    def test_a_program_waits_for_its_reader(self):
        process = self.begin("run", "-e", "for (let i = 0; i < 60_000; i++) console.log('line', i, 'x'.repeat(100)); return 'end'")
        time.sleep(2)
        lines = process.stderr.read().splitlines()
        self.assertEqual([len(lines), lines[-1][:10], process.stdout.read(), process.wait(PATIENCE_SECONDS)], [60_000, b"line 59999", b"end\n", 0])

    def test_bytes_are_kept_where_no_terminal_is(self):
        done = self.run_code("print('\\x1b[31mred\\x1b[0m')\n'a\\x07b'", "--python")
        self.assertEqual([done.stdout, done.stderr], ["a\x07b\n", "\x1b[31mred\x1b[0m\n"])

    def test_nothing_is_done_to_a_terminal(self):
        ours, theirs = pty.openpty()
        process = self.begin("run", "-e", "print('\\x1b[31mred \\u00e4\\u202e\\x07')\n'\\x07 two\\nlines'", "--python", stdout=theirs, stderr=theirs)
        os.close(theirs)
        text = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # its last writer has closed it
                break
            if not part:
                break
            text += part
        os.close(ours)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 0, text)
        self.assertEqual(text.decode().replace("\r\n", "\n"), "\\u001b[31mred \u00e4\\u202e\\u0007\n\\u0007 two\nlines\n")

    def test_nobody_reads_the_result(self):
        process = self.begin("run", "-e", "await mcp.kid.sleep({ms: 600000}); return 1", "--timeout", "300")
        self.journal_of_kid.wait("call")
        process.stdout.close()
        self.assertEqual(process.wait(PATIENCE_SECONDS), 1)
        self.assertEqual(process.stderr.read(), b"")
        self.expect_nothing_left()

    def test_who_has_left_before_it_began_is_in_the_record(self):
        for _ in range(4):
            before = len(lines_of(self.there))
            unread, stdout = os.pipe()
            os.close(unread)
            process = self.begin("run", "-e", "return 1", stdout=stdout)
            os.close(stdout)
            self.assertEqual(process.wait(PATIENCE_SECONDS), 1)
            self.assertEqual(process.stderr.read(), b"")
            process.stderr.close()
            self.assertTrue({line["event"] for line in lines_of(self.there)[before:]} & {"refusal", "run"})

    def test_nobody_reads_the_output(self):
        process = self.begin("run", "-e", "for (let i = 0; i < 100; i++) console.log('x'.repeat(100_000)); return 1")
        process.stderr.close()
        self.assertEqual([process.stdout.read(), process.wait(PATIENCE_SECONDS)], [b"1\n", 0])


class Interrupted(RunCase):
    def test_everything_ends_in_order(self):
        for how in (signal.SIGINT, signal.SIGTERM):
            process = self.begin("run", "-e", "console.log('begun'); await mcp.kid.sleep({ms: 600000}); return 1", "--timeout", "300")
            count = len(self.journal_of_kid.events("cancelled"))
            self.assertEqual(process.stderr.readline(), b"begun\n")
            self.journal_of_kid.wait("call", count + 1)
            process.send_signal(how)
            self.assertEqual(process.wait(PATIENCE_SECONDS), 1)
            self.assertEqual(process.stdout.read(), b"")
            self.journal_of_kid.wait("cancelled", count + 1)
            self.expect_nothing_left()
        runs = [line for line in lines_of(self.there) if line["event"] == "run"]
        self.assertEqual([line["success"] for line in runs], [False, False])

    def test_the_second_time_at_once(self):
        self.there.configure(user={"kid": child("--ignore-stdin-eof", "--ignore-sigterm", journal=self.journal_of_kid)})
        process = self.begin("run", "-e", "await mcp.kid.sleep({ms: 600000})", "--timeout", "300")
        self.journal_of_kid.wait("call")
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 1)
        self.assertLess(time.monotonic() - begin, 1)
        self.expect_nothing_left()

    def test_while_nobody_reads_a_large_result(self):
        process = self.begin("run", "-e", "return 'x'.repeat(3_000_000)")
        self.assertEqual(process.stdout.read(1), b"x")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE_SECONDS), 1)
        self.expect_nothing_left()


class Laboratory(FaultCase):
    def test_faults_are_told(self):
        world = self.world(user={"kid": child()})
        plan = self.plan_file(world, rule("error", nth=1))
        code = "for (;;) try { return await mcp.kid.echo({text: 'x'}) } catch { console.log('again') }"
        for words, env in ((("--faults", plan), {}), ((), {"CODE_EXECUTOR_FAULTS": plan})):
            done = world.command("run", "-e", code, *words, env=env)
            self.assertEqual([done.returncode, done.stdout], [0, "x\n"], done.stderr)
            self.assertIn("again\n", done.stderr)
            self.assertIn('injected: {"tool":"mcp__kid__echo","call":1,"kind":"error"}', done.stderr)

    def test_recorded_and_replayed(self):
        journal = self.journal()
        world = self.world(user={"kid": child(journal=journal)})
        file = os.path.join(world.root, "session.jsonl")
        words = (binary(), "run", "-e", "return await mcp.kid.echo({text: 'recorded'})")
        done = world.command("record", "--out", file, "--", *words)
        self.assertEqual([done.returncode, done.stdout], [0, "recorded\n"], done.stderr)
        starts = len(journal.events("started"))
        done = world.command("replay", file, "--", *words)
        self.assertEqual([done.returncode, done.stdout, len(journal.events("started"))], [0, "recorded\n", starts], done.stderr)
        done = world.command("replay", file, "--", binary(), "run", "-e", "return await mcp.kid.echo({text: 'other'})")
        self.assertEqual(done.returncode, 1)

    def test_beside_a_server(self):
        world = self.world(user={"kid": child()})
        server = self.start(world=world)
        self.assertEqual(self.succeed(server.typescript("return await mcp.kid.echo({text: 'x'})")).result, "x")
        self.assertEqual(world.command("run", "-e", "return await mcp.kid.echo({text: 'y'})").stdout, "y\n")
        self.assertEqual(self.succeed(server.typescript("return await mcp.kid.echo({text: 'z'})")).result, "z")
        wait_for_line(world, lambda line: line["event"] == "run" and "code-executor run" in line["clientId"], "the run")


class Programs(FaultCase):
    """`faults run PLAN FILE...`."""

    NAIVE = "return await callMCPTool('mcp__kid__add', {a: 1, b: 2})"
    CAREFUL = "for (let i = 0; ; i++) try { return await callMCPTool('mcp__kid__add', {a: 1, b: 2}) } catch (e) { if (i === 3) throw e }"

    def play(self, programs, *words):
        world = self.world(user={"kid": child(timeoutMs=3000)})
        for name, code in programs.items():
            with open(os.path.join(world.cwd, name), "w", encoding="utf-8") as file:
                file.write(code)
        plan = self.plan_file(world, rule("error", "mcp__kid__add", nth=1), rule("latency", "mcp__kid__add", ms=5))
        return world.command("faults", "run", plan, *programs, *words)

    def test_one(self):
        done = self.play({"naive.ts": self.NAIVE}, "--seeds", "1", "--json")
        report = json.loads(done.stdout)
        self.assertEqual([[run["kind"], run["survived"], run.get("program")] for run in report["runs"]],
                         [["error", False, None], ["latency", True, None], ["all", False, None]], done.stderr)
        self.assertEqual(report["command"], "code-executor run naive.ts")
        done = self.play({"careful.py": "for i in range(3):\n    try:\n        x = call_mcp_tool('kid', 'add', {'a': 1, 'b': 2})\n        break\n    except Exception:\n"
                                        "        pass\nx['sum']"}, "--seeds", "1", "--require", "1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_several(self):
        done = self.play({"naive.ts": self.NAIVE, "careful.ts": self.CAREFUL}, "--seeds", "1", "--kinds", "error,latency")
        self.assertIn("BROKE     naive.ts: error", done.stdout)
        self.assertIn("survived  careful.ts: error", done.stdout)
        self.assertIn("survived  careful.ts: latency", done.stdout)
        self.assertIn("survival 75 % (3 of 4 that were hit); the first that broke: naive.ts: error, seed 1", done.stdout)

    def test_what_it_refuses(self):
        for programs, words, why in (({"naive.ts": self.NAIVE}, ("--", "true"), "either programs are played, or a command"), ({}, (), "what is to be played?"),
                                     ({"x.rb": "1"}, (), "x.rb is no program"), ({"x.ts": "throw 1", "naive.ts": self.NAIVE}, (), "x.ts fails without any fault"),
                                     ({}, ("nowhere.ts",), "nowhere.ts is no file")):
            done = self.play(programs, *words)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(why, done.stderr)
