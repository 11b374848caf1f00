"""Sessions: state that lives from run to run, one run at a time, and an honest word when it is lost."""

from support.case import Case
from support.config import child
from support.server import WITHOUT_PATTERN_CHECK

LANGUAGES = {
    "typescript": {"set": "let count = 1; function more() { return ++count }", "more": "return more()", "count": "return count",
                   "fail": "count = 10; throw new Error('mine')", "hang": "for (;;);", "slow": "await new Promise(r => setTimeout(r, 300)); count += 1; return count"},
    "python": {"set": "import math\ncount = 1\ndef more():\n    global count\n    count += 1\n    return count", "more": "more()", "count": "count",
               "fail": "count = 10\nraise ValueError('mine')", "hang": "while True: pass", "slow": "import time; time.sleep(0.3); count += 1; count"},
}


class Sessions(Case):
    @classmethod
    def setUpClass(cls):
        from support.server import Server
        cls.server = Server({})
        cls.addClassCleanup(cls.server.stop)

    def each(self):
        for language, programs in LANGUAGES.items():
            run = getattr(self.server, language)
            yield (lambda name, session, *, run=run, programs=programs, **more: run(programs[name], session=session, **more)), language

    def failed(self, answer):
        self.refuse(answer)
        return answer

    def state(self, answer):
        return answer.structured["session"]

    def test_names_and_functions_live_on(self):
        for run, language in self.each():
            self.assertEqual(self.state(self.succeed(run("set", "live")))["state"], "new")
            self.assertEqual(self.succeed(run("more", "live")).result, 2)
            again = self.succeed(run("count", "live"))
            self.assertEqual((again.result, self.state(again)), (2, {"name": "live", "state": "kept"}))

    def test_sessions_are_apart(self):
        for run, _ in self.each():
            self.succeed(run("set", "one"))
            self.refuse(run("count", "two"))

    def test_a_failed_run_keeps_what_it_did(self):
        for run, _ in self.each():
            self.succeed(run("set", "failing"))
            self.assertEqual(self.state(self.failed(run("fail", "failing")))["state"], "kept")
            self.assertEqual(self.succeed(run("count", "failing")).result, 10)

    def test_a_reset_forgets(self):
        for run, _ in self.each():
            self.succeed(run("set", "reset"))
            answer = self.failed(run("count", "reset", resetSession=True))
            self.assertEqual(self.state(answer), {"name": "reset", "state": "new", "reason": "it was reset"})

    def test_a_timeout_loses_it_and_says_so(self):
        for run, _ in self.each():
            self.succeed(run("set", "lost"))
            lost = self.state(run("hang", "lost", timeoutMs=1000))
            self.assertEqual(lost["state"], "lost")
            self.assertIn("timed out", lost["reason"])
            fresh = self.state(self.failed(run("count", "lost")))
            self.assertEqual(fresh["state"], "new")
            self.assertIn("timed out", fresh["reason"])

    def test_two_runs_queue(self):
        server = self.start({})
        for language, programs in LANGUAGES.items():
            tool = f"run-{language}-code"
            self.succeed(server.tool(tool, {"code": programs["set"], "session": "queue"}))
            asked = [server.ask_tool(tool, {"code": programs["slow"], "session": "queue"}) for _ in range(3)]
            results = [server.tool_answer(tool, request, 0).result for request in asked]
            self.assertEqual(results, [2, 3, 4])

    def test_output_belongs_to_its_run(self):
        self.assertEqual(self.succeed(self.server.python("print('a')", session="out")).structured["output"], "a\n")
        self.assertEqual(self.succeed(self.server.python("print('b')", session="out")).structured["output"], "b\n")

    def test_permissions_hold_for_its_whole_life(self):
        self.succeed(self.server.typescript("return 1", session="fixed"))
        self.refuse(self.server.typescript("return 1", session="fixed", permissions={"net": ["example.com"]}), "resetSession")

    def test_health_lists_them(self):
        self.succeed(self.server.python("1", session="listed"))
        listed = [s["name"] for s in self.server.tool("health").structured["sessions"]]
        self.assertIn("listed", listed)

    def test_names_are_checked(self):
        self.refuse(self.server.python("1", session="with space"), "session")
        self.refuse(self.server.python("1", resetSession=True), "resetSession")


class GuestsThatDie(Case):
    """Whenever the process of a session ends, the next run is answered, and the session is not busy for ever."""

    DYING = {"typescript": "setTimeout(() => Deno.exit(3), %d); return 1",
             "python": "import os, threading, time\nthreading.Thread(target=lambda: (time.sleep(%d / 1000), os._exit(3)), daemon=True).start()\n1"}
    NEXT = {"typescript": "return 2", "python": "2"}

    def test_at_any_time(self):
        server = self.start({}, env=WITHOUT_PATTERN_CHECK)
        for language, dying in self.DYING.items():
            run = getattr(server, language)
            for delay in (*range(0, 30, 2), 50):
                run(dying % delay, session=language)
                after = run(self.NEXT[language], session=language)
                self.assertIn(after.structured["session"]["state"], ("kept", "new", "lost"))
                self.assertNotIn("ended unexpectedly", after.text)
            self.wait_until(lambda run=run, language=language: run(self.NEXT[language], session=language).is_error is False, "a run that succeeds")


class GuestsThatEndThemselves(Case):
    """A run is never called done because another has ended the process that it was meant for."""

    EXITS = ("Deno.exit(0)", "Deno.exit(3)", "const p = await import('node:process'); p.default.exit(4)")
    #: Ends the process during the next program.
    LEAVING = ("import os, threading\nbegun = threading.Event()\n"
               "threading.Thread(target=lambda: (begun.wait(), os._exit(%d)), daemon=True).start()\n1")

    def setUp(self):
        self.server = self.start({}, env=WITHOUT_PATTERN_CHECK)

    def test_the_next_run_has_a_guest_of_its_own(self):
        tool = "run-typescript-code"
        for number, code in enumerate(self.EXITS):
            with self.subTest(code):
                first, second = [self.server.ask_tool(tool, {"code": text, "session": f"exit{number}"})
                                 for text in (code, "console.log('RAN'); return 7")]
                self.assertEqual(self.server.tool_answer(tool, first, 0).structured["session"]["state"], "lost")
                ran = self.succeed(self.server.tool_answer(tool, second, 0))
                self.assertEqual((ran.result, ran.structured["output"]), (7, "RAN\n"))
                self.assertEqual(ran.structured["session"]["state"], "new")
                self.assertIn("the run before ended it", ran.structured["session"]["reason"])

    def test_a_call_that_a_failed_program_has_left_fails_no_later_one(self):
        server = self.start({"kid": child()})
        programs = (
            (server.typescript, "globalThis.q = (async () => { await callMCPTool('kid', 'hang') })(); throw new Error('own')", "return 'two'"),
            (server.python, "import asyncio\nq = asyncio.create_task(asyncio.to_thread(call_mcp_tool, 'mcp__kid__hang', {}))\n"
             "await asyncio.sleep(0.3)\nraise ValueError('own')", "'two'"))
        for run, fails, follows in programs:
            self.refuse(run(fails, session="left-call"), "own")
            self.assertEqual(self.succeed(run(follows, session="left-call")).result, "two")

    def test_what_was_left_over_is_no_success_of_the_next(self):
        for code in (0, 3):
            session = f"left{code}"
            self.succeed(self.server.python(self.LEAVING % code, session=session))
            answer = self.server.python("import time\nbegun.set()\ntime.sleep(20)", session=session)
            self.refuse(answer, "left over")
            self.assertEqual(answer.structured["session"]["state"], "lost")
            self.assertEqual(self.succeed(self.server.python("7", session=session)).result, 7)

    def test_what_was_being_sent_is_not_lost_without_a_word(self):
        code = "import os, posix\nposix.write(3, (1000000).to_bytes(4, 'big') + b'{' * 1000)\nos._exit(0)"
        self.refuse(self.server.python(code), "what it was sending then")


class OpenRequests(Case):
    """What is open when a run fails is answered with an error: the session's guest lives on, and may still wait for it."""

    def test_are_answered(self):
        server = self.start({"kid": child(), "slow": child("--hang-initialize")})
        self.succeed(server.typescript("return await callMCPTool('kid', 'echo', {text: 'x'})"))
        self.refuse(server.typescript(
            "var said = Promise.all([callMCPTool('kid', 'hang'), discoverMCPTools({server: 'slow'}), getToolSchema('slow', 'x')]"
            ".map(p => p.then(() => 'answered', e => e.code))); await new Promise(r => setTimeout(r, 200)); throw new Error('mine')", session="open"), "mine")
        self.assertEqual(self.succeed(server.typescript("return await said", session="open", timeoutMs=20000)).result, ["cancelled"] * 3)
        self.refuse(server.python(
            "import threading, time\nsaid = []\n"
            "def attempt(ask):\n    try:\n        ask()\n        said.append('answered')\n    except Exception as e:\n        said.append(e.code)\n"
            "asked = [threading.Thread(target=attempt, args=(ask,), daemon=True) for ask in (\n"
            "    lambda: call_mcp_tool('mcp__kid__hang', {}), lambda: discover_mcp_tools(server='slow'), lambda: get_tool_schema('slow', 'x'))]\n"
            "[thread.start() for thread in asked]\ntime.sleep(0.2)\nraise ValueError('mine')", session="open"), "mine")
        self.assertEqual(self.succeed(server.python("[thread.join(10) for thread in asked]\nsaid", session="open", timeoutMs=20000)).result,
                         ["cancelled"] * 3)
