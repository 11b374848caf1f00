"""What one question to a model costs the server itself, and 200 of them at once.

Own time is what the scheduler gave to the server's threads while a run asked: frame in, guards, filter, budget, HTTP, record, frame
out. The provider (a mock on this machine) is another process's time. Overhead is what a program waits for an answer, less what the
same request takes from here over one kept connection: the guest's own part and both ways through the pipe are in it.
"""

import http.client
import json
import subprocess
import sys
import time
import urllib.request

from rows.call_path import own_ns
from support.programs import TYPESCRIPT, report_of
from support.row import Row, expect, median, summary
from support.world import ROOT, World

PROVIDER = ROOT / "tests" / "children" / "model_provider.py"
KEY = "test-key"
MODEL = "claude-haiku-4-5-20251001"
PROMPT = "What is it?"
BAR_OVERHEAD_MS = 1
# A run may ask 100 times.
ASKS, FEW_ASKS = 100, 10
AT_ONCE = 200
# Long enough for all of them to be open.
SLOW_MS = 500
START_SECONDS = 10

PARAMETERS = {"enableSampling": True, "maxSamplingRounds": 100, "maxSamplingTokens": 100_000}
SETTINGS = {"sampling": {"maxRoundsPerExecution": 100, "maxTokensPerExecution": 100_000}}
ONE_BY_ONE = f"""
const times = [];
for (let i = 0; i < %d; i++) {{
  const begin = performance.now();
  await llm.ask({json.dumps(PROMPT)}, {{maxTokens: 50}});
  times.push(performance.now() - begin);
}}
return times"""
TOGETHER = f"""
const asked = Array.from({{length: {ASKS}}}, (_, i) => llm.ask(`mock-slow-{SLOW_MS} question ${{i}}`, {{maxTokens: 50}}));
return (await Promise.all(asked)).filter((text) => text.startsWith("You said: ")).length"""


class Provider:
    """The mock in a process of its own."""

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, str(PROVIDER), "0", KEY], stderr=subprocess.PIPE, text=True)
        self.url = self.process.stderr.readline().split()[-1]
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def open_most(self):
        with urllib.request.urlopen(f"{self.url}/requests", timeout=START_SECONDS) as answer:
            return json.load(answer)["openMost"]


def parameters(code):
    return {"name": TYPESCRIPT.tool, "arguments": {"code": code, **PARAMETERS}}


def ask_many(server, count):
    """Milliseconds of each question, as the program saw it."""
    return report_of(server.request("tools/call", parameters(ONE_BY_ONE % count)))["result"]


def own_ms(server):
    """The server's CPU time of one question: the difference of two runs, so that what a run costs itself is not in it."""
    def cost(count):
        before = own_ns(server.process.pid)
        ask_many(server, count)
        return own_ns(server.process.pid) - before
    few = cost(FEW_ASKS)
    return (cost(ASKS) - few) / (ASKS - FEW_ASKS) / 1e6


def direct_ms(provider):
    """The same request from here, ASKS times on one connection."""
    connection = http.client.HTTPConnection(provider.url.removeprefix("http://"), timeout=START_SECONDS)
    body = json.dumps({"model": MODEL, "max_tokens": 50, "messages": [{"role": "user", "content": PROMPT}]})
    headers = {"x-api-key": KEY, "anthropic-version": "2023-06-01", "content-type": "application/json"}
    times = []
    for _ in range(ASKS):
        begin = time.perf_counter()
        connection.request("POST", "/v1/messages", body, headers)
        answer = connection.getresponse()
        answer.read()
        times.append((time.perf_counter() - begin) * 1000)
        expect(answer.status == 200, f"the mock answered {answer.status}")
    connection.close()
    return median(times)


def at_once(server):
    """How many of AT_ONCE questions were answered, and how many milliseconds all of them took."""
    begin = time.perf_counter()
    runs = [server.ask("tools/call", parameters(TOGETHER)) for _ in range(AT_ONCE // ASKS)]
    answered = sum(report_of(server.answer(run))["result"] for run in runs)
    return answered, (time.perf_counter() - begin) * 1000


def measure(rounds):
    samples = max(3, rounds.samples // 5)
    with Provider() as provider:
        variables = {"CODE_EXECUTOR_AI_PROVIDER": "anthropic", "CODE_EXECUTOR_AI_BASE_URL": provider.url, "ANTHROPIC_API_KEY": KEY}
        with World({}, SETTINGS, variables) as world, world.start() as server:
            server.initialize()
            ask_many(server, ASKS)
            own = [own_ms(server) for _ in range(samples)]
            yield Row("own CPU time of one question to a model", f"{median(own):.2f} ms", f"<= {BAR_OVERHEAD_MS} ms",
                      median(own) <= BAR_OVERHEAD_MS, {"ms": summary(own)})
            extra = [median(ask_many(server, ASKS)) - direct_ms(provider) for _ in range(samples)]
            yield Row("a question to a model, less the same request made directly", f"{median(extra):.2f} ms", f"<= {BAR_OVERHEAD_MS} ms",
                      median(extra) <= BAR_OVERHEAD_MS, {"ms": summary(extra)})
            answered, took = at_once(server)
            used = provider.open_most()
            yield Row(f"{AT_ONCE} questions at once, answered after {SLOW_MS} ms each", f"{answered} answered, at most {used} connections open, {took:.0f} ms",
                      "all answered", answered == AT_ONCE,
                      {"answered": answered, "connections": used, "ms": round(took)})
