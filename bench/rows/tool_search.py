"""What the tool search finds of what was meant, and how long it takes among 23,000 tools: bench/tool_search.cpp."""

import json
import subprocess

from support.row import Row, expect
from support.world import ROOT

PROGRAM = ROOT / "build" / "bench" / "tool_search"
SETS = ROOT / "bench" / "data" / "tool-search"
TIME_MAX_SECONDS = 300
BAR_P50_MS = 1
BAR_P99_MS = 5
BAR_MB = 40


def measure(_rounds):
    expect(PROGRAM.exists(), f"{PROGRAM} is missing: ninja -C build bench/tool_search")
    done = subprocess.run([PROGRAM, SETS], capture_output=True, text=True, timeout=TIME_MAX_SECONDS, check=False)
    expect(done.returncode == 0, f"tool_search: {done.stderr.strip()}")
    measured = json.loads(done.stdout)
    for name, bar in measured["bars"].items():
        found = measured["recall"]["all"][name]
        yield Row(f"tool search, {name}: R@5 / R@1", f"{found['r5']:.3f} / {found['r1']:.3f}", f">= {bar['r5']} / {bar['r1']}",
                  found["r5"] >= bar["r5"] and found["r1"] >= bar["r1"], found)
    many = measured["many tools"]
    for name in measured["bars"]:
        took = many[name]
        yield Row(f"tool search among {many['tools']:,} tools, questions of {name}: p50 / p99",
                  f"{took['p50_ms']:.2f} / {took['p99_ms']:.2f} ms", f"<= {BAR_P50_MS} / {BAR_P99_MS} ms",
                  took["p50_ms"] <= BAR_P50_MS and took["p99_ms"] <= BAR_P99_MS, took)
    yield Row(f"index of {many['tools']:,} tools, resident", f"{many['megabytes']:.1f} MB", f"<= {BAR_MB} MB",
              many["megabytes"] <= BAR_MB, {"megabytes": many["megabytes"]})
    yield Row("built in / turned round after one server changed", f"{many['build_ms']:.0f} / {many['update_ms']:.0f} ms", "",
              None, {"build_ms": many["build_ms"], "update_ms": many["update_ms"]})
