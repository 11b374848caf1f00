#!/usr/bin/env python3
"""Runs the review by five agents and prints what each of them said, and what it cost.

    python3 docs/examples/run.py [--python] [--real]

It starts a server with a configuration of its own. The model is a mock on this machine, which repeats what it is asked;
with --real it is the provider whose key is in the environment (docs/sampling.md). --python: the program in Python instead
of the one in TypeScript. CODE_EXECUTOR names the binary, otherwise it is build/code-executor. Exit code 1: an agent failed.
"""

import contextlib
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "bench"), str(HERE.parents[1] / "tests" / "children")]

from model_provider import DEFAULT_KEY, ModelProvider  # noqa: E402
from support.mcp_client import McpFailure  # noqa: E402
from support.world import World, binary  # noqa: E402

PROGRAMS = {False: ("run-typescript-code", "multi-agent-code-review.ts"), True: ("run-python-code", "multi-agent-code-review.py")}
# Five questions; more would be a mistake of the program, and costs nothing then.
BUDGET = {"enableSampling": True, "maxSamplingRounds": 5, "maxSamplingTokens": 10_000}
TIMEOUT_MS = 180_000
# Such a report has no metrics.
NOBODY_TO_ASK = {"totalRounds": 0, "totalTokens": 0, "quotaRemaining": {"rounds": 0, "tokens": 0}}
# The mock repeats whole prompts.
SHOWN_OF_MOCK = 200


def real_provider():
    """The variables that choose a provider."""
    return {name: value for name, value in os.environ.items()
            if name.endswith("_API_KEY") or name.startswith(("CODE_EXECUTOR_AI_", "CODE_EXECUTOR_SAMPLING_", "CODE_EXECUTOR_ALLOWED_MODELS"))}


def mock_provider(stack):
    provider = stack.enter_context(ModelProvider())
    return {"CODE_EXECUTOR_AI_PROVIDER": "anthropic", "CODE_EXECUTOR_AI_BASE_URL": provider.url, "ANTHROPIC_API_KEY": DEFAULT_KEY}


def run(program, variables):
    """The report of the run."""
    tool, file = program
    with World({}, variables=variables) as world, world.start() as server:
        server.initialize()
        code = (HERE / file).read_text(encoding="utf-8")
        result = server.call_tool(tool, {"code": code, "timeoutMs": TIMEOUT_MS, **BUDGET}, TIMEOUT_MS / 1000 + 10)
        return result["_meta"]["code-executor/report"]


def show(report, shown):
    """Whether every agent has said something."""
    for said in report["result"]:
        text = said.get("error") or said["text"]
        print(f"== {said['agent']}{': failed' if 'error' in said else ''}")
        print(text if len(text) <= shown else f"{text[:shown]} ... ({len(text)} characters)", end="\n\n")
    print("== metrics")
    for call in report.get("samplingCalls", []):
        print(f"{call['provider']} {call['model']}: {call['inputTokens']} tokens in, {call['outputTokens']} out, {call['durationMs']:.0f} ms")
    metrics = report.get("samplingMetrics", NOBODY_TO_ASK)
    left = metrics["quotaRemaining"]
    print(f"{metrics['totalRounds']} rounds, {metrics['totalTokens']} tokens; {left['rounds']} rounds and {left['tokens']} tokens left; "
          f"{report['executionTimeMs']:.0f} ms in all")
    return all("error" not in said for said in report["result"])


def main(arguments):
    if set(arguments) - {"--python", "--real"}:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    if not os.access(binary(), os.X_OK):
        print(f"{binary()} is missing; build it with ./dev build, or name it by CODE_EXECUTOR.", file=sys.stderr)
        return 1
    is_real = "--real" in arguments
    try:
        with contextlib.ExitStack() as stack:
            report = run(PROGRAMS["--python" in arguments], real_provider() if is_real else mock_provider(stack))
    except (McpFailure, OSError) as failure:
        print(f"The example failed: {failure}", file=sys.stderr)
        return 1
    if not report["success"]:
        print(f"The program failed: {report['error']}", file=sys.stderr)
        return 1
    return 0 if show(report, sys.maxsize if is_real else SHOWN_OF_MOCK) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
