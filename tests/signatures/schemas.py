"""The schemas that the generator is tried on: those of real tools, and those of the JSON Schema suite."""

import json
import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IN_TREE = ROOT / "bench/data/tool-search"
BESIDE = Path(os.environ.get("TOOL_SEARCH_DATA", ROOT.parent / "shared/data/tool-search"))
SUITE = ROOT / "subprojects/json-schema/tests/suite"


def real_tools():
    """Of the sets beside the tree if they are there, and of those in it."""
    for name in sorted({folder.name for place in (BESIDE, IN_TREE) if place.is_dir() for folder in place.iterdir()}):
        for place in (BESIDE, IN_TREE):  # beside, they are whole
            file = place / name / "tools.jsonl"
            if file.is_file():
                yield from map(json.loads, file.read_text().splitlines())
                break


def suite_cases():
    """(schema, [valid and invalid examples]) of both drafts."""
    for file in sorted(SUITE.glob("draft*/**/*.json")):
        for case in json.loads(file.read_text()):
            yield case["schema"], case["tests"]


def suite_tools():
    """Each schema as what a tool takes, as what it gives, and inside of an object."""
    for number, (schema, _) in enumerate(suite_cases()):
        yield {
            "server": "suite",
            "name": f"case-{number}",
            "description": "A schema */ of the \"\"\"suite\"\"\" \\",
            "inputSchema": {"type": "object", "properties": {"value": schema, "odd name": schema}, "required": ["value"]},
            "outputSchema": schema,
        }
        yield {"server": "suite", "name": f"input-{number}", "description": "", "inputSchema": schema}
