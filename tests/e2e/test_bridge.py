"""A server through a bridge, as its clients see it: what passes unchanged, and what has to be said otherwise in the other era."""

import copy

from support.bridge_case import BridgeCase, FEW_PAIRS, PAIRS
from support.bridged import BridgedCatalogue, HTTP, LEGACY, LegacyServer, MODERN, ModernBridged, STDIO
from support.http_client import MODERN as REVISION

from bridged import CAPABILITIES, LegacyCall, ODD, ODD_URI  # of tests/children, which support/bridged.py has found
from modern_protocol import Exchange

META = "io.modelcontextprotocol/"
CACHED = {"tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}
REQUESTS = [
    ("tools/list", {}), ("resources/list", {}), ("resources/templates/list", {}), ("prompts/list", {}),
    ("tools/call", {"name": "odd/näme.1", "arguments": {"zeta": "z", "alpha": ODD}}),
    ("tools/call", {"name": "add_numbers", "arguments": {"b": 2, "a": 1.5}}),
    ("tools/call", {"name": "fail", "arguments": {"message": "so it is"}}),
    ("resources/read", {"uri": ODD_URI}), ("resources/read", {"uri": "test://static-binary"}),
    ("prompts/get", {"name": "greet", "arguments": {"name": "Änn"}}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "greet"}, "argument": {"name": "name", "value": "An"},
                             "context": {"arguments": {"x": "y"}}}),
    ("custom/echo", {"unknown": ODD}),
]
# How servers hear of the clients of these tests. Behind one over HTTP without a session there may be others, so nobody in particular asks first.
WHO = {(LEGACY, STDIO): "bridged", (LEGACY, HTTP): "http tests", (MODERN, STDIO): "plain", (MODERN, HTTP): "code-executor"}
WORDS_SCHEMA = {"type": "array", "items": {"type": "string"}}


def silent(*_, **__):
    """A journal that nobody reads."""


def said_by_server(era, method, params):
    """The result as the server itself gives it."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    if era == LEGACY:
        server = LegacyServer(silent, BridgedCatalogue())
        return server.result_of(server.begin(silent), LegacyCall(server.begin(silent), message, silent), method)
    catalogue = BridgedCatalogue()
    catalogue.server = ModernBridged(silent, catalogue)
    return catalogue.server.result_of(Exchange(catalogue.server, message))


def for_legacy_client(method, result):
    result = {name: value for name, value in result.items() if name not in ("resultType", "ttlMs", "cacheScope")}
    rest = {name: value for name, value in result.pop("_meta").items() if name != META + "serverInfo"}
    if rest:
        result["_meta"] = rest
    for tool in result.get("tools", ()) if method == "tools/list" else ():
        if tool.get("outputSchema", {"type": "object"})["type"] != "object":
            tool["outputSchema"] = {"type": "object", "properties": {"result": tool["outputSchema"]}, "required": ["result"]}
    return result


def for_modern_client(method, result, info):
    if method == "tools/list":
        result["tools"] = [{name: value for name, value in tool.items() if name != "execution"} for tool in result["tools"]]
    hints = {"ttlMs": 0, "cacheScope": "private"} if method in CACHED else {}
    return {**result, "resultType": "complete", **hints, "_meta": {**result.get("_meta", {}), META + "serverInfo": info}}


class Unchanged(BridgeCase):
    def expected(self, client, target, method, params):
        result = copy.deepcopy(said_by_server(target.era, method, params))
        if client.era == target.era:
            return result
        info = said_by_server(LEGACY, "initialize", {"protocolVersion": ""})["serverInfo"]
        return for_legacy_client(method, result) if client.era == LEGACY else for_modern_client(method, result, info)

    def test_requests_and_results(self):
        """Members have no order between what the bridge adds and what was there."""
        def play(client, target):
            for method, params in REQUESTS:
                found, expected = client.get(method, params), self.expected(client, target, method, params)
                if client.era == target.era and method != "custom/echo":
                    self.same(found, expected)
                elif method != "custom/echo":
                    self.same({name: found[name] for name in expected if name in found}, expected)
                    self.assertEqual(set(found), set(expected))
                else:
                    self.same(found["echo"]["unknown"], params["unknown"])
                reached = target.received(method)[-1]["params"]
                self.same({name: value for name, value in reached.items() if name != "_meta"}, params)
        self.each(PAIRS, play)

    def test_what_a_request_says_besides(self):
        """Unknown keys of `_meta` pass; the envelope belongs to an era."""
        more = {"com.example/odd": ODD, "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}

        def play(client, target):
            client.call("echo", {"message": "x"}, **more).outcome()
            meta = target.received("tools/call")[-1]["params"]["_meta"]
            self.same({name: meta[name] for name in more}, more)
            own = {name for name in meta if name.startswith(META)}
            expected = {META + name for name in ("protocolVersion", "clientCapabilities", "clientInfo")} if target.era == MODERN else set()
            self.assertEqual(own, expected)
        self.each(FEW_PAIRS + (((LEGACY, STDIO), (MODERN, HTTP)), ((MODERN, STDIO), (LEGACY, STDIO))), play)

    def test_what_only_a_later_revision_has(self):
        """A list as promise and as result: before 2026-07-28 it is a member of an object, with its text for who does not read that."""
        def play(client, _):
            listed = next(tool for tool in client.get("tools/list")["tools"] if tool["name"] == "words")
            result = client.get("tools/call", {"name": "words", "arguments": {}})
            if client.era == MODERN:
                self.same((listed["outputSchema"], result["structuredContent"], len(result["content"])), (WORDS_SCHEMA, ["a", "b"], 1))
                return
            self.same(listed["outputSchema"], {"type": "object", "properties": {"result": WORDS_SCHEMA}, "required": ["result"]})
            self.same(result["structuredContent"], {"result": ["a", "b"]})
            self.assertEqual(result["content"][-1], {"type": "text", "text": '["a","b"]'})
        self.each([(client, (MODERN, STDIO)) for client in ((LEGACY, STDIO), (MODERN, HTTP))], play)

    def test_who_they_are(self):
        """Each is told of the other what it says itself, in the words of its era."""
        def play(client, target):
            hello = client.hello if client.era == LEGACY else client.get("server/discover")
            self.same(hello["capabilities"], CAPABILITIES)
            greeting = ("server/discover", {}) if target.era == MODERN else ("initialize", {"protocolVersion": "2025-11-25"})
            said = said_by_server(target.era, *greeting)
            info = said["serverInfo"] if target.era == LEGACY else said["_meta"][META + "serverInfo"]
            self.same(hello["serverInfo"] if client.era == LEGACY else hello["_meta"][META + "serverInfo"], info)
            self.assertEqual(hello.get("instructions"), said.get("instructions"))
            if client.era == target.era:
                self.same({**hello, "supportedVersions": 0}, {**said, "supportedVersions": 0})
            if client.era == MODERN:
                self.assertIn(REVISION, hello["supportedVersions"])
            first = target.received("server/discover" if target.era == MODERN else "initialize")[-1]["params"]
            name = (first["_meta"][META + "clientInfo"] if target.era == MODERN else first["clientInfo"])["name"]
            self.assertEqual(name, WHO[client.era, client.transport])
        self.each(PAIRS, play)

    def test_abilities_of_the_client(self):
        """Its server knows what it may ask, and no more than that."""
        def play(client, target):
            client.call("echo", {"message": "x"}).outcome()
            if target.era == MODERN:
                can = target.received("tools/call")[-1]["params"]["_meta"][META + "clientCapabilities"]
            else:
                can = target.received("initialize")[-1]["params"]["capabilities"]
            self.same(can, {"roots": {}})
        pairs = [(client, server) for client, server in PAIRS if (client, server[0]) != ((MODERN, HTTP), LEGACY)]  # which may be of several clients
        self.each(pairs, play, can={"roots": {}})


class Answers(BridgeCase):
    def test_errors_with_code_and_data(self):
        failures = [{"code": code, "message": "So müde \"\n", "data": data} for code, data in
                    ((-32603, ODD), (-32000, None), (-32602, [1.0]), (17, "text"), (-31234, {}), (-2147483648, 0))]

        def play(client, _):
            for failure in failures:
                given = {name: value for name, value in failure.items() if value is not None}
                self.same(client.call("failure", given).outcome()["error"], given)
        self.each(PAIRS, play)

    def test_an_unknown_method(self):
        def play(client, target):
            error = client.begin("nobody/knows", {"x": 1}).outcome()["error"]
            self.assertEqual((error["code"], error["message"]), (-32601, "Method not found: nobody/knows"))
            if target.era == LEGACY:
                self.assertEqual(error["data"], {"asked": "nobody/knows"})
            if (client.era, client.transport) == (MODERN, HTTP):
                self.assertEqual(client.http.begin("nobody/knows").status, 404)
            self.assertEqual(target.received("nobody/knows")[0]["params"]["x"], 1)
        pairs = [(client, server) for client, server in PAIRS if server[0] == LEGACY]
        self.each(pairs, play)

    def test_a_resource_that_is_not_there(self):
        """Each era has a code of its own for it, and the later one says which in the data."""
        def play(client, target):
            error = client.begin("resources/read", {"uri": "test://none"}).outcome()["error"]
            self.assertEqual((error["code"], error["message"]), (-32602 if client.era == MODERN else -32002, "Resource not found"))
            self.assertEqual(error["data"], {"uri": "test://none"})
        self.each(PAIRS, play)

    def test_ids_of_all_kinds(self):
        ids = (0, -5, 2 ** 53 + 1, 2 ** 63 - 1, "", "0", "Zwölf \u0000 \"", "x" * 1_000)

        def play(client, _):
            for request_id in ids:
                with self.subTest(request_id):
                    params = {"name": "echo", "arguments": {"message": "x"}}
                    if client.transport == HTTP:
                        answer = client.http.begin("tools/call", params, request_id=request_id).message()
                    else:
                        if client.era == MODERN:
                            params["_meta"] = client.envelope()["_meta"]
                        answer = client.bridge.answer(client.bridge.ask("tools/call", params, request_id=request_id)).message
                    self.same(answer["id"], request_id)
                    self.assertEqual(answer["result"]["content"][0]["text"], "x")
        self.each(FEW_PAIRS, play)

    def test_requests_at_once_and_out_of_order(self):
        def play(client, _):
            bridge, params = client.bridge, {}
            if client.era == MODERN:
                params["_meta"] = client.envelope()["_meta"]
            slow = bridge.ask("tools/call", {"name": "wait", "arguments": {"ms": 300}, **params}, request_id="slow")
            fast = bridge.ask("tools/call", {"name": "echo", "arguments": {"message": "x"}, **params}, request_id="fast")
            again = bridge.ask("tools/call", {"name": "echo", "arguments": {"message": "x"}, **params}, request_id="slow")
            refused = bridge.answer(again).message
            self.assertEqual(refused["error"]["code"], -32600, "that id is in use")
            self.assertEqual(bridge.first_answer(slow, fast).message["id"], "fast")
            self.assertEqual(bridge.answer(slow).message["result"]["content"][0]["text"], "waited")
        self.each([(client, server) for client, server in PAIRS if client[1] == STDIO], play)

    def test_pages(self):
        target = self.target_of((MODERN, HTTP))
        target.far.core.page_size = 5
        client = self.client_of((LEGACY, STDIO), target)
        names, cursor = [], {}
        while cursor is not None:
            page = client.get("tools/list", cursor)
            names += [tool["name"] for tool in page["tools"]]
            cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
        self.assertEqual(names, list(target.far.catalogue.tools))
        refused = client.begin("tools/list", {"cursor": "nonsense"}).outcome()["error"]
        self.assertEqual(refused, {"code": -32602, "message": "Invalid cursor: nonsense"})

    def test_a_batch(self):
        """Of the one revision that has them; its server may be of any."""
        for server in ((LEGACY, STDIO), (MODERN, HTTP)):
            with self.subTest(server):
                target = self.target_of(server)
                client = self.client_of((LEGACY, STDIO), target, revision="2025-03-26")
                self.assertEqual(client.hello["protocolVersion"], "2025-03-26")
                calls = [{"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": {"name": "echo", "arguments": {"message": name}}}
                         for name in "abc"]
                client.bridge.send([*calls, {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}])
                answers = client.bridge.batch_answer()
                self.assertEqual({each["id"]: each["result"]["content"][0]["text"] for each in answers}, {name: name for name in "abc"})
