#!/usr/bin/env python3
"""Measures the bars of this project on this machine, prints them as one table and writes them to bench/results/.

    bench/run.py [--quick]

Every bar is a median of 25 (--quick: of 5, which says little); ratios are taken within one round, so that a machine that
is busy with other things disturbs both sides. It still moves the numbers: before each measurement the bench waits a
little for a quiet machine, and says so if there was none. Exit code 0 also when a bar is missed; 1 if something could not
be measured. CODE_EXECUTOR names the binary, which should be a release build.
"""

import datetime
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from rows import (arrivals, bridge, call_path, calling_runs, cold_guest, deno_alone, faults, first_run, flood, forked_guest, http_children, http_serving, killed, leftovers, other_pythons, parallel_calls, queued_runs, runs_at_once,  # noqa: E402
                  sampling, schemas, starving, startup, startup_large, throughput, timeouts, tool_calls, tool_list, tool_search, unread_displays, warm_guest)
from support.mcp_client import McpFailure  # noqa: E402
from support.row import FULL, QUICK, BrokenMeasurement  # noqa: E402
from support.world import binary  # noqa: E402

BUSY_LOOK_SECONDS = 0.3
BUSY_MAX = 0.15

MEASUREMENTS = (startup.measure, startup_large.measure,
                warm_guest.measure, first_run.measure, arrivals.measure, cold_guest.measure, deno_alone.measure, forked_guest.measure, other_pythons.measure, throughput.measure, timeouts.measure, flood.measure,
                starving.measure, unread_displays.measure,
                tool_calls.measure, call_path.measure, calling_runs.measure, schemas.measure, parallel_calls.measure, sampling.measure, runs_at_once.measure,
                tool_list.measure, tool_search.measure, leftovers.measure, queued_runs.measure, http_serving.measure_call, http_serving.measure_clients, http_serving.measure_refused, http_children.measure, bridge.measure_same_era, bridge.measure_other_era, bridge.measure_answers, bridge.measure_parked, faults.measure_rules, faults.measure_replay, killed.measure, tool_calls.measure_fast_child)


def progress(text):
    """On stderr: stdout gets the table and nothing else."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()


def busy_share():
    """Which part of all cores' time others use, looked at while this program does nothing."""
    def times():
        with open("/proc/stat", encoding="ascii") as file:
            fields = [int(field) for field in file.readline().split()[1:9]]
        return sum(fields), fields[3] + fields[4]  # all, and idle or waiting for a disk
    before = times()
    time.sleep(BUSY_LOOK_SECONDS)
    after = times()
    return 1 - (after[1] - before[1]) / max(1, after[0] - before[0])


def wait_until_quiet(looks):
    """Not for ever: gives the share at the last look."""
    for _ in range(looks):
        busy = busy_share()
        if busy <= BUSY_MAX:
            break
    return busy


def measure_all(rounds):
    """The rows, and the busiest that the machine was with other things."""
    rows, busy = [], 0.0
    for number, measure in enumerate(MEASUREMENTS, 1):
        progress(f"measuring {number} of {len(MEASUREMENTS)}: {measure.__module__.removeprefix('rows.')}")
        busy = max(busy, wait_until_quiet(rounds.patience))
        rows += measure(rounds)
    progress("")
    return rows, busy


def print_table(rows):
    table = [("what", "measured", "bar", "verdict")] + [(row.what, row.measured, row.bar, row.verdict) for row in rows]
    widths = [max(map(len, column)) for column in zip(*table)]
    for number, cells in enumerate(table):
        print(" | ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip(" |"))
        if number == 0:
            print("-|-".join("-" * width for width in widths))


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), platform.machine())
    return {"cpu": model, "cores": os.cpu_count(), "kernel": platform.release()}


def write_results(rows, rounds, busy):
    version = subprocess.run([binary(), "--version"], capture_output=True, text=True, timeout=10, check=False)
    now = datetime.datetime.now(datetime.timezone.utc)
    document = {"date": now.isoformat(timespec="seconds"), "version": version.stdout.strip(),
                "rounds": rounds._asdict(), "machine": {**machine(), "busy with other things": round(busy, 2)},
                "rows": [{"what": row.what, "measured": row.measured, "bar": row.bar, "met": row.met, **row.data}
                         for row in rows]}
    folder = HERE / "results"
    folder.mkdir(exist_ok=True)
    path = folder / f"{datetime.date.today().isoformat()}{'-quick' if rounds is QUICK else ''}.json"
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return path


def print_summary(rows, rounds, busy):
    missed = sum(row.met is False for row in rows)
    where = machine()
    print(f"\n{missed or 'no'} bar{'' if missed == 1 else 's'} missed; medians of {rounds.samples}; "
          f"{where['cores']} cores, {where['cpu']}")
    if busy > BUSY_MAX:
        print(f"The machine was busy with other things ({busy:.0%} of its time at worst): measure again when it is quiet.")


def main(arguments):
    if arguments not in ([], ["--quick"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    rounds = QUICK if arguments else FULL
    try:
        rows, busy = measure_all(rounds)
    except (BrokenMeasurement, McpFailure, OSError, KeyError) as failure:
        progress("")
        print(f"A measurement is broken: {type(failure).__name__}: {failure}", file=sys.stderr)
        return 1
    print_table(rows)
    print_summary(rows, rounds, busy)
    print(f"written to {write_results(rows, rounds, busy).relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
