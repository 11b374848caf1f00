"""What passes through a bridge is spelled as it was: schemas, results and arguments, byte for byte, in all pairs of eras and transports."""

import json
import os

from support.bridge_case import BridgeCase, PAIRS
from support.bridge_clients import CLIENTS
from support.bridged import HTTP, LEGACY, MODERN
from support.http_child import Reply
from support.paths import CHILD, PYTHON
from support.plain_client import headers_for, meta
from support.small_server import SmallServer

from spelled_child import answer_to, CONTENT, LEGACY_TOOL, STRUCTURED, TOOL  # of tests/children, which support/bridged.py has found

ARGUMENTS = r'{"p\u0061th":"a\/b\u00fc","n":1.00e1,"big":123456789012345678901234567890,"\u0000":[-0.0,"\ud83d"]}'
ID = r'"\u00efd"'


class SpelledServer(SmallServer):
    """Over HTTP, without sessions."""

    def __init__(self, era):
        self.era = era
        super().__init__()

    def answer(self, asked):
        if asked.method != "POST":
            return Reply(405)
        answer = answer_to(self.era, asked.body)
        return Reply(200, {"Content-Type": "application/json"}, answer.encode()) if answer else Reply(202)

    def said(self):
        return "\n".join(asked.body.decode() for asked in self.journal)


class Spelling(BridgeCase):
    def server_of(self, era, transport):
        """The words that name one, and what gives the text of all that it was asked."""
        if transport == HTTP:
            far = SpelledServer(era)
            self.addCleanup(far.close)
            return [far.origin + "/mcp"], far.said
        journal = os.path.join(self.world().root, "said.jsonl")

        def said():
            with open(journal, encoding="utf-8") as file:
                return file.read()
        return ["--", *PYTHON, str(CHILD.parent / "spelled_child.py"), "--era", era, "--journal", journal], said

    @staticmethod
    def raw_answer(client, method, params):
        """`params`: the text of their members."""
        envelope = [f'"_meta":{json.dumps(meta())}'] if client.era == MODERN else []
        text = f'{{"jsonrpc":"2.0","id":{ID},"method":"{method}","params":{{{",".join(params + envelope)}}}}}'
        if client.transport == HTTP:
            message = json.loads(text)
            asked = client.http.ask("POST", text, headers={**client.http.headers(message), **(headers_for(message) if client.era == MODERN else {})})
            body = asked.body().decode()
            asked.leave()
            return body
        client.bridge.send_line(text.encode())
        return client.bridge.wait_for(lambda: next((each.line.decode() for each in client.bridge.received if each.message.get("id") == json.loads(ID)
                                                    and method.split("/")[1] in ("list" if "tools" in each.message["result"] else "call")), None), method)

    def test_schemas_results_and_arguments(self):
        for kind, (era, transport) in PAIRS:
            with self.subTest(f"{kind} client, {era} server over {transport}"):
                words, said = self.server_of(era, transport)
                client = CLIENTS[kind](self.bridge_to(words, kind[1]), can={})
                listed = self.raw_answer(client, "tools/list", [])
                self.assertIn(f'"tools":[{LEGACY_TOOL if (era, kind[0]) == (LEGACY, LEGACY) else TOOL}]', listed)
                called = self.raw_answer(client, "tools/call", ['"name":"t"', f'"arguments":{ARGUMENTS}'])
                self.assertIn(f'"content":{CONTENT}', called)
                self.assertIn(f'"structuredContent":{STRUCTURED}', called)
                self.assertIn(f'"arguments":{ARGUMENTS}', said())

    def test_white_space_and_doubled_members_do_not_pass(self):
        """The text is one line, and says nothing that the bridge has not read."""
        words, said = self.server_of(LEGACY, HTTP)
        client = CLIENTS[LEGACY, HTTP](self.bridge_to(words, HTTP), can={})
        self.raw_answer(client, "tools/call", ['"name" : "x",\n"name" : "t"', '"arguments" : {"a":1.0,\r\n"a" : [ 2.0 , "\\/" ]}'])
        self.assertIn(r'"params":{"name":"t","arguments":{"a":[2.0,"/"]}}', said())
