"""Where the tests and the programs that they try are."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
ASAN = ROOT / "build-asan"
TSAN = ROOT / "build-tsan"
RELEASE = ROOT / "build"
# What earlier runs on this machine found out: also for clones elsewhere. Nothing is lost with it but time.
REMEMBERED = Path(os.environ.get("CODE_EXECUTOR_CI_STATE") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "code-executor-ci")

# intercept_tls_get_addr=0: of libraries that are loaded at run time LeakSanitizer guesses where the memory of a thread's own variables is, by what
# lies before it; with libcurl and OpenSSL it guessed wrong in up to one end of three programs ("DTLS 7 at 0x241d-0x10000351f"), and crashed.
ENVIRONMENT = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=1:abort_on_error=0:intercept_tls_get_addr=0",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": f"suppressions={TESTS}/tsan.supp:halt_on_error=1",
    "CODE_EXECUTOR": str(ASAN / "code-executor"),
}
