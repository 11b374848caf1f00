"""The tools, resources and prompts of the modern test servers."""

import json

from modern_protocol import Cancelled, InputRequired, Refusal

TEXT = {"type": "string"}
NAME_FORM = {"type": "object", "properties": {"name": TEXT, "polite": {"type": "boolean", "default": True}}, "required": ["name"]}
# What nobody may annotate so: clients of HTTP have to drop these tools.
BAD_HEADERS = {
    "bad_header_of_number": {"x": {"type": "number", "x-mcp-header": "X"}},
    "bad_header_of_object": {"x": {"type": "object", "x-mcp-header": "X"}},
    "bad_header_twice": {"x": {**TEXT, "x-mcp-header": "Same"}, "y": {**TEXT, "x-mcp-header": "sAME"}},
    "bad_header_with_space": {"x": {**TEXT, "x-mcp-header": "two words"}},
    "bad_header_with_line": {"x": {**TEXT, "x-mcp-header": "X\r\nAuthorization: Bearer stolen"}},
    "bad_header_empty": {"x": {**TEXT, "x-mcp-header": ""}},
    "bad_header_no_text": {"x": {**TEXT, "x-mcp-header": 7}},
    "bad_header_in_items": {"x": {"type": "array", "items": {"type": "object", "properties": {"y": {**TEXT, "x-mcp-header": "Y"}}}}},
    "bad_header_in_choice": {"x": {"oneOf": [{**TEXT, "x-mcp-header": "X"}]}},
}
GOOD_HEADERS = {
    "region": {**TEXT, "x-mcp-header": "Region"},
    "count": {"type": "integer", "x-mcp-header": "Count"},
    "urgent": {"type": "boolean", "x-mcp-header": "Urgent"},
    "inner": {"type": "object", "properties": {"note": {**TEXT, "x-mcp-header": "Inner-Note"}}},
    "plain": TEXT,
}


def text(what, **more):
    return {"content": [{"type": "text", "text": what}], **more}


def form(message="What is your name?", schema=None):
    return {"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema or NAME_FORM}}


def page(url="https://example.com/consent?ticket=7"):
    return {"method": "elicitation/create", "params": {"mode": "url", "url": url, "message": "Please agree there."}}


def sampling(question="Capital of France?"):
    return {"method": "sampling/createMessage", "params": {"messages": [{"role": "user", "content": {"type": "text", "text": question}}], "maxTokens": 100}}


class ModernTool:
    def __init__(self, name, run, properties=None, required=(), output=None):
        self.run = run
        schema = {"type": "object", "properties": properties or {}, **({"required": list(required)} if required else {})}
        self.definition = {"name": name, "description": f"Test tool {name}.", "inputSchema": schema, **({"outputSchema": output} if output else {})}


class Catalogue:
    """`tools` by name; tests may add and take away. `bad_headers`: with the tools that clients of HTTP have to drop."""

    def __init__(self, bad_headers=False):
        self.server = None  # the ModernServer; whoever makes it says so
        listed = [
            ModernTool("echo", lambda _, given: text(str(given.get("message", ""))), {"message": TEXT}),
            ModernTool("add_numbers", self._add, {"a": {"type": "number"}, "b": {"type": "number"}}, ("a", "b"),
                       {"type": "object", "properties": {"sum": {"type": "number"}}, "required": ["sum"]}),
            ModernTool("words", lambda *_: text('["a","b"]', structuredContent=["a", "b"]), output={"type": "array", "items": TEXT}),
            ModernTool("fail", lambda _, given: text(given.get("message", "no"), isError=True), {"message": TEXT}),
            ModernTool("progress", self._progress, {"steps": {"type": "integer"}, "ms": {"type": "integer"}}),
            ModernTool("log", self._log, {"bytes": {"type": "integer"}}),
            ModernTool("wait", self._wait, {"ms": {"type": "integer"}}),
            ModernTool("cut", lambda exchange, _: exchange.cut()),
            ModernTool("headers", lambda _, given: text(json.dumps(given, sort_keys=True)), GOOD_HEADERS),
            ModernTool("ask", self._ask),
            ModernTool("ask_without_state", self._ask_without_state),
            ModernTool("ask_twice", self._ask_twice),
            ModernTool("ask_by_url", self._ask_by_url),
            ModernTool("ask_all", self._ask_all),
            ModernTool("ask_for_ever", lambda exchange, _: self._again({"q": form()}, exchange.round)),
            ModernTool("state_only", self._state_only, {"rounds": {"type": "integer"}}),
            ModernTool("no_result_type", lambda *_: text("none", resultType=None)),
            ModernTool("odd_result_type", lambda *_: text("odd", resultType="perhaps")),
            ModernTool("change", self._change, {"kind": {"enum": ["tools", "prompts", "resources"]}, "uri": TEXT}),
            ModernTool("end_listening", self._end_listening),
        ]
        if bad_headers:
            listed += [ModernTool(name, lambda *_: text("called"), properties) for name, properties in BAD_HEADERS.items()]
        self.tools = {tool.definition["name"]: tool for tool in listed}
        self._changes = 0

    def add_tool(self, name, properties=None):
        self.tools[name] = ModernTool(name, lambda _, given: text(str(given.get("message", ""))), properties or {"message": TEXT})

    # ---- tools

    def tool_definitions(self):
        return [tool.definition for tool in self.tools.values()]

    def call(self, exchange, name):
        tool, arguments = self.tools.get(name), exchange.params.get("arguments", {})
        if tool is None:
            raise Refusal(-32602, f"Unknown tool: {name}")
        missing = [each for each in tool.definition["inputSchema"].get("required", ()) if each not in arguments]
        return text(f"Missing arguments: {missing}", isError=True) if missing else tool.run(exchange, arguments)

    @staticmethod
    def _add(_exchange, given):
        total = given["a"] + given["b"]
        return text(json.dumps({"sum": total}), structuredContent={"sum": total})

    @staticmethod
    def _progress(exchange, given):
        steps = given.get("steps", 3)
        for step in range(1, steps + 1):
            exchange.progress(step, steps, f"step {step}")
            exchange.wait(given.get("ms", 0) / 1000)
        return text(f"{steps} steps")

    @staticmethod
    def _log(exchange, given):
        for level in ("debug", "info", "error"):
            exchange.log(level, f"said at {level}" + "." * given.get("bytes", 0))
        return text("logged")

    @staticmethod
    def _wait(exchange, given):
        exchange.wait(given["ms"] / 1000 if "ms" in given else None)
        return text("waited")

    # ---- tools that ask

    @staticmethod
    def _again(requests, state):
        raise InputRequired(requests, state)

    @staticmethod
    def _said(response):
        return f"{response['action']} {json.dumps(response.get('content'), sort_keys=True)}"

    def _ask(self, exchange, _given):
        if "user_name" not in exchange.responses:
            raise InputRequired({"user_name": form()}, "asked")
        return text(self._said(exchange.responses["user_name"]))

    def _ask_without_state(self, exchange, _given):
        if exchange.state is not None:
            raise Refusal(-32602, "requestState, and none was given", deviation="requestState, and none was given")
        if "user_name" not in exchange.responses:
            raise InputRequired({"user_name": form()})
        return text(self._said(exchange.responses["user_name"]))

    def _ask_twice(self, exchange, _given):
        """The answer to the first question is known in the second round by the state only."""
        if exchange.state is None or (exchange.round == 1 and "first" not in exchange.responses):
            raise InputRequired({"first": form("First?")}, {})
        if exchange.round == 1:
            raise InputRequired({"second": form("Second?")}, {"first": exchange.responses["first"]})
        if "second" not in exchange.responses:
            raise InputRequired({"second": form("Second?")}, exchange.state)
        return text(f"{self._said(exchange.state['first'])}, {self._said(exchange.responses['second'])}")

    @staticmethod
    def _ask_by_url(exchange, _given):
        if "consent" not in exchange.responses:
            raise InputRequired({"consent": page()}, "sent there")
        return text(exchange.responses["consent"]["action"])

    def _ask_all(self, exchange, _given):
        asked = {"name": form(), "answer": sampling(), "folders": {"method": "roots/list"}}
        if not set(asked) <= set(exchange.responses):
            raise InputRequired(asked, "asked")
        return text(json.dumps(exchange.responses, sort_keys=True))

    @staticmethod
    def _state_only(exchange, given):
        if exchange.round < given.get("rounds", 1):
            raise InputRequired(state=exchange.round + 1)
        return text(f"after {exchange.round} rounds")

    # ---- tools that change the server

    def _change(self, _exchange, given):
        kind = given.get("kind", "tools")
        self._changes += 1
        if kind == "tools":
            self.add_tool(f"newcomer_{self._changes}")
        if "uri" in given:
            self.server.updated(given["uri"])
        else:
            self.server.changed(kind)
        return text(f"changed {given.get('uri', kind)}")

    def _end_listening(self, _exchange, _given):
        self.server.end_listening()
        return text("ended")

    # ---- resources and prompts

    @staticmethod
    def resources():
        return [{"uri": "test://static-text", "name": "text", "mimeType": "text/plain"}, {"uri": "test://static-binary", "name": "binary"},
                {"uri": "test://asks", "name": "asks"}]

    @staticmethod
    def templates():
        return [{"uriTemplate": "test://template/{id}/data", "name": "template"}]

    def read(self, exchange, uri):
        if uri == "test://static-text":
            return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": "static"}]}
        if uri == "test://static-binary":
            return {"contents": [{"uri": uri, "mimeType": "application/octet-stream", "blob": "AAEC"}]}
        if uri == "test://asks":
            return {"contents": [{"uri": uri, "text": self._ask(exchange, {})["content"][0]["text"]}]}
        if isinstance(uri, str) and uri.startswith("test://template/") and uri.endswith("/data"):
            return {"contents": [{"uri": uri, "text": uri.split("/")[3]}]}
        raise Refusal(-32602, "Resource not found", {"uri": uri})

    @staticmethod
    def prompts():
        return [{"name": "greet", "arguments": [{"name": "name", "required": True}]}, {"name": "asks"}]

    def prompt(self, exchange, name):
        arguments = exchange.params.get("arguments", {})
        if name == "greet":
            said = f"Greet {arguments.get('name')}."
        elif name == "asks":
            said = self._ask(exchange, {})["content"][0]["text"]
        else:
            raise Refusal(-32602, f"Unknown prompt: {name}")
        return {"messages": [{"role": "user", "content": {"type": "text", "text": said}}]}

    @staticmethod
    def completions(params):
        typed = (params.get("argument") or {}).get("value", "")
        return [each for each in ("Ann", "Anton", "Bert") if each.startswith(typed)]


class LegacyExchange:
    """A call of a tool by a client of an older revision: no rounds, nothing on the side."""

    def __init__(self, arguments):
        self.params, self.responses, self.state, self.round = {"arguments": arguments}, {}, None, 0

    def progress(self, *_):
        pass

    log = progress

    @staticmethod
    def wait(seconds=None):
        if seconds is None:
            raise Cancelled


def legacy_result(catalogue, params):
    """Of tools/call. Questions are not for clients of older revisions: this server only says so."""
    try:
        result = catalogue.call(LegacyExchange(params.get("arguments") or {}), params.get("name"))
    except InputRequired:
        return text("This tool asks, and only clients of 2026-07-28", isError=True)
    except (Cancelled, AttributeError):
        return text("This tool is not for clients of older revisions", isError=True)
    structured = result.get("structuredContent")
    return {name: value for name, value in result.items() if name != "resultType" and (name != "structuredContent" or isinstance(structured, dict))}


def legacy_definitions(catalogue):
    """outputSchema of another root than an object is not for them."""
    def fitting(tool):
        keeps = tool.get("outputSchema", {}).get("type") == "object"
        return {name: value for name, value in tool.items() if name != "outputSchema" or keeps}
    return [fitting(tool) for tool in catalogue.tool_definitions()]
