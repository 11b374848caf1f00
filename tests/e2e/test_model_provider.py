"""The provider of models that other tests talk to: it does as its help says, in every format."""

import http.client
import json
import sys
import time
import unittest
import urllib.error
import urllib.request

from support.paths import ROOT

sys.path.insert(0, str(ROOT / "tests" / "children"))
from model_provider import DEFAULT_KEY, ModelProvider  # noqa: E402

TOOL = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def anthropic(prompt, stream=False, tools=()):
    body = {"model": "claude-x", "max_tokens": 50, "stream": stream, "system": "Be brief.", "messages": [{"role": "user", "content": prompt}]}
    if tools:
        body["tools"] = [{"name": name, "description": "", "input_schema": TOOL} for name in tools]
    return "/v1/messages", {"x-api-key": DEFAULT_KEY, "anthropic-version": "2023-06-01"}, body


def openai(prompt, stream=False, tools=()):
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": prompt}]
    body = {"model": "gpt-x", "max_tokens": 50, "stream": stream, "messages": messages}
    if tools:
        body["tools"] = [{"type": "function", "function": {"name": name, "description": "", "parameters": TOOL}} for name in tools]
    return "/v1/chat/completions", {"authorization": f"Bearer {DEFAULT_KEY}"}, body


def gemini(prompt, stream=False, tools=()):
    body = {"contents": [{"role": "user", "parts": [{"text": prompt}]}], "generationConfig": {"maxOutputTokens": 50},
            "systemInstruction": {"parts": [{"text": "Be brief."}]}}
    if tools:
        body["tools"] = [{"functionDeclarations": [{"name": name, "description": "", "parametersJsonSchema": TOOL} for name in tools]}]
    action = "streamGenerateContent?alt=sse" if stream else "generateContent"
    return f"/v1beta/models/gemini-x:{action}", {"x-goog-api-key": DEFAULT_KEY}, body


FORMATS = (anthropic, openai, gemini)


def text_of(body):
    if "content" in body:
        return "".join(block.get("text", "") for block in body["content"])
    if "choices" in body:
        return body["choices"][0]["message"]["content"]
    return "".join(part.get("text", "") for part in body["candidates"][0]["content"]["parts"])


class ModelProviderTest(unittest.TestCase):
    def setUp(self):
        self.provider = ModelProvider()
        self.provider.__enter__()
        self.addCleanup(self.provider.__exit__)

    def ask(self, question, **headers):
        """Status, headers and body of an answer."""
        path, own_headers, body = question
        request = urllib.request.Request(self.provider.url + path, json.dumps(body).encode(), {**own_headers, "content-type": "application/json", **headers})
        try:
            with urllib.request.urlopen(request, timeout=10) as response:
                return response.status, response.headers, response.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read().decode()

    def test_answers_in_every_format(self):
        for form in FORMATS:
            status, _, body = self.ask(form("hello"))
            self.assertEqual((status, text_of(json.loads(body))), (200, "You said: hello"))
        self.assertEqual([r["provider"] for r in self.provider.requests], ["anthropic", "openai", "gemini"])
        self.assertTrue(all(r["has_key"] and r["system"] == "Be brief." and r["max_tokens"] == 50 for r in self.provider.requests))

    def test_streams_in_every_format(self):
        for form, end in zip(FORMATS, ("message_stop", "[DONE]", "STOP")):
            status, headers, body = self.ask(form("hello", stream=True))
            self.assertEqual((status, headers["content-type"]), (200, "text/event-stream"))
            self.assertGreater(body.count("data: "), 3)
            self.assertIn(end, body)

    def test_refuses_a_wrong_key(self):
        for form in FORMATS:
            path, headers, body = form("hello")
            headers = {name: value.replace(DEFAULT_KEY, "wrong") for name, value in headers.items()}
            self.assertEqual(self.ask((path, headers, body))[0], 401)

    def test_limits_once_and_then_answers(self):
        for form in FORMATS:
            for status in (429, 529):
                prompt = f"{form.__name__} mock-{status}"
                first, headers, body = self.ask(form(prompt))
                self.assertEqual((first, headers["retry-after"]), (status, "1"))
                self.assertIn("error", json.loads(body))
                self.assertEqual(self.ask(form(prompt))[0], 200)
        self.assertEqual(self.ask(openai("mock-429-always"))[1]["retry-after"], "3600")
        self.assertEqual([self.ask(openai("mock-529-always"))[0] for _ in range(3)], [529] * 3)

    def test_breaks_on_demand(self):
        for form in FORMATS:
            self.assertEqual(self.ask(form("mock-html"))[0], 502)
            self.assertEqual(self.ask(form("mock-404"))[0], 404)
            self.assertRaises(ValueError, json.loads, self.ask(form("mock-garbage"))[2])
            for stream in (False, True):
                self.assertRaises(http.client.IncompleteRead, self.ask, form("mock-cut", stream=stream))
                self.assertRaises(ConnectionError, self.ask, form("mock-reset", stream=stream))
            self.assertIn('"error"', self.ask(form("mock-error-event", stream=True))[2])

    def test_is_slow_on_demand(self):
        begin = time.monotonic()
        self.ask(anthropic("mock-slow-300"))
        self.assertGreaterEqual(time.monotonic() - begin, 0.3)

    def test_wants_a_tool_and_tells_its_result(self):
        _, _, body = self.ask(anthropic('mock-tool {"city": "Kiel"}', tools=["weather"]))
        use = json.loads(body)["content"][1]
        self.assertEqual((use["name"], use["input"]), ("weather", {"city": "Kiel"}))
        path, headers, question = anthropic('mock-tool {"city": "Kiel"}', tools=["weather"])
        question["messages"] += [{"role": "assistant", "content": [use]},
                                 {"role": "user", "content": [{"type": "tool_result", "tool_use_id": use["id"], "content": "11 degrees"}]}]
        self.assertEqual(text_of(json.loads(self.ask((path, headers, question))[2])), "The tool said: 11 degrees")
        _, _, body = self.ask(openai("mock-tool", tools=["weather"]))
        function = json.loads(body)["choices"][0]["message"]["tool_calls"][0]["function"]
        self.assertEqual(json.loads(function["arguments"]), {"city": "x"})
        _, _, body = self.ask(gemini("mock-tool", tools=["weather"]))
        self.assertIn("thoughtSignature", json.loads(body)["candidates"][0]["content"]["parts"][1])

    def test_says_what_it_is_told_and_what_it_got(self):
        self.assertEqual(text_of(json.loads(self.ask(openai("x mock-say one two"))[2])), "one two")
        echo = json.loads(text_of(json.loads(self.ask(gemini("mock-echo", tools=["weather"]))[2])))
        self.assertEqual((echo["system"], echo["model"], echo["tools"], echo["has_key"]), ("Be brief.", "gemini-x", ["weather"], True))
        self.assertNotIn(DEFAULT_KEY, json.dumps(echo))

    def test_counts_connections(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.provider.server_address[1], timeout=10)
        self.addCleanup(connection.close)
        path, headers, body = openai("hello")
        for _ in range(3):
            connection.request("POST", path, json.dumps(body), headers)
            connection.getresponse().read()
        self.assertEqual((self.provider.connections, len(self.provider.requests)), (1, 3))
        with urllib.request.urlopen(self.provider.url + "/requests", timeout=10) as response:
            self.assertEqual(len(json.load(response)["requests"]), 3)

    def test_complains_about_what_is_no_question(self):
        self.assertEqual(self.ask(("/v1/messages", {}, {"model": "x"}))[0], 400)
        self.assertEqual(self.ask(("/v1/elsewhere", {}, {}))[0], 404)


if __name__ == "__main__":
    unittest.main()
