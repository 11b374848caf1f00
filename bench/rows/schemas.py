"""Compiling the schemas of published tools and checking arguments against them: the JSON Schema library's own bench."""

import json
import subprocess

from support.row import Row, expect
from support.world import ROOT

PROGRAM = ROOT / "build" / "subprojects" / "json-schema" / "bench_schema"
SETS = ROOT.parent / "shared" / "data" / "tool-search"
TIME_MAX_SECONDS = 300
BAR_COMPILE_US = 20
BAR_VALIDATE_US = 5


def measure(_rounds):
    files = sorted(SETS.glob("*/tools.jsonl"))
    if not files:
        yield Row("schemas of published tools", f"not measured: {SETS} is not there", "", None, {})
        return
    expect(PROGRAM.exists(), f"{PROGRAM} is missing: ninja -C build subprojects/json-schema/bench_schema")
    done = subprocess.run([PROGRAM, *files], capture_output=True, text=True, timeout=TIME_MAX_SECONDS, check=False)
    expect(done.returncode == 0, f"bench_schema: {done.stderr.strip()}")
    measured = json.loads(done.stdout)
    for what, key, bar in (("compiling a schema", "compile", BAR_COMPILE_US), ("checking arguments", "validate", BAR_VALIDATE_US)):
        took = measured[key]
        yield Row(f"{what}, {measured['schemas']:,} published tools: p50 / p99", f"{took['p50_us']:.1f} / {took['p99_us']:.1f} us",
                  f"p50 <= {bar} us", took["p50_us"] <= bar and measured["refused"] == 0, {**measured, "file_count": len(files)})
