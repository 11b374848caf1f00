#!/usr/bin/env python3
"""Runs clang-tidy on sources that it has not found clean before.

    check.py PROGRAM BUILD_FOLDER SOURCE...     BUILD_FOLDER has the compile_commands.json of the sources

What is clean is remembered by a hash of all that clang-tidy sees: the source, every file of this project that it includes (as they are, because
comments and macros count too, which preprocessed text does not have), its flags, the configuration, and the versions of clang-tidy and of every
package that brings headers. A verdict holds in every clone on this machine.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from runner.places import REMEMBERED  # noqa: E402
from runner.known import package_versions  # noqa: E402

VERDICTS = REMEMBERED / "clang-tidy"
# How many of the last commits tell what is likely to have findings.
COMMITS_LOOKED_AT = 20


def digest(*parts):
    return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()[:24]


def configuration(program):
    version = subprocess.run([program, "--version"], text=True, capture_output=True, check=True).stdout
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / ".clang-tidy", ROOT / "packaging/tidy/own_code.cpp")]
    return digest(version, *texts, package_versions())


def flags_of(folder):
    """Per source its flags, without the paths of this clone, and the folders of this project that it may include from."""
    found = {}
    for entry in json.loads((folder / "compile_commands.json").read_text(encoding="utf-8")):
        at = Path(entry["directory"])
        included = [(at / path).resolve() for path in re.findall(r"-I(\S+)", entry["command"])]
        found[(at / entry["file"]).resolve()] = (entry["command"].replace(str(ROOT), ""), [path for path in included if path.is_relative_to(ROOT)])
    return found


def files_seen(source, folders):
    """The source and every file of this project that it includes, at whatever depth."""
    seen, open_ = set(), [source]
    while open_:
        path = open_.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', path.read_text(encoding="utf-8"), re.MULTILINE):
            open_ += [found for folder in (path.parent, *folders) if (found := folder / name).is_file()][:1]
    return sorted(seen)


def key_of(source, configured, flags):
    command, folders = flags.get(source, ("", [ROOT]))
    texts = [f"{path.relative_to(ROOT)}\n{path.read_text(encoding='utf-8')}" for path in files_seen(source, folders)]
    return digest(configured, command, *texts)


def lately_changed():
    listed = subprocess.run(["git", "log", f"-{COMMITS_LOOKED_AT}", "--name-only", "--format="], cwd=ROOT, text=True, capture_output=True, check=False)
    return set(listed.stdout.split())


def look(program, folder, source, key):
    done = subprocess.run([program, "-p", str(folder), "--quiet", str(source)], cwd=ROOT, text=True, errors="replace", check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode == 0:
        (VERDICTS / key).touch()
    return done.returncode, done.stdout


def main():
    program, folder, *names = sys.argv[1:]
    folder = ROOT / folder
    VERDICTS.mkdir(parents=True, exist_ok=True)
    configured, flags = configuration(program), flags_of(folder)
    keys = {source: key_of(source, configured, flags) for source in ((ROOT / name).resolve() for name in names)}
    changed = lately_changed()
    unknown = [source for source, key in keys.items() if not (VERDICTS / key).exists()]
    unknown.sort(key=lambda source: str(source.relative_to(ROOT)) not in changed)
    print(f"{len(keys) - len(unknown)} of {len(keys)} sources are known to be clean (configuration {configured}, verdicts in {VERDICTS})", file=sys.stderr)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as lanes:
        for code, said in lanes.map(lambda source: look(program, folder, source, keys[source]), unknown):
            failed += code != 0
            if code != 0:
                print(said, flush=True)
    if failed:
        print(f"clang-tidy has findings in {failed} sources", file=sys.stderr)
    return 1 if failed else 0


sys.exit(main())
