"""What is known to pass: jobs that passed on this machine with just these sources, packages and kernel, wherever the clone was.

Only suites that take minutes, because they wait for processes and clocks; the C++ programs run every time."""

import datetime
import hashlib
import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass

from runner.places import ASAN, REMEMBERED, ROOT

SUITES = ("attacks", "endurance", "e2e", "guests", "signatures")
FOLDER = REMEMBERED / "passed"
# A result is believed for so long: what no hash sees (a clock, a certificate) may have changed.
DAYS = 7


def package_versions():
    """Of every Debian package that `./dev setup` installs."""
    names = [line.strip() for line in (ROOT / "packaging/debian-packages.txt").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    shown = subprocess.run(["dpkg-query", "-W", *names], text=True, capture_output=True, check=False)
    return shown.stdout


def hash_of_everything():
    """Of every file of the project that git does not ignore, and of what the tests run on."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    total = hashlib.sha256()
    for name in sorted(set(os.fsdecode(listed.stdout).split("\0")) - {""}):
        path = ROOT / name
        content = os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes() if path.is_file() else b"(gone)"
        total.update(f"{name}\0{os.access(path, os.X_OK)}\0{len(content)}\0".encode(errors="surrogateescape") + content)
    switches = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("E2E_"))
    total.update("\n".join([package_versions(), platform.release(), sys.version, str(os.geteuid()), *switches]).encode())
    return total.hexdigest()[:16]


@dataclass(frozen=True)
class Known:
    key: str
    jobs: dict  # name -> {"passed", "skipped", "seconds", "when"}

    def of(self, job):
        return self.jobs.get(job.name) if job.suite in SUITES else None


def is_fresh(entry):
    return datetime.datetime.fromisoformat(entry["when"]) > datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=DAYS)


def read():
    key = hash_of_everything()
    try:
        jobs = json.loads((FOLDER / key).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        jobs = {}
    return Known(key, {name: entry for name, entry in jobs.items() if is_fresh(entry)})


def is_built():
    """The programs are those of the sources: whoever starts run.py by hand may have forgotten to build."""
    planned = subprocess.run(["ninja", "-C", str(ASAN), "-n"], text=True, capture_output=True, check=False)
    return "no work to do" in planned.stdout


def remember(known, outcomes):
    """Nothing, if a file changed while the tests ran, or the build is older: nobody knows then what was tested."""
    if hash_of_everything() != known.key or not is_built():
        return
    when = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    passed = {each.job.name: {"passed": each.passed, "skipped": each.skipped, "seconds": round(each.seconds, 1), "when": when}
              for each in outcomes if each.job.suite in SUITES and not each.failed}
    FOLDER.mkdir(parents=True, exist_ok=True)
    written = FOLDER / f"{known.key}.{os.getpid()}"
    written.write_text(json.dumps({**known.jobs, **passed}, indent=1, sort_keys=True), encoding="utf-8")
    written.replace(FOLDER / known.key)
