#!/usr/bin/env python3
"""A server whose answers are texts, not values: spelled in ways in which no JSON library writes. `--era modern` or `--era legacy`, on stdin and
stdout; what it is asked goes to the file of `--journal`, a line each, as it came."""

import argparse
import json
import sys

# Keys, texts and numbers that a reader and a writer would change; members that are not in any order.
SCHEMA = (r'{"type":"object","required":["p\u0061th"],"properties":{"p\u0061th":{"type":"string","pattern":"^a\/b\u00fc$","maxLength":1e2},'
          r'"n":{"type":"number","multipleOf":1E-2,"minimum":-0.10,"default":123456789012345678901234567890}},"$comment":"\ud83d\ude00\u0000\ud83d"}')
OUTPUT_SCHEMA = r'{"properties":{"\u00fc":{"type":"number","maximum":1e400}},"type":"object"}'
TOOL = r'{"title":"\u00fc\/","name":"t","inputSchema":' + SCHEMA + ',"outputSchema":' + OUTPUT_SCHEMA + "}"
EXECUTION = r'{"taskSupport":"optional"}'
# With what clients of 2026-07-28 are not told.
LEGACY_TOOL = TOOL[:-1] + ',"execution":' + EXECUTION + "}"
CONTENT = r'[{"type":"text","text":"\u00fc\/"}]'
STRUCTURED = r'{"\u00fc":1.50e1,"b\/":[1E0,-0.0,18446744073709551616]}'
INFO = '{"name":"spelled","version":"1"}'


def result_of(era, method):
    """The text of one; None: there is no such method."""
    complete = ',"resultType":"complete"' if era == "modern" else ""
    page = complete + ',"ttlMs":0,"cacheScope":"private"' if era == "modern" else ""
    meta = ',"_meta":{"io.modelcontextprotocol/serverInfo":' + INFO + "}" if era == "modern" else ""
    if method == "initialize" and era == "legacy":
        return '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":' + INFO + "}"
    if method == "server/discover" and era == "modern":
        return '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}' + page + meta + "}"
    if method == "tools/list":
        return '{"tools":[' + (TOOL if era == "modern" else LEGACY_TOOL) + "]" + page + meta + "}"
    if method == "tools/call":
        return '{"content":' + CONTENT + ',"structuredContent":' + STRUCTURED + complete + meta + "}"
    return None


def answer_to(era, text):
    """The text of the answer; None: it was no request."""
    message = json.loads(text)
    if "method" not in message or "id" not in message:
        return None
    result = result_of(era, message["method"])
    said = '"error":{"code":-32601,"message":"Method not found"}' if result is None else '"result":' + result
    return '{"jsonrpc":"2.0","id":' + json.dumps(message["id"]) + "," + said + "}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--era", required=True)
    parser.add_argument("--journal", required=True)
    flags = parser.parse_args()
    for line in sys.stdin:
        with open(flags.journal, "a", encoding="utf-8") as journal:
            journal.write(line)
        if answer := answer_to(flags.era, line):
            print(answer, flush=True)


if __name__ == "__main__":
    main()
