"""The functions of the guest API. Names, aliases, permissions and results are the host's business: what a reply carries
is already the value that user code gets."""

from mcp_error import MCPError
from requests import Call
from results import AwaitableDict, AwaitableList, AwaitableText, Result


class Api:
    """Every function exists twice: the one that user code sees blocks and returns the value; its deferred twin sends
    the request and returns something to await. `defer` goes from the first to the second."""

    def __init__(self, requests):
        self._requests = requests
        # By the ids of functions: what is called in their stead may be anything, also by its hash. The function is held.
        self._deferred = {}
        # Set once the program is known. Where nothing is ever awaited, results are plain.
        self.awaitable_results = True

    def names(self):
        """The global functions by name."""
        builders = {
            "call_mcp_tool": call_params,
            "discover_mcp_tools": discover_params,
            "search_tools": search_params,
            "get_tool_schema": schema_params,
            "get_tool_signature": signature_params,
            "list_servers": servers_params,
            "list_mcp_resources": resources_params,
            "read_mcp_resource": resource_params,
            "list_mcp_prompts": prompts_params,
            "get_mcp_prompt": prompt_params,
            "read_output": output_params,
            "ask_user": question_params,
            "approve": approval_params,
        }
        import llm

        functions = {name: self.function(name, build) for name, build in builders.items()}
        objects = {"display": self._display(), "llm": llm.Llm(self, self._requests), "MCPError": MCPError}
        return {**functions, **objects}

    def function(self, name, build_request):
        """A blocking function, known to `defer`; `build_request(*args, **kwargs)` gives (method, params), or (method,
        params, shape) where `shape(result)` is what the caller gets."""

        def deferred(*args, **kwargs):
            return self._requests.start(*build_request(*args, **kwargs))

        def blocking(*args, **kwargs):
            return self.given(self._requests.ask(*build_request(*args, **kwargs)))

        self._deferred[id(blocking)] = blocking, self.named(deferred, name, build_request.__doc__)
        return self.named(blocking, name, build_request.__doc__)

    def named(self, function, name, description=None):
        """As user code sees it."""
        function.__name__ = function.__qualname__ = name
        function.__module__ = "__main__"
        function.__doc__ = description or function.__doc__
        return function

    def request(self, method, params):
        """Asks the host and waits for the plain result."""
        return self._requests.ask(method, params)

    def given(self, value):
        """A result as user code gets it."""
        return awaitable(value) if self.awaitable_results else value

    def display_block(self, block):
        """Hands a content block to the client."""
        self._requests.display(block)

    def defer(self, function):
        """The deferred twin of an API function; anything else is returned as it is."""
        return self._deferred.get(id(function), (None, function))[1]

    def _display(self):
        def show(*values):
            """display(*values): shows text, JSON data, images and figures to the client."""
            import display

            for value in values:
                display.show(value, self)

        return self.named(show, "display")


def call_params(*args, **kwargs):
    """call_mcp_tool("mcp__server__tool", {...}) or call_mcp_tool("server", "tool", {...}); awaited or not."""
    args = list(args)
    if not args:
        for name in ("name", "tool_name", "server"):
            if name in kwargs:
                args.append(kwargs.pop(name))
                break
    if len(args) == 1 and isinstance(kwargs.get("tool"), str) and not str(args[0]).startswith("mcp__"):
        args.append(kwargs.pop("tool"))
    if not args or not isinstance(args[0], str):
        raise invalid(f"call_mcp_tool needs a tool name, got {describe(args[0] if args else None)}")
    by_server = len(args) > 1 and isinstance(args[1], str)
    target = {"server": args[0], "tool": args[1]} if by_server else {"name": args[0]}
    given = args[2:] if by_server else args[1:]
    if not given and "params" in kwargs:
        given = [kwargs.pop("params")]
    return "call", {**target, "args": tool_arguments(".".join(target.values()), given, kwargs)}


def discover_params(search=None, server=None, limit=None):
    """discover_mcp_tools(search=None, server=None, limit=None): tools by search terms. One dict of these works too."""
    if isinstance(search, dict):
        return discover_params(**search)
    terms = [search] if isinstance(search, str) else search and list(search)
    return "discover", _given(search=terms, server=server, limit=limit)


def search_params(query, limit=10, server=None, detail=None):
    """search_tools(query, limit=10, server=None, detail=None): tools by relevance."""
    return "search", _given(query=query, limit=limit, server=server, detail=detail)


def schema_params(name, tool=None):
    """get_tool_schema("mcp__server__tool") or get_tool_schema("server", "tool")."""
    return "schema", _one_tool(name, tool)


def signature_params(name, tool=None):
    """get_tool_signature("mcp__server__tool") or get_tool_signature("server", "tool"): its signature as a Python stub."""
    return "signature", {**_one_tool(name, tool), "language": "python"}


def servers_params():
    """list_servers(): the servers that this program may use."""
    return "servers", {}


def resources_params(server):
    """list_mcp_resources("server"): its resources, and templates of further ones."""
    return "resources", {"server": server}


def resource_params(server, uri):
    """read_mcp_resource("server", "uri"): a text, JSON data, or a dict with mimeType and blob; several: a list."""
    return "resource", {"server": server, "uri": uri}


def prompts_params(server):
    """list_mcp_prompts("server")."""
    return "prompts", {"server": server}


def prompt_params(server, name, args=None):
    """get_mcp_prompt("server", "name", {...}): a dict with messages."""
    return "prompt", _given(server=server, name=name, args=args)


def output_params(handle, path=None, offset=0, limit=None):
    """read_output(handle, path=None, offset=0, limit=None): what an earlier run returned or printed and was too large to
    show, or a part of it. `path`: "items[3].name"; `limit`: elements of a list, characters of a text, fields of a dict."""
    return "output", _given(handle=handle, path=path, offset=offset, limit=limit)


def question_params(message, schema=None):
    """ask_user("question", schema=None): asks the person at the client and gives {"action": "accept", "content": {...}}, or the
    action "decline" or "cancel". `schema`: {"type": "object", "properties": {...}} of texts, numbers and booleans, or one of
    these; without it they write a text, content.answer."""
    return "ask", _given(message=message, schema=schema)


def approval_params(summary=None):
    """approve(["mcp__server__tool x 12"]): asks the person for all of a loop's calls at once, where the settings want calls
    to be approved; True or False. Without a summary: for all calls of this run."""
    return "approve", _given(summary=summary)


def tool_arguments(tool, positional, named):
    """The arguments of a tool from at most one dict and keywords; the keywords win."""
    if len(positional) > 1:
        raise invalid(f"{tool} takes one dict of parameters and keywords, got {len(positional)} positional values")
    params = positional[0] if positional else None
    if params is None:
        return named
    if not isinstance(params, dict):
        raise invalid(f'the parameters of {tool} must be a dict such as {{"path": "a.txt"}}, got {describe(params)}')
    return {**params, **named}


def _one_tool(name, tool):
    return {"name": name} if tool is None else {"server": name, "tool": tool}


def _given(**options):
    return {name: value for name, value in options.items() if value is not None}


def invalid(message):
    """The error for arguments that are refused before anything is sent."""
    return MCPError(message, code="invalid_argument")


def describe(value):
    if value is None:
        return "None"
    kind = type(value).__name__
    article = "an" if kind[0] in "aeiou" else "a"
    return f"{article} {kind}" if isinstance(value, (list, tuple, set, dict)) else f"{article} {kind}: {value!r:.40}"


# By the ids of types: the class of a value may have made anything of what is equal to it.
_AWAITABLE = {id(dict): AwaitableDict, id(Result): AwaitableDict, id(list): AwaitableList, id(str): AwaitableText}


def awaitable(value):
    kind = _AWAITABLE.get(id(type(value)))
    return value if kind is None else kind(value)


def plain(value):
    """The same without the extra."""
    return _PLAIN.get(id(type(value)), _same)(value)


def to_await(value):
    """What `await` gets: a value that a blocking call has given already is made awaitable once more."""
    make = _PLAIN.get(id(type(value)))
    return value if make is None else Call.settled(make(value))


def each_to_await(values):
    """The same for the values in an iterable."""
    return [to_await(value) for value in values]


def _same(value):
    return value


_PLAIN = {
    **dict.fromkeys(map(id, (type(None), bool, int, float, str, list, dict, Result)), _same),
    id(AwaitableDict): Result,
    id(AwaitableList): list,
    id(AwaitableText): str,
}
