"""Many clients of both eras at once on one bridge over HTTP, whose calls ask: they answer, late, twice, from elsewhere, wrongly, or leave. Every
request is answered once, nobody is asked what is another's, and nothing is left. The seed of a failure is told: E2E_SEED plays it again."""

import concurrent.futures
import json
import os
import random
import threading
import time

from support import processes
from support.bridge_case import BridgeCase
from support.bridge_clients import CLIENTS
from support.bridged import HTTP, LEGACY, MODERN, STDIO
from support.paths import is_sanitized
from support.waiting import PATIENCE_SECONDS, wait_until

CLIENTS_AT_ONCE, CALLS_EACH, WARM_UP_CALLS = 8, 15, 4
GROWTH_BYTES_MAX = 8 << 20
SERVERS_MAX = 32  # of one bridge (cli/bridge.cpp, processes_max)
NOBODY = "nobody can be asked"  # a server on stdio does not say for whose call it asks


class Wanderer:
    """One client, with a mind of its own. `others`: who may try to answer what it was asked."""

    def __init__(self, storm, number, make, is_foreign):
        self.storm, self.number, self.make, self.is_foreign = storm, number, make, is_foreign
        self.random = random.Random(f"{storm.seed}-{number}")
        self.client = make()

    def play(self, calls):
        for count in range(calls):
            self.nonce = f"nonce-{self.number}-{count}-{self.random.getrandbits(64):x}"
            way = self.random.choice(self.ways())
            self.doing = f"call {count}, {way}"
            try:
                getattr(self, way)()
            except Exception as error:
                raise AssertionError(f"seed {self.storm.seed}, client {self.number} ({self.client.era}), {self.doing}: {error!r}") from error

    def ways(self):
        both = ["answer", "late", "decline", "plain", "leave"] + (["vanish"] if self.storm.says_whose else [])
        if self.client.era == LEGACY:
            return both + ["give_up", "answer_twice"]
        ours = ["twice", "from_elsewhere"] if self.storm.seals_states else []  # else the state is the server's, and good for whom the server likes
        return both + ours + ["tampered", "empty_handed", "of_another_call"]

    def ask(self):
        """None: nobody could be asked, which is an answer too."""
        params = {"message": self.nonce, "requestedSchema": {"type": "object", "properties": {"x": {"type": "string"}}}}
        self.call = self.client.ask_for("elicitation/create", params)
        if self.client.era == MODERN and self.call.outcome().get("result", {}).get("resultType") != "input_required":
            self.check(NOBODY in json.dumps(self.call.outcome()) and self.storm.is_one_for_all, self.call.outcome())
            return None
        [asked] = self.call.questions()
        self.check(asked.params["message"] == self.nonce, asked)
        return asked

    def check(self, holds, what):
        if not holds:
            raise AssertionError(json.dumps(what)[:2000])

    def said(self, action="accept"):
        return {"action": action, "content": {"x": self.nonce}} if action == "accept" else {"action": action}

    def expect(self, message, said):
        self.check("result" in message and json.loads(message["result"]["content"][0]["text"]) == {"got": said}, message)

    def expect_refused(self, message):
        self.check(message.get("error", {}).get("code") == -32602, message)

    # ---- what they do

    def plain(self):
        outcome = self.client.call("echo", {"message": self.nonce}).outcome()
        self.check(outcome["result"]["content"][0]["text"] == self.nonce, outcome)

    def answer(self, action="accept"):
        asked = self.ask()
        if asked:
            self.call.answer(asked, self.said(action))
            self.expect(self.call.outcome(), self.said(action))

    def decline(self):
        self.answer("decline")

    def late(self):
        asked = self.ask()
        time.sleep(self.random.random() / 10)
        if asked:
            self.call.answer(asked, self.said())
            self.expect(self.call.outcome(), self.said())

    def leave(self):
        """A client of 2026-07-28 finds its call parked when it comes back, from another connection."""
        asked = self.ask()
        self.client.leave()
        left, self.client = self.client, self.make()
        if asked and left.era == MODERN:
            self.expect(self.call.come_back({asked.key: self.said()}, send=self.client.send), self.said())

    def vanish(self):
        """Before anything is asked."""
        if self.client.era == MODERN:
            params = {"name": "question", "arguments": {"method": "elicitation/create", "params": {"message": self.nonce, "requestedSchema": {}}}}
            self.client.http.begin("tools/call", {**params, "_meta": self.client.envelope()["_meta"]}).leave()
        else:
            self.client.ask_for("elicitation/create", {"message": self.nonce, "requestedSchema": {}})
            self.client.leave()
            self.client = self.make()

    def give_up(self):
        if self.ask():
            self.call.give_up()
        self.plain()

    def answer_twice(self):
        asked = self.ask()
        self.call.answer(asked, self.said())
        self.call.answer(asked, self.said("decline"))
        self.expect(self.call.outcome(), self.said())

    def twice(self):
        """At the same time: one of them goes on, the other hears that it was used."""
        asked = self.ask()
        if not asked:
            return
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda _: self.call.come_back({asked.key: self.said()}), range(2)))
        answers.sort(key=lambda each: "error" in each)
        self.expect(answers[0], self.said())
        self.expect_refused(answers[1])

    def from_elsewhere(self):
        """By whom it is not: another token, or none where there is one."""
        asked = self.ask()
        if asked:
            foreign = self.is_foreign()
            if foreign:
                self.expect_refused(self.call.come_back({asked.key: self.said("cancel")}, send=foreign.send))
            self.call.answer(asked, self.said())
            self.expect(self.call.outcome(), self.said())

    def tampered(self):
        asked = self.ask()
        if asked:
            state = self.call.state
            place = self.random.randrange(len(state))
            changed = state[:place] + ("A" if state[place] != "A" else "B") + state[place + 1:]
            answer = self.call.come_back({asked.key: self.said("cancel")}, state=changed)
            if "error" in answer:  # else the character had bits that nobody reads
                self.expect_refused(answer)
                self.call.answer(asked, self.said())
                answer = self.call.outcome()
                self.expect(answer, self.said())

    def empty_handed(self):
        if self.ask():
            self.call.answer_all({})
            [asked] = self.call.questions()
            self.check(asked.params["message"] == self.nonce, asked)
            self.call.answer(asked, self.said())
            self.expect(self.call.outcome(), self.said())

    def of_another_call(self):
        """With its state, and other arguments."""
        asked = self.ask()
        if asked:
            real, self.call.params = self.call.params, {**self.call.params, "arguments": {"method": "roots/list"}}
            self.expect_refused(self.call.come_back({asked.key: self.said("cancel")}))
            self.call.params = real
            self.call.answer(asked, self.said())
            self.expect(self.call.outcome(), self.said())


class Storm(BridgeCase):
    """`says_whose`: for which call the server asks; `is_one_for_all`: and it does not, nor has each client one of its own; `seals_states`: the
    bridge, and not the server."""

    def play(self, server, with_tokens):
        self.seed = os.environ.get("E2E_SEED") or str(random.randrange(1 << 32))
        print(f"\nseed of the storm: {self.seed}", flush=True)
        self.says_whose, self.seals_states = server != (LEGACY, STDIO), server[0] == LEGACY
        self.is_one_for_all = not self.says_whose and not with_tokens
        target, world = self.target_of(server), self.world()
        self.tokens = [self.token(world, f"client-{number}") for number in range(CLIENTS_AT_ONCE)] if with_tokens else [None]
        self.bridge = self.bridge_to(target, HTTP, world=world)
        wanderers = [self.wanderer(number) for number in range(CLIENTS_AT_ONCE)]
        self.run_all(wanderers, WARM_UP_CALLS)
        before = processes.resident_bytes(self.bridge.process.pid)
        self.run_all(wanderers, CALLS_EACH)
        if not is_sanitized():  # which keeps what was freed
            self.assertLess(processes.resident_bytes(self.bridge.process.pid) - before, GROWTH_BYTES_MAX, f"seed {self.seed}")
        self.expect_quiet_after(wanderers, server)
        self.assertEqual([each for each in target.deviations if "requestState" not in each and "its state went astray" not in each], [])

    def run_all(self, wanderers, calls):
        """Streams are kept alive, so a request without an answer would be waited for without end."""
        failures = []

        def play(wanderer):
            try:
                wanderer.play(calls)
            except AssertionError as error:
                failures.append(error)
        threads = [threading.Thread(target=play, args=(each,), daemon=True) for each in wanderers]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + PATIENCE_SECONDS
        for thread in threads:
            thread.join(max(0, deadline - time.monotonic()))
        if failures:
            raise failures[0]
        waiting = [f"client {each.number} in {each.doing}" for each, thread in zip(wanderers, threads) if thread.is_alive()]
        self.assertEqual(waiting, [], f"seed {self.seed}: no answer")

    def token(self, world, name):
        made = world.command("token", "new", name)
        self.assertEqual(made.returncode, 0, made.stderr)
        return made.stdout.strip()

    def wanderer(self, number):
        token = self.tokens[number % len(self.tokens)]
        kind = (LEGACY, MODERN)[number // 2 % 2]

        def foreign():
            others = [each for each in self.tokens if each != token]
            return CLIENTS[MODERN, HTTP](self.bridge, token=others[0]) if others else None
        return Wanderer(self, number, lambda: CLIENTS[kind, HTTP](self.bridge, token=token), foreign)

    def expect_quiet_after(self, wanderers, server):
        for each in wanderers:
            each.nonce = "the last"
            each.plain()
            each.client.leave()
        if server[1] == STDIO:  # those of the sessions are gone; clients without one share theirs by token, or without one by calls that wait
            most = SERVERS_MAX if self.is_one_for_all else len(self.tokens)
            wait_until(lambda: len(self.servers()) <= most, lambda: f"end of {[each.describe() for each in self.servers()]}")
        self.assertIsNone(self.bridge.process.poll())

    def servers(self):
        """Each has a process of ours beside it."""
        return [each for each in processes.descendants(self.bridge.process.pid) if each.name.startswith("python")]

    def test_a_legacy_server_over_stdio(self):
        self.play((LEGACY, STDIO), with_tokens=False)

    def test_a_legacy_server_over_stdio_with_tokens(self):
        self.play((LEGACY, STDIO), with_tokens=True)

    def test_a_legacy_server_over_http(self):
        self.play((LEGACY, HTTP), with_tokens=True)

    def test_a_modern_server_over_stdio(self):
        self.play((MODERN, STDIO), with_tokens=False)

    def test_a_modern_server_over_http(self):
        self.play((MODERN, HTTP), with_tokens=True)
