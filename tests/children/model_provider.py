#!/usr/bin/env python3
"""The HTTP APIs of all providers of models, for tests: Anthropic, OpenAI (and who speaks like it) and Gemini on one port of 127.0.0.1.

It answers `You said: PROMPT`. Words in the prompt, or in the name of the model, choose otherwise:

  mock-echo            what it got, as JSON: provider, model, system, messages, tools, max_tokens, stream, has_key
  mock-say TEXT        TEXT, the rest of the prompt
  mock-long            2,000 words
  mock-refuse          a refusal
  mock-no-usage        without numbers of tokens
  mock-tool [JSON]     wants the first offered tool with these arguments, and says what it answered
  mock-tools-forever   wants it again and again
  mock-429, mock-529   that status for the first request with this prompt; mock-429-always, mock-529-always for all
  mock-404, mock-503   that status, always
  mock-html            502 with a page
  mock-garbage         200 with what is no answer
  mock-too-large       an answer of 9 MB; mock-too-large-500: a refusal of that size
  mock-dense           before the answer, 6 events of a stream that are 1 MB of brackets each
  mock-dense-body      an answer of 8 MB, all of it small objects
  mock-cut             closes the connection in the middle of the answer
  mock-reset           closes it before
  mock-error-event     an error in the middle of the stream
  mock-slow, mock-slow-N   nothing for 2 s, or N ms
  mock-drip            20 ms between the events of a stream

A wrong key is answered 401. As a program: model_provider.py PORT [KEY]; GET /requests tells what was asked.
"""

import json
import os
import re
import socket
import struct
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from model_formats import Answer, format_of

DEFAULT_KEY = "test-key"
REQUESTS_KEPT = 10_000
BODY_BYTES_MAX = 64 << 20
DENSE_BODY = b'{"choices":[' + b'{"a":1},' * 1_000_000 + b"1]}"


def example_of(schema):
    """Arguments for a tool of which nothing else is known."""
    kinds = {"string": "x", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}
    properties = schema.get("properties", {})
    return {name: kinds.get(properties.get(name, {}).get("type"), "x") for name in schema.get("required", [])}


def answer_to(question, words, record):
    prompt = question.prompt
    texts = [question.system, *(m["text"] for m in question.messages), *question.results]
    answer = Answer(tokens_in=sum(len(t.split()) for t in texts), reports_usage="mock-no-usage" not in words)
    wants_tool = question.tools and ("mock-tools-forever" in words or ("mock-tool" in words and not question.results))
    if wants_tool:
        answer.tool = question.tools[0]["name"]
        given = re.search(r"mock-tool(?:s-forever)? (\{.*\})", prompt, re.DOTALL)
        answer.arguments = json.loads(given[1]) if given else example_of(question.tools[0]["schema"])
        answer.text = "I use a tool."
    elif question.results:
        answer.text = f"The tool said: {question.results[-1]}"
    elif "mock-echo" in words:
        answer.text = json.dumps(record)
    elif "mock-refuse" in words:
        answer.text, answer.refuses = "I will not.", True
    elif "mock-long" in words:
        answer.text = "word " * 2_000
    elif "mock-say" in words:
        answer.text = prompt.split("mock-say", 1)[1].strip()
    else:
        answer.text = f"You said: {prompt}"
    answer.tokens_out = len(answer.text.split()) + sum(ord(letter) > 127 for letter in answer.text)
    if answer.tool:  # providers count these as well, with some for what stands around them
        answer.tokens_out += 15 + len(json.dumps(answer.arguments)) // 4
    return answer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def setup(self):
        super().setup()
        with self.server.lock:
            self.server.connections += 1
            self.server.open += 1
            self.server.open_max = max(self.server.open_max, self.server.open)

    def finish(self):
        with self.server.lock:
            self.server.open -= 1
        super().finish()

    def send_body(self, status, body, headers=(), content_type="application/json"):
        data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        if self.path == "/requests":
            with self.server.lock:
                self.send_body(200, {"connections": self.server.connections, "openMost": self.server.open_max, "requests": self.server.requests})
        else:
            self.send_body(404, {"error": "nothing here"})

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if length > BODY_BYTES_MAX:
            return self.send_body(413, {"error": "too large"})
        raw = self.rfile.read(length)
        form = format_of(self.path)
        if not form:
            return self.send_body(404, {"error": "nothing at this address"})
        try:
            question = form.question(self.path, json.loads(raw))
        except (ValueError, KeyError, TypeError) as error:
            return self.send_body(400, form.error(400, f"{type(error).__name__}: {error}"))
        key = (self.headers.get(form.key_header) or "").removeprefix("Bearer ")
        record = {"path": self.path, "provider": question.provider, "model": question.model, "system": question.system,
                            "messages": question.messages, "tools": [t["name"] for t in question.tools], "results": question.results,
                            "stream": question.stream, "max_tokens": question.max_tokens, "has_key": bool(key),
                            "headers": sorted(name.lower() for name in self.headers)}
        self.server.record({**record, "time": time.time()})
        if self.server.key is not None and key != self.server.key:
            return self.send_body(401, form.error(401, f"Incorrect API key provided: {key[:6]}****"))
        if form.key_header == "x-api-key" and self.headers.get("anthropic-version") != "2023-06-01":
            return self.send_body(400, form.error(400, "anthropic-version: header is required"))
        return self.answer(form, question, record)

    def answer(self, form, question, record):
        words = set(re.findall(r"\bmock-[a-z0-9-]+", question.prompt + " " + question.model))
        for word in words:
            if match := re.fullmatch(r"mock-slow(?:-(\d+))?", word):
                time.sleep(int(match[1] or 2000) / 1000)
            if match := re.fullmatch(r"mock-(404|429|503|529)(-always)?", word):
                always = bool(match[2]) or match[1] in ("404", "503")
                if always or self.server.is_first((word, question.provider, question.prompt)):
                    return self.refuse(form, int(match[1]), always)
        if "mock-reset" in words:
            return self.reset()
        if "mock-html" in words:
            return self.send_body(502, "<html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>", content_type="text/html")
        if "mock-garbage" in words:
            return self.send_body(200, b"\x00\xff{garbage]]\n\ndata: {\n\n", content_type="text/event-stream" if question.stream else "application/json")
        if words & {"mock-too-large", "mock-too-large-500"}:
            return self.send_body(500 if "mock-too-large-500" in words else 200, '{"error":{"message":"' + "large " * 1_500_000 + '"}}')
        if "mock-dense-body" in words:
            return self.send_body(200, DENSE_BODY)
        answer = answer_to(question, words, record)
        if question.stream:
            return self.stream(form, question, answer, words)
        body = form.whole(question, answer)
        if "mock-cut" in words:
            return self.cut(json.dumps(body).encode())
        return self.send_body(200, body)

    def refuse(self, form, status, is_long):
        headers = [("retry-after", "1")] if status in (429, 529) else []
        if status == 429 and is_long:
            headers = [("retry-after", "3600")]
        texts = {404: "model not found", 429: "Rate limit reached", 503: "Service unavailable", 529: "Overloaded"}
        self.send_body(status, form.error(status, texts[status]), headers)

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        os.close(self.connection.detach())

    def cut(self, data):
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[:len(data) // 2])
        self.close_connection = True

    def chunk(self, text):
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def stream(self, form, question, answer, words):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        events = list(form.events(question, answer))
        if words & {"mock-cut", "mock-error-event"}:
            events = events[:len(events) // 2] + ([form.error_event("Overloaded")] if "mock-error-event" in words else [])
        if "mock-dense" in words:
            events = ['data: {"type":"unknown","x":[' + "[]," * 340_000 + "1]}\n\n"] * 6 + events
        for text in events:
            self.chunk(text)
            if "mock-drip" in words:
                time.sleep(0.02)
        if "mock-cut" in words:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")


class ModelProvider(ThreadingHTTPServer):
    """`with ModelProvider() as provider:` serves at provider.url. `key`: the only one that is accepted; None: any or none."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, port=0, key=DEFAULT_KEY):
        super().__init__(("127.0.0.1", port), Handler)
        self.key = key
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.lock = threading.Lock()
        self.requests = []
        self.connections = self.open = self.open_max = 0
        self.seen = set()

    def __enter__(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()

    def handle_error(self, *_):
        """Clients that go away are part of the tests."""

    def record(self, request):
        with self.lock:
            self.requests.append(request)
            del self.requests[:-REQUESTS_KEPT]

    def is_first(self, what):
        with self.lock:
            first = what not in self.seen
            self.seen.add(what)
            return first


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    provider = ModelProvider(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else DEFAULT_KEY)
    sys.stderr.write(f"serving at {provider.url}\n")
    try:
        provider.serve_forever()
    except KeyboardInterrupt:
        provider.server_close()


if __name__ == "__main__":
    main()
