"""Tokens of a text in the o200k encoding, counted by the npm package gpt-tokenizer."""

import subprocess

from support.world import PACKAGES

_SCRIPT = """
import { countTokens } from "./gpt-tokenizer/esm/encoding/o200k_base.js";
let text = "";
for await (const chunk of process.stdin.setEncoding("utf8")) text += chunk;
console.log(countTokens(text));
"""


def count_tokens(text):
    """None: node or the package is not there."""
    try:
        counted = subprocess.run(["node", "--input-type=module", "-e", _SCRIPT], cwd=PACKAGES, input=text,
                                 capture_output=True, text=True, timeout=60, check=True)
        return int(counted.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
