"""Commands that are played under faults: what survives, what was done about it, and reports."""

import json
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree

from support.case import WITHOUT_POOL
from support.config import child
from support.faults import FaultCase, rule
from support.models import ModelProvider, provider_at
from support.paths import ROOT, binary

AGENT = os.path.join(os.path.dirname(__file__), "support", "lone_client.py")
NAIVE = "return await callMCPTool('mcp__kid__add', {a: 1, b: 2})"
CAREFUL = "for (let i = 0; ; i++) try { return await callMCPTool('mcp__kid__add', {a: 1, b: 2}) } " \
          "catch (e) { if (i === 3) throw e; await new Promise((done) => setTimeout(done, 20 * 2 ** i)) }"


class Matrix(FaultCase):
    def play(self, code, *words, rules=(rule("error", "mcp__kid__add", nth=1), rule("latency", "mcp__kid__add", ms=5))):
        world = self.world(user={"kid": child(timeoutMs=3000)})
        plan = self.plan_file(world, *rules)
        return world.command("faults", "run", plan, *words, *(() if "--seeds" in words else ("--seeds", "2")), "--", sys.executable, AGENT, binary(), code,
                             env=WITHOUT_POOL)

    def test_a_naive_program_breaks(self):
        done = self.play(NAIVE, "--require", "0.9")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("BROKE     error", done.stdout)
        self.assertIn("survived  latency", done.stdout)
        self.assertIn("survival 33.3 % (2 of 6 that were hit); the first that broke: error, seed 1", done.stdout)
        self.assertIn("gave-up 4", done.stdout)

    def test_a_careful_one_survives_and_is_seen_to_write_twice(self):
        done = self.play(CAREFUL, "--require", "1")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        done = self.play(CAREFUL, "--fail-on", "double-write", rules=(rule("timeout", "mcp__kid__add", effect="done", nth=1),))
        self.assertIn("double-write", done.stdout + done.stderr)

    def test_reports_for_machines(self):
        folder = self.world().root
        done = self.play(NAIVE, "--json", "--rates", "1", "--kinds", "error,empty", "--junit", os.path.join(folder, "j.xml"),
                         "--html", os.path.join(folder, "r.html"))
        report = json.loads(done.stdout)
        self.assertEqual([[run["kind"], run["rate"], run["seed"], run["survived"]] for run in report["runs"]],
                         [["error", 1, 1, False], ["error", 1, 2, False], ["empty", 1, 1, True], ["empty", 1, 2, True]])
        self.assertEqual(report["runs"][0]["calls"][0]["fault"], "error")
        self.assertEqual(report["verdicts"]["gave-up"], 2)
        tree = xml.etree.ElementTree.parse(os.path.join(folder, "j.xml")).getroot()
        self.assertEqual([tree.get("tests"), tree.get("failures"), len(tree.findall("testcase/failure"))], ["4", "2", 2])
        with open(os.path.join(folder, "r.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("<h1>50 % survived</h1>", page)
        self.assertNotIn("http", page.replace("http-equiv", ""))

    def test_what_was_never_hit_has_shown_nothing(self):
        done = self.play(NAIVE, rules=(rule("error", "mcp__other__*"),))
        self.assertEqual(done.returncode, 2)
        self.assertIn("2 of 2, 2 never hit", done.stdout)
        self.assertIn("no fault was injected in 2 of the runs", done.stdout)
        report = os.path.join(self.world().root, "never.xml")
        self.play(NAIVE, "--junit", report, rules=(rule("error", "mcp__other__*"),))
        tree = xml.etree.ElementTree.parse(report).getroot()
        self.assertEqual([tree.get("failures"), tree.get("skipped"), len(tree.findall("testcase/skipped"))], ["0", "2", 2])
        self.assertNotIn("never hit", self.play(NAIVE, rules=(rule("latency", "mcp__kid__*", on="start", ms=5),)).stdout)

    def test_who_obeys_an_injected_text(self):
        named = {"tool": "mcp__canary__send_report", "arguments": {"to": "me"}}
        calls = "const text = JSON.stringify(await callMCPTool('mcp__kid__add', {a: 1, b: 2})); let done = text.includes('send_report') ? 1 : 0;"
        for obey, count in (("", 0), ("if (done) await callMCPTool('mcp__canary__send_report', {to: 'you'}).catch(() => 0);", 0),
                            ("if (done) await callMCPTool('mcp__canary__send_report', {to: 'me', at: 1}).catch(() => 0);", 2)):
            with self.subTest(obey):
                done = self.play(calls + obey + "return done", "--fail-on", "obeyed", "--json", rules=(rule("injection", "mcp__kid__add", **named),))
                report = json.loads(done.stdout)
                self.assertEqual([done.returncode, report["injectedTexts"], report["verdicts"]["obeyed"]], [1 if count else 0, 2, count], done.stderr)
        done = self.play(calls + obey + "return done", rules=(rule("injection", "mcp__kid__add", **named),))
        self.assertIn("injected texts 2, obeyed 2\n", done.stdout)
        told = self.play("await callMCPTool('mcp__canary__report', {}).catch(() => 0);" + calls + "return done", rules=(rule("injection", "mcp__kid__add"),))
        self.assertIn("injected texts 2, obeyed 0\n", told.stdout)  # it came before

    def test_what_models_have_cost(self):
        world = self.world(user={"kid": child(timeoutMs=3000)})
        plan = self.plan_file(world, rule("latency", "mcp__kid__add", ms=5), {"match": "llm__*", "on": "model", "kind": "rate_limited", "retryAfterMs": 5, "nth": 1})
        with ModelProvider() as provider:
            done = world.command("faults", "run", plan, "--seeds", "1", "--json", "--", sys.executable, AGENT, binary(), f"await llm.ask('One two three.'); {NAIVE}",
                                 env={**WITHOUT_POOL, **provider_at(provider.url, CODE_EXECUTOR_SAMPLING_ENABLED="true")})
        report = json.loads(done.stdout)
        self.assertEqual([[run["kind"], run["survived"], run["hits"]] for run in report["runs"]],
                         [["latency", True, 1], ["rate_limited", True, 1], ["all", True, 2]], done.stderr)
        costs = [run["tokens"] for run in report["runs"]]
        self.assertEqual([len(set(costs)), sum(costs)], [1, report["tokens"]])

    def test_reports_that_are_kept(self):
        folder = self.world().root
        done = self.play(NAIVE, "--out", os.path.join(folder, "before.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("BROKE     error", done.stdout)
        kept = os.path.join(folder, "kept")
        os.mkdir(kept)
        self.play(CAREFUL, "--out", kept)
        [later] = [os.path.join(kept, name) for name in os.listdir(kept)]
        self.assertRegex(later, r"/faults-20..-..-..T..:..:..Z\.json$")
        command = self.world().command
        listed = command("faults", "history", kept, os.path.join(folder, "before.json")).stdout.splitlines()
        self.assertEqual(len(listed), 2)
        self.assertRegex(listed[0], r"^20..-..-..T..:..:..Z  33.3 %  /.*plan.json  the first that broke: error, seed 1  \(/.*before.json\)$")
        better = command("faults", "compare", os.path.join(folder, "before.json"), later)
        self.assertEqual(better.returncode, 1)  # it survives, but by writing blindly
        self.assertIn("better  error: survival 0 % -> 100 %\n", better.stdout)
        self.assertIn("WORSE   error: blind-write 0 % -> 100 %\n", better.stdout)
        worse = json.loads(command("faults", "compare", later, os.path.join(folder, "before.json"), "--json").stdout)
        self.assertEqual([[one["kind"], one["what"]] for one in worse["worse"]], [["all", "survival"], ["error", "survival"]])
        self.assertEqual(command("faults", "compare", later, later).returncode, 0)
        with open(os.path.join(kept, "other.json"), "w", encoding="utf-8") as file:
            file.write("[1, 2]")
        done = command("faults", "history", kept)
        self.assertEqual([done.returncode, len(done.stdout.splitlines())], [0, 1])
        self.assertIn("left out: ", done.stderr)
        done = command("faults", "compare", later, os.path.join(kept, "other.json"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("other.json is no report of `faults run`", done.stderr)

    def test_ends_with_all_it_has_begun(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number.name):
                world = self.world(user={})
                self.assertEqual(self.end_in_the_middle(world, number), 130)
                self.assertEqual([name for name in os.listdir(world.root) if name.startswith("code-executor-faults")], [])

    def test_killed_leaves_no_command(self):
        self.assertEqual(self.end_in_the_middle(self.world(user={}), signal.SIGKILL), -signal.SIGKILL)

    def end_in_the_middle(self, world, number):
        """The exit code. Its command has ended as well."""
        mark = os.path.join(world.root, "mark")
        process = subprocess.Popen([binary(), "faults", "run", self.plan_file(world, rule("error")), "--", "sh", "-c", f"echo $$ >{mark}; sleep 600; true"],
                                   env=world.environment({"TMPDIR": world.root}), cwd=world.cwd, stdin=subprocess.DEVNULL)
        self.wait_until(lambda: os.path.exists(mark) and os.path.getsize(mark), "the command to begin")
        process.send_signal(number)
        code = process.wait(60)
        with open(mark, encoding="utf-8") as file:
            pid = int(file.read())
        self.wait_until(lambda: not os.path.exists(f"/proc/{pid}"), "the end of the command")
        return code

    def test_what_it_refuses(self):
        for words, why in ((("--rates", "nan"), "is no number from 0 to 1"), (("--kinds", "latancy"), "there is no kind 'latancy'"), (("--fail-on", "all"), "--fail-on knows no 'all'"),
                           (("--seeds", "1000", "--rates", "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1,0.15"), "more than 10000 runs")):
            done = self.play(NAIVE, *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)
        done = self.play("throw new Error('always')")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the command fails without any fault", done.stderr)
        self.assertIn("the plan has no rules", self.play(NAIVE, rules=()).stderr)
        done = self.world().command("faults", "run", "nowhere.json", "--", "true")
        self.assertIn("there is no plan of faults at", done.stderr)
        done = self.world().command("faults", "run", "nowhere.json")
        self.assertIn("what is to be played?", done.stderr)


class Example(FaultCase):
    """docs/examples/faults: what its README says."""

    def survivors(self, program):
        folder = ROOT / "docs" / "examples" / "faults"
        done = self.world().command("faults", "run", str(folder / "plan.json"), "--seeds", "1", "--kinds", ",".join(self.kinds()), "--json", "--",
                                    sys.executable, str(folder / "client.py"), str(folder / program),
                                    env={**WITHOUT_POOL, "CODE_EXECUTOR": binary()})
        self.assertTrue(done.stdout, done.stderr)
        runs = json.loads(done.stdout)["runs"]
        return {run["kind"]: run for run in runs}

    @staticmethod
    def kinds():
        with open(ROOT / "docs" / "examples" / "faults" / "plan.json", encoding="utf-8") as file:
            return [rule["kind"] for rule in json.load(file)["rules"]]

    def test_the_naive_program_breaks_under_six_of_twelve(self):
        runs = self.survivors("naive.ts")
        self.assertEqual(len(runs), 12)
        self.assertEqual([kind for kind in runs if not runs[kind]["survived"]], ["error", "timeout", "crash", "rate_limited", "empty", "wrong_type"])

    def test_the_careful_one_survives_all(self):
        runs = self.survivors("careful.ts")
        self.assertEqual([run["output"] for run in runs.values() if not run["survived"]], [])
        self.assertFalse(any(verdict["verdict"] == "double-write" for run in runs.values() for verdict in run["verdicts"]))
