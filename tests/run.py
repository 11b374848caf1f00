#!/usr/bin/env python3
"""Runs the tests against the sanitized builds and ends with one line: N passed, N failed. docs/testing.md tells what there is.

    run.py                       everything but what is known to pass (runner/known.py)
    run.py --again               everything
    run.py NAME...               a suite, a test file (test_limits, budget_test) or a test (test_limits.Case.test_one)
    run.py --targets [NAME...]   only prints what has to be built for them: lines of build folder and ninja target
"""

import difflib
import sys
import time

from runner import known, lanes, report, seconds, suites



def wanted_jobs(names):
    jobs = []
    for name in names:
        found = suites.jobs_named(name)
        if not found:
            near = difflib.get_close_matches(name, suites.known_names(), 3)
            sys.exit(f"run.py: no suite, test file or test '{name}'" + (f"; did you mean {', '.join(near)}?" if near else ""))
        jobs += found
    return list({job.name: job for job in jobs}.values()) if names else suites.all_jobs()


def print_targets(jobs):
    for folder, target in sorted({built for job in jobs for built in job.builds}):
        print(folder.name, target)


def run_and_report(jobs):
    begin, outcomes = time.monotonic(), []
    for outcome in lanes.run_all(seconds.longest_first(jobs)):
        outcomes.append(outcome)
        print(report.said(outcome), flush=True)
    seconds.remember(outcomes)
    print(report.summary(outcomes))
    print(f"\n== tests: {time.monotonic() - begin:.0f} s")
    return outcomes


def run_everything(again):
    """But what is known to pass, which is said."""
    before, jobs = known.read(), suites.all_jobs()
    skipped = [] if again else [job for job in jobs if before.of(job)]
    print(report.what_is_known(before, skipped), flush=True)
    outcomes = run_and_report([job for job in jobs if job not in skipped])
    known.remember(before, outcomes)
    print(report.what_is_known(before, skipped))
    return outcomes


def main():
    flags, names = ([word for word in sys.argv[1:] if word.startswith("--") == is_flag] for is_flag in (True, False))
    if set(flags) - {"--again", "--targets"}:
        sys.exit(__doc__)
    if "--targets" in flags:
        return print_targets(wanted_jobs(names))
    outcomes = run_and_report(wanted_jobs(names)) if names else run_everything("--again" in flags)
    print(f"\n{report.closing_line(outcomes)}", flush=True)
    return 1 if any(each.failed for each in outcomes) else 0


sys.exit(main())
