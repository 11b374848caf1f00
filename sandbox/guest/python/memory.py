"""What programs remember for later ones: JSON data by key, which the host stores."""

import posix
import time

from mcp_error import MCPError
import wire

# For a value that others change at the same time: so long it is tried again, with pauses of chance that may be twice as long each
# time, up to the longest, so that they do not meet again.
_TRIED_SECONDS = 10
_PAUSE_SECONDS, _PAUSE_SECONDS_MAX = 0.002, 0.1
# Taken now, because user code may replace them.
_clock, _sleep, _chance = time.monotonic, time.sleep, posix.urandom
_MAX_DEPTH = 100
# Integers that the host's JSON keeps exactly.
_MIN_INT, _MAX_INT = -(2**63), 2**64 - 1
_INFINITY = float("inf")


def functions(api):
    builders = (save_memory, load_memory, delete_memory, list_memories, memory_exists, get_memory_info)
    made = {build.__name__: api.function(build.__name__, build) for build in builders}
    return {**made, "update_memory": api.named(_updater(api), "update_memory")}


def save_memory(key, value, *, metadata=None):
    """save_memory(key, value, *, metadata=None): keeps JSON data for later programs."""
    params = {"key": _checked_key(key), "value": _checked(value, "value")}
    if metadata is not None:
        if not isinstance(metadata, dict):
            raise TypeError(f"metadata must be a dict, not {type(metadata).__name__}")
        params["metadata"] = _checked(metadata, "metadata")
    return "memory_save", params, lambda _: f"Memory '{key}' saved."


def load_memory(key, default=None):
    """load_memory(key, *, default=None): what was saved under the key."""
    return "memory_load", {"key": _checked_key(key)}, lambda found: default if found is None else found["value"]


def delete_memory(key):
    """delete_memory(key)"""
    params = {"key": _checked_key(key)}
    return "memory_delete", params, lambda found: f"Memory '{key}' {'deleted' if found else 'not found'}."


def list_memories():
    """list_memories(): key, metadata and times of all that is saved."""
    return "memory_list", {}


def memory_exists(key):
    """memory_exists(key)"""
    return "memory_load", {"key": _checked_key(key)}, lambda found: found is not None


def get_memory_info(key):
    """get_memory_info(key): value, metadata and times; None if nothing is saved under the key."""
    return "memory_load", {"key": _checked_key(key)}


def _updater(api):
    def update_memory(key, fn):
        """update_memory(key, fn): saves fn(value), where value is None if there is none, and returns it. `fn` runs
        again if another program has saved something in between."""
        params = {"key": _checked_key(key)}
        end, pause = _clock() + _TRIED_SECONDS, _PAUSE_SECONDS
        while True:
            found = api.request("memory_load", params)
            value = fn(None if found is None else found["value"])
            if value is None:
                raise TypeError("update_memory: the function returned None instead of the new value")
            save = {**params, "value": _checked(value, "value"), "if_version": found["version"] if found else 0}
            if found and found.get("metadata") is not None:
                save["metadata"] = found["metadata"]
            if api.request("memory_save", save)["saved"]:
                return api.given(value)
            if _clock() >= end:
                break
            _sleep(pause * int.from_bytes(_chance(2), "big") / 65536)
            pause = min(2 * pause, _PAUSE_SECONDS_MAX)
        message = f"Memory '{key}' was changed by others again and again for {_TRIED_SECONDS} s while it was updated; try again"
        raise MCPError(message, code="conflict")

    return update_memory


def _checked_key(key):
    if not isinstance(key, str):
        raise TypeError(f"Memory key must be a text, not {type(key).__name__}")
    if not key.strip():
        raise ValueError("Memory key cannot be empty")
    return key


def _checked(value, path, depth=0):
    """The value, if JSON can hold it as it is: what is saved must come back the same."""
    if depth > _MAX_DEPTH:
        raise TypeError(f"memory holds JSON data of at most {_MAX_DEPTH} levels; a cycle is endless")
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"memory holds JSON data: the key {key!r:.40} in {path} is no text but {_kind(key)}")
            _checked(key, f"a key of {path}")
            _checked(item, f"{path}[{key!r:.40}]", depth + 1)
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            _checked(item, f"{path}[{index}]", depth + 1)
    elif not _is_scalar(value):
        raise TypeError(f"memory holds JSON data: {path} is {_kind(value)}; save a text or numbers instead")
    return value


def _is_scalar(value):
    if isinstance(value, str):
        # Half of a surrogate pair is no text.
        return value.isascii() or value == value.encode("utf-8", "replace").decode()
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int):
        return _MIN_INT <= value <= _MAX_INT
    return isinstance(value, float) and -_INFINITY < value < _INFINITY


def _kind(value):
    if isinstance(value, (int, float)):
        text = repr(value) if isinstance(value, float) else wire.int_text(value)
        return f"the number {text:.40}, which JSON cannot hold"
    if isinstance(value, str):
        return "a text with half a surrogate pair"
    kind = type(value).__name__
    return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"
