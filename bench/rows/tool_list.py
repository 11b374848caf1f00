"""What tools/list costs a model, and that it is the same whatever servers there are."""

import json

from support.row import Row, expect
from support.tokens import count_tokens
from support.world import ECHO_CHILD, World

SERVERS = 500
BAR_TOKENS = 600


def listed(servers):
    """The line with the answer, byte for byte."""
    with World(servers) as world, world.start() as server:
        server.initialize()
        pages = server.list_tools()
        expect(len(pages) == 1, "tools/list has more than one page")
        return server.last_line


def measure(_rounds):
    without = listed({})
    with_many = listed({f"server-{i}": ECHO_CHILD for i in range(SERVERS)})
    result = json.dumps(json.loads(without)["result"], separators=(",", ":"), ensure_ascii=False)
    tokens = count_tokens(result)
    expect(tokens, "tokens can not be counted: node or the npm package gpt-tokenizer is missing")
    same = without == with_many
    size = len(result.encode())
    yield Row("tools/list, whole result (o200k)", f"{tokens} tokens, {size} bytes", f"<= {BAR_TOKENS} tokens",
              tokens <= BAR_TOKENS, {"tokens": tokens, "bytes": size})
    yield Row(f"tools/list with 0 and {SERVERS} servers", "byte-identical" if same else "different", "byte-identical",
              same, {"identical": same})
