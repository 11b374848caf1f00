"""Makes the packages of the release build, and places to install them into."""

import contextlib
import fcntl
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from runner.suites import RELEASE_PROGRAM  # noqa: E402

BUILD = Path(os.environ.get("CODE_EXECUTOR_RELEASE") or ROOT / "build").resolve()
NPM_PACKAGES = ROOT / "packaging/npm/node_modules"
FILESYSTEM_SERVER = NPM_PACKAGES / "@modelcontextprotocol/server-filesystem/dist/index.js"
SECONDS_MAX = 240


def run(*command, **options):
    """Its output. What it said on stderr is in the error."""
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=SECONDS_MAX,
                          check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def digest_of_inputs():
    """Of all that packages are made of: two files of tests need the same one."""
    folders = [ROOT / "packaging", ROOT / "sandbox/guest"]
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file() and not {"node_modules", "__pycache__"} & set(path.parts)]
    total = hashlib.sha256(run("git", "rev-parse", "HEAD", cwd=ROOT).encode())
    for path in [*sorted(files), *(BUILD / target for _, target in RELEASE_PROGRAM)]:
        total.update(f"{path}\0".encode() + path.read_bytes())
    return total.hexdigest()


def made(kind):
    """The folder with the package of that kind, made of the build as it is."""
    out = ROOT / "build/packages" / f"test-{kind}"
    out.mkdir(parents=True, exist_ok=True)
    with (out / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        inputs, kept = digest_of_inputs(), out / "inputs"
        if kept.exists() and kept.read_text(encoding="utf-8") == inputs:
            return out
        for old in [kept, *out.glob("code-executor*")]:
            old.unlink(missing_ok=True)
        run(sys.executable, ROOT / "packaging/products/package.py", "--quick", "--build", BUILD, "--out", out, kind)
        kept.write_text(inputs, encoding="utf-8")
    return out


def only(folder, pattern):
    found = list(folder.glob(pattern))
    assert len(found) == 1, f"{pattern} in {folder}: {found}"
    return found[0]


@contextlib.contextmanager
def place():
    """An empty folder with a home in it, and the variables of one who lives there."""
    with tempfile.TemporaryDirectory(prefix="packages-") as name:
        folder = Path(name)
        (folder / "home").mkdir()
        (folder / "tmp").mkdir()
        folder.chmod(0o755)
        cache = os.environ.get("npm_config_cache") or str(Path.home() / ".npm")
        kept = {name: os.environ[name] for name in os.environ if name.lower().startswith(("npm_config_", "http_proxy", "https_proxy", "no_proxy"))}
        yield folder, {**kept, "HOME": str(folder / "home"), "TMPDIR": str(folder / "tmp"), "PATH": os.environ["PATH"], "npm_config_cache": cache,
                       "npm_config_update_notifier": "false", "npm_config_audit": "false", "npm_config_fund": "false"}
