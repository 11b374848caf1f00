"""The tools of the test server: plain ones, and ones that break the protocol when they are called."""

import json
import os
import sys
import threading

from mcp_child import NoAnswer, Tool, ToolError, text_result

STRING = {"type": "string"}
NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}

TINY_PNG = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
IMAGE = {"type": "image", "data": TINY_PNG, "mimeType": "image/png"}

# Names that are no identifiers, that contain the separator of full names, or that are keywords.
ODD_NAMES = ("read-file", "get.item", "with space", "a__b", "class")


def json_result(value):
    return text_result(json.dumps(value))


# ---- tools that keep to the protocol

def echo(_call, arguments):
    return text_result(arguments["text"])


def add(_call, arguments):
    a, b = arguments["a"], arguments["b"]
    if not all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (a, b)):
        raise ToolError(f"a and b must be numbers, got {a!r} and {b!r}")
    return {**text_result(f"The sum is {a + b}."), "structuredContent": {"sum": a + b}}


def sleep(call, arguments):
    if call.cancelled.wait(arguments["ms"] / 1000):
        raise NoAnswer
    return text_result(f"slept {arguments['ms']} ms")


def fail(_call, arguments):
    raise ToolError(arguments["message"])


def multi(_call, _arguments):
    resource = {"uri": "test://note", "mimeType": "text/plain", "text": "a note"}
    return {"content": [{"type": "text", "text": "first"}, IMAGE, {"type": "text", "text": "last"},
                        {"type": "resource", "resource": resource}]}


def image(_call, _arguments):
    return {"content": [IMAGE]}


def json_text(_call, arguments):
    return text_result('[1, "two"]' if arguments.get("list") else '{"answer": 42, "list": [1, 2]}')


def number_text(_call, _arguments):
    return text_result("007")


def empty(_call, _arguments):
    return {"content": []}


def big(_call, arguments):
    return text_result("x" * arguments["bytes"])


def progress(call, arguments):
    steps, scale = arguments["steps"], arguments.get("scale", 1)
    for step in range(1, steps + 1):
        if call.cancelled.wait(arguments["ms"] / 1000):
            raise NoAnswer
        call.progress(step * scale, steps * scale, f"step {step}")
    return text_result("done")


def env(_call, _arguments):
    return json_result(dict(os.environ))


def pid(_call, _arguments):
    return json_result({"pid": os.getpid(), "ppid": os.getppid(), "pgid": os.getpgid(0), "cwd": os.getcwd()})


def stderr_flood(_call, arguments):
    line = b"flood " * 20 + b"\n"
    left = arguments["bytes"]
    while left > 0:
        left -= os.write(2, line)
    return text_result("flooded")


def add_tool(call, arguments):
    name = arguments["name"]
    child = call.child
    # A new dict: another thread may be listing the old one.
    child.tools = {**child.tools, name: Tool(name, echo, {"text": STRING}, ["text"])}
    for _ in range(arguments.get("notifications", 1)):
        child.notify("notifications/tools/list_changed")
    return text_result(f"added {name}")


def rename_parameter(call, arguments):
    """`echo` takes its text under another name from now on, and the server says so."""
    child = call.child
    name = arguments["name"]
    changed = Tool("echo", lambda _call, given: text_result(given[name]), {name: STRING}, [name])
    child.tools = {**child.tools, "echo": changed}
    child.notify("notifications/tools/list_changed")
    return text_result(f"echo takes {name}")


def broken_promise(_call, _arguments):
    return {**text_result("three"), "structuredContent": {"sum": "three"}}


def settings(_call, arguments):
    return json_result(arguments)


def odd(name):
    return lambda _call, arguments: text_result(f"{name}: {arguments.get('value', '')}")


# ---- tools that do not

def die(call, arguments):
    call.child.journal.write("exit", code=arguments["code"])
    print("dying on request", file=sys.stderr, flush=True)
    os._exit(arguments["code"])


def hang(call, _arguments):
    if call.child.hangs_up:
        os.close(1)
    threading.Event().wait()


def garbage_then_answer(call, _arguments):
    call.child.write(b"Listening on port 8080 ...\n")
    return text_result("answered after all")


def broken_json(call, _arguments):
    call.child.write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[}\n' % call.id)
    raise NoAnswer


def huge_line(call, arguments):
    """A correct answer, were it not for its length."""
    head = b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' % call.id
    padding = arguments["bytes"] - len(head)
    call.child.write(head + b"x" * padding + b'"}]}}\n')
    raise NoAnswer


def half_line(call, arguments):
    """The beginning of an answer whose end never comes."""
    call.child.write(b'"' + b"x" * arguments["bytes"])
    raise NoAnswer


def invalid_utf8(call, _arguments):
    call.child.write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"\xff\xc3\x28"}]}}\n'
                     % call.id)
    raise NoAnswer


def cut_character(call, _arguments):
    """What JSON.stringify writes for a text that was cut inside of a character."""
    call.child.write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"I like \\ud83d"}]}}\n' % call.id)
    raise NoAnswer


def wrong_id(call, _arguments):
    call.answer(text_result("for nobody"), request_id=987_654_321)
    raise NoAnswer


def twice(call, _arguments):
    call.answer(text_result("first answer"))
    call.answer(text_result("second answer"))
    raise NoAnswer


def no_result(call, _arguments):
    call.child.send({"jsonrpc": "2.0", "id": call.id})
    raise NoAnswer


def last_words(call, _arguments):
    """An answer without the end of its line, and the end of the process."""
    call.child.write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"last words"}]}}' % call.id)
    os._exit(0)


def raw_answer(call, arguments):
    """Whatever stands for `@id` in the text."""
    call.child.write(arguments["line"].replace("@id", str(call.id)).encode() + b"\n")
    raise NoAnswer


def all_tools():
    sum_schema = {"type": "object", "properties": {"sum": NUMBER}, "required": ["sum"]}
    return [
        Tool("echo", echo, {"text": STRING}, ["text"], "Says again what it is told."),
        Tool("add", add, {"a": NUMBER, "b": NUMBER}, ["a", "b"], "Adds two numbers.", output=sum_schema),
        Tool("sleep", sleep, {"ms": INTEGER}, ["ms"], "Waits that many milliseconds."),
        Tool("fail", fail, {"message": STRING}, ["message"], "Fails with that message."),
        Tool("multi", multi),
        Tool("image", image),
        Tool("json_text", json_text, {"list": {"type": "boolean"}}),
        Tool("number_text", number_text),
        Tool("empty", empty),
        Tool("big", big, {"bytes": INTEGER}, ["bytes"]),
        Tool("progress", progress, {"steps": INTEGER, "ms": INTEGER, "scale": NUMBER}, ["steps", "ms"]),
        Tool("env", env),
        Tool("pid", pid),
        Tool("stderr_flood", stderr_flood, {"bytes": INTEGER}, ["bytes"]),
        Tool("add_tool", add_tool, {"name": STRING, "notifications": INTEGER}, ["name"]),
        Tool("rename_parameter", rename_parameter, {"name": STRING}, ["name"]),
        Tool("broken_promise", broken_promise, output=sum_schema),
        Tool("settings", settings, {
            "mode": {"enum": ["fast", "thorough"]},
            "options": {"type": "object", "properties": {"depth": INTEGER, "tags": {"type": "array", "items": STRING}},
                        "additionalProperties": False},
        }, [], "Takes nested parameters."),
        Tool("die", die, {"code": INTEGER}, ["code"]),
        Tool("hang", hang, {"text": STRING}),
        Tool("garbage_then_answer", garbage_then_answer),
        Tool("broken_json", broken_json),
        Tool("huge_line", huge_line, {"bytes": INTEGER}, ["bytes"]),
        Tool("half_line", half_line, {"bytes": INTEGER}, ["bytes"]),
        Tool("invalid_utf8", invalid_utf8),
        Tool("cut_character", cut_character),
        Tool("wrong_id", wrong_id),
        Tool("twice", twice),
        Tool("no_result", no_result),
        Tool("last_words", last_words),
        Tool("raw_answer", raw_answer, {"line": STRING}, ["line"]),
    ] + [Tool(name, odd(name), {"value": STRING}) for name in ODD_NAMES]
