"""`llm`: asks a model, through the host. A streamed answer is pulled piece by piece, so that a slow program holds nothing
up."""

from api import describe, invalid
from mcp_error import MCPError

_DEFAULT_MAX_TOKENS = 1000
_ASK = ("prompt", "system_prompt", "max_tokens", "stream", "model")
_THINK = ("messages", "model", "max_tokens", "system_prompt", "stream", "tools")
# Options by the name that the host has for them.
_HOST_NAMES = {"system_prompt": "systemPrompt", "max_tokens": "maxTokens", "model": "model", "tools": "tools"}
_PYTHON_NAMES = {"systemPrompt": "system_prompt", "maxTokens": "max_tokens"}
_ROLES = ("user", "assistant", "system")


class Llm:
    """llm.ask(prompt, system_prompt='', max_tokens=1000, stream=False, model=None) and llm.think(messages, ...)"""

    def __init__(self, api, requests):
        def ask(*args, **kwargs):
            """llm.ask(prompt, system_prompt='', max_tokens=1000, stream=False, model=None): the answer of a model, a text;
            with stream=True its pieces, for `for` or `async for`. Awaited or not."""
            given = _bound("llm.ask", _ASK, args, kwargs)
            prompt = given.pop("prompt", None)
            if not isinstance(prompt, str):
                raise invalid(f"llm.ask needs a text, got {describe(prompt)}")
            return _sample(requests, "llm.ask", [{"role": "user", "content": prompt}], given)

        def think(*args, **kwargs):
            """llm.think(messages, model=None, max_tokens=1000, system_prompt='', stream=False, tools=None): the answer to
            messages such as {"role": "user", "content": "..."}; `tools`: patterns of those that the model may call."""
            given = _bound("llm.think", _THINK, args, kwargs)
            messages = given.pop("messages", None)
            if isinstance(messages, dict):
                given = {**_bound("llm.think", _THINK, (), messages), **given}
                messages = given.pop("messages", None)
            if not isinstance(messages, (list, tuple)):
                raise invalid(f"llm.think needs a list of messages, got {describe(messages)}")
            return _sample(requests, "llm.think", list(messages), given)

        self.ask = api.function("ask", ask)
        self.think = api.function("think", think)

    def __repr__(self):
        return "<llm>"


Llm.__module__ = "__main__"


def _bound(function, names, args, kwargs):
    """The arguments that were given, by name; those of TypeScript are known too."""
    if len(args) > len(names):
        raise invalid(f"{function} takes at most {len(names)} values ({', '.join(names)}), got {len(args)}")
    given = dict(zip(names, args))
    for spelling, value in kwargs.items():
        name = _PYTHON_NAMES.get(spelling, spelling)
        if name not in names:
            raise invalid(f"{function} has no parameter {spelling!r}; there are {', '.join(names)}")
        if name in given:
            raise invalid(f"{function} got {name} twice")
        given[name] = value
    return {name: value for name, value in given.items() if value is not None}


def _sample(requests, function, messages, given):
    if not messages:
        raise invalid(f"{function} needs at least one message")
    for index, message in enumerate(messages):
        _check_message(f"{function}: messages[{index}]", message)
    streams = given.pop("stream", False)
    if not isinstance(streams, bool):
        raise invalid(f"{function}: stream must be True or False, got {describe(streams)}")
    params = {"messages": messages, "maxTokens": _DEFAULT_MAX_TOKENS}
    for name, value in given.items():
        wanted = _wanted(name, value)
        if wanted:
            raise invalid(f"{function}: {name} must be {wanted}, got {describe(value)}")
        if value != "":
            params[_HOST_NAMES[name]] = value
    if not streams:
        return "sample", params, lambda reply: reply["text"]
    return "sample", {**params, "stream": True}, lambda reply: TextStream(requests, reply["stream"])


def _wanted(name, value):
    """What it should be instead, if anything."""
    if name == "max_tokens":
        is_number = isinstance(value, int) and not isinstance(value, bool) and value > 0
        return "" if is_number else "a whole number above 0"
    if name == "tools":
        is_list = isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value)
        return "" if is_list else 'a list of patterns such as ["mcp__github__*"]'
    return "" if isinstance(value, str) else "a text"


def _check_message(place, message):
    if not isinstance(message, dict):
        raise invalid(f'{place} must be a dict such as {{"role": "user", "content": "..."}}, got {describe(message)}')
    role = message.get("role")
    if role not in _ROLES:
        raise invalid(f"{place} has the role {describe(role)}; there are {', '.join(_ROLES)}")
    if not isinstance(message.get("content"), (str, list, tuple)):
        raise invalid(f"{place} has no text as its content, but {describe(message.get('content'))}")


class TextStream:
    """The answer of a model while it comes; may be awaited first."""

    def __init__(self, requests, number):
        self._requests = requests
        self._params = {"stream": number}
        # The piece that was asked for; it stays here if its reader is cancelled.
        self._call = None
        self._is_over = False

    def __await__(self):
        return self
        yield

    def __iter__(self):
        return self

    def __next__(self):
        while not self._is_over:
            try:
                piece = self._asked().result()
            except MCPError:
                self._is_over = True
                raise
            text = self._taken(piece)
            if text:
                return text
        raise StopIteration

    def __aiter__(self):
        return self

    async def __anext__(self):
        while not self._is_over:
            try:
                piece = await self._asked()
            except MCPError:
                self._is_over = True
                raise
            text = self._taken(piece)
            if text:
                return text
        raise StopAsyncIteration

    def close(self):
        """No more is wanted."""
        if not self._is_over:
            self._is_over = True
            self._requests.start("sample_stop", self._params)

    async def aclose(self):
        self.close()

    def __del__(self):
        # Its loop was left, or there was none.
        if not self._is_over:
            self._is_over = True
            self._requests.start_in_finalizer("sample_stop", self._params)

    def __repr__(self):
        return "<stream of text>"

    def _asked(self):
        if self._call is None:
            self._call = self._requests.start("sample_next", self._params)
        return self._call

    def _taken(self, piece):
        self._call = None
        self._is_over = self._is_over or piece["done"]
        return piece["text"]


TextStream.__module__ = "__main__"
