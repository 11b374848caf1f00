"""The answer to a tool of ours, as tests like to look at it."""

import json


class ToolAnswer:
    """A CallToolResult."""

    def __init__(self, result, seconds):
        self.raw = result
        self.seconds = seconds  # from sending the request to its answer
        self.is_error = result.get("isError", False)
        self.structured = result.get("structuredContent") or result.get("_meta", {}).get("code-executor/report") or {}
        self.text = "\n".join(block["text"] for block in result["content"] if block["type"] == "text")

    def json(self):
        """The text block of shape B."""
        try:
            return json.loads(self.text)
        except ValueError:
            raise AssertionError(f"the text block is no JSON: {self.text[:2000]}") from None

    # ---- shape A

    @property
    def result(self):
        return self.structured.get("result")

    @property
    def output(self):
        return self.structured.get("output")

    @property
    def error(self):
        return self.structured.get("error")

    @property
    def summary(self):
        """toolCallSummary by full tool name."""
        return {entry["toolName"]: entry for entry in self.structured.get("toolCallSummary", [])}
