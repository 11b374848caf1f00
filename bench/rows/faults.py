"""What faults cost per call: compiled in and off, and with twenty rules; how fast a recording answers, and how long a large one takes to open."""

import json
import time

from rows.call_path import CALL, WARM_UP_CALLS, own_time
from support.programs import TYPESCRIPT, run
from support.row import Row, median, summary
from support.world import ECHO_CHILD, World

OFF_SHARE, RULES, RULES_US = 0.02, 20, 5
REPLAY_PER_SECOND, REPLAYED_CALLS = 5_000, 5_000
EXCHANGES, OPEN_S = 100_000, 0.5
PLAN = {"seed": 1, "rules": [{"match": f"mcp__child__e*{'o' if i % 2 else ''}", "kind": "error", "probability": 0} for i in range(RULES)]}


def measure_rules(rounds):
    """In turn, as the machine drifts: no faults possible at all, none in force, twenty rules of which none ever fires."""
    settings = {"never": {"security": {"allowFaults": False}}, "off": {}, "on": {"faults": PLAN}}
    worlds = {name: World({"child": ECHO_CHILD}, settings=each) for name, each in settings.items()}
    servers = {name: world.start() for name, world in worlds.items()}
    times = {name: [] for name in settings}
    try:
        for server in servers.values():
            server.initialize()
            run(server, TYPESCRIPT, CALL[TYPESCRIPT] % WARM_UP_CALLS)
        for _ in range(max(5, rounds.samples // 2)):
            for name, server in servers.items():
                times[name].append(own_time(server, TYPESCRIPT))
    finally:
        for server in servers.values():
            server.close()
        for world in worlds.values():
            world.__exit__()
    never, off, on = (median(times[name]) for name in settings)
    details = {f"{name} us": summary(each, 1) for name, each in times.items()}
    yield Row("own CPU of a call with faults possible and off, beside none possible", f"{off:.1f} us = + {100 * (off / never - 1):.1f} %",
              f"<= + {100 * OFF_SHARE:.0f} %", off <= never * (1 + OFF_SHARE), details)
    yield Row(f"the same with {RULES} rules", f"+ {on - off:.1f} us", f"<= + {RULES_US} us", on - off <= RULES_US, details)


def recorded(path, calls):
    """Lines as a person may write them, or a recorder of ours: with keys that no question has, but one."""
    first = {"recording": 1, "salt": "s"}
    opening = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "c", "version": "1"}}
    tools = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    answer = {"content": [{"type": "text", "text": "x" * 200}]}
    with open(path, "w", encoding="utf-8") as file:
        for line in (first, {"server": "child", "method": "initialize", "params": {}, "result": opening},
                     {"server": "child", "method": "tools/list", "params": {}, "result": tools},
                     {"server": "child", "method": "tools/call", "params": {"name": "echo", "arguments": {"message": "m"}}, "result": answer}):
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
        for i in range(calls):
            file.write(f'{{"key":"{i:016x}","server":"child","method":"tools/call","params":{{"name":"echo","arguments":{{"message":"{i}"}}}},"ms":1,'
                       f'"result":{json.dumps(answer)}}}\n')


def measure_replay(rounds):
    code = "for (let i = 0; i < %d; i++) await callMCPTool('mcp__child__echo', {message: 'm'}); return 1"
    with World({}) as world:
        small, large = world.folder / "small.jsonl", world.folder / "large.jsonl"
        recorded(small, 10)
        recorded(large, EXCHANGES)
        with world.start("replay", str(small)) as server:
            server.initialize()
            run(server, TYPESCRIPT, code % WARM_UP_CALLS)
            rates = []
            for _ in range(max(3, rounds.samples // 3)):
                begin = time.perf_counter()
                run(server, TYPESCRIPT, code % REPLAYED_CALLS)
                rates.append(REPLAYED_CALLS / (time.perf_counter() - begin))
            yield Row("calls a second of a program, answered by a recording", f"{median(rates):.0f}", f">= {REPLAY_PER_SECOND}",
                      median(rates) >= REPLAY_PER_SECOND, {"per second": summary(rates, 0)})
        times = {"small": [], "large": []}
        for _ in range(max(3, rounds.samples // 3)):
            for name, path in (("small", small), ("large", large)):
                begin = time.perf_counter()
                with world.start("replay", str(path)) as server:
                    server.initialize()
                    times[name].append(time.perf_counter() - begin)
        more = median(times["large"]) - median(times["small"])
        yield Row(f"a recording of {EXCHANGES:,} calls, until the client is answered", f"+ {more:.2f} s", f"<= {OPEN_S} s", more <= OPEN_S,
                  {name: summary(each, 3) for name, each in times.items()})
