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


MCPError.__module__ = "__main__"
