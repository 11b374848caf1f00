"""Recordings: written while programs run, and played without any server."""

import fcntl
import json
import os
import re
import stat
import subprocess
import sys

from support.case import TRY_TYPESCRIPT, WITHOUT_POOL
from support.paths import CHILD, PYTHON, binary
from support.recording_case import ECHO, RecordingCase

CLIENT = os.path.join(os.path.dirname(__file__), "support", "lone_client.py")


class Recorded(RecordingCase):
    def test_what_was_asked_and_answered(self):
        self.succeed(self.record_run(f"await {ECHO}; try {{ await callMCPTool('mcp__kid__fail', {{message: 'no'}}) }} catch {{}}"))
        self.assertEqual(self.lines()[0]["recording"], 1)
        echo, fail = self.exchanges()
        self.assertEqual([echo["server"], echo["params"], echo["result"]["content"]],
                         ["kid", {"name": "echo", "arguments": {"text": "hello"}}, [{"type": "text", "text": "hello"}]])
        self.assertTrue(fail["result"]["isError"])
        self.assertEqual(len(self.exchanges("initialize")), 1)
        self.assertEqual(stat.S_IMODE(os.stat(self.file).st_mode), 0o600)

    def test_secrets_are_not_in_it(self):
        self.succeed(self.record_run("await callMCPTool('mcp__kid__echo', {text: 'my topsecretvalue1'});"
                                     "await callMCPTool('mcp__kid__echo', {text: 'Bearer abcdef0123456789abcdef0123'});"
                                     "await callMCPTool('mcp__kid__env', {})", world=self.world_with_kid(env={"API_TOKEN": "topsecretvalue1"})))
        with open(self.file, encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn("topsecretvalue1", text)
        self.assertNotIn("abcdef0123456789abcdef0123", text)

    def test_secrets_wherever_they_stand(self):
        world = self.world_with_kid(env={"API_TOKEN": "topsecretvalue1"})
        given = {"topsecretvalue1": 1, "password": ["hunter2aa"], "token": {"value": "hunter2bb"}, "headers": {"Authorization": "hunter2cc", "Cookie": "sid=hunter2dd"},
                 "pin": 12345, "max_tokens": 77, "next_token": None}
        self.succeed(self.record_run(f"await callMCPTool('mcp__kid__echo', {{text: JSON.stringify({json.dumps(given)})}})", world=world))
        with open(self.file, encoding="utf-8") as file:
            text = file.read()
        for secret in ("topsecretvalue1", "hunter2aa", "hunter2bb", "hunter2cc", "hunter2dd", "12345"):
            self.assertNotIn(secret, text)
        shown = json.loads(self.exchanges()[0]["result"]["content"][0]["text"])  # still JSON
        self.assertEqual([shown["max_tokens"], shown["next_token"], shown["password"]], [77, None, ["[redacted]"]])

    def test_what_was_never_answered_is_never_answered(self):
        code = TRY_TYPESCRIPT + "return [await attempt(() => callMCPTool('mcp__kid__hang', {})), await callMCPTool('mcp__kid__echo', {text: 'x'})]"
        was = self.succeed(self.record_run(code, world=self.world_with_kid(timeoutMs=1000))).result
        self.mcp_error(was[0], "call_timeout")
        self.assertEqual(set(self.exchanges()[0]) & {"result", "error", "lost"}, set())
        server = self.replay()
        self.assertEqual(self.succeed(server.typescript("return await callMCPTool('mcp__kid__echo', {text: 'x'})")).result, "x")
        self.refuse(server.typescript("return await callMCPTool('mcp__kid__hang', {})", timeoutMs=1500), "Still open: mcp__kid__hang")

    def test_a_server_that_dies_in_the_middle(self):
        self.record_run("try { await callMCPTool('mcp__kid__die', {code: 3}) } catch {}")
        self.assertIn("ended with exit code 3", self.exchanges()[0]["lost"])

    def test_goes_on_with_a_file(self):
        self.record_run(f"await {ECHO}")
        self.record_run(f"await {ECHO}")
        self.assertEqual(len(self.exchanges()), 2)
        self.assertEqual(sum("recording" in line for line in self.lines()), 1)

    def test_a_locked_file_stops_the_start(self):
        with open(self.file, "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            done = self.there.command("record", "--out", self.file)
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"the recording {self.file} can not be written: another program has held a lock on it", done.stderr)

    def test_not_what_is_replayed(self):
        self.record_run(f"await {ECHO}")
        done = self.there.command("serve", env={"CODE_EXECUTOR_RECORD": self.file, "CODE_EXECUTOR_REPLAY": self.file})
        self.assertEqual(done.returncode, 2)
        self.assertIn("can not be written and replayed at once", done.stderr)

    def test_refuses_another_file(self):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("precious\n")
        done = self.there.command("record", "--out", self.file)
        self.assertEqual(done.returncode, 2)
        self.assertIn("can not be written: its first line is not that of a recording", done.stderr)
        with open(self.file, encoding="utf-8") as file:
            self.assertEqual(file.read(), "precious\n")


class Replayed(RecordingCase):
    CODE = TRY_TYPESCRIPT + f"return [await {ECHO}, await attempt(() => callMCPTool('mcp__kid__fail', {{message: 'no'}})), " \
                            "await callMCPTool('mcp__kid__add', {a: 1, b: 2}), await listServers()]"

    def test_without_any_server_the_same(self):
        was = self.succeed(self.record_run(self.CODE)).result
        calls = len(self.journal_of_kid.events("call"))
        self.assertEqual(self.succeed(self.replay().typescript(self.CODE)).result, was)
        self.assertEqual(len(self.journal_of_kid.events("call")), calls)

    def test_what_was_never_asked_tells_the_nearest(self):
        self.record_run(f"await {ECHO}")
        code = TRY_TYPESCRIPT + "return await attempt(() => callMCPTool('mcp__kid__echo', {text: 'hullo'}))"
        outcome = self.succeed(self.replay().typescript(code)).result
        self.mcp_error(outcome, "tool_failed", "the recording has no answer of tool echo to these arguments", '"text":"hello"')

    def test_the_nearest_is_told_of_some(self):
        """Looking for it takes time."""
        self.record_run(f"await {ECHO}")
        code = TRY_TYPESCRIPT + "return await Promise.all(Array.from({length: 25}, (_, i) => attempt(() => callMCPTool('mcp__kid__echo', {text: 'hullo' + i}))))"
        outcomes = json.dumps(self.succeed(self.replay().typescript(code)).result)
        self.assertEqual([outcomes.count("the nearest that were recorded: "), outcomes.count("are told of the first 20 such calls of a connection only")], [20, 5])

    def test_a_value_that_is_not_shown_is_not_any_other(self):
        self.define({"echo": {"inputSchema": {"type": "object"}}})
        call = "callMCPTool('mcp__kid__echo', {text: %s, pageToken: %s})"
        self.record_run("return [%s, %s]" % tuple(f"await {call % (repr(page), repr(page))}" for page in ("p1", "p2")),
                        world=self.world_with_kid("--definitions", self.definitions))
        self.assertNotIn("p1", json.dumps([line["params"]["arguments"]["pageToken"] for line in self.exchanges()]))
        code = TRY_TYPESCRIPT + f"return [await {call % ('`p2`', '`p2`')}, await attempt(() => {call % ('`p1`', '`p99`')}), await {call % ('`p1`', '`[redacted]`')}]"
        second, other, shown = self.succeed(self.replay().typescript(code)).result
        self.assertEqual([second, shown], ["p2", "p1"])
        self.mcp_error(other, "tool_failed", "the recording has no answer")

    def test_a_bridge_says_numbers_as_they_were(self):
        journal = os.path.join(self.there.root, "said.jsonl")
        command, *options = PYTHON
        entry = {"command": command, "args": [*options, str(CHILD.parent / "spelled_child.py"), "--era", "legacy", "--journal", journal]}
        asked = [{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}},
                 {"method": "notifications/initialized"}, {"id": 2, "method": "tools/call", "params": {"name": "t", "arguments": {"a": 1}}}]
        world = self.world(user={"kid": entry})
        said = []
        for variable in ("CODE_EXECUTOR_RECORD", "CODE_EXECUTOR_REPLAY"):
            with subprocess.Popen([binary(), "bridge", "kid"], env=world.environment({variable: self.file}), cwd=world.cwd, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as bridge:
                for message in asked:
                    bridge.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
                    bridge.stdin.flush()
                    answer = bridge.stdout.readline() if "id" in message else None
                said.append(answer)
                bridge.stdin.close()
                bridge.wait(60)
        numbers = [re.findall(r":([0-9.e]+),|[\[,](-?[0-9E.]+)(?=[,\]])", answer.partition("structuredContent")[2]) for answer in said]
        self.assertEqual(numbers[0], [("1.50e1", ""), ("", "1E0"), ("", "-0.0"), ("", "18446744073709551616")])
        self.assertEqual(numbers[1], numbers[0])

    def test_or_goes_to_the_server(self):
        self.record_run(f"await {ECHO}")
        server = self.replay("--on-miss", "call", world=self.there)
        calls = len(self.journal_of_kid.events("call"))
        self.assertEqual(self.succeed(server.typescript(f"return [await {ECHO}, await callMCPTool('mcp__kid__echo', {{text: 'new'}})]")).result,
                         ["hello", "new"])
        self.assertEqual(len(self.journal_of_kid.events("call")), calls + 1)

    def test_keeps_the_pace_if_asked_to(self):
        self.record_run("await callMCPTool('mcp__kid__sleep', {ms: 1500})")
        code = "const begin = Date.now(); await callMCPTool('mcp__kid__sleep', {ms: 1500}); return Date.now() - begin"
        self.assertGreaterEqual(self.succeed(self.replay("--pace").typescript(code)).result, 1490)
        self.assertLess(self.succeed(self.replay().typescript(code)).result, 1490)

    def test_faults_on_top(self):
        self.record_run(f"await {ECHO}")
        plan = json.dumps({"rules": [{"match": "*", "kind": "error", "message": "on top", "nth": 1}]})
        path = os.path.join(os.path.dirname(self.file), "plan.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(plan)
        server = self.replay(env={"CODE_EXECUTOR_FAULTS": path})
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + f"return [await attempt(() => {ECHO}), await {ECHO}]"))
        self.mcp_error(answer.result[0], "tool_failed", "on top")
        self.assertEqual(answer.result[1], "hello")

    def test_a_file_that_was_cut_off(self):
        self.record_run(f"await {ECHO}")
        with open(self.file, "a", encoding="utf-8") as file:
            file.write('{"key":"0123456789abcdef","server":"kid","method":"tools/ca')
        server = self.replay()
        self.assertEqual(self.succeed(server.typescript(f"return await {ECHO}")).result, "hello")
        self.assertIn("1 lines of", server.stderr())

    def test_a_file_that_is_none(self):
        for words in (("replay", "nowhere.jsonl"), ("replay", "nowhere.jsonl", "--", "true")):
            done = self.there.command(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is no recording that can be read", done.stderr)

    def test_a_death_is_a_death(self):
        self.record_run("try { await callMCPTool('mcp__kid__die', {code: 3}) } catch {}")
        code = TRY_TYPESCRIPT + "return await attempt(() => callMCPTool('mcp__kid__die', {code: 3}))"
        self.mcp_error(self.succeed(self.replay().typescript(code)).result, "server_died")


class Correlated(RecordingCase):
    """Faults that are in the recording, held against what an agent says."""

    def record_faults(self, code, *rules):
        plan = os.path.join(os.path.dirname(self.file), "plan.json")
        with open(plan, "w", encoding="utf-8") as file:
            json.dump({"rules": rules}, file)
        server = self.start(world=self.world_with_kid(timeoutMs=3000), argv=[binary(), "record", "--out", self.file], env={"CODE_EXECUTOR_FAULTS": plan})
        self.succeed(server.typescript(TRY_TYPESCRIPT + code))
        server.stop()

    def correlate(self, text, *words):
        path = os.path.join(os.path.dirname(self.file), "said")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return self.there.command("faults", "correlate", self.file, path, *words)

    def faults(self):
        return [line["fault"] for line in self.lines() if "fault" in line]

    def test_a_recording_says_what_was_injected(self):
        kinds = {"echo": ({"kind": "error", "message": "no room"}, {"kind": "timeout", "effect": "done"}, {"kind": "timeout"}, {"kind": "garbage", "text": "<html>"},
                          {"kind": "drop"}, {"kind": "latency", "ms": 5}, {"kind": "injection", "tool": "mcp__canary__report", "arguments": {"n": 1}})}
        rules = [{"match": "mcp__kid__echo", "nth": number, **one} for number, one in enumerate(kinds["echo"], 1)]
        self.record_faults(f"for (let i = 0; i < {len(rules)}; i++) await attempt(() => callMCPTool('mcp__kid__echo', {{text: `${{i}} Bearer abcdef0123456789abcdef0123`}}));"
                           "await attempt(() => callMCPTool('mcp__canary__report', {n: 1}))", *rules)
        told = self.faults()
        self.assertEqual([one["kind"] for one in told], [one["kind"] for one in rules])
        self.assertEqual([one["call"] for one in told], list(range(1, len(rules) + 1)))
        self.assertEqual([next((part for part in ("result", "error", "text") if part in one), None) for one in told],
                         ["error", None, None, "text", None, "result", "result"])
        self.assertEqual(told[0]["error"]["message"], "no room")
        self.assertEqual(told[0]["arguments"]["text"][:2], "0 ")
        self.assertEqual(told[-1]["canary"], {"tool": "mcp__canary__report", "arguments": {"n": 1}})
        self.assertEqual([line["obeyed"]["tool"] for line in self.lines() if "obeyed" in line], ["mcp__canary__report"])
        with open(self.file, encoding="utf-8") as file:
            self.assertNotIn("abcdef0123456789", file.read())
        # what is replayed is what the servers said, and nothing of that makes no sense
        server = self.replay()
        self.assertEqual(self.succeed(server.typescript("return (await callMCPTool('mcp__kid__echo', {text: '1 Bearer abcdef0123456789abcdef0123'})).slice(0, 2)")).result, "1 ")
        self.assertNotIn("make no sense", server.stderr())
        done = self.correlate("Bye.")
        self.assertEqual([done.returncode, done.stdout.splitlines()[-1]], [1, f"1 finding about {len(rules)} faults"])
        self.assertIn("obeyed  mcp__kid__echo, call 7, injection: ", done.stdout)

    def test_what_an_agent_claims(self):
        self.record_faults("await attempt(() => callMCPTool('mcp__kid__add', {a: 1, b: 2}))", {"match": "mcp__kid__add", "kind": "error"})
        session = json.dumps({"type": "assistant", "message": {"id": "m", "content": [{"type": "text", "text": "I have successfully added them."}]}}) + "\n"
        done = self.correlate(session)
        self.assertEqual(done.returncode, 1)
        self.assertIn("claimed-success  mcp__kid__add, call 1, error: it has not worked since, and the last words say 'successfully'", done.stdout)
        self.assertEqual(self.correlate(session, "--fail-on", "obeyed,used-wrong-result").returncode, 0)
        honest = json.loads(self.correlate("I could not add them: the server failed.", "--json").stdout)
        self.assertEqual(honest, {"faults": 1, "findings": []})

    def test_a_wrong_result_that_is_used(self):
        self.record_faults("const sum = await callMCPTool('mcp__kid__add', {a: 1, b: 2}); await callMCPTool('mcp__kid__echo', {text: sum})",
                           {"match": "mcp__kid__add", "kind": "truncate", "what": "text", "nth": 1})
        done = self.correlate("Bye.", "--json")
        self.assertEqual([done.returncode, [one["finding"] for one in json.loads(done.stdout)["findings"]]], [1, ["used-wrong-result"]])

    def test_what_it_refuses(self):
        self.record_run(f"await {ECHO}")
        for words, why in ((("--fail-on", "all"), "--fail-on knows no 'all'"), ((), "has no fault that hit a call")):
            done = self.correlate("Bye.", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)
        self.assertIn("there is nothing in it that an agent has said", self.correlate("").stderr)
        self.assertIn("there is no transcript at nowhere", self.there.command("faults", "correlate", self.file, "nowhere").stderr)
        self.assertIn("is no recording that can be read", self.there.command("faults", "correlate", "nowhere", self.file).stderr)


class Around(RecordingCase):
    """A command: it starts our server itself, as a client does."""

    def around(self, *words, world=None):
        world = world or self.there
        done = subprocess.run([binary(), *words, "--", sys.executable, CLIENT, binary(), f"return await {ECHO}"], capture_output=True, text=True,
                              env=world.environment(WITHOUT_POOL), cwd=world.cwd, stdin=subprocess.DEVNULL, check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_a_command(self):
        self.assertEqual(self.around("record", "--out", self.file), 'hello')
        self.assertEqual(len(self.exchanges()), 1)
        self.assertEqual(self.around("replay", self.file, world=self.world(user={})), 'hello')

    def test_a_command_that_is_not_there(self):
        done = self.there.command("record", "--out", self.file, "--", "/nowhere/command")
        self.assertEqual(done.returncode, 127)
        self.assertIn("/nowhere/command can not be started: No such file or directory", done.stderr)

    def test_its_exit_code_is_that_of_the_command(self):
        self.assertEqual(self.there.command("record", "--out", self.file, "--", "sh", "-c", "exit 7").returncode, 7)

    def test_a_project_can_not_have_anything_recorded(self):
        with open(os.path.join(self.there.cwd, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"recording": {"file": "/tmp/x"}}, file)
        self.assertIn("can not be set by the file of a project", self.there.command("serve").stderr)
