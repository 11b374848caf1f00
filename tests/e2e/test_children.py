"""Children that misbehave: their callers get a clear error, nobody else notices, and they get another chance."""

import json
import os
import signal
import time

from support import processes
from support.case import TRY_TYPESCRIPT, Case, SharedServerCase
from support.config import child
from support.paths import PYTHON, SLOWNESS

MEBIBYTE = 1 << 20

# What a caller may wait for an error that needs no waiting.
AT_ONCE_SECONDS = 2 * SLOWNESS


class Breaking(SharedServerCase):
    """A child breaks in the middle of a call."""

    @classmethod
    def servers(cls):
        return {name: child() for name in ("kid", "dies", "exits", "broken", "binary", "huge", "empty")}

    def assert_breaks(self, server, tool, arguments, codes, *words):
        """The caller gets an error that names the server, a call to another child goes on, and the next one works."""
        answer = self.succeed(self.typescript(TRY_TYPESCRIPT + f"""
            await patiently(() => callMCPTool('{server}', 'echo', {{text: 'warm up'}}));
            const other = callMCPTool('kid', 'sleep', {{ms: 500}});
            const started = Date.now();
            const broken = await attempt(() => callMCPTool('{server}', '{tool}', {arguments}));
            const took = Date.now() - started;
            return {{broken, took, other: await other,
                     again: await patiently(() => callMCPTool('{server}', 'echo', {{text: 'back'}}))}}"""))
        error = self.mcp_error(answer.result["broken"], codes, server, *words)
        self.assertEqual((error["server"], error["tool"]), (server, tool))
        self.assertEqual(answer.result["other"], "slept 500 ms")
        self.assertEqual(answer.result["again"], "back")
        self.assertEqual(answer.summary[f"mcp__{server}__{tool}"]["errorCount"], 1)
        return answer.result["took"] / 1000

    def test_death_with_an_exit_code(self):
        self.assertLess(self.assert_breaks("dies", "die", "{code: 42}", "server_died", "42"), AT_ONCE_SECONDS)

    def test_death_quotes_the_last_words(self):
        self.assert_breaks("exits", "die", "{code: 0}", "server_died", "dying on request")

    def test_broken_json(self):
        self.assertLess(self.assert_breaks("broken", "broken_json", "{}", "protocol_violation"), AT_ONCE_SECONDS)

    def test_invalid_utf8(self):
        self.assertLess(self.assert_breaks("binary", "invalid_utf8", "{}", "protocol_violation"), AT_ONCE_SECONDS)

    def test_line_of_65_mebibytes(self):
        self.assert_breaks("huge", "huge_line", f"{{bytes: {65 * MEBIBYTE}}}", ("protocol_violation", "limit_exceeded"))

    def test_answer_without_result(self):
        self.assert_breaks("empty", "no_result", "{}", "protocol_violation")


class Tolerated(SharedServerCase):
    """What a child does wrong without harm."""

    @classmethod
    def servers(cls):
        return {name: child() for name in ("kid", "leaves")}

    def test_text_before_an_answer(self):
        answer = self.succeed(self.typescript("return await callMCPTool('kid', 'garbage_then_answer')"))
        self.assertEqual(answer.result, "answered after all")

    def test_cut_character(self):
        for answer in (self.typescript("return await callMCPTool('kid', 'cut_character')"), self.python("call_mcp_tool('kid', 'cut_character')")):
            self.assertEqual(self.succeed(answer).result, "I like \ufffd")

    def test_two_answers_to_one_call(self):
        answer = self.succeed(self.typescript(
            "return [await callMCPTool('kid', 'twice'), await callMCPTool('kid', 'echo', {text: 'next'})]"))
        self.assertEqual(answer.result, ["first answer", "next"])

    def test_a_last_answer_without_the_end_of_its_line(self):
        for answer in (self.typescript("return await callMCPTool('leaves', 'last_words')"), self.python("call_mcp_tool('leaves', 'last_words')")):
            self.assertEqual(self.succeed(answer).result, "last words")

    def raw(self, rest):
        """What becomes of an answer that is written so."""
        line = json.dumps('{"jsonrpc":"2.0",' + rest + "}")
        return self.succeed(self.typescript(TRY_TYPESCRIPT + f"return await attempt(() => callMCPTool('kid', 'raw_answer', {{line: {line}}}))"))

    def test_an_id_that_is_a_whole_number(self):
        self.assertEqual(self.raw('"id":@id.0,"result":{"content":[{"type":"text","text":"mine"}]}').result["value"], "mine")

    def test_an_error_that_is_a_text(self):
        self.assertEqual(self.raw('"id":@id,"error":"out of paper"').result["error"]["message"], "out of paper")

    def test_an_error_that_says_so_in_another_way(self):
        answer = self.raw('"id":@id,"result":{"isError":"true","content":[{"type":"text","text":"bad"}],"structuredContent":{"code":42}}')
        self.mcp_error(answer.result, "tool_failed", "bad\n{\"code\":42}", '"isError" is "true"')

    def test_an_image_beside_what_is_structured_is_told(self):
        answer = self.raw('"id":@id,"result":{"structuredContent":{"n":1},"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}')
        self.assertEqual(answer.result["value"], {"n": 1})
        self.assertIn("Warning: tool mcp__kid__raw_answer sent 1 block that is no text beside its structuredContent", answer.text)

    def test_stderr_flood(self):
        answer = self.succeed(self.typescript(f"return await callMCPTool('kid', 'stderr_flood', {{bytes: {MEBIBYTE}}})"))
        self.assertEqual(answer.result, "flooded")

    def test_stderr_flood_does_not_fill_the_log(self):
        server = self.start({"kid": child()})
        self.succeed(server.typescript(f"return await callMCPTool('kid', 'stderr_flood', {{bytes: {MEBIBYTE}}})"))
        self.wait_until(lambda: "more of it is not shown for a minute" in server.stderr(), "the end of what is shown")
        self.assertLess(len(server.stderr()), MEBIBYTE // 4)

    def test_large_answer(self):
        answer = self.succeed(self.typescript(
            f"return (await callMCPTool('kid', 'big', {{bytes: {10 * MEBIBYTE}}})).length"))
        self.assertEqual(answer.result, 10 * MEBIBYTE)

    def test_large_question(self):
        answer = self.succeed(self.python(
            f"len(call_mcp_tool('kid', 'echo', {{'text': 'x' * {5 * MEBIBYTE}}}))"))
        self.assertEqual(answer.result, 5 * MEBIBYTE)


class Silent(SharedServerCase):
    """A child that does not answer costs its caller the run's time, and nobody else anything."""

    def assert_times_out(self, tool):
        started = time.monotonic()
        answer = self.typescript(f"console.log('asking'); await callMCPTool('kid', '{tool}')", timeoutMs=1500)
        self.refuse(answer)
        self.assertLess(time.monotonic() - started, 1.5 + AT_ONCE_SECONDS)
        self.assertIn("asking", answer.output)
        self.assertEqual(answer.summary[f"mcp__kid__{tool}"]["errorCount"], 1)
        self.assertEqual(self.succeed(self.typescript("return await callMCPTool('kid', 'echo', {text: 'fine'})")).result,
                         "fine")

    def test_no_answer(self):
        self.assert_times_out("hang")

    def test_answer_to_another_question(self):
        self.assert_times_out("wrong_id")


class Starting(Case):
    """A child that cannot be started."""

    def failure(self, entry, codes, *words, timeout_ms=20_000):
        server = self.start(world=self.world(user={"kid": child(), "bad": entry}))
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + """
            const [bad, kid] = await Promise.all([attempt(() => callMCPTool('bad', 'echo', {text: 'x'})),
                                                  attempt(() => callMCPTool('kid', 'echo', {text: 'fine'}))]);
            return {bad, kid}""", timeoutMs=timeout_ms))
        self.assertEqual(answer.result["kid"], {"value": "fine"})
        error = self.mcp_error(answer.result["bad"], codes, "bad", *words)
        self.assertEqual(error["server"], "bad")
        return server, answer.seconds

    def test_its_secrets_are_not_told(self):
        """What it says of its end becomes part of errors, of answers to searches, and of the log."""
        server, _ = self.failure(child("--refuse", env={"TEST_CHILD_TOKEN": "hunter2-4711"}), "server_start_failed", "TEST_CHILD_TOKEN is ***")
        server.typescript("return await searchTools('bad')")
        self.assertNotIn("hunter2-4711", server.stderr() + server.tool("list_servers").text)

    def test_no_such_command(self):
        _, seconds = self.failure({"command": "no-such-command-4711"}, "server_start_failed", "no-such-command-4711")
        self.assertLess(seconds, AT_ONCE_SECONDS)

    def test_command_that_is_no_program(self):
        self.failure({"command": "/etc"}, "server_start_failed", "/etc")

    def test_folder_that_is_not_there(self):
        self.failure(child(cwd="/no/such/folder"), "server_start_failed", "/no/such/folder")

    def test_refusal_is_quoted(self):
        _, seconds = self.failure(child("--refuse"), "server_start_failed", "TEST_CHILD_TOKEN is not set", "3")
        self.assertLess(seconds, AT_ONCE_SECONDS)

    def test_initialize_error_is_quoted(self):
        self.failure(child("--initialize-error"), "server_start_failed", "licence of this server has expired")

    def test_text_instead_of_a_handshake_is_quoted(self):
        self.failure(child("--garbage-start"), ("server_start_failed", "protocol_violation"), "Welcome")

    def test_revision_nobody_knows(self):
        self.failure(child("--protocol", "1999-01-01"), ("server_start_failed", "protocol_violation"), "1999-01-01")

    def test_program_that_is_no_server(self):
        self.failure({"command": PYTHON[0], "args": ["-c", "print('hello')"]}, "server_start_failed")

    def test_handshake_that_never_ends_costs_only_its_caller(self):
        server = self.start({"kid": child(), "bad": child("--hang-initialize")})
        self.refuse(server.typescript("await callMCPTool('bad', 'echo', {text: 'x'})", timeoutMs=1000))
        answer = self.succeed(server.typescript("return await callMCPTool('kid', 'echo', {text: 'fine'})"))
        self.assertEqual(answer.result, "fine")

    def test_tool_list_without_end(self):
        server = self.start({"kid": child(), "bad": child("--repeat-cursor")})
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + """
            return await attempt(() => callMCPTool('bad', 'echo', {text: 'x'}))"""))
        if "error" in answer.result:  # Living with the first page is as good.
            self.mcp_error(answer.result, ("server_start_failed", "protocol_violation"), "bad")
        self.assertLess(answer.seconds, 10 * SLOWNESS)

    def test_slow_start_is_waited_for(self):
        server = self.start({"late": child("--start-delay-ms", "1000")})
        answer = self.succeed(server.typescript("return await callMCPTool('late', 'echo', {text: 'at last'})"))
        self.assertEqual(answer.result, "at last")

    def test_banner_before_the_handshake_is_tolerated(self):
        server = self.start({"npx": child("--banner", "--noisy")})
        answer = self.succeed(server.typescript("return await callMCPTool('npx', 'echo', {text: 'hello'})"))
        self.assertEqual(answer.result, "hello")

    def test_older_revisions(self):
        for revision in ("2024-11-05", "2025-03-26", "2025-06-18"):
            with self.subTest(revision):
                server = self.start({"old": child("--protocol", revision)})
                answer = self.succeed(server.typescript("return await callMCPTool('old', 'add', {a: 1, b: 2})"))
                self.assertEqual(answer.result, {"sum": 3})


class BackOff(Case):
    def test_calls_inside_it_fail_at_once_and_say_when_to_come_again(self):
        journal = self.journal()
        server = self.start({"bad": child("--refuse", journal=journal)})
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + """
            const first = await attempt(() => callMCPTool('bad', 'echo', {text: 'x'}));
            const second = await attempt(() => callMCPTool('bad', 'echo', {text: 'x'}));
            return {first, second}"""))
        self.mcp_error(answer.result["first"], "server_start_failed", "bad")
        error = self.mcp_error(answer.result["second"], "server_unavailable", "bad")
        self.assertGreater(error["retryAfterMs"], 0)
        self.assertLessEqual(error["retryAfterMs"], 30_000)
        self.assertIn(len(journal.events("started")), (1, 2))  # the first time it may have ended for being asked for its revisions

    def test_grows(self):
        journal = self.journal()
        server = self.start({"bad": child("--refuse", journal=journal)})
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + """
            const waits = [];
            while (waits.length < 4) {
              const {error} = await attempt(() => callMCPTool('bad', 'echo', {text: 'x'}));
              if (error.code === 'server_unavailable') {
                waits.push(error.retryAfterMs);
                await new Promise(done => setTimeout(done, error.retryAfterMs));
              }
            }
            return waits"""))
        self.assertGreater(answer.result[3], answer.result[0] * 2)
        self.assertLessEqual(len(journal.events("started")), 6)

    def test_a_child_that_recovers_is_used_again(self):
        journal = self.journal()
        server = self.start({"flaky": child("--refuse-times", "2", journal=journal)})
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + """
            for (;;) {
              const {value, error} = await attempt(() => patiently(() => callMCPTool('flaky', 'echo', {text: 'up'})));
              if (value) return value;
              if (error.code !== 'server_start_failed') throw new Error(error.message);
            }"""))
        self.assertEqual(answer.result, "up")
        self.assertEqual(len(journal.events("started")), 3)

    def test_a_child_killed_from_outside_comes_back(self):
        journal = self.journal()
        server = self.start({"kid": child("--grandchild", journal=journal)}, env={"CONNECTED_SERVERS": "kid"})
        journal.wait("tools_list")
        grandchild = processes.find(journal.events("grandchild")[0]["grandchild"])
        os.kill(journal.events("started")[0]["pid"], signal.SIGKILL)
        self.wait_until(lambda: not processes.alive([grandchild]), "the end of the grandchild")
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + """
            for (;;) {
              const {value, error} = await attempt(() => patiently(() => callMCPTool('kid', 'echo', {text: 'back'})));
              if (value) return value;
              if (error.code !== 'server_died') throw new Error(error.message);
            }"""))
        self.assertEqual(answer.result, "back")
        self.assertEqual(len(journal.events("started")), 2)


class ManyCalls(Case):
    def test_in_flight_on_one_pipe_overtake_each_other(self):
        journal = self.journal()
        server = self.start({"kid": child(journal=journal)})
        answer = self.succeed(server.typescript("""
            const finished = [];
            const started = Date.now();
            await Promise.all([800, 600, 400, 200].map(async ms => {
              await callMCPTool('kid', 'sleep', {ms});
              finished.push(ms);
            }));
            return {finished, took: Date.now() - started}"""))
        self.assertEqual(answer.result["finished"], [200, 400, 600, 800])
        self.assertLess(answer.result["took"], 1600)
        self.assertEqual(len(journal.events("started")), 1)

    def test_five_hundred_answers_find_their_questions(self):
        server = self.start({"kid": child()})
        answer = self.succeed(server.typescript("""
            const texts = Array.from({length: 500}, (_, i) => 'number ' + i);
            const answers = await Promise.all(texts.map(text => callMCPTool('kid', 'echo', {text})));
            return answers.every((answer, i) => answer === texts[i])"""))
        self.assertIs(answer.result, True)
        self.assertEqual(answer.summary["mcp__kid__echo"]["successCount"], 500)

    def test_death_fails_all_of_them(self):
        server = self.start({"kid": child()})
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + """
            const calls = [1, 2, 3].map(() => attempt(() => callMCPTool('kid', 'hang')));
            await callMCPTool('kid', 'sleep', {ms: 50});
            calls.push(attempt(() => callMCPTool('kid', 'die', {code: 1})));
            return await Promise.all(calls)"""))
        for outcome in answer.result:
            self.mcp_error(outcome, "server_died", "kid")


class ToolLists(Case):
    def test_all_pages_are_read(self):
        journal = self.journal()
        server = self.start({"kid": child("--pages", "5", "--tools", "40", journal=journal)})
        answer = self.succeed(server.typescript("return await callMCPTool('kid', 'generated-00040')"))
        self.assertEqual(answer.result, "generated-00040")
        self.assertEqual([event["cursor"] for event in journal.events("tools_list")],
                         [None, "page-1", "page-2", "page-3", "page-4"])

    def test_a_description_that_is_cut_inside_of_a_character(self):
        definitions = os.path.join(self.world().root, "definitions.json")
        with open(definitions, "w", encoding="utf-8") as file:
            json.dump({"echo": {"description": "Says it again \ud83d"}}, file) # and so does the child
        server = self.start({"kid": child("--definitions", definitions)})
        answer = self.succeed(server.typescript("return await callMCPTool('kid', 'echo', {text: 'x'})"))
        self.assertEqual(answer.result, "x")
        found = server.tool("search_tools", {"query": "echo", "server": "kid"}).text
        self.assertIn("Says it again \ufffd", found)

    def test_two_tools_of_one_name(self):
        server = self.start({"kid": child("--duplicate-tools")})
        answer = self.succeed(server.typescript("""
            const tools = await discoverMCPTools({server: 'kid', search: ['echo'], limit: 100});
            return {value: await callMCPTool('kid', 'echo', {text: 'one'}),
                    listed: tools.filter(tool => tool.name === 'mcp__kid__echo').length}"""))
        self.assertEqual(answer.result, {"value": "one", "listed": 1})

    def test_a_changed_list_is_read_again_and_not_once_per_notification(self):
        journal = self.journal()
        server = self.start({"kid": child(journal=journal)})
        self.succeed(server.typescript("await callMCPTool('kid', 'add_tool', {name: 'newcomer', notifications: 200})"))
        journal.wait("tools_list", count=2)
        answer = self.succeed(server.typescript(TRY_TYPESCRIPT + """
            for (;;) {
              const {value, error} = await attempt(() => callMCPTool('kid', 'newcomer', {text: 'hello'}));
              if (value) return value;
              if (error.code !== 'unknown_tool') throw new Error(error.message);
              await new Promise(done => setTimeout(done, 20));
            }"""))
        self.assertEqual(answer.result, "hello")
        self.assertLessEqual(len(journal.events("tools_list")), 4)

    def test_two_thousand_tools(self):
        server = self.start({"kid": child("--tools", "2000")})
        answer = self.succeed(server.typescript("return await callMCPTool('mcp__kid__generated-02000')"))
        self.assertEqual(answer.result, "generated-02000")


class Cancellation(Case):
    def test_of_a_run_that_timed_out_reaches_the_child(self):
        journal = self.journal()
        server = self.start({"kid": child(journal=journal)})
        self.refuse(server.typescript("await callMCPTool('kid', 'sleep', {ms: 60000})", timeoutMs=1000))
        call = journal.wait("call", tool="sleep")[0]
        journal.wait("cancelled", id=call["id"])

    def test_of_calls_that_a_failed_run_left_behind(self):
        journal = self.journal()
        server = self.start({"kid": child(journal=journal)})
        self.refuse(server.typescript("""
            callMCPTool('kid', 'sleep', {ms: 60000}).catch(() => {});
            await callMCPTool('kid', 'echo', {text: 'meanwhile'});
            throw new Error('enough')"""), "enough")
        call = journal.wait("call", tool="sleep")[0]
        journal.wait("cancelled", id=call["id"])
