"""The error that every failed call raises."""


class MCPError(RuntimeError):
    def __init__(self, message="", code="error", server=None, tool=None, suggestions=None, retry_after_ms=None):
        super().__init__(message)
        self.message = message
        self.code = code
        self.server = server
        self.tool = tool
        self.suggestions = list(suggestions or [])
        self.retry_after_ms = retry_after_ms

    @classmethod
    def from_failure(cls, failure):
        """From the `error` of a reply."""
        return cls(
            failure.get("message", ""),
            failure.get("code", "error"),
            failure.get("server"),
            failure.get("tool"),
            failure.get("suggestions"),
            failure.get("retryAfterMs"),
        )


class MCPTypeError(MCPError, TypeError):
    """For arguments that have no JSON: Python's own calls raise TypeError for those."""


for _kind in (MCPError, MCPTypeError):
    # Programs know both by one name.
    _kind.__name__ = _kind.__qualname__ = "MCPError"
    _kind.__module__ = "__main__"
