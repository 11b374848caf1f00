"""Any Python value as plain JSON data: what a program's result becomes. Raises nothing but MemoryError, and never drops a
value in silence.

Types are recognised by their methods, so that none of their modules has to be imported."""

import sys

# Deeper values are cut: hosts and clients parse recursively.
MAX_DEPTH = 100

_TEXT_TYPES = (("decimal", "Decimal"), ("uuid", "UUID"), ("pathlib", "PurePath"), ("fractions", "Fraction"))
_SCALARS = frozenset((bool, str, type(None)))
# JSON readers keep the digits of 64-bit integers; larger ones go as text.
_MIN_INT, _MAX_INT = -(2**63), 2**64 - 1
_INFINITY = float("inf")


def to_plain(value):
    return _Conversion().plain(value, 0)


def checked_plain(value):
    """The same, and whether coroutines, tasks or the like are among it, whose results were hardly meant to be left out."""
    conversion = _Conversion()
    return conversion.plain(value, 0), conversion.holds_awaitable


def json_default(value):
    """For arguments of calls: the JSON form of a value that has none of its own."""
    if hasattr(value, "__await__") and not isinstance(value, (dict, list, str)):
        raise TypeError("a call that was not awaited is among them")
    return to_plain(value)


class _Conversion:
    def __init__(self):
        # The ids of the containers around the value; meeting one of them again is a cycle.
        self._ancestors = set()
        self.holds_awaitable = False

    def plain(self, value, depth):
        kind = type(value)
        if kind in _SCALARS:
            return value
        if kind is int:
            return value if _MIN_INT <= value <= _MAX_INT else str(value)
        if isinstance(value, float):
            return float(value) if -_INFINITY < value < _INFINITY else None
        if id(value) in self._ancestors:
            return "[Circular]"
        if depth >= MAX_DEPTH:
            return "[Depth limit]"
        self._ancestors.add(id(value))
        try:
            return self._object(value, depth + 1)
        except MemoryError:
            raise
        except Exception as error:
            return f"[Unreadable {kind.__name__}: {type(error).__name__}]"
        finally:
            self._ancestors.discard(id(value))

    def _object(self, value, depth):
        if isinstance(value, dict):
            return {self._key(key): self.plain(item, depth) for key, item in list(value.items())}
        if isinstance(value, (list, tuple, set, frozenset)):
            return [self.plain(item, depth) for item in value]
        enum = _class("enum", "Enum")
        if enum and isinstance(value, enum):
            return self.plain(value.value, depth)
        if isinstance(value, int):
            return self.plain(int(value), depth)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return _bytes_text(bytes(value))
        if isinstance(value, BaseException):
            return {"name": type(value).__name__, "message": str(value)}
        return self._by_methods(value, depth)

    def _by_methods(self, value, depth):
        if isinstance(value, (type, type(sys))) or callable(value):
            return repr(value)
        if hasattr(value, "__await__"):
            self.holds_awaitable = True
            return f"[{type(value).__name__}: `await` is missing]"
        # Decimal, UUID and paths have a text of their own that says it all.
        for module, name in _TEXT_TYPES:
            known = _class(module, name)
            if known and isinstance(value, known):
                return str(value)
        if hasattr(value, "isoformat"):
            return value.isoformat()
        fields = getattr(value, "__dataclass_fields__", None)
        if isinstance(fields, dict):
            return {name: self.plain(getattr(value, name, None), depth) for name in fields}
        for method in ("tolist", "to_dict"):
            if hasattr(value, method):
                return self.plain(getattr(value, method)(), depth)
        if hasattr(value, "keys") and hasattr(value, "__getitem__"):
            return {self._key(key): self.plain(value[key], depth) for key in value.keys()}
        return self._iterable(value, depth)

    def _iterable(self, value, depth):
        # Views of dicts, ranges and deques; an iterator would be used up, and may never end.
        if hasattr(value, "__iter__") and hasattr(value, "__len__"):
            return [self.plain(item, depth) for item in value]
        return repr(value)

    def _key(self, key):
        if isinstance(key, str):
            return str.__str__(key)
        if key is None or isinstance(key, bool):
            return {None: "null", True: "true", False: "false"}[key]
        plain = self.plain(key, MAX_DEPTH - 1)
        return plain if isinstance(plain, str) else repr(key)


def _class(module, name):
    """A class of a module that is loaded; a value cannot be of it otherwise."""
    return getattr(sys.modules.get(module), name, None)


def _bytes_text(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        from binascii import b2a_base64

        return b2a_base64(data, newline=False).decode("ascii")
