"""Every suite of the project, as jobs. A file of Python tests is a job, and a C++ program is several: shards of it."""

import re
import subprocess
import sys

from runner.job import Job
from runner.places import ASAN, RELEASE, ROOT, TESTS, TSAN

# With all that it looks for beside itself.
PROGRAM = tuple((ASAN, target) for target in ("code-executor", "guest-init", "guest-exec", "guest-fork.so", "guest-spawn", "typescript-guest.js"))
RELEASE_PROGRAM = tuple((RELEASE, target) for _, target in PROGRAM)

# Suite, build folder, program, folder of its sources, shards.
CPP_SUITES = (
    ("tidy", ASAN, "tests/tidy_tests", "tests/unit", 1),
    ("unit", ASAN, "tests/unit_tests", "tests/unit", 4),
    ("actors", ASAN, "tests/actor_tests", "tests/actors", 2),
    ("simulation", ASAN, "tests/simulation_tests", "tests/simulation", 3),
    ("threads", TSAN, "tests/thread_tests", "", 1),
    ("json-schema", ASAN, "subprojects/json-schema/tests/schema_tests", "subprojects/json-schema/tests", 1),
    ("text", ASAN, "subprojects/text/tests/text_tests", "subprojects/text/tests", 1),
    ("tool-search", ASAN, "subprojects/tool-search/tests/tool_search_tests", "subprojects/tool-search/tests", 1),
    ("code-policy", ASAN, "subprojects/code-policy/tests/code_policy_tests", "subprojects/code-policy/tests", 1),
    ("content-filter", ASAN, "subprojects/content-filter/tests/content_filter_tests", "subprojects/content-filter/tests", 1),
    ("sqlite-file", ASAN, "subprojects/sqlite-file/tests/sqlite_file_tests", "subprojects/sqlite-file/tests", 1),
    ("json-web-token", ASAN, "subprojects/json-web-token/tests/json_web_token_tests", "subprojects/json-web-token/tests", 1),
    ("oauth-client", ASAN, "subprojects/oauth-client/tests/oauth_client_tests", "subprojects/oauth-client/tests", 1),
    ("http", ASAN, "subprojects/http/tests/http_tests", "subprojects/http/tests", 1),
    ("toon", ASAN, "subprojects/toon/tests/toon_tests", "subprojects/toon/tests", 1),
)
# Suite, folder, pattern of its files, what has to be built. `by test`: each test is a job, because one takes minutes.
PYTHON_SUITES = (
    ("attacks", "tests/attacks", "test_*.py", PROGRAM, "by test"),
    ("endurance", "tests/e2e", "endure_*.py", PROGRAM, "by test"),
    ("e2e", "tests/e2e", "test_*.py", PROGRAM, "by file"),
    ("guests", "tests/guest", "test_*.py", ((ASAN, "guest-init"),), "by file"),
    ("signatures", "tests/signatures", "test_*.py", ((ASAN, "tests/print_declarations"),), "by file"),
    ("packages", "tests/packages", "test_*.py", RELEASE_PROGRAM, "by file"),
)

# Attacks that start an interpreter in WebAssembly for each program.
HEAVY = re.compile(r"test_(pyodide|without_namespaces)\.")

LIST_TESTS = """
import sys, unittest
def walk(found):
    for each in found:
        walk(each) if isinstance(each, unittest.TestSuite) else print(each.id())
walk(unittest.defaultTestLoader.loadTestsFromName(sys.argv[1]))
"""


def test_ids(folder, module):
    listed = subprocess.run([sys.executable, "-c", LIST_TESTS, module], cwd=folder, text=True, capture_output=True, check=True)
    return listed.stdout.split()


def python_job(suite, folder, name, builds):
    return Job(suite, f"{suite}/{name}", (sys.executable, "-m", "unittest", name), str(folder), "unittest", builds,
               is_heavy=bool(HEAVY.match(name)))


def python_jobs(suite, folder, pattern, builds, split):
    folder = ROOT / folder
    modules = sorted(path.stem for path in folder.glob(pattern))
    names = modules if split == "by file" else [name for module in modules for name in test_ids(folder, module)]
    return [python_job(suite, folder, name, builds) for name in names]


def cpp_job(suite, build, program, name, filter_, environment=()):
    command = (str(build / program), "--gtest_brief=1", *([f"--gtest_filter={filter_}"] if filter_ else []))
    return Job(suite, name, command, str(ROOT), "gtest", ((build, program), *((PROGRAM[1:]) if suite == "unit" else ())), tuple(environment))


def cpp_jobs(suite, build, program, _, shards):
    if shards == 1:
        return [cpp_job(suite, build, program, suite, None)]
    return [cpp_job(suite, build, program, f"{suite} {index + 1}/{shards}", None,
                    (("GTEST_TOTAL_SHARDS", str(shards)), ("GTEST_SHARD_INDEX", str(index)))) for index in range(shards)]


def all_jobs():
    return [job for suite in CPP_SUITES for job in cpp_jobs(*suite)] + [job for suite in PYTHON_SUITES for job in python_jobs(*suite)]


# ---- by name: ./dev test NAME...

def cpp_file_jobs(name):
    """`budget_test`: the tests that this file defines."""
    for suite, build, program, sources, _ in CPP_SUITES:
        for path in sorted((ROOT / sources).rglob(f"{name}.cpp")) if sources else []:
            defined = sorted(set(re.findall(r"^TEST(?:_F|_P)?\((\w+),", path.read_text(encoding="utf-8"), re.MULTILINE)))
            if defined and (suite == "tidy") == name.startswith("tidy"):
                yield cpp_job(suite, build, program, f"{suite}/{name}", ":".join(f"{each}.*:*/{each}.*" for each in defined))


def python_file_jobs(name):
    """`test_limits`, `test_limits.Case` or `test_limits.Case.test_one`."""
    for suite, folder, _, builds, _ in PYTHON_SUITES:
        if (ROOT / folder / f"{name.split('.')[0]}.py").exists() and (suite == "endurance") == name.startswith("endure"):
            yield python_job(suite, ROOT / folder, name, builds)


def jobs_named(name):
    """Of a suite, a test file or a test; empty: there is none."""
    if any(name == suite[0] for suite in (*CPP_SUITES, *PYTHON_SUITES)):
        return [job for job in all_jobs() if job.suite == name]
    return [*cpp_file_jobs(name), *python_file_jobs(name)]


def known_names():
    files = [path.stem for folder in (TESTS, *(ROOT / "subprojects").iterdir()) for path in folder.rglob("*test*.*") if path.suffix in (".py", ".cpp")]
    return [suite[0] for suite in (*CPP_SUITES, *PYTHON_SUITES)] + sorted(files)
