"""The plan of a soak with faults: every kind that calls can meet, on all servers but two, which must not feel any of it."""

import json
import subprocess

from support.load import FAULTED
from support.world import binary

SEED = 1
PROBABILITY = 0.01
# What a server keeps until it is started anew would soon be all that its calls meet.
LASTING = {"schema_change", "tool_gone"}
LASTING_PROBABILITY = 0.001
STARTS = [{"on": "start", "kind": "latency", "ms": 300, "probability": 0.2}, {"on": "start", "kind": "error", "probability": 0.1},
          {"on": "list", "kind": "tool_gone", "tool": "echo", "probability": 0.02}]


def kinds():
    """Those of calls, as the program itself lists them."""
    listed = subprocess.run([binary(), "faults", "list", "--json"], check=True, capture_output=True, text=True)
    return [each["kind"] for each in json.loads(listed.stdout)["kinds"] if "call" in each["on"].split()]


def plan():
    match = [f"mcp__{server}__*" for server in FAULTED]
    rules = [{"kind": kind, "probability": LASTING_PROBABILITY if kind in LASTING else PROBABILITY} for kind in kinds()]
    return {"seed": SEED, "rules": [{"match": match, **rule} for rule in [*rules, *STARTS]]}
