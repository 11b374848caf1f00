"""Servers of revision 2026-07-28, over stdio and HTTP, and how it is found out which era a server is of."""

import json
import os
import time

from support.case import Case
from support.http_case import HttpCase
from support.modern_child import LEGACY_REVISIONS, modern_child, ModernChild

ECHO = "return await callMCPTool('kid', 'echo', {message: 'hi'})"


class ModernCase(HttpCase):
    def far(self, **knobs):
        child = ModernChild(**knobs)
        self.addCleanup(child.close)
        return child

    def serve_far(self, child, **files):
        return self.start({"kid": child.entry()}, **files)


class OverHttp(ModernCase):
    def test_tools_resources_and_prompts(self):
        child = self.far(page_size=3)
        server = self.serve_far(child)
        answer = self.succeed(server.typescript("""
            const [resources, prompts] = [await listMCPResources('kid'), await listMCPPrompts('kid')];
            return [await callMCPTool('kid', 'echo', {message: 'hi'}), await callMCPTool('kid', 'add_numbers', {a: 1, b: 2}),
                    await readMCPResource('kid', 'test://static-text'), await getMCPPrompt('kid', 'greet', {name: 'Ann'}),
                    resources.map(each => each.uri), prompts.map(each => each.name)]"""))
        self.assertEqual(answer.result[0], "hi")
        self.assertIn("test://static-text", answer.result[4])
        self.assertIn("greet", answer.result[5])
        self.assertEqual(child.deviations, [])
        self.assertEqual(child.messages("initialize"), [])
        self.assertEqual(len(child.messages("server/discover")), 1)

    def test_arguments_that_belong_into_headers(self):
        child = self.far(bad_headers=True)
        server = self.serve_far(child)
        told = {"region": "Grüße", "count": 3, "urgent": True, "inner": {"note": " x "}, "plain": "p"}
        self.succeed(server.typescript(f"return await callMCPTool('kid', 'headers', {json.dumps(told)})"))
        self.succeed(server.typescript("return await callMCPTool('kid', 'headers', {plain: '=?base64?eA==?=', region: '=?base64?eA==?='})"))
        self.refuse(server.typescript("return await callMCPTool('kid', 'headers', {region: 'x'.repeat(100000)})"), "64 KiB")
        names = self.succeed(server.typescript("return (await discoverMCPTools()).map(each => each.name)")).result
        self.assertFalse([name for name in names if "bad_header" in name], names)
        self.assertEqual(child.deviations, [])

    def test_a_cancelled_call_is_told_by_the_end_of_its_stream(self):
        child = self.far()
        server = self.serve_far(child)
        self.succeed(server.typescript(ECHO))
        self.refuse(server.typescript("return await callMCPTool('kid', 'wait', {})", timeoutMs=1_000))
        self.wait_until(lambda: child.events("cancelled"), "the server hears of it")
        self.assertEqual(child.events("cancelled")[0]["how"], "closed")
        self.succeed(server.typescript(ECHO))
        self.assertEqual(child.deviations, [])

    def test_changes_of_its_tools_are_heard(self):
        child = self.far()
        server = self.serve_far(child)
        self.succeed(server.typescript(ECHO))
        self.wait_until(child.core.listeners, "it is listened to")
        child.catalogue.add_tool("late")
        child.core.changed("tools")
        self.succeed(server.typescript("return await callMCPTool('kid', 'late', {})"))
        child.core.end_listening()
        self.wait_until(child.core.listeners, "it is listened to again")
        self.assertEqual(child.deviations, [])

    def test_progress_comes_on_the_stream_of_the_call(self):
        child = self.far()
        server = self.serve_far(child)
        self.succeed(server.typescript("return await callMCPTool('kid', 'progress', {steps: 3, ms: 10})"))
        self.assertEqual(child.deviations, [])

    def test_odd_results(self):
        child = self.far()
        server = self.serve_far(child)
        self.succeed(server.typescript("return await callMCPTool('kid', 'no_result_type', {})"))
        self.refuse(server.typescript("return await callMCPTool('kid', 'odd_result_type', {})"), "a kind that is not known")
        self.refuse(server.typescript("return await callMCPTool('kid', 'cut', {})"), "may have carried out")
        self.assertEqual(len(child.events("call", tool="cut")), 1)

    def test_the_first_request_may_be_refused_once(self):
        child = self.far(refuse_first=1)
        self.assertEqual(self.succeed(self.serve_far(child).typescript(ECHO)).result, "hi")
        self.assertEqual(child.messages("initialize"), [])

    def test_servers_that_only_know_initialize(self):
        for how in ("method_not_found", "method_not_found_400", "method_not_found_404", "no_session", "status_400", "status_404", "status_405",
                    "status_500", "html", "supported_legacy"):
            with self.subTest(how):
                child = self.far(era="legacy", on_discover=how)
                server = self.serve_far(child)
                self.assertEqual(self.succeed(server.typescript(ECHO)).result, "hi")
                self.assertEqual(len(child.messages("initialize")), 1)
                server.end("eof")
                child.close()

    def test_one_that_is_silent_is_asked_otherwise_after_a_while(self):
        child = self.far(era="legacy", on_discover="silent")
        self.assertEqual(self.succeed(self.serve_far(child).typescript(ECHO, timeoutMs=30_000)).result, "hi")

    def test_what_both_eras_are_served_by_is_spoken_to_in_the_later_one(self):
        child = self.far(era="dual")
        self.succeed(self.serve_far(child).typescript(ECHO))
        self.assertEqual(child.messages("initialize"), [])

    def test_revisions_that_nobody_knows(self):
        child = self.far(versions=["2031-01-01"])
        self.refuse(self.serve_far(child).typescript(ECHO), "2031-01-01", "none of which is supported")


class OverStdio(Case):
    def kid(self, *knobs):
        journal = self.journal("-".join(("journal", *knobs)).replace("-", ""))
        return journal, {"kid": modern_child(*knobs, journal=journal)}

    def test_one_of_the_later_era(self):
        journal, servers = self.kid("--era", "modern")
        server = self.start(servers)
        self.assertEqual(self.succeed(server.typescript(ECHO)).result, "hi")
        self.refuse(server.typescript("return await callMCPTool('kid', 'wait', {})", timeoutMs=1_000))
        self.assertEqual(journal.wait("cancelled")[0]["how"], "notification")
        self.succeed(server.typescript("await callMCPTool('kid', 'change', {kind: 'tools'}); return await callMCPTool('kid', 'echo', {message: 'a'})"))
        self.assertEqual(journal.events("deviation"), [])
        self.assertEqual(len(journal.events("started")), 1)

    def test_all_others(self):
        for how, starts in (("method_not_found", 1), ("supported_legacy", 1), ("invalid_params", 1), ("silent", 1), ("garbage", 1), ("exit", 2)):
            with self.subTest(how):
                journal, servers = self.kid("--era", "legacy", "--on-discover", how)
                server = self.start(servers)
                self.assertEqual(self.succeed(server.typescript(ECHO, timeoutMs=30_000)).result, "hi")
                self.assertEqual(len(journal.events("started")), starts)
                self.assertEqual(len(journal.events("initialize")), 1)

    def test_one_that_is_slow_to_start(self):
        for era, method in (("modern", 0), ("dual", 1)):
            with self.subTest(era):
                journal, servers = self.kid("--era", era, "--discover-delay-ms", "4000")
                server = self.start(servers)
                self.assertEqual(self.succeed(server.typescript(ECHO, timeoutMs=30_000)).result, "hi")

    def test_what_was_learned_is_kept_for_the_next_start(self):
        journal, servers = self.kid("--era", "legacy", "--on-discover", "exit")
        world = self.world(user=servers)
        for starts in (2, 3):
            server = self.start(world=world)
            self.succeed(server.typescript(ECHO))
            self.assertEqual(len(journal.events("started")), starts)
            server.end("eof")
        kept = os.path.join(world.home, ".code-executor", "eras")
        [name] = os.listdir(kept)
        old = time.time() - 40 * 24 * 3600
        os.utime(os.path.join(kept, name), (old, old))
        server = self.start(world=world)
        self.succeed(server.typescript(ECHO))
        self.assertEqual(len(journal.events("started")), 5)  # it is asked again

    def test_one_that_has_changed_since(self):
        journal, servers = self.kid("--era", "modern")
        world = self.world(user=servers)
        server = self.start(world=world)
        self.succeed(server.typescript(ECHO))
        server.end("eof")
        kept = os.path.join(world.home, ".code-executor", "eras")
        [name] = os.listdir(kept)
        with open(os.path.join(kept, name), "w", encoding="utf-8") as file:
            file.write("initialize\n")
        self.assertEqual(self.succeed(self.start(world=world).typescript(ECHO)).result, "hi")

    def test_one_that_speaks_earlier_revisions_only_and_says_so(self):
        journal, servers = self.kid("--era", "dual", "--versions", ",".join(LEGACY_REVISIONS))
        self.assertEqual(self.succeed(self.start(servers).typescript(ECHO)).result, "hi")
        self.assertEqual(len(journal.events("initialize")), 1)
