"""JSON without the `json` package, whose import (with `re` and `enum`) takes longer than all the rest of the start.

The C functions behind it are used as `json` itself uses them; they are the same from CPython 3.9 to 3.13.
"""

import _json
import gc
import sys

from results import Result

# The host's limit for one frame as well.
MAX_FRAME_BYTES = 64 * 1024 * 1024
# From here on the collector would look through what is being made many times, in vain: nothing of it is garbage.
_LARGE_CHARACTERS = 64 * 1024

# Enough for values of the greatest depth.
_FRAMES = 1000
# Taken now, because user code may replace them.
_frames_max, _set_frames_max = sys.getrecursionlimit, sys.setrecursionlimit


class RoomForFrames:
    """A program may have left itself less than its values need on their way."""

    def __enter__(self):
        self._before = _frames_max()
        if self._before < _FRAMES:
            _set_frames_max(_FRAMES)

    def __exit__(self, *_):
        try:
            if self._before < _FRAMES:
                _set_frames_max(self._before)
        except RecursionError:  # Python 3.10 wants more distance to it than there is here.
            pass


def check_size(body):
    """Raises ValueError if it is larger than the host accepts."""
    if len(body) > MAX_FRAME_BYTES:
        raise ValueError(f"{len(body)} bytes are more than a message can hold ({MAX_FRAME_BYTES})")


class _DecodeOptions:
    """What `json.JSONDecoder` would hand to its scanner."""

    strict = False
    object_hook = Result
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo = {}


_scan = _json.make_scanner(_DecodeOptions)


def _tell_nobody(text):
    pass


# Called with what is to be said of a message that was changed.
tell_changed = _tell_nobody


# What stands for numbers of tools that are larger than any.
_GREATEST = "7976931348623157e+308"


def decode(text):
    """The value of a JSON text that begins at its first character. Raises ValueError or StopIteration."""
    if _GREATEST in text:
        tell_changed("[a tool has sent a number that is too large: it is the greatest number of all here, some 1.8e308]")
    with RoomForFrames():
        if len(text) < _LARGE_CHARACTERS or not gc.isenabled():
            return _scan(text, 0)[0]
        gc.disable()
        try:
            return _scan(text, 0)[0]
        finally:
            gc.enable()


def encode_text(value):
    """JSON text of plain data. Raises ValueError for cycles and for numbers that are not finite, TypeError for what JSON has no
    form for."""
    make = _json.make_encoder({}, _refuse, _json.encode_basestring, None, ":", ",", False, False, False)
    with RoomForFrames():
        return "".join(make(value, 0))


def _refuse(value):
    raise TypeError(f"a {type(value).__name__} has no JSON form")


def to_bytes(text):
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return well_formed(text).encode("utf-8")


def well_formed(text):
    """Halves of surrogate pairs, which UTF-8 cannot carry, become U+FFFD, as programs in TypeScript have it."""
    if text.isascii():
        return text
    mended = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if mended != text:
        tell_changed("[halves of surrogate pairs, which UTF-8 does not have, leave this program as U+FFFD]")
    return mended


def encode_message(message):
    """A message as the bytes of a frame."""
    return to_bytes(encode_text(message))


# Digits become 0, all else becomes a blank: so a long number is found without a look at each value.
_DIGITS = bytes(ord("0") if chr(byte).isdigit() and byte < 128 else ord(" ") for byte in range(256))
# The least whole number below 64 bits has so many digits.
_LONG_NUMBER = b"0" * 19
_INFINITY = float("inf")
_MIN_INT, _MAX_INT = -(2**63), 2**64 - 1


def check_numbers(value, body):
    """Raises ValueError for whole numbers that readers of JSON would round. `body`: the JSON text of the value."""
    if _LONG_NUMBER in body.translate(_DIGITS):
        _check_numbers(value)


def check_number(value):
    """The same for one number, also for those that are not finite."""
    if isinstance(value, int) and not _MIN_INT <= value <= _MAX_INT:
        raise ValueError(f"the number {int_text(value):.40} has more than 64 bits and would be rounded; give it as a text")
    if isinstance(value, float) and not -_INFINITY < value < _INFINITY:
        raise ValueError(f"{value} is no number of JSON; give None or a text")


def _check_numbers(value):
    if isinstance(value, int):
        check_number(value)
    if isinstance(value, (dict, list, tuple)):
        for item in value.values() if isinstance(value, dict) else value:
            _check_numbers(item)


# Python refuses to write integers of more digits than a limit, which is 640 or more; and it takes long for those above this.
_DIGITS_AT_ONCE = 600
_BITS_MAX = 500_000


def int_text(value):
    """The digits of any integer; hexadecimal ones of those that would take long."""
    if int.bit_length(value) > _BITS_MAX:
        return int.__format__(value, "#x")
    rest, parts = int.__abs__(value), []
    while rest.bit_length() > 3 * _DIGITS_AT_ONCE:
        rest, part = divmod(rest, 10**_DIGITS_AT_ONCE)
        parts.append(int.__repr__(part).zfill(_DIGITS_AT_ONCE))
    parts.append(int.__repr__(rest) if rest or not parts else "")
    return ("-" if value < 0 else "") + "".join(reversed(parts))
