"""What to do about errors whose own words do not say it to whoever wrote the program."""

import errno
import sys

from results import shown_keys

# What a program without network sees when it tries: no route, or no name server to ask for an address.
_UNREACHABLE = (errno.ENETUNREACH, -3)  # socket.EAI_AGAIN
_REFUSED = (errno.EPERM, errno.EACCES, errno.EROFS)
_MAX_CHAINED = 5
_NAME_CHARACTERS = 40
# A line that is longer was hardly written by hand, and is not looked at.
_LINE_CHARACTERS = 2000
# How programs unwrap what a tool has sent, which is done already.
_UNWRAPPING = (".content[", '["content"][', "['content'][")
_NOT_AWAITED = ("'coroutine' object", "'Call' object", "'_asyncio.Task' object", "'_asyncio.Future' object", "'_GatheringFuture' object")
_DICT_METHODS = ("items", "keys", "values", "get", "pop", "popitem", "copy", "update", "clear", "setdefault", "fromkeys")
_METHOD_MISUSED = "'builtin_function_or_method' object is not"


def hint(error, line, names):
    """To be put behind the message; empty if there is nothing to say. `line`: of the program, where it was raised; `names`:
    the variables there."""
    for find in (_network, _memory, _missing_module, _files, _missing_await, _unwrapping, _method_of_dict):
        try:
            text = find(error, (line or "")[:_LINE_CHARACTERS], names)
        except Exception:  # What user code has made of its errors and values must not hide them.
            text = ""
        if text:
            return text
    return ""


def _network(error, line, names):
    """The system's words for a box without network do not tell anybody what to do about it."""
    for _ in range(_MAX_CHAINED):
        if not isinstance(error, OSError):
            return ""
        if error.errno in _UNREACHABLE:
            break
        error = getattr(error, "reason", None)
    else:
        return ""
    environment = getattr(sys.modules.get("os"), "environ", {})
    if "http_proxy" in environment:
        return " (a program reaches the hosts it was granted only through the proxy in http_proxy and https_proxy)"
    return " (a program has no network unless the run's permissions.net grants a host)"


def _memory(error, line, names):
    if not isinstance(error, MemoryError):
        return ""
    mebibytes = _memory_limit()
    limited = "limited" if mebibytes is None else f"limited to {mebibytes} MiB"
    return f" (the memory of a program is {limited}: sandbox.memoryMb)"


def _memory_limit():
    """None where the system does not count the data of a process, but others do."""
    try:
        import resource
    except ImportError:
        return None
    limit = resource.getrlimit(resource.RLIMIT_DATA)[0]
    return None if limit == resource.RLIM_INFINITY else limit >> 20


def _missing_module(error, line, names):
    if not isinstance(error, ModuleNotFoundError) or not str(error).startswith("No module named"):
        return ""
    package = (error.name or "").partition(".")[0]
    if package in getattr(sys, "stdlib_module_names", ()) or package in ("mcp", "user_tools"):
        return ""
    return (
        " (only the standard library can be imported, and the packages of the virtual environment that the setting"
        " executors.python.venv names)"
    )


def _files(error, line, names):
    path = error.filename if isinstance(error, OSError) else None
    if isinstance(path, bytes):
        path = path.decode("utf-8", "replace")
    if not isinstance(path, str):
        return ""
    if error.errno in _REFUSED:
        return ", which the run must be given: permissions.read, or permissions.write to change it"
    if isinstance(error, FileNotFoundError) and _may_be_outside(path):
        return (
            " (a program starts in an empty folder and sees, of all other files, only those that the run is given:"
            " permissions.read, permissions.write)"
        )
    return ""


def _may_be_outside(path):
    """Whether it may exist where the program cannot see it. Where the folder is there, the file is missing in truth."""
    import posix

    folder = path.rpartition("/")[0]
    if not path.startswith("/"):
        return True
    return bool(folder) and not _exists(posix, folder)


def _exists(posix, path):
    try:
        posix.stat(path)
        return True
    except (OSError, ValueError):
        return False


def _missing_await(error, line, names):
    if isinstance(error, (TypeError, AttributeError)) and any(text in str(error) for text in _NOT_AWAITED):
        return " (`await` is missing before the call that this is the result of)"
    return ""


def _unwrapping(error, line, names):
    if not isinstance(error, (AttributeError, KeyError, TypeError, IndexError)):
        return ""
    places = [(line.find(text), text) for text in _UNWRAPPING if text in line]
    if not places:
        return ""
    at, _ = min(places)
    name = _name_before(line, at)
    value = names.get(name)
    what = f", {_described(value)}" if isinstance(value, (dict, list, str)) else ""
    return f"; a call already returns the data{what}: use it as it is, without .content[0].text"


def _name_before(line, end):
    start = end
    while start > 0 and (line[start - 1].isalnum() or line[start - 1] == "_"):
        start -= 1
    return line[start:end]


def _described(value):
    if isinstance(value, str):
        return f"a str of {len(value)} characters"
    if isinstance(value, dict):
        return f"a dict with the keys {shown_keys(value)}" if value else "an empty dict"
    return f"a list of {len(value)}"


def _method_of_dict(error, line, names):
    if not isinstance(error, TypeError) or _METHOD_MISUSED not in str(error):
        return ""
    for method in _DICT_METHODS:
        at = line.find(f".{method}")
        while at >= 0:
            after = line[at + 1 + len(method) :][:1]
            if after != "(" and not (after.isalnum() or after == "_"):
                return f" (.{method} is the method of dict; a key of this name is read as [{method!r}])"
            at = line.find(f".{method}", at + 1)
    return ""
