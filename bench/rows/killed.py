"""SIGKILL of the server at random moments: bench/support/kills.py."""

from support.kills import kill_at_random
from support.row import FULL, Row

MOMENTS, MOMENTS_QUICK = 50, 5


def measure(rounds):
    moments = MOMENTS if rounds is FULL else MOMENTS_QUICK
    wrong, has_audit = kill_at_random(moments)
    files = "catalog, memory, audit log" if has_audit else "catalog, memory (no `audit verify` in this binary)"
    yield Row(f"SIGKILL at {moments} random moments: next start works, {files} whole, no process left",
              f"{len(wrong)} problems", "0", not wrong, {"problems": wrong, "audit": has_audit})
