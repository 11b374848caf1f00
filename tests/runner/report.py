"""What is printed: a line per job, all that a failed one said, and at the end where the time went."""

import re

SLOWEST = 10
# As GoogleTest and unittest print them.
FAILED_TEST = re.compile(r"^(?:\[  FAILED  \]|FAIL:|ERROR:) (\S+)", re.MULTILINE)
FAILED_TESTS_MAX = 10


def said(outcome):
    verdict = "FAILED" if outcome.failed else "ok"
    skipped = f", {outcome.skipped} skipped" if outcome.skipped else ""
    line = f"{outcome.seconds:7.1f} s  {outcome.cpu_seconds:7.1f} s of CPU  {verdict:6}  {outcome.job.name} ({outcome.passed} passed{skipped})"
    return f"{line}\n{outcome.output}\n" if outcome.failed else line


def table(title, rows):
    """Rows of a name, seconds and seconds of CPU; the longest first."""
    lines = (f"{seconds:7.1f} s  {cpu_seconds:7.1f} s of CPU  {name}" for name, seconds, cpu_seconds in sorted(rows, key=lambda row: -row[1]))
    return "\n".join([f"\n== {title}", *lines])


def failed_tests(outcome):
    names = list(dict.fromkeys(FAILED_TEST.findall(outcome.output)))
    return f"{outcome.job.name} ({', '.join(names[:FAILED_TESTS_MAX])})" if names else outcome.job.name


def summary(outcomes):
    suites = {}
    for each in outcomes:
        seconds, cpu_seconds = suites.get(each.job.suite, (0, 0))
        suites[each.job.suite] = seconds + each.seconds, cpu_seconds + each.cpu_seconds
    slowest = sorted(outcomes, key=lambda each: -each.seconds)[:SLOWEST]
    parts = [table("seconds of each suite, all lanes added", [(name, *both) for name, both in suites.items()]),
             table(f"the {len(slowest)} slowest", [(each.job.name, each.seconds, each.cpu_seconds) for each in slowest])]
    failed = [failed_tests(each) for each in outcomes if each.failed]
    if failed:
        parts.append("\n== failed: " + ", ".join(failed))
    return "\n".join(parts)


def closing_line(outcomes):
    passed, failed, skipped = (sum(getattr(each, part) for each in outcomes) for part in ("passed", "failed", "skipped"))
    return f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")


def what_is_known(known, jobs):
    """Says which jobs do not run because they passed before, and by which hash."""
    hashes = ", ".join(f"{suite} {key}" for suite, key in known.keys.items())
    if not jobs:
        return f"\n== hashes of all that the tests depend on: {hashes}"
    entries = [known.of(job) for job in jobs]
    tests, saved = sum(entry["passed"] for entry in entries), sum(entry["seconds"] for entry in entries)
    return (f"\n== not run: {len(jobs)} files of {', '.join(sorted({job.suite for job in jobs}))}, {tests} tests that passed at {max(entry['when'] for entry in entries)}"
            f" and before with the same sources, packages and kernel (hashes: {hashes}; {saved:.0f} s; ./dev test --again runs them)")
