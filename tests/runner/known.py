"""What is known to pass: jobs that passed on this machine with just these programs, files, packages and kernel, wherever the clone was.

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
from runner.suites import PROGRAM, RELEASE_PROGRAM

SUITES = ("attacks", "endurance", "e2e", "guests", "packages", "signatures")
# Of the C++ sources these suites see the programs that were built of them. Guests run without the program: their tests see a few folders.
PROGRAMS = (*(folder / name for folder, name in PROGRAM), ASAN / "tests/print_declarations")
CPP = (".cpp", ".hpp", "meson.build")
SEEN_BY = {"guests": (("sandbox/guest/", "tests/guest/", "subprojects/text/tests/aliases.json", "tests/runner/", "tests/run.py", "packaging/"),
                      (ASAN / "guest-init",)),
           "packages": (("",), (*(folder / name for folder, name in RELEASE_PROGRAM), ROOT / "meson.build"))}
FOLDER = REMEMBERED / "passed"
# A result is believed for so long: what no hash sees (a clock, a certificate) may have changed.
DAYS = 7


def package_versions():
    """Of every Debian package that `./dev setup` installs."""
    names = [line.strip() for line in (ROOT / "packaging/debian-packages.txt").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    shown = subprocess.run(["dpkg-query", "-W", *names], text=True, capture_output=True, check=False)
    return shown.stdout


def machine():
    """What the tests run on."""
    switches = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("E2E_"))
    return "\n".join([package_versions(), platform.release(), sys.version, str(os.geteuid()), *switches])


def files():
    """Of the project, but what git ignores."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    return sorted(set(os.fsdecode(listed.stdout).split("\0")) - {""})


def hash_of(suite, names, machine_now):
    """Of all that the tests of a suite depend on."""
    folders, programs = SEEN_BY.get(suite, (("",), PROGRAMS))
    total = hashlib.sha256()
    for path in [*(ROOT / name for name in names if name.startswith(folders) and not name.endswith(CPP)), *programs]:
        content = os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes() if path.is_file() else b"(gone)"
        total.update(f"{path.relative_to(ROOT)}\0{os.access(path, os.X_OK)}\0{len(content)}\0".encode(errors="surrogateescape") + content)
    total.update(machine_now.encode())
    return total.hexdigest()[:16]


def hashes():
    """Of each suite."""
    names, machine_now = files(), machine()
    everything = hash_of("", names, machine_now)
    return {suite: hash_of(suite, names, machine_now) if suite in SEEN_BY else everything for suite in SUITES}


@dataclass(frozen=True)
class Known:
    keys: dict  # suite -> hash of what it depends on
    jobs: dict  # name -> {"passed", "skipped", "seconds", "when"}

    def of(self, job):
        return self.jobs.get(job.name) if job.suite in SUITES else None


def is_fresh(entry):
    return datetime.datetime.fromisoformat(entry["when"]) > datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=DAYS)


def remembered(suite, key):
    try:
        return json.loads((FOLDER / f"{suite}-{key}").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def read():
    keys = hashes()
    jobs = {name: entry for suite, key in keys.items() for name, entry in remembered(suite, key).items()}
    return Known(keys, {name: entry for name, entry in jobs.items() if is_fresh(entry)})


def is_built():
    """The programs are those of the sources: whoever starts run.py by hand may have forgotten to build."""
    planned = subprocess.run(["ninja", "-C", str(ASAN), "-n"], text=True, capture_output=True, check=False)
    return "no work to do" in planned.stdout


def remember(known, outcomes):
    """Nothing, if a file changed while the tests ran, or the build is older: nobody knows then what was tested."""
    if hashes() != known.keys or not is_built():
        return
    when = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    FOLDER.mkdir(parents=True, exist_ok=True)
    for suite, key in known.keys.items():
        passed = {each.job.name: {"passed": each.passed, "skipped": each.skipped, "seconds": round(each.seconds, 1), "when": when}
                  for each in outcomes if each.job.suite == suite and not each.failed}
        written = FOLDER / f"{suite}-{key}.{os.getpid()}"
        written.write_text(json.dumps({**remembered(suite, key), **passed}, indent=1, sort_keys=True), encoding="utf-8")
        written.replace(FOLDER / f"{suite}-{key}")
