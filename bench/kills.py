#!/usr/bin/env python3
"""Kills the server at random moments of its work, so many times (default 50), and says what of it went wrong. Exit code 0: nothing.

    bench/kills.py [MOMENTS]
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from support.kills import kill_at_random  # noqa: E402

MOMENTS = 50


def main(arguments):
    moments = int(arguments[0]) if arguments else MOMENTS
    wrong, has_audit = kill_at_random(moments)
    print(f"killed {moments} times: {len(wrong)} problems; audit log: {'looked at' if has_audit else 'this binary has no `audit verify`'}")
    print(*(f"WRONG: {problem}" for problem in wrong), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
