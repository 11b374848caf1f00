"""The servers of revision 2026-07-28 of the tests do what other tests rely on. Needs no binary: plain clients talk to them."""

import json
import os
import time
import unittest

from support.case import Case
from support.modern_child import LEGACY_REVISIONS, modern_child, ModernChild, REVISION
from support.peer import Peer
from support.plain_client import fetch, headers_for, meta, META, OpenRequest, request, send
from support.waiting import wait_until
from test_fixtures import ChildCase

LISTEN = {"toolsListChanged": True, "resourceSubscriptions": ["test://static-text"]}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}
FORM = {"elicitation": {}}


def text_of(result):
    return result["content"][0]["text"]


class HttpCase(Case):
    def child(self, **how):
        child = ModernChild(**how)
        self.addCleanup(child.close)
        return child

    def result(self, answer):
        self.assertEqual(answer.status, 200, answer.body)
        return answer.messages()[-1]["result"]

    def refusal(self, answer, code, status=400):
        error = answer.json()["error"]
        self.assertEqual((answer.status, error["code"]), (status, code), error)
        return error

    def call(self, child, tool, request_id=1, the_meta=None, tools=(), rounds=None, **arguments):
        return send(child, request("tools/call", request_id, the_meta, name=tool, arguments=arguments, **(rounds or {})), tools=tools)


class GoodRequests(HttpCase):
    def test_lists(self):
        child = self.child(page_size=7, ttl_ms=5, cache_scope="public")
        found = self.result(send(child, request("server/discover")))
        self.assertEqual((found["supportedVersions"], found["resultType"], found["ttlMs"], found["cacheScope"]), ([REVISION], "complete", 5, "public"))
        self.assertEqual(found["_meta"][META + "serverInfo"]["name"], "modern")
        names, more = [], {}
        while more is not None:
            page = self.result(send(child, request("tools/list", **more)))
            names += [tool["name"] for tool in page["tools"]]
            more = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
        self.assertEqual(names, list(child.catalogue.tools))
        for method, member in (("resources/list", "resources"), ("resources/templates/list", "resourceTemplates"), ("prompts/list", "prompts")):
            result = self.result(send(child, request(method)))
            self.assertTrue(result[member] and result["ttlMs"] == 5, method)
        self.assertEqual(child.deviations, [])

    def test_what_is_listed_is_there(self):
        child = self.child()
        self.assertEqual(text_of(self.result(self.call(child, "echo", message="hé"))), "hé")
        self.assertEqual(self.result(self.call(child, "add_numbers", a=1, b=2))["structuredContent"], {"sum": 3})
        self.assertEqual(self.result(self.call(child, "words"))["structuredContent"], ["a", "b"])
        self.assertEqual(self.result(send(child, request("resources/read", uri="test://template/7/data")))["contents"][0]["text"], "7")
        greeting = self.result(send(child, request("prompts/get", name="greet", arguments={"name": "Ann"})))
        self.assertEqual(greeting["messages"][0]["content"]["text"], "Greet Ann.")
        completed = self.result(send(child, request("completion/complete", argument={"name": "name", "value": "An"})))
        self.assertEqual(completed["completion"]["values"], ["Ann", "Anton"])
        self.refusal(send(child, request("resources/read", uri="test://none")), -32602, 200)
        self.refusal(self.call(child, "none"), -32602, 200)
        self.assertTrue(self.result(self.call(child, "fail"))["isError"])
        self.assertNotIn("resultType", self.result(self.call(child, "no_result_type")))
        self.assertEqual(self.result(self.call(child, "odd_result_type"))["resultType"], "perhaps")
        self.assertEqual([each["tool"] for each in child.events("call")][:2], ["echo", "add_numbers"])
        self.assertEqual(child.deviations, [])

    def test_progress_and_logs_only_for_who_wants_them(self):
        child = self.child()
        self.assertEqual(len(self.call(child, "progress").messages()), 1)
        messages = self.call(child, "progress", the_meta=meta(progressToken=7), steps=2).messages()
        self.assertEqual([each["params"]["progress"] for each in messages[:-1]], [1, 2])
        self.assertEqual(len(self.call(child, "log").messages()), 1)
        messages = self.call(child, "log", the_meta=meta(**{META + "logLevel": "info"})).messages()
        self.assertEqual([each["params"]["level"] for each in messages[:-1]], ["info", "error"])
        child.always_streams = True
        self.assertTrue(self.call(child, "echo").headers["content-type"].startswith("text/event-stream"))

    def test_arguments_in_headers(self):
        child = self.child(bad_headers=True)
        tools = child.catalogue.tool_definitions()
        given = {"region": " =?base64?x?=", "count": -3, "urgent": True, "inner": {"note": "été\n"}, "plain": "x"}
        self.assertEqual(json.loads(text_of(self.result(self.call(child, "headers", tools=tools, **given)))), given)
        self.assertEqual(text_of(self.result(self.call(child, "headers", tools=tools, region=None))), '{"region": null}')
        self.assertEqual(child.deviations, [])
        message = request("tools/call", name="headers", arguments=given)
        for spoiled in ({"Mcp-Param-Count": "-4"}, {"Mcp-Param-Count": "x"}, {"Mcp-Param-Urgent": "True"}, {"Mcp-Param-Region": "=?base64?!?="}):
            self.refusal(send(child, message, spoiled, tools=tools), -32020)
        self.refusal(send(child, message, without=("Mcp-Param-Count",), tools=tools), -32020)
        bad = [name for name in child.catalogue.tools if name.startswith("bad_header")]
        for name in bad:
            self.refusal(self.call(child, name, x="1"), -32602)
        self.assertEqual(len(child.deviations), 5 + len(bad))


class Rounds(HttpCase):
    def answers(self, **contents):
        return {key: {"action": "accept", "content": {"name": value}} for key, value in contents.items()}

    def test_one(self):
        child, able = self.child(), meta(capabilities=FORM)
        first = self.result(self.call(child, "ask", 1, able))
        self.assertEqual((first["resultType"], list(first["inputRequests"])), ("input_required", ["user_name"]))
        rounds = {"requestState": first["requestState"], "inputResponses": self.answers(user_name="Ann")}
        self.assertEqual(text_of(self.result(self.call(child, "ask", 2, able, rounds=rounds))), 'accept {"name": "Ann"}')
        again = self.result(self.call(child, "ask", 3, able, rounds={"requestState": first["requestState"]}))
        self.assertEqual(again["resultType"], "input_required", "an answer that is missing is asked for again")
        self.assertEqual(child.deviations, [])
        for spoiled in ({"requestState": first["requestState"][:-5] + "AAAA="}, {"requestState": "x"},
                        {**rounds, "inputResponses": {"user_name": {"action": "yes"}}}):
            self.refusal(self.call(child, "ask", 4, able, rounds=spoiled), -32602)
        self.refusal(self.call(child, "ask", 1, able, rounds=rounds), -32600)
        self.refusal(self.call(child, "ask", 5, able, rounds=rounds, other="argument"), -32602)
        self.assertEqual(len(child.deviations), 5)

    def test_many(self):
        child, able = self.child(), meta(capabilities={"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
        first = self.result(self.call(child, "ask_twice", 1, able))
        second = self.result(self.call(child, "ask_twice", 2, able, rounds={"requestState": first["requestState"], "inputResponses": self.answers(first="A")}))
        last = self.call(child, "ask_twice", 3, able, rounds={"requestState": second["requestState"], "inputResponses": self.answers(second="B")})
        self.assertEqual(text_of(self.result(last)), 'accept {"name": "A"}, accept {"name": "B"}')
        state = self.result(self.call(child, "state_only", 4))["requestState"]
        self.assertEqual(text_of(self.result(self.call(child, "state_only", 5, rounds={"requestState": state}))), "after 1 rounds")
        without = self.result(self.call(child, "ask_without_state", 6, able))
        self.assertNotIn("requestState", without)
        done = self.call(child, "ask_without_state", 7, able, rounds={"inputResponses": self.answers(user_name="C")})
        self.assertEqual(text_of(self.result(done)), 'accept {"name": "C"}')
        self.assertEqual(len(self.result(self.call(child, "ask_all", 8, able))["inputRequests"]), 3)
        self.assertEqual(self.result(self.call(child, "ask_by_url", 9, able))["inputRequests"]["consent"]["params"]["mode"], "url")
        self.assertEqual(child.deviations, [])

    def test_of_resources_and_prompts(self):
        child, able = self.child(), meta(capabilities=FORM)
        for method, subject in (("resources/read", {"uri": "test://asks"}), ("prompts/get", {"name": "asks"})):
            first = self.result(send(child, request(method, 1, able, **subject)))
            self.assertNotIn("ttlMs", first)
            rounds = {"requestState": first["requestState"], "inputResponses": self.answers(user_name="Ann")}
            self.assertIn("Ann", json.dumps(self.result(send(child, request(method, 2, able, **subject, **rounds)))))

    def test_only_of_who_can_answer(self):
        child = self.child()
        self.assertEqual(self.refusal(self.call(child, "ask"), -32021)["data"], {"requiredCapabilities": {"elicitation": {"form": {}}}})
        self.refusal(self.call(child, "ask_by_url", the_meta=meta(capabilities=FORM)), -32021)
        self.refusal(self.call(child, "ask_all", the_meta=meta(capabilities=FORM)), -32021)
        self.assertEqual(child.deviations, [])


class Streams(HttpCase):
    def test_changes_are_told_to_who_listens(self):
        child = self.child()
        stream = OpenRequest(child, request("subscriptions/listen", "s", notifications={**LISTEN, "other": True}))
        self.addCleanup(stream.leave)
        first = stream.next_message()
        self.assertEqual((first["method"], first["params"]["notifications"]), ("notifications/subscriptions/acknowledged", LISTEN))
        self.call(child, "change", kind="prompts")
        self.call(child, "change")
        changed = stream.next_message()
        self.assertEqual((changed["method"], changed["params"]["_meta"]), ("notifications/tools/list_changed", {META + "subscriptionId": "s"}))
        self.assertIn("newcomer_2", child.catalogue.tools)
        child.core.updated("test://static-text")
        self.assertEqual(stream.next_message()["params"]["uri"], "test://static-text")
        self.call(child, "end_listening")
        last = stream.next_message()
        self.assertEqual((last["id"], last["result"]["resultType"], last["result"]["_meta"][META + "subscriptionId"]), ("s", "complete", "s"))
        self.assertIsNone(stream.next_message())
        self.assertEqual(child.events("listening_ended")[0]["how"], "by the server")

    def test_who_leaves_has_cancelled(self):
        child = self.child()
        for number, message in enumerate((request("tools/call", 8, name="wait", arguments={}), request("subscriptions/listen", 9, notifications={}))):
            open_request = OpenRequest(child, message)
            if number:
                open_request.next_message()
            wait_until(lambda each=message: child.events("request", id=each["id"]), "its arrival")
            open_request.leave()
            wait_until(lambda each=message: child.events("cancelled", id=each["id"], how="closed"), "word of it")
        self.assertEqual(child.core.listeners(), [])
        with self.assertRaises(OSError):
            self.call(child, "cut")
        wait_until(lambda: child.events("cancelled", how="cut"), "word of it")


class BadRequests(HttpCase):
    def test_are_refused_and_written_down(self):
        child = self.child()
        good = request("tools/call", name="echo", arguments={})
        for spoiled, code in (({"Mcp-Method": "tools/list"}, -32020), ({"Mcp-Name": "Echo"}, -32020), ({"MCP-Protocol-Version": "2025-11-25"}, -32020),
                              ({"Mcp-Session-Id": "x"}, -32600), ({"Last-Event-ID": "x"}, -32600)):
            with self.subTest(spoiled):
                self.refusal(send(child, good, spoiled), code)
        for name in ("Mcp-Method", "Mcp-Name", "MCP-Protocol-Version"):
            self.refusal(send(child, good, without=(name,)), -32020)
        self.refusal(send(child, good, {"Accept": "application/json"}), -32600, 406)
        self.refusal(send(child, good, {"Content-Type": "text/plain"}), -32600, 415)
        self.assertEqual(len(child.deviations), 10)
        self.assertEqual(child.events("call"), [])

    def test_of_their_body(self):
        child = self.child()
        no_version, no_capabilities = meta(), meta()
        del no_version[META + "protocolVersion"], no_capabilities[META + "clientCapabilities"]
        for the_meta in ({}, no_version, no_capabilities, meta(capabilities=[]), meta(capabilities={"roots": True}), meta(progressToken=1.5),
                         meta(**{META + "clientInfo": {}}), meta(**{META + "logLevel": "loud"})):
            with self.subTest(the_meta):
                self.refusal(send(child, request("tools/list", 3, the_meta)), -32602)
        self.refusal(send(child, request("tools/list", cursor="mine")), -32602, 200)
        headers = headers_for(request("tools/list"))
        response, nameless = b'{"jsonrpc": "2.0", "id": 1, "result": {}}', b'{"jsonrpc": "2.0", "id": null, "method": "x"}'
        for body, code in ((b"{", -32700), (b"[{}]", -32600), (response, -32600), (nameless, -32600)):
            self.refusal(fetch(child.url, body, headers), code)
        note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
        self.assertEqual(send(child, note).status, 202)
        self.assertEqual(fetch(child.url).status, 405)
        self.assertEqual(len(child.deviations), 15)

    def test_of_what_was_removed(self):
        child = self.child()
        for method in ("initialize", "ping", "logging/setLevel", "resources/subscribe", "tasks/list", "no/such"):
            answer = send(child, request(method, 5))
            self.refusal(answer, -32601, 404)
            self.assertEqual(answer.json()["id"], 5)
        error = self.refusal(fetch(child.url, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}).encode(),
                                   {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}), -32022)
        self.assertEqual(error["data"], {"supported": [REVISION], "requested": "2025-11-25"})
        self.assertEqual(len(child.deviations), 7)

    def test_of_other_revisions_are_no_deviation(self):
        child = self.child(refuse_first=1)
        self.refusal(send(child, request("server/discover")), -32022)
        self.result(send(child, request("server/discover")))
        error = self.refusal(send(child, request("tools/list", 1, meta("2099-01-01"))), -32022)
        self.assertEqual(error["data"], {"supported": [REVISION], "requested": "2099-01-01"})
        self.assertEqual(child.deviations, [])


class HttpEras(HttpCase):
    def initialize(self, child):
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}
        return fetch(child.url, json.dumps(message).encode(), {"Content-Type": "application/json"})

    def test_both(self):
        child = self.child(era="dual")
        self.assertEqual(text_of(self.result(self.call(child, "echo", message="new"))), "new")
        begun = self.initialize(child)
        session = {"Content-Type": "application/json", "Mcp-Session-Id": begun.headers["mcp-session-id"]}
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"message": "old"}}}
        self.assertEqual(text_of(fetch(child.url, json.dumps(call).encode(), session).json()["result"]), "old")
        tools = fetch(child.url, json.dumps({**call, "method": "tools/list"}).encode(), session).json()["result"]["tools"]
        self.assertEqual(len(tools), len(child.catalogue.tools))

    def test_older_ones(self):
        for way, code in (("method_not_found", 200), ("method_not_found_400", 400), ("method_not_found_404", 404), ("no_session", 400), ("status_400", 400),
                          ("status_404", 404), ("status_405", 405), ("status_500", 500), ("status_503", 503), ("html", 400), ("supported_legacy", 400)):
            child = self.child(era="legacy", on_discover=way)
            answer = send(child, request("server/discover"))
            self.assertEqual(answer.status, code, way)
            self.assertEqual(self.initialize(child).json()["result"]["protocolVersion"], "2025-11-25")
        self.assertEqual(child.events("modern_request")[0]["method"], "server/discover")
        self.assertEqual(send(child, request("server/discover")).status, 400)
        child = self.child(era="legacy", on_discover="silent")
        with self.assertRaises(OSError):
            fetch(child.url, json.dumps(request("server/discover")).encode(), headers_for(request("server/discover")), timeout=0.3)

    def test_that_name_older_revisions_only(self):
        child = self.child(era="dual", versions=LEGACY_REVISIONS)
        self.assertEqual(self.result(send(child, request("server/discover")))["supportedVersions"], list(LEGACY_REVISIONS))
        self.refusal(send(child, request("tools/list")), -32022)


class Stdio(ChildCase):
    def launch(self, *flags):
        self.log = self.journal()
        entry = modern_child(*flags, journal=self.log)
        peer = Peer([entry["command"], *entry["args"]], {"PATH": os.environ["PATH"]}, "/")
        self.addCleanup(self.dispose, peer)
        return peer

    def ask(self, peer, method, the_meta=None, **params):
        return peer.ask(method, {**params, "_meta": the_meta or meta()})

    def outcome(self, peer, method, the_meta=None, **params):
        return peer.answer(self.ask(peer, method, the_meta, **params)).message

    def deviations(self):
        return [each["text"] for each in self.log.events("deviation")]

    def test_good_requests(self):
        peer = self.launch("--page-size", "5")
        self.assertEqual(self.outcome(peer, "server/discover")["result"]["supportedVersions"], [REVISION])
        self.assertEqual(len(self.outcome(peer, "tools/list")["result"]["tools"]), 5)
        self.assertEqual(text_of(self.outcome(peer, "tools/call", name="echo", arguments={"message": "hi"})["result"]), "hi")
        self.outcome(peer, "tools/call", meta(progressToken="t"), name="progress", arguments={"steps": 3})
        self.assertEqual(len(peer.notifications("notifications/progress")), 3)
        asked = self.outcome(peer, "tools/call", meta(capabilities=FORM), name="ask", arguments={})["result"]
        self.assertEqual(asked["resultType"], "input_required")
        self.assertEqual(self.deviations(), [])

    def test_cancellation(self):
        peer = self.launch()
        waiting = self.ask(peer, "tools/call", name="wait", arguments={})
        self.log.wait("call", tool="wait")
        peer.notify("notifications/cancelled", requestId=waiting)
        self.log.wait("cancelled", id=waiting, known=True)
        self.outcome(peer, "server/discover")
        self.assertFalse(peer.has_answer(waiting))
        self.assertEqual(self.deviations(), [])

    def test_listening(self):
        peer = self.launch()
        listen = self.ask(peer, "subscriptions/listen", notifications=LISTEN)
        self.log.wait("listening", id=listen)
        self.outcome(peer, "tools/call", name="change", arguments={})
        told = peer.notifications("notifications/tools/list_changed")
        self.assertEqual(told[0].message["params"]["_meta"], {META + "subscriptionId": listen})
        self.outcome(peer, "tools/call", name="end_listening", arguments={})
        self.assertEqual(peer.answer(listen).message["result"]["resultType"], "complete")
        other = self.ask(peer, "subscriptions/listen", notifications=LISTEN)
        self.log.wait("listening", id=other)
        peer.notify("notifications/cancelled", requestId=other)
        self.log.wait("listening_ended", id=other, how="by the client")

    def test_bad_requests(self):
        peer = self.launch()
        self.assertEqual(self.outcome(peer, "ping")["error"]["code"], -32601)
        self.assertEqual(peer.answer(peer.ask("tools/list", {})).message["error"]["code"], -32602)
        error = peer.answer(peer.ask("initialize", INITIALIZE)).message["error"]
        self.assertEqual((error["code"], error["data"]["supported"]), (-32022, [REVISION]))
        peer.notify("notifications/initialized")
        self.outcome(peer, "server/discover")
        self.assertEqual(len(self.deviations()), 4)

    def test_eras(self):
        peer = self.launch("--era", "dual")
        self.assertEqual(self.outcome(peer, "server/discover")["result"]["supportedVersions"], [REVISION])
        self.assertEqual(peer.request("initialize", INITIALIZE)["protocolVersion"], "2025-11-25")
        self.assertEqual(text_of(peer.request("tools/call", {"name": "echo", "arguments": {"message": "old"}})), "old")
        for way, code in (("method_not_found", -32601), ("invalid_params", -32602), ("supported_legacy", -32022)):
            peer = self.launch("--era", "legacy", "--on-discover", way)
            self.assertEqual(self.outcome(peer, "server/discover")["error"]["code"], code)
            self.assertEqual(peer.request("initialize", {**INITIALIZE, "protocolVersion": REVISION})["protocolVersion"], "2025-11-25")
            self.assertEqual(self.outcome(peer, "server/discover")["error"]["code"], -32601)

    def test_eras_that_say_nothing(self):
        peer = self.launch("--era", "legacy", "--on-discover", "exit")
        self.ask(peer, "server/discover")
        self.assertEqual(peer.wait_end(30), 1)
        peer = self.launch("--era", "legacy", "--on-discover", "silent")
        probe = self.ask(peer, "server/discover")
        peer.request("initialize", INITIALIZE)
        self.assertFalse(peer.has_answer(probe))
        peer = self.launch("--discover-delay-ms", "300")
        started = time.monotonic()
        self.outcome(peer, "server/discover")
        self.assertGreaterEqual(time.monotonic() - started, 0.3)


if __name__ == "__main__":
    unittest.main()
