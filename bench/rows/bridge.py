"""What `bridge` adds to a call, within an era and across them; what an answer of a person costs on its way through it, and calls that wait for one."""

import sys
import time

from support.http_client import HttpClient, port_of
from support.mcp_client import McpClient
from support.processes import resident_bytes
from support.row import Row, expect, median, summary
from support.world import ECHO_CHILD, ROOT, World

CALLS, WARM_UP_CALLS = 200, 1_000
SAME_ERA_MS, OTHER_ERA_MS, ANSWER_MS = 0.3, 0.5, 1.0
PARKED, PARKED_BYTES = 100, 5 << 20
ASKING_CHILD = [sys.executable, "-S", "-E", "-u", str(ROOT / "tests" / "children" / "asking_child.py")]
PREFIX = "io.modelcontextprotocol/"
META = {PREFIX + "protocolVersion": "2026-07-28", PREFIX + "clientCapabilities": {"elicitation": {}}}
FORM = {"method": "elicitation/create", "params": {"message": "m", "requestedSchema": {"type": "object", "properties": {}}}}


def later(client, name, arguments, **more):
    """A call of 2026-07-28."""
    return client.request("tools/call", {"name": name, "arguments": arguments, **more, "_meta": META})


def per_call(call):
    """Milliseconds."""
    begin = time.perf_counter()
    for i in range(CALLS):
        result = call("echo", {"message": f"call {i}"})
    took = time.perf_counter() - begin
    expect(result["content"][0]["text"] == f"call {CALLS - 1}", f"the child answered with {result}")
    return took * 1000 / CALLS


def added(rounds, what, bar_ms, call, direct):
    """`direct` before and after each: the machine drifts."""
    for each in (call, direct):
        for i in range(WARM_UP_CALLS):
            each("echo", {"message": f"call {i}"})
    more, through = [], []
    for _ in range(rounds.samples):
        before = per_call(direct)
        through.append(per_call(call))
        more.append(through[-1] - (before + per_call(direct)) / 2)
    return Row(what, f"+ {median(more):.3f} ms (of {median(through):.3f})", f"<= + {bar_ms} ms p50", median(more) <= bar_ms,
               {"more_ms": summary(more), "through_ms": summary(through)})


def measure_same_era(rounds):
    with World({}) as world, world.start("bridge", "--http", "127.0.0.1:0", "--", *ECHO_CHILD) as bridge, McpClient(ECHO_CHILD) as child, \
            HttpClient(port_of(bridge)) as client:
        child.initialize()
        client.initialize()
        yield added(rounds, "bridge from HTTP to stdio, tools/call of echo, beside the child itself", SAME_ERA_MS, client.call_tool, child.call_tool)


def measure_other_era(rounds):
    with World({}) as world, world.start("bridge", "--", *ECHO_CHILD) as client, McpClient(ECHO_CHILD) as child:
        child.initialize()
        yield added(rounds, "bridge across eras, both on stdio", OTHER_ERA_MS, lambda *call: later(client, *call), child.call_tool)


def asked_and_answered(client):
    asked = later(client, "ask", FORM)
    expect(asked["resultType"] == "input_required", f"nothing was asked: {asked}")
    answers = {key: {"action": "decline"} for key in asked["inputRequests"]}
    return later(client, "ask", FORM, requestState=asked["requestState"], inputResponses=answers)


def measure_answers(rounds):
    """Beside two calls of the same server through the same bridge: a question and its answer are as many messages."""
    with World({}) as world, world.start("bridge", "--", *ASKING_CHILD) as client:
        times = {"asked": [], "called": []}
        for i in range(rounds.samples * 8):
            begin = time.perf_counter()
            asked_and_answered(client)
            middle = time.perf_counter()
            later(client, "echo", {"text": "a"})
            later(client, "echo", {"text": "b"})
            if i > rounds.samples:
                times["asked"].append((middle - begin) * 1000)
                times["called"].append((time.perf_counter() - middle) * 1000)
        more = median(times["asked"]) - median(times["called"])
        yield Row("a question of a legacy server to a client of 2026-07-28, beside two calls", f"+ {more:.2f} ms", f"<= {ANSWER_MS} ms", more <= ANSWER_MS,
                  {name: summary(each) for name, each in times.items()})


def measure_parked(_):
    with World({}) as world, world.start("bridge", "--", *ASKING_CHILD) as client:
        asked_and_answered(client)
        before = resident_bytes(client.process.pid)
        for _ in range(PARKED):
            expect(later(client, "ask", FORM)["resultType"] == "input_required", "nothing was asked")
        more = resident_bytes(client.process.pid) - before
        yield Row(f"{PARKED} calls that wait for an answer: resident", f"{more / 2**20:.1f} MiB more", f"<= {PARKED_BYTES >> 20} MiB", more <= PARKED_BYTES,
                  {"bytes": more})
