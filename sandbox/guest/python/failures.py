"""What user code raised, as the host is told: the position in the user's own code and a traceback of the user's frames
only. Written here rather than with `traceback`, whose import takes longer than a whole short program."""

FILE_NAME = "<code>"
# Of a longer stack (a recursion without end) this many frames are shown from either end.
_SHOWN_FRAMES = 20
_MAX_CHAINED = 5


def report(error, source):
    """The `error` of a done frame; `source` is the user's code."""
    details = {"name": type(error).__name__, "message": message_of(error)}
    if isinstance(error, SyntaxError) and error.filename == FILE_NAME:
        details["message"] = error.msg or "invalid syntax"
        position = (error.lineno, error.offset)
    else:
        frames = _user_frames(error)
        position = _position(frames[-1], source) if frames else (None, None)
    for name, number in zip(("line", "column"), position):
        if number:
            details[name] = max(1, number)
    details["stack"] = stack_text(error, source)
    for name in ("code", "server", "tool", "suggestions"):
        if type(error).__name__ == "MCPError" and hasattr(error, name):
            value = getattr(error, name)
            if value is not None:
                details[name] = value
    return details


def exit_report(request, output):
    """The error that a SystemExit stands for; None if it means success."""
    status = request.code
    if status is None or status == 0:
        return None
    if isinstance(status, int):
        return {"name": "SystemExit", "message": f"Program exited with code {int(status)}", "exitCode": int(status)}
    output.error_line(status)
    return {"name": "SystemExit", "message": message_of(request), "exitCode": 1}


def message_of(error):
    try:
        return str(error) or _default_message(error)
    except Exception:
        return f"<{type(error).__name__} without readable message>"


def _default_message(error):
    return "out of memory" if isinstance(error, MemoryError) else ""


def stack_text(error, source):
    """A traceback as Python prints it, of the user's frames, with the errors that led to this one."""
    parts = []
    seen = set()
    link = ""
    while error is not None and id(error) not in seen and len(parts) < _MAX_CHAINED:
        seen.add(id(error))
        parts.insert(0, _one_traceback(error, source) + link)
        if error.__cause__ is not None:
            error = error.__cause__
            link = "\n\nThe above exception was the direct cause of the following exception:\n"
        else:
            error = None if error.__suppress_context__ else error.__context__
            link = "\n\nDuring handling of the above exception, another exception occurred:\n"
    return "\n".join(parts)


def _one_traceback(error, source):
    lines = source.splitlines()
    frames = _user_frames(error)
    shown = ["Traceback (most recent call last):"] if frames else []
    hidden = len(frames) - 2 * _SHOWN_FRAMES
    for index, traceback in enumerate(frames):
        if hidden > 0 and _SHOWN_FRAMES <= index < _SHOWN_FRAMES + hidden:
            if index == _SHOWN_FRAMES:
                shown.append(f"  ... {hidden} more frames ...")
            continue
        shown += _frame_lines(traceback, lines)
    if isinstance(error, SyntaxError) and error.filename == FILE_NAME and error.lineno:
        shown.append(f'  File "{FILE_NAME}", line {error.lineno}')
        shown += _source_line(lines, error.lineno)
        shown.append(f"{type(error).__name__}: {error.msg}")
    else:
        shown.append(_headline(error))
    for index, inner in enumerate(getattr(error, "exceptions", ())[:_MAX_CHAINED]):
        shown.append(f"  [{index}] " + stack_text(inner, source).replace("\n", "\n      "))
    return "\n".join(shown)


def _headline(error):
    try:
        text = str(error)
    except Exception:
        text = message_of(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _user_frames(error):
    frames = []
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == FILE_NAME:
            frames.append(traceback)
        traceback = traceback.tb_next
    return frames


def _frame_lines(traceback, lines):
    function = traceback.tb_frame.f_code.co_name
    number = traceback.tb_lineno
    return [f'  File "{FILE_NAME}", line {number}, in {function}', *_source_line(lines, number)]


def _source_line(lines, number):
    return [f"    {lines[number - 1].strip()}"] if 0 < number <= len(lines) else []


def _position(traceback, source):
    """Line and column, both from 1; the column is None before Python 3.11."""
    line = traceback.tb_lineno
    code = traceback.tb_frame.f_code
    if not hasattr(code, "co_positions"):
        return line, None
    for index, (start, _, column, _) in enumerate(code.co_positions()):
        if index == traceback.tb_lasti // 2:
            return (start or line), (None if column is None else _characters(source, start, column) + 1)
    return line, None


def _characters(source, line, column_bytes):
    """Python counts columns in bytes of UTF-8."""
    lines = source.splitlines()
    if not 0 < line <= len(lines):
        return column_bytes
    return len(lines[line - 1].encode("utf-8", "replace")[:column_bytes].decode("utf-8", "replace"))
