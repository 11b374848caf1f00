"""Deno's and Python's judgement of declarations."""

import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS_MAX = 300


def printer():
    """Beside the binary that the tests are told of."""
    build = Path(os.environ.get("CODE_EXECUTOR", ROOT / "build-asan/code-executor")).parent
    return build / "tests/print_declarations"


def deno():
    return os.environ.get("DENO_PATH") or next(iter(glob.glob(str(ROOT / "packaging/npm/node_modules/@deno/*/deno"))), None)


def mypy():
    return shutil.which("mypy")


def printed(tools, *words):
    lines = "".join(json.dumps(tool, ensure_ascii=False) + "\n" for tool in tools)
    return subprocess.run([printer(), *words], input=lines, text=True, stdout=subprocess.PIPE, check=True, timeout=SECONDS_MAX).stdout


def check_typescript(test, texts, per_file):
    """Each in a namespace of its own, many in a file."""
    files = []
    for begin in range(0, len(texts), per_file):
        parts = [f"export namespace n{begin + i} {{\n{text}}}\n" for i, text in enumerate(texts[begin : begin + per_file])]
        files.append("".join(parts))
    deno_check(test, files)


def deno_check(test, files):
    """Fails the test with what the compiler says about any of these texts."""
    if said := deno_complaints(files):
        test.fail(said)


def complaint_lines(said):
    """The lines that the compiler complains of, without those that it only mentions."""
    return {int(line) for line in re.findall(r"^ {4}at .*part0\.ts:(\d+):\d+", said, re.MULTILINE)}


def deno_complaints(files, whole=False):
    """What the compiler says about these texts of TypeScript; empty: nothing. Its beginning, or the whole."""
    with tempfile.TemporaryDirectory() as folder:
        names = [f"part{number}.ts" for number in range(len(files))]
        for name, text in zip(names, files):
            Path(folder, name).write_text(text)
        environment = {**os.environ, "DENO_DIR": f"{folder}/.deno", "NO_COLOR": "1", "DENO_NO_UPDATE_CHECK": "1"}
        done = subprocess.run(
            [deno(), "check", "--no-remote", "--no-npm", "--no-config", *names],
            cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=SECONDS_MAX,
        )
        return "" if done.returncode == 0 else (done.stdout if whole else done.stdout[:5_000]) or "failed in silence"


def check_python(test, texts):
    for number, text in enumerate(texts):
        with test.subTest(number=number):
            compile(text, f"stub{number}.pyi", "exec")


def execute_python(test, texts):
    """What is valid can also be evaluated: every name has a value where it stands, or stands in a string."""
    for number, text in enumerate(texts):
        with test.subTest(number=number):
            exec(compile(text, f"stub{number}.py", "exec"), {})  # pylint: disable=exec-used


def check_mypy(test, texts):
    """Each in a module of its own."""
    if not mypy():
        test.skipTest("mypy is not installed")
    run_mypy(test, {f"stub{number}.pyi": text for number, text in enumerate(texts)})


def run_mypy(test, files):
    if said := mypy_complaints(files):
        test.fail(said)


def mypy_complaints(files, whole=False):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text)
        done = subprocess.run(
            [mypy(), "--no-error-summary", "--cache-dir", f"{folder}/.cache", "--python-version", "3.11", folder],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=SECONDS_MAX,
        )
        return "" if done.returncode == 0 else (done.stdout if whole else done.stdout[:5_000]) or "failed in silence"
