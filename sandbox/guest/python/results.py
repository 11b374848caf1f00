"""What calls return: dicts whose keys can be read as attributes, at every depth; to all else they are dicts."""

# Of a dict without the attribute that was asked for, so many keys are named, and so many characters of each.
_KEYS_SHOWN = 8
_KEY_CHARACTERS = 40


class Result(dict):
    """A method of dict keeps its name: a key `items` is reached as `result["items"]`."""

    __slots__ = ()

    def __getattr__(self, name):
        # Python itself asks for names with underscores, to learn what kind of object this is.
        if name[:2] != "__" and name in self:
            return self[name]
        error = AttributeError(f"{_absence(self, name)}; its keys: {shown_keys(self)}")
        error.name, error.obj = name, self
        raise error

    def copy(self):
        return Result(self)

    __copy__ = copy

    def __deepcopy__(self, memo):
        from copy import deepcopy

        twin = memo[id(self)] = Result()
        for key, value in dict.items(self):
            twin[key] = deepcopy(value, memo)
        return twin

    def __reduce__(self):
        """Whoever reads a pickle need not know this class."""
        return dict, (dict(self),)


class AwaitableDict(Result):
    """A result of a call that was not awaited; awaiting it later is allowed and gives the plain value."""

    __slots__ = ()

    def __await__(self):
        return Result(self)
        yield


class AwaitableList(list):
    def __await__(self):
        return list(self)
        yield

    def __reduce__(self):
        return list, (list(self),)


class AwaitableText(str):
    def __await__(self):
        return str(self)
        yield

    def __reduce__(self):
        return str, (str(self),)


for _kind, _name in ((Result, "dict"), (AwaitableDict, "dict"), (AwaitableList, "list"), (AwaitableText, "str")):
    # In messages they are what they are used as.
    _kind.__name__ = _kind.__qualname__ = _name
    _kind.__module__ = "builtins"


def _absence(result, name):
    return f"'dict' object has no attribute {name!r:.{_KEY_CHARACTERS}}"


def shown_keys(result):
    """Some of its keys, for a message."""
    keys = [f"{key!s:.{_KEY_CHARACTERS}}" for key, _ in zip(dict.keys(result), range(_KEYS_SHOWN))]
    more = len(result) - len(keys)
    return (", ".join(keys) or "none") + (f" and {more} more" if more > 0 else "")
