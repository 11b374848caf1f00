#!/usr/bin/env python3
"""Two servers that share a home, each with one client, ten MCP servers (two crash at random, one hangs) and runs in both languages, for as long
as you like; then says whether anything grew, was not answered or was left.

    bench/soak.py [SECONDS] [--faults] [--warm-up SECONDS] [--rate RUNS] [--memory-mb MB] [--answer-seconds SECONDS]

Without arguments: 30 minutes, of which the first two are not judged, 20 runs a second in all, and 4 MB of growth. Numbers go
to stdout and, all of them, to bench/results/soak-DATE.json. With --faults all MCP servers but two meet every kind of fault, and calls of those two
have to be right all the same. Exit code 0: nothing grew; 1: something is wrong, and it says what.
CODE_EXECUTOR names the binary.
"""

import argparse
import contextlib
import datetime
import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from support import processes  # noqa: E402
from support.faulty import plan  # noqa: E402
from support.growth import Watch, growth  # noqa: E402
from support.kills import audit_problems  # noqa: E402
from support.load import CRASHING, FAULTED, HANGING, STEADY, Load, wake  # noqa: E402
from support.world import SOAK_CHILD, World  # noqa: E402

SERVERS = 2
CRASH_SHARE, HANG_SHARE = 0.1, 0.2
# More than what comes and goes: a run more or less that is going on at every tenth look, and the two servers that crash, which may be down for the
# most of a third. With faults, each server that meets them may be down.
ALLOWED = {"descriptors": 4, "threads": 0, "processes": 4}
# A server that is up in the last third and was down in the first is a process more, and three pipes and a pidfd.
DESCRIPTORS_OF_A_PROCESS = 4
SETTLE_SECONDS = 5
# As many guests wait at the end as at the beginning, whatever the machine has to do.
POOL = {"sandbox": {"pool": {"size": 2, "max": 2}}}


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float, nargs="?", default=1_800)
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--warm-up", type=float, default=120)
    parser.add_argument("--rate", type=float, default=20)
    parser.add_argument("--memory-mb", type=float, default=4)
    parser.add_argument("--answer-seconds", type=float, default=60)
    return parser.parse_args()


def children():
    return {**{name: SOAK_CHILD for name in STEADY}, **{name: [*SOAK_CHILD, f"crash={CRASH_SHARE}"] for name in CRASHING},
            HANGING: [*SOAK_CHILD, f"hang={HANG_SHARE}"]}


def run_load(servers, wanted):
    """The loads and the watches, when the time is over and everything is answered."""
    faulted = FAULTED if wanted.faults else ()
    loads = [Load(number, server, wanted.rate / len(servers), wanted.seconds, wanted.answer_seconds, faulted) for number, server in enumerate(servers)]
    watches = [Watch(load.server.process.pid, load.open_runs) for load in loads]
    for thread in [*watches, *loads]:
        thread.start()
    while any(load.is_alive() for load in loads):
        time.sleep(1)
        show_progress(loads, watches)
    for watch in watches:
        watch.is_stopped = True
        watch.join()
    return loads, watches


def show_progress(loads, watches):
    if sys.stderr.isatty() and all(watch.samples for watch in watches):
        last = ", ".join(f"{w.samples[-1].resident_mb:.1f} MB {w.samples[-1].processes} processes" for w in watches)
        sys.stderr.write(f"\r\x1b[K{watches[0].samples[-1].seconds:.0f} s, {sum(load.answered for load in loads)} runs: {last}")
        sys.stderr.flush()


def end(servers, watches):
    """What is wrong with how the servers end."""
    problems = []
    for number, server in enumerate(servers):
        code = server.close()
        if code != 0 or server.stray_bytes:
            problems.append(f"server {number} ended with exit code {code} and {server.stray_bytes} stray bytes; its log ends with "
                            f"{server.stderr()[-1000:]}")
    family = set().union(*(watch.family for watch in watches))
    deadline = time.monotonic() + SETTLE_SECONDS
    while (left := processes.alive(family)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return problems + [f"process {pid} is left: {processes.command_line(pid)}" for pid, _ in left]


def judge(number, watch, wanted):
    """The lines to print, and what is wrong."""
    grown = growth(watch.samples, wanted.warm_up)
    if grown is None:
        return [], [f"server {number} was not looked at long enough"]
    bounds = {"resident_mb": wanted.memory_mb, **ALLOWED}
    if wanted.faults:
        bounds["processes"] += len(FAULTED)
    bounds["descriptors"] += DESCRIPTORS_OF_A_PROCESS * max(0, grown["processes"][1] - grown["processes"][0])
    lines, problems = [], []
    for field, (first, last) in grown.items():
        lines.append(f"server {number}, {field}: {first:g} -> {last:g} (at most {bounds[field]:g} more)")
        if last - first > bounds[field]:
            problems.append(f"server {number}: {field} grew from {first:g} to {last:g}")
    return lines, problems


def write_results(wanted, loads, watches, problems):
    folder = HERE / "results"
    folder.mkdir(exist_ok=True)
    path = folder / f"soak-{datetime.date.today().isoformat()}.json"
    path.write_text(json.dumps({
        "wanted": vars(wanted), "answered": [load.answered for load in loads], "slowest seconds": [round(load.slowest, 2) for load in loads],
        "problems": problems, "samples": [[list(sample) for sample in watch.samples] for watch in watches]}) + "\n", encoding="utf-8")
    return path


def main():
    wanted = parse_arguments()
    settings = {**POOL, "faults": plan()} if wanted.faults else POOL
    with World(children(), settings) as world, contextlib.ExitStack() as started:
        servers = [started.enter_context(world.start()) for _ in range(SERVERS)]
        for server in servers:
            server.initialize()
            wake(server)
        loads, watches = run_load(servers, wanted)
        problems = end(servers, watches)
        chain = audit_problems(world)
    for number, (load, watch) in enumerate(zip(loads, watches)):
        lines, grown = judge(number, watch, wanted)
        print(f"server {number}: {load.answered} runs answered, the slowest after {load.slowest:.1f} s, {load.failed} not as they should be")
        print(*lines, sep="\n")
        problems += grown + [f"server {number}: {failure}" for failure in load.failures]
    print("audit log: " + ("this binary has no `audit verify`" if chain is None else "whole" if not chain else "NOT WHOLE"))
    problems += chain or []
    print(f"written to {write_results(wanted, loads, watches, problems).relative_to(HERE.parent)}")
    print(*(f"WRONG: {problem}" for problem in problems), sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
