"""The record: a line for everything, nothing secret in it, and a chain that shows who touched it."""

import hashlib
import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import threading
import time

from support.case import Case
from support.config import child
from support.paths import binary
from support.record import audit, files_of, folder_of, lines_of, text_of, verify, wait_for_line
from support.terminal import shown_on_terminal
from support.waiting import PATIENCE_SECONDS

# What must not be found in the record, whatever happens.
SECRETS = ("hunter2", "tell-nobody", "sk-live-0123456789abcdef")
KILLS = 5
TRY_RENAME = """import os
try:
    os.rename({0!r}, {1!r})
    said = "renamed"
except OSError as error:
    said = error.strerror
said
"""


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


class Lines(Case):
    def setUp(self):
        self.world_ = self.world(project={"kid": child()})
        self.server = self.start(world=self.world_)

    def line(self, event, **fields):
        return wait_for_line(self.world_, lambda line: line["event"] == event and all(line.get(k) == v for k, v in fields.items()),
                             f"a line '{event}' with {fields}")

    def test_a_run_and_its_calls(self):
        code = "await callMCPTool('kid', 'echo', {text: 'hunter2'}); return 'tell-nobody'"
        self.succeed(self.server.typescript(code, allowedTools=["mcp__kid__*"]))
        run = self.line("run")
        self.assertEqual(run["codeHash"], sha256(code))
        self.assertEqual(run["codeLength"], len(code))
        self.assertEqual(run["allowedTools"], ["mcp__kid__*"])
        self.assertEqual(run["toolsCalled"], ["mcp__kid__echo"])
        self.assertEqual((run["executor"], run["state"], run["success"]), ("typescript", "success", True))
        self.assertEqual(run["clientId"], "end-to-end tests#1")
        self.assertRegex(run["timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertRegex(run["traceId"], r"^[0-9a-f]{32}$")
        self.assertGreater(run["durationMs"], 0)
        call = self.line("tool_call", runId=run["runId"])
        self.assertEqual((call["server"], call["tool"], call["success"]), ("kid", "echo", True))
        self.assertEqual(call["argsHash"], sha256('{"text":"hunter2"}'))
        self.assertEqual([line["state"] for line in lines_of(self.world_) if line["event"] == "server_state"], ["starting", "connected"])
        self.assertFalse([word for word in SECRETS if word in text_of(self.world_)])

    def test_a_terminal_obeys_nothing_of_it(self):
        name = "x\x9b2J\u202ehidden"
        world = self.world()
        definitions = os.path.join(world.root, "definitions.json")
        with open(definitions, "w", encoding="utf-8") as file:
            json.dump({"echo": {"name": name}}, file)
        world.configure(project={"kid": child("--definitions", definitions)})
        self.start(world=world).typescript(f"await callMCPTool('kid', {json.dumps(name)}, {{}})")
        call = wait_for_line(world, lambda line: line["event"] == "tool_call", "the call")
        self.assertEqual(call["tool"], name)
        for words in (["tail"], ["show", call["runId"]]):
            code, shown = shown_on_terminal([binary(), "audit", *words, "--json"], world.environment({}), world.cwd)
            self.assertEqual(code, 0)
            told = shown.decode()
            self.assertIn(call, [json.loads(line) for line in told.split("\r\n") if line], "the same JSON")
            self.assertIn("x\\u009b2J\\u202ehidden", told)
            self.assertFalse([character for character in told if character in "\x9b\u202e"])
            self.assertIn(name, audit(world, *words, "--json").stdout, "else the lines as they are")

    def test_is_for_its_owner_alone(self):
        self.succeed(self.server.typescript("return 1"))
        self.line("run")
        self.assertEqual(stat.S_IMODE(os.stat(folder_of(self.world_)).st_mode), 0o700)
        for path in files_of(self.world_):
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600)

    def test_what_fails_is_told_without_foreign_text(self):
        answer = self.server.typescript("await callMCPTool('kid', 'fail', {message: 'hunter2'})")
        self.assertTrue(answer.is_error)
        self.assertEqual(self.line("tool_call")["error"], "tool_failed")
        self.assertNotIn("hunter2", self.line("run")["error"])
        self.assertTrue(self.server.typescript("throw new TypeError('sk-live-0123456789abcdef')").is_error)
        self.line("run", error="TypeError at line 1")
        self.assertTrue(self.server.python("raise ValueError('tell-nobody')").is_error)
        self.line("run", executor="python", success=False)
        self.assertFalse([word for word in SECRETS if word in text_of(self.world_)])

    def test_what_is_refused(self):
        self.server.typescript("try { await callMCPTool('kid', 'echo', {text: 'x'}) } catch {}", allowedTools=[])
        refused = self.line("refusal")
        self.assertTrue(refused["error"].startswith("not_allowed: "), refused)
        self.assertEqual(refused["runId"], self.line("run")["runId"])
        self.assertEqual(self.line("run")["allowedTools"], [])
        self.assertTrue(self.server.typescript("return 1", allowedTools=["", "hunter2"]).is_error)
        self.assertEqual(self.line("refusal", error="invalid_argument")["codeHash"], sha256("return 1"))
        self.assertTrue(self.server.typescript("eval('hunter2')").is_error)
        self.assertEqual(self.line("refusal", error="dangerous_code at line 1")["codeHash"], sha256("eval('hunter2')"))
        self.assertNotIn("hunter2", text_of(self.world_))

    def test_a_run_that_takes_too_long(self):
        self.server.typescript("await new Promise(() => setTimeout(() => {}, 60_000))", timeoutMs=1000)
        self.line("run", state="timeout", success=False)

    def test_a_connection_is_tied_to_its_run(self):
        world = self.world()
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowNetwork": ["nowhere.example.com"]}}, file)
        code = "try { await fetch('http://nowhere.example.com/') } catch {}"
        self.succeed(self.start(world=world).typescript(code, permissions={"net": ["nowhere.example.com"]}))
        connection = wait_for_line(world, lambda line: line["event"] == "connection", "the connection")
        self.assertEqual(connection["host"], "nowhere.example.com:80")
        self.assertIn(connection["state"], ("allowed", "refused"))  # whether it can be looked up is not ours to say
        self.assertEqual(connection["runId"], wait_for_line(world, lambda line: line["event"] == "run", "the run")["runId"])

    def test_its_end_is_written(self):
        for _ in range(3):
            self.succeed(self.server.typescript("await callMCPTool('kid', 'echo', {text: 'x'})"))
        self.assertEqual(self.server.end("eof")[0], 0)
        events = [line["event"] for line in lines_of(self.world_)]
        self.assertEqual((events.count("run"), events.count("tool_call")), (3, 3))
        self.assertEqual(lines_of(self.world_)[-1].get("state"), "idle")
        self.assertEqual(verify(self.world_)[0], 0)

    def test_health_tells_of_it(self):
        self.succeed(self.server.typescript("return 1"))
        self.line("run")
        told = self.server.tool("health").structured["auditLog"]
        self.assertEqual((told["enabled"], told["path"], told["lost"]), (True, folder_of(self.world_), 0))

    def test_a_trace_goes_on_in_the_calls(self):
        journal = self.journal()
        world = self.world(project={"kid": child(journal=journal)})
        server = self.start(world=world)
        code = "await callMCPTool('kid', 'echo', {text: '1'}); await callMCPTool('kid', 'echo', {text: '2'})"
        trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        meta = {"traceparent": f"00-{trace}-00f067aa0ba902b7-01", "tracestate": "a=1", "baggage": "b=2"}
        self.succeed(server.tool("run-typescript-code", {"code": code}, meta=meta))
        calls = [event["meta"] for event in journal.events() if event["event"] == "call"]
        self.assertEqual([(c["traceparent"][:36], c["tracestate"], c["baggage"]) for c in calls], [(f"00-{trace}-", "a=1", "b=2")] * 2)
        self.assertEqual(len({c["traceparent"] for c in calls}), 2)
        self.assertEqual(wait_for_line(world, lambda line: line["event"] == "run", "the run")["traceId"], trace)
        self.succeed(server.typescript(code))
        again = [event["meta"] for event in journal.events() if event["event"] == "call"][2:]
        self.assertEqual(len({c["traceparent"][3:35] for c in again}), 1)
        self.assertNotEqual(again[0]["traceparent"][3:35], trace)


class Places(Case):
    def test_can_be_switched_off(self):
        world = self.world()
        server = self.start(world=world, env={"ENABLE_AUDIT_LOG": "false"})
        self.succeed(server.typescript("return 1"))
        self.assertIs(server.tool("health").structured["auditLog"]["enabled"], False)
        server.end("eof")
        self.assertFalse(os.path.exists(folder_of(world)))

    def test_can_be_a_file_or_another_folder(self):
        world = self.world()
        for path, written in (("x/one.jsonl", "x/one.jsonl"), ("y", "y/audit-*.jsonl")):
            where = os.path.join(world.root, path)
            server = self.start(world=world, env={"AUDIT_LOG_PATH": where})
            self.succeed(server.typescript("return 1"))
            server.end("eof")
            ended = audit(world, "tail", "--json", env={"AUDIT_LOG_PATH": where})
            self.assertEqual(json.loads(ended.stdout.split("\n")[0])["event"], "run_begun", written)

    def test_two_servers_share_one_folder(self):
        world = self.world()
        servers = [self.start(world=world) for _ in range(2)]
        for _ in range(5):
            for server in servers:
                self.succeed(server.typescript("return 1"))
        for server in servers:
            server.end("eof")
        lines = lines_of(world)
        self.assertEqual(len({line["runId"] for line in lines}), 10)
        self.assertEqual(len({line["runId"].split("-")[0] for line in lines}), 2)
        self.assertEqual(verify(world)[0], 0)

    def test_a_folder_that_can_not_be_written_stops_nobody(self):
        world = self.world()
        path = os.path.join(world.root, "in-the-way")
        with open(path, "w", encoding="utf-8"):
            pass
        server = self.start(world=world, env={"AUDIT_LOG_PATH": path + "/logs"})
        self.succeed(server.typescript("return 1"))
        self.wait_until(lambda: server.tool("health").structured["auditLog"]["lost"] > 0, "the loss to be told")
        self.assertIn("in-the-way", server.tool("health").structured["auditLog"]["lastError"])
        os.remove(path)
        self.succeed(server.typescript("return 2"))
        self.wait_until(lambda: server.tool("health").structured["auditLog"].get("written", 0) > 1, "the record to go on")
        with open(next(iter(self.files(path + "/logs"))), encoding="utf-8") as file:
            first = json.loads(file.readline())
        self.assertEqual((first["event"], first["success"]), ("lost", False))

    @staticmethod
    def files(folder):
        return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".jsonl")]


class Kept(Case):
    """A record in a folder that a program may write is not the program's to write."""

    def test_the_record_in_a_granted_folder(self):
        for name in ("logs", "audit.log"):
            with self.subTest(name):
                world = self.world()
                place = os.path.join(world.cwd, name)
                os.chmod(world.root, 0o755) # guests of root are the user nobody
                os.chmod(world.cwd, 0o777)
                with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
                    json.dump({"security": {"allowWrite": [world.cwd]}, "audit": {"path": place}}, file)
                server = self.start(world=world)
                self.succeed(server.python("1"))
                self.wait_until(lambda: os.path.exists(place), "the record")
                moved = TRY_RENAME.format(place, place + "2")
                self.assertRegex(self.succeed(server.python(moved, permissions={"write": [world.cwd]})).result, "Read-only|busy")
                self.assertTrue(os.path.exists(place))


class Crashes(Case):
    def test_a_full_disk_loses_lines_and_says_so(self):
        world = self.world()
        limited = f"import resource, os, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); " \
                  f"resource.setrlimit(resource.RLIMIT_FSIZE, ({4096}, {resource.RLIM_INFINITY})); os.execv({binary()!r}, [{binary()!r}])"
        server = self.start(world=world, argv=["python3", "-c", limited])
        for _ in range(12):
            server.typescript("return 1", timeoutMs=10_000)
        self.wait_until(lambda: server.tool("health").structured["auditLog"]["lost"] > 0, "the loss to be told")
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        server.typescript("return 1")
        lost = wait_for_line(world, lambda line: line["event"] == "lost", "the line that tells of the loss")
        self.assertRegex(lost["state"], r"^\d+ events$")
        server.end("eof")
        code, found = verify(world)
        self.assertEqual((code, found["problems"], found["notes"]), (0, [], []))

    def test_after_sigkill_the_chain_is_whole(self):
        world = self.world(project={"kid": child()})
        seed = random.randrange(1 << 30)
        chance = random.Random(seed)
        seen = set()
        with self.subTest(seed=seed):
            for _ in range(KILLS):
                server = self.start(world=world)
                for _ in range(3):
                    server.ask_tool("run-typescript-code", {"code": "for (;;) await callMCPTool('kid', 'echo', {text: 'x'})", "timeoutMs": 5000})
                wait_for_line(world, lambda line: line["event"] == "tool_call" and line["runId"] not in seen, "a call of this server")
                seen.update(line["runId"] for line in lines_of(world) if "runId" in line)
                time.sleep(chance.uniform(0, 0.5))
                server.end(signal.SIGKILL)
                code, found = verify(world)
                self.assertEqual(code, 0, found["problems"])
            server = self.start(world=world)
            self.succeed(server.typescript("return 1"))
            wait_for_line(world, lambda line: line["event"] == "run" and line["success"], "the run after it")
            code, found = verify(world)
            self.assertEqual(code, 0, found["problems"])
            self.assertGreater(found["lines"], KILLS)


class Killed(Case):
    def test_what_had_begun_is_on_record(self):
        world = self.world(project={"kid": child()})
        server = self.start(world=world)
        code = "await callMCPTool('kid', 'sleep', {ms: 20000})"
        server.ask_tool("run-typescript-code", {"code": code, "timeoutMs": 30000})
        call = wait_for_line(world, lambda line: line["event"] == "call_open", "a line of the open call")
        server.end(signal.SIGKILL)
        self.assertEqual((call["server"], call["tool"]), ("kid", "sleep"))
        self.assertEqual(call["argsHash"], sha256('{"ms":20000}'))
        self.assertNotIn("success", call)
        lines = [line for line in lines_of(world) if line.get("runId") == call["runId"]]
        self.assertEqual([line["event"] for line in lines], ["run_begun", "call_open"])
        self.assertEqual((lines[0]["codeHash"], lines[0]["clientId"]), (sha256(code), "end-to-end tests#1"))
        self.assertIn("call_open", audit(world, "show", call["runId"]).stdout)
        self.assertEqual(verify(world)[0], 0)


class Commands(Case):
    def setUp(self):
        self.world_ = self.world(project={"kid": child()})
        server = self.start(world=self.world_)
        for number in range(4):
            self.succeed(server.typescript(f"await callMCPTool('kid', 'echo', {{text: '{number}'}})"))
        server.end("eof")
        self.lines = lines_of(self.world_)

    def test_tail(self):
        shown = audit(self.world_, "tail", "-n", "2").stdout.splitlines()
        self.assertEqual(len(shown), 2)
        self.assertTrue(shown[-1].startswith(self.lines[-1]["timestamp"]), shown)
        self.assertEqual([json.loads(line) for line in audit(self.world_, "tail", "--json").stdout.splitlines()], self.lines)
        self.assertEqual(audit(self.world_, "tail", "-n", "0").returncode, 2)

    def follow(self, env=None):
        command = subprocess.Popen([binary(), "audit", "tail", "-n", "1", "-f"], env=self.world_.environment(env or {}), cwd=self.world_.cwd,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(command.stderr.close)
        self.addCleanup(command.stdout.close)
        self.addCleanup(command.wait)
        self.addCleanup(command.kill)
        patience = threading.Timer(PATIENCE_SECONDS, command.kill)
        patience.start()
        self.addCleanup(patience.cancel)
        return command

    def test_tail_follows(self):
        server = self.start(world=self.world_)
        command = self.follow()
        command.stdout.readline()
        self.succeed(server.typescript("return 1"))
        self.assertIn("  run_begun  ", command.stdout.readline())
        self.assertIn("  run  ", command.stdout.readline())
        for number in (signal.SIGINT, signal.SIGTERM):
            command.send_signal(number)
            self.assertEqual(command.wait(PATIENCE_SECONDS), 0)
            self.assertEqual(command.stderr.read(), "")
            command = self.follow()
            command.stdout.readline()
        command.stdout.close()
        self.assertEqual(command.wait(PATIENCE_SECONDS), 0, "its reader has left")

    def test_tail_follows_over_a_rotation(self):
        log = f"{self.world_.root}/record.jsonl"
        shutil.copyfile(files_of(self.world_)[0], log)
        command = self.follow({"AUDIT_LOG_PATH": log})
        self.assertIn(self.lines[-1]["timestamp"], command.stdout.readline())
        time.sleep(0.5)  # it may look as it likes
        with open(log, "a", encoding="utf-8") as file:
            file.write('{"event":"second"}\n')
        os.rename(log, f"{log}.1")
        with open(log, "w", encoding="utf-8") as file:
            file.write('{"event":"third"}\n')
        self.assertIn("second", command.stdout.readline())
        self.assertIn("third", command.stdout.readline())
        os.unlink(log)
        time.sleep(0.5)
        with open(log, "w", encoding="utf-8") as file:
            file.write('{"event":"fourth"}\n')
        self.assertIn("fourth", command.stdout.readline())
        with open(log, "w", encoding="utf-8") as file:
            file.write('{"event":"5"}\n')  # the same file, emptied
        self.assertIn("5", command.stdout.readline())

    def test_show(self):
        run = next(line["runId"] for line in self.lines if line["event"] == "run")
        shown = [json.loads(line)["event"] for line in audit(self.world_, "show", run, "--json").stdout.splitlines()]
        self.assertEqual(sorted(shown), ["run", "run_begun", "tool_call"])
        self.assertIn("kid/echo", audit(self.world_, "show", run).stdout)
        nothing = audit(self.world_, "show", "000000000000-1")
        self.assertEqual((nothing.returncode, nothing.stdout), (1, ""))

    def test_verify_finds_what_was_changed(self):
        self.assertIn("whole", audit(self.world_, "verify").stdout)
        path = files_of(self.world_)[0]
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        changed = [*lines[:2], lines[2].replace('"success":true', '"success":false'), *lines[3:]]
        missing, reordered, cut = lines[:2] + lines[3:], [lines[1], lines[0], *lines[2:]], [lines[0][:50], *lines[1:]]
        for name, tampered, line in (("changed", changed, 4), ("missing", missing, 3), ("reordered", reordered, 2), ("cut", cut, 1),
                                     ("last", [*lines[:-2], ""], len(lines) - 2)):
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(tampered))
            with self.subTest(name):
                ended = audit(self.world_, "verify", folder_of(self.world_))
                self.assertEqual(ended.returncode, 1, ended.stdout)
                self.assertIn(f"{os.path.basename(path)}:{line}: ", ended.stdout)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        self.assertEqual(audit(self.world_, "verify", path).returncode, 0)
        self.assertEqual(audit(self.world_, "verify", "/no/such/place").returncode, 2)

    def test_words(self):
        self.assertEqual(audit(self.world_).returncode, 2)
        self.assertEqual(audit(self.world_, "tial").returncode, 2)
