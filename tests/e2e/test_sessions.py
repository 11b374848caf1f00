"""Sessions: state that lives from run to run, one run at a time, and an honest word when it is lost."""

from support.case import Case

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
