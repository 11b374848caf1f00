"""The guest API as programs see it. A program finds all of it without an import; `from code_executor import ...` tells an
editor the same. What a call gives may be awaited or used as it is."""

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, Literal, overload

_Params = Mapping[str, Any]

class _Result(dict[str, Any]):
    """Its keys can be read as attributes, too."""

    def __getattr__(self, key: str) -> Any: ...

class _Dict(_Result, Awaitable[_Result]):
    def __await__(self) -> Generator[Any, None, _Result]: ...

class _List(list[Any], Awaitable[list[Any]]):
    def __await__(self) -> Generator[Any, None, list[Any]]: ...

class _Text(str, Awaitable[str]):
    def __await__(self) -> Generator[Any, None, str]: ...

class MCPError(RuntimeError):
    message: str
    code: str
    server: str | None
    tool: str | None
    suggestions: list[str]
    retry_after_ms: int | None
    def __init__(
        self,
        message: str = "",
        code: str = "error",
        server: str | None = None,
        tool: str | None = None,
        suggestions: Sequence[str] | None = None,
        retry_after_ms: int | None = None,
    ) -> None: ...

@overload
def call_mcp_tool(name: str, params: _Params | None = None, /, **named: Any) -> Any:
    """`call_mcp_tool("mcp__server__tool", {...})`"""

@overload
def call_mcp_tool(server: str, tool: str, params: _Params | None = None, /, **named: Any) -> Any:
    """`call_mcp_tool("server", "tool", {...})`"""

def discover_mcp_tools(search: str | Sequence[str] | None = None, server: str | None = None, limit: int | None = None) -> _List:
    """Tools by search terms."""

def search_tools(query: str, limit: int = 10, server: str | None = None, detail: str | None = None) -> _List:
    """Tools by relevance."""

def get_tool_schema(name: str, tool: str | None = None) -> _Dict:
    """Of `mcp__server__tool`, or of a server and a tool."""

def get_tool_signature(name: str, tool: str | None = None) -> _Dict:
    """Its signature as a Python stub."""

def list_servers() -> _Dict:
    """The servers that this program may use."""

def list_mcp_resources(server: str) -> Any:
    """Its resources, and templates of further ones."""

def read_mcp_resource(server: str, uri: str) -> Any:
    """A text, JSON data, or a dict with mimeType and blob; several: a list."""

def list_mcp_prompts(server: str) -> Any: ...
def get_mcp_prompt(server: str, name: str, args: _Params | None = None) -> _Dict:
    """A dict with messages."""

def read_output(handle: str, path: str | None = None, offset: int = 0, limit: int | None = None) -> Any:
    """What an earlier run returned or printed and was too large to show, or a part of it."""

def ask_user(message: str, schema: _Params | None = None) -> _Dict:
    """Asks the person at the client: `{"action": "accept", "content": {...}}`, or the action "decline" or "cancel". `schema` is one
    of MCP's flat forms, or one field; without it they write a text (`content.answer`)."""

def approve(summary: str | Sequence[str] | Mapping[str, int] | None = None) -> Any:
    """Asks them for all of a loop's calls at once, where the settings want calls to be approved. True or False."""

def display(*values: object) -> None:
    """Shows text, JSON data, images and figures to the client."""

class _TextStream(AsyncIterator[str], Iterator[str], Awaitable[_TextStream]):
    """The answer piece by piece, while it comes, for `for` or `async for`; awaited before or not."""

    def __await__(self) -> Generator[Any, None, _TextStream]: ...
    def __next__(self) -> str: ...
    async def __anext__(self) -> str: ...
    def close(self) -> None: ...
    async def aclose(self) -> None: ...

class _Llm:
    """Asks a model; needs `enableSampling: true` for the run."""

    @overload
    def ask(
        self, prompt: str, system_prompt: str = "", max_tokens: int = 1000, stream: Literal[False] = False, model: str | None = None
    ) -> _Text:
        """The answer to one question."""

    @overload
    def ask(
        self, prompt: str, system_prompt: str = "", max_tokens: int = 1000, *, stream: Literal[True], model: str | None = None
    ) -> _TextStream: ...
    @overload
    def think(
        self,
        messages: Sequence[_Params] | _Params,
        model: str | None = None,
        max_tokens: int = 1000,
        system_prompt: str = "",
        stream: Literal[False] = False,
        tools: Sequence[str] | None = None,
    ) -> _Text:
        """The answer to the last message of a conversation. `tools`: patterns such as "mcp__github__*"."""

    @overload
    def think(
        self,
        messages: Sequence[_Params] | _Params,
        model: str | None = None,
        max_tokens: int = 1000,
        system_prompt: str = "",
        *,
        stream: Literal[True],
        tools: Sequence[str] | None = None,
    ) -> _TextStream: ...

llm: _Llm

class _Server(ModuleType):
    """Its tools by name or alias: `await mcp.server.tool(argument=value)`."""

    def __getattr__(self, tool: str) -> Callable[..., Any]: ...
    def __getitem__(self, tool: str) -> Callable[..., Any]: ...

class _Servers(ModuleType):
    """The servers by name or alias."""

    runtime: _Runtime
    def __getattr__(self, server: str) -> _Server: ...
    def __getitem__(self, server: str) -> _Server: ...

class _ServerTable(Mapping[str, _Server]):
    def __getitem__(self, name: str) -> _Server: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

mcp: _Servers
mcp_servers: _ServerTable

class _Runtime(ModuleType):
    """Each function is there with the ending `_sync`, too."""

    MCPError: type[MCPError]
    def capability_summary(self) -> _Text: ...
    def discovered_servers(self, detailed: bool = False) -> _List: ...
    def list_servers(self) -> _List: ...
    def list_loaded_server_metadata(self) -> _List: ...
    def describe_server(self, name: str) -> _Dict: ...
    def list_tools(self, server: str) -> _List: ...
    def list_tools_sync(self, server: str) -> list[Any]: ...
    def query_tool_docs(self, server: str, tool: str | None = None, detail: str = "summary") -> Any: ...
    def query_tool_docs_sync(self, server: str, tool: str | None = None, detail: str = "summary") -> list[Any]: ...
    def search_tool_docs(self, query: str, limit: int = 5, detail: str = "summary") -> _List: ...
    def search_tool_docs_sync(self, query: str, limit: int = 5, detail: str = "summary") -> list[Any]: ...
    def call_tool(self, server: str, tool: str, arguments: _Params | None = None, **named: Any) -> Any: ...
    def read_output(self, handle: str, path: str | None = None, offset: int = 0, limit: int | None = None) -> Any: ...
    def save_tool(self, func: Callable[..., Any], description: str | None = None) -> _Text: ...
    def list_saved_tools(self) -> _List: ...
    def delete_saved_tool(self, name: str) -> _Text: ...
    def save_memory(self, key: str, value: Any, *, metadata: _Params | None = None) -> _Text: ...
    def load_memory(self, key: str, default: Any = None) -> Any: ...
    def delete_memory(self, key: str) -> _Text: ...
    def list_memories(self) -> _List: ...
    def memory_exists(self, key: str) -> Any: ...
    def get_memory_info(self, key: str) -> Any: ...
    def update_memory(self, key: str, fn: Callable[[Any], Any]) -> Any: ...
    def __getattr__(self, name: str) -> Callable[..., Any]: ...

runtime: _Runtime

def save_tool(func: Callable[..., Any], description: str | None = None) -> _Text:
    """Later programs can `from user_tools import` it."""

def save_memory(key: str, value: Any, *, metadata: _Params | None = None) -> _Text:
    """Keeps JSON data for later programs."""

def load_memory(key: str, default: Any = None) -> Any: ...
def delete_memory(key: str) -> _Text: ...
def list_memories() -> _List:
    """Key, metadata and times of all that is saved."""

def update_memory(key: str, fn: Callable[[Any], Any]) -> Any:
    """Saves `fn(value)`, where value is None if there is none, and returns it."""

def memory_exists(key: str) -> Any: ...
def get_memory_info(key: str) -> Any:
    """Value, metadata and times; None if nothing is saved under the key."""
