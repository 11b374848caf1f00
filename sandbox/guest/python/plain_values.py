"""Any Python value as plain JSON data: what a program's result becomes. Raises nothing but MemoryError, and TooLong for what no
message can hold, and never drops a value in silence. What is sent to tools becomes the same, but where a result has a label for
a value, sending it is an error.

Types are recognised by their methods, so that none of their modules has to be imported."""

import sys

import wire

# Deeper values are cut: hosts and clients parse recursively.
MAX_DEPTH = 100

_TEXT_TYPES = (
    *(("decimal", "Decimal"), ("uuid", "UUID"), ("pathlib", "PurePath"), ("fractions", "Fraction")),
    # Each of its characters is another one.
    ("collections", "UserString"),
)
# Elements of XML: what is said of them by keys are their attributes alone.
_ELEMENTS = (("xml.etree.ElementTree", "Element"), ("lxml.etree", "_Element"))
# JSON readers keep the digits of 64-bit integers; larger ones go as text.
_MIN_INT, _MAX_INT = -(2**63), 2**64 - 1
_INFINITY = float("inf")
_NO_NUMBER = "nan and inf, which JSON does not have, are null"
_BASE64 = "bytes that are no text are base64"
_LONG = "a number of more than 64 bits; give it as a text"
# Each takes two bytes of a message at least.
_ELEMENTS_MAX = wire.MAX_FRAME_BYTES // 2


class TooLong(ValueError):
    pass


TooLong.__name__ = "ValueError"


def to_plain(value):
    return checked_plain(value)[0]


def checked_plain(value):
    """The same, whether coroutines, tasks or the like are among it, whose results were hardly meant to be left out, and what is
    given as something else than it looks, in words."""
    conversion = _Conversion()
    with wire.RoomForFrames():
        return conversion.plain(value, 0), conversion.holds_awaitable, conversion.changes


def sent_form(value):
    """For arguments of calls: the JSON form of a value that has none of its own. Raises TypeError or ValueError if there is
    none."""
    return _SentConversion().plain(value, 0)


def check_keys(values):
    """Raises TypeError for a dict whose keys are not all different as texts, or cannot be sent."""
    _SentConversion().key_texts(values)


class _Conversion:
    def __init__(self):
        # The ids of the containers around the value; meeting one of them again is a cycle.
        self._ancestors = set()
        self.holds_awaitable = False
        self.changes = set()

    def plain(self, value, depth):
        # By identity: the class of a value may have made anything of what is equal to it.
        kind = type(value)
        if kind is str or kind is bool or value is None:
            return value
        if kind is int:
            return value if _MIN_INT <= value <= _MAX_INT else self._label(wire.int_text(value), _LONG)
        if issubclass(kind, float):
            if -_INFINITY < value < _INFINITY:
                return float(value)
            self.changes.add(_NO_NUMBER)
            return self._label(None, f"{value} is no number of JSON")
        if id(value) in self._ancestors:
            return self._label("[Circular]", "it contains itself")
        if depth >= MAX_DEPTH:
            return self._label("[Depth limit]", f"it is deeper than {MAX_DEPTH} levels")
        self._ancestors.add(id(value))
        try:
            return self._object(value, depth + 1)
        except (MemoryError, TooLong):
            raise
        except Exception as error:
            return self._unreadable(value, error)
        finally:
            self._ancestors.discard(id(value))

    def _object(self, value, depth):
        if isinstance(value, dict):
            return self._dict(list(value.items()), depth)
        if isinstance(value, (list, tuple, set, frozenset)):
            return self._list(value, depth)
        enum = _class("enum", "Enum")
        if enum and isinstance(value, enum):
            return self.plain(value.value, depth)
        if isinstance(value, int):
            return self.plain(int(value), depth)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return self._bytes(bytes(value))
        if isinstance(value, BaseException):
            return self._error(value, depth)
        return self._by_methods(value, depth)

    def _bytes(self, data):
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            from binascii import b2a_base64

            self.changes.add(_BASE64)
            return b2a_base64(data, newline=False).decode("ascii")

    def _by_methods(self, value, depth):
        if isinstance(value, (type, type(sys))) or callable(value):
            return self._label(repr(value), f"{_article(value)} has no JSON form; give a text, a number, a list or a dict")
        if hasattr(type(value), "__await__"):
            self.holds_awaitable = True
            return self._label(f"[{type(value).__name__}: `await` is missing]", "`await` is missing before it")
        # Decimal, UUID and paths have a text of their own that says it all.
        for module, name in _TEXT_TYPES:
            known = _class(module, name)
            # Not by `isinstance`: some of them are abstract, and would look for the class among those that they know.
            if known and any(base is known for base in type(value).__mro__):
                return str(value)
        text = _whole_text(value)
        if text is not None:
            return text
        if hasattr(type(value), "isoformat"):
            return value.isoformat()
        fields = getattr(type(value), "__dataclass_fields__", None)
        if isinstance(fields, dict):
            return {name: self.plain(getattr(value, name, None), depth) for name in fields}
        for method in ("tolist", "to_dict"):
            if hasattr(type(value), method):
                return self.plain(_given_by(value, method), depth)
        if hasattr(type(value), "keys") and hasattr(type(value), "__getitem__"):
            return self._dict(_pairs(value), depth)
        return self._iterable(value, depth)

    def _error(self, error, depth):
        plain = {"name": type(error).__name__, "message": str(error)}
        notes, members = getattr(error, "__notes__", None), getattr(error, "exceptions", None)
        if notes:
            plain["notes"] = self.plain(notes, depth)
        if error.__cause__ is not None:
            plain["cause"] = self.plain(error.__cause__, depth)
        if isinstance(members, (list, tuple)):
            plain["errors"] = self.plain(members, depth)
        return plain

    def _iterable(self, value, depth):
        # Views of dicts, ranges and deques; an iterator would be used up, and may never end.
        if hasattr(type(value), "__iter__") and hasattr(type(value), "__len__"):
            return self._list(value, depth)
        return self._label(repr(value), f"{_article(value)} has no JSON form; give a text, a number, a list or a dict")

    def _list(self, values, depth):
        if len(values) > _ELEMENTS_MAX:
            raise TooLong(f"{len(values)} elements are more than a message can hold ({wire.MAX_FRAME_BYTES} bytes)")
        return [self.plain(item, depth) for item in values]

    def _label(self, text, reason):
        """What stands for a value that has no JSON."""
        return text

    def _unreadable(self, value, error):
        return f"[Unreadable {type(value).__name__}: {type(error).__name__}]"

    def _dict(self, pairs, depth):
        texts = self.key_texts([key for key, _ in pairs])
        return {text: self.plain(item, depth) for text, (_, item) in zip(texts, pairs)}

    def key_texts(self, keys):
        """Keys that are the same as texts, such as 1 and "1", both stay: what is no such text says what it is."""
        texts = [self._key(key) for key in keys]
        if len(set(texts)) < len(texts):
            # The first of each text that is one by itself keeps it.
            own = {key: index for index, key in reversed(list(enumerate(keys))) if type(key) is str and key == texts[index]}
            taken = set(own)
            for index, key in enumerate(keys):
                if own.get(texts[index]) != index:
                    texts[index] = _unlike(taken, texts[index], key)
        return texts

    def _key(self, key):
        if isinstance(key, str):
            return wire.well_formed(str.__str__(key))
        if key is None or isinstance(key, bool):
            return {None: "null", True: "true", False: "false"}[key]
        plain = self.plain(key, MAX_DEPTH - 1)
        return wire.well_formed(plain if isinstance(plain, str) else self._shown_key(key))

    def _shown_key(self, key):
        try:
            return repr(key)
        except ValueError as error:  # It holds a number of thousands of digits.
            return self._unreadable(key, error)


class _NoJson(TypeError):
    pass


class _SentConversion(_Conversion):
    """Refuses what the other one has a label for."""

    def _label(self, text, reason):
        raise _NoJson(reason)

    def _unreadable(self, value, error):
        raise error if isinstance(error, _NoJson) else _NoJson(f"{_article(value)} cannot be read: {type(error).__name__}")

    def _key(self, key):
        if not isinstance(key, (str, int, float, type(None))):
            raise _NoJson(f"the key {key!r:.40} is no text but {_article(key)}")
        if isinstance(key, float):
            return float.__repr__(self.plain(key, 0))
        if isinstance(key, int) and not isinstance(key, bool):
            return wire.int_text(key)
        return super()._key(key)

    def key_texts(self, keys):
        texts = [self._key(key) for key in keys]
        if len(set(texts)) < len(texts):
            twins = [key for key, text in zip(keys, texts) if texts.count(text) > 1]
            twin = next((key for key in twins if type(key) is not str), twins[0])
            raise _NoJson(f"the keys {twin!r:.40} and {self._key(twin)!r:.40} are the same in JSON")
        return texts


def _unlike(taken, text, key):
    """The text, or one that is not taken yet."""
    kind, wanted, number = type(key).__name__, text, 1
    while text in taken:
        number += 1
        is_same = type(key) is str and key == wanted
        mark = str(number) if is_same else kind if number == 2 else f"{kind} {number - 1}"
        text = f"{wanted} ({mark})"
    taken.add(text)
    return text


def _whole_text(value):
    """Of what has keys, but holds more than these lead to; None for all else."""
    for module, name in _ELEMENTS:
        known = _class(module, name)
        if known and isinstance(value, known):
            return sys.modules[module].tostring(value, encoding="unicode")
    known = _class("email.message", "Message")
    # Of those that are headers alone, as those of HTTP are, keys are all.
    return str(value) if known and isinstance(value, known) and value.get_payload() else None


def _pairs(value):
    """Columns of a row and headers of a message may have the same name; a key leads to one of them."""
    keys = list(value.keys())
    if len(set(keys)) == len(keys):
        return [(key, value[key]) for key in keys]
    return list(value.items()) if hasattr(type(value), "items") else list(zip(keys, value, strict=True))


def _given_by(value, method):
    """`to_dict` of pandas has one of each of the columns and rows that have the same name."""
    axes = getattr(value, "axes", None)
    if method == "to_dict" and isinstance(axes, list) and not all(getattr(axis, "is_unique", True) for axis in axes):
        return value.to_dict("split")
    return getattr(value, method)()


def _article(value):
    kind = type(value).__name__
    return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"


def _class(module, name):
    """A class of a module that is loaded; a value cannot be of it otherwise."""
    return getattr(sys.modules.get(module), name, None)
