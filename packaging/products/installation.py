"""What `meson install` makes of a build folder that is built, stripped: the tree that all packages are made of."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Where meson.build puts the guests, below the prefix.
EXECUTABLES = ("bin/code-executor", "libexec/code-executor/guest-init", "libexec/code-executor/guest-exec", "libexec/code-executor/guest-spawn")
MODULES = ("libexec/code-executor/guest-fork.so",)


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, **options)


def output_of(*command, **options):
    return run(*command, text=True, stdout=subprocess.PIPE, **options).stdout


def introspected(build, what):
    import json
    return json.loads(output_of("meson", "introspect", build, f"--{what}"))


def version_of(build):
    return introspected(build, "projectinfo")["version"]


def is_sanitized(build):
    return next(option["value"] for option in introspected(build, "buildoptions") if option["name"] == "b_sanitize") != "none"


def prefix_of(build):
    return next(option["value"] for option in introspected(build, "buildoptions") if option["name"] == "prefix")


def install(target, build, to):
    """`to` becomes the prefix: bin, libexec, share. The program finds its parts relative to itself. Pyodide is left out: it is 13 MB of another project."""
    built = [Path(each) for target in introspected(build, "targets") if target["installed"] for each in target["filename"]]
    missing = [each for each in built if not each.exists()]
    if missing:
        raise SystemExit(f"package: {missing[0]} is not built: run ./dev build first")
    if is_sanitized(build):
        raise SystemExit(f"package: {build} has sanitizers in it; packages are made of a release build")
    whole = to.with_name(to.name + ".destdir")
    shutil.rmtree(whole, ignore_errors=True)
    run("meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", whole)
    shutil.rmtree(to, ignore_errors=True)
    (whole / prefix_of(build).lstrip("/")).rename(to)
    shutil.rmtree(whole)
    shutil.rmtree(to / "share/code-executor/pyodide", ignore_errors=True)
    for left in to.rglob("__pycache__"):
        shutil.rmtree(left)
    for name in EXECUTABLES:
        target.strip(to / name, "all")
    for name in MODULES:
        target.strip(to / name, "unneeded")
    for path in to.rglob("*"):
        if path.is_file():
            path.chmod(0o755 if str(path.relative_to(to)) in EXECUTABLES else 0o644)
    return to
