"""What user code raised, as the host is told: the position in the program that runs and a traceback of the user's
frames only. Written here rather than with `traceback`, whose import takes longer than a whole short program."""

import wire

# Of a longer stack (a recursion without end) this many frames are shown from either end.
_SHOWN_FRAMES = 20
# Of the errors that led to one, of the members of one group (as many as Python shows), and of all together.
_MAX_CHAINED = 5
_MAX_MEMBERS = 15
_MAX_ERRORS = 50
_MAX_NOTES = 20
_STATUS_MASK = 0xFF
_MIN_LONG, _MAX_LONG = -(2**63), 2**63 - 1


def report(error, sources):
    """The `error` of a done frame."""
    details = {"name": type(error).__name__, "message": message_of(error) + _hint(error, sources)}
    if isinstance(error, SyntaxError) and error.filename == sources.current:
        details["message"] = error.msg or "invalid syntax"
        position = (error.lineno, error.offset)
    else:
        position = _position(error, sources)
    for name, number in zip(("line", "column"), position):
        if number:
            details[name] = max(1, number)
    details["stack"] = stack_text(error, sources)
    for name in ("code", "server", "tool", "suggestions"):
        if type(error).__name__ == "MCPError" and hasattr(error, name):
            value = getattr(error, name)
            if value is not None:
                details[name] = value
    return details


def brief(error):
    """The same where no frame of the program has a part in it."""
    return {"name": type(error).__name__, "message": message_of(error) + _hint_without_frames(error)}


def exit_report(request, output):
    """The error that a SystemExit stands for; None if it means success."""
    status = exit_status(request, output)
    if status == 0:
        return None
    message = f"Program exited with code {status}" if isinstance(request.code, int) else message_of(request)
    return {"name": "SystemExit", "message": message, "exitCode": status}


def exit_status(request, output):
    """The status with which a process ends by this SystemExit. Tells what is no number."""
    status = request.code
    if status is None:
        return 0
    if isinstance(status, int):
        # As a process ends: of what C can hold, the system keeps one byte.
        return (int(status) if _MIN_LONG <= status <= _MAX_LONG else -1) & _STATUS_MASK
    output.error_line(status)
    return 1


def message_of(error):
    try:
        return str(error) or _default_message(error)
    except Exception:
        return f"<{type(error).__name__} without readable message>"


def _default_message(error):
    return "out of memory" if isinstance(error, MemoryError) else ""


def _hint(error, sources):
    """Says more than the message, where there is more to say."""
    try:
        import hints

        frames = _user_frames(error, sources)
        if not frames:
            return _hint_without_frames(error)
        frame = frames[-1].tb_frame
        line = sources.line(_file_name(frames[-1]), frames[-1].tb_lineno)
        return hints.hint(error, line, {**frame.f_globals, **frame.f_locals})
    except Exception:  # Without memory, say.
        return ""


def _hint_without_frames(error):
    try:
        import hints

        return hints.hint(error, None, {})
    except Exception:
        return ""


def stack_text(error, sources):
    """A traceback as Python prints it, of the user's frames, with the errors that led to this one."""
    with wire.RoomForFrames():
        return _Traceback(sources).text(error)


class _Traceback:
    def __init__(self, sources):
        self._sources = sources
        # An error may be among what has led to a group that it is a member of.
        self._seen = set()

    def text(self, error):
        parts = []
        link = ""
        while error is not None and id(error) not in self._seen:
            if len(parts) == _MAX_CHAINED or len(self._seen) >= _MAX_ERRORS:
                parts.insert(0, "... further errors led to these ..." + link)
                break
            self._seen.add(id(error))
            parts.insert(0, self._one(error) + link)
            if error.__cause__ is not None:
                error = error.__cause__
                link = "\n\nThe above exception was the direct cause of the following exception:\n"
            else:
                error = None if error.__suppress_context__ else error.__context__
                link = "\n\nDuring handling of the above exception, another exception occurred:\n"
        return "\n".join(parts)

    def _one(self, error):
        sources = self._sources
        frames = _user_frames(error, sources)
        shown = ["Traceback (most recent call last):"] if frames else []
        hidden = len(frames) - 2 * _SHOWN_FRAMES
        for index, traceback in enumerate(frames):
            if hidden > 0 and _SHOWN_FRAMES <= index < _SHOWN_FRAMES + hidden:
                if index == _SHOWN_FRAMES:
                    shown.append(f"  ... {hidden} more frames ...")
                continue
            shown += _frame_lines(traceback, sources)
        if isinstance(error, SyntaxError) and error.lineno and sources.shown_name(str(error.filename)):
            shown.append(f'  File "{sources.shown_name(error.filename)}", line {error.lineno}')
            shown += _source_line(sources, error.filename, error.lineno)
            shown.append(f"{type(error).__name__}: {error.msg}")
        else:
            shown.append(_headline(error))
        return "\n".join([*shown, *_shown_notes(error), *self._members(error)])

    def _members(self, error):
        members = [inner for inner in _list_of(error, "exceptions") if isinstance(inner, BaseException)]
        lines = []
        for index, inner in enumerate(members):
            if index == _MAX_MEMBERS or len(self._seen) >= _MAX_ERRORS:
                return [*lines, f"  ... and {len(members) - index} more"]
            text = self.text(inner) or _headline(inner)  # Shown already, as what led to another one.
            lines.append(f"  [{index}] " + text.replace("\n", "\n      "))
        return lines


def _shown_notes(error):
    """What `add_note` has added."""
    notes = _list_of(error, "__notes__")
    more = len(notes) - _MAX_NOTES
    shown = [note if isinstance(note, str) else _repr(note) for note in notes[:_MAX_NOTES]]
    return [*shown, f"... and {more} more notes"] if more > 0 else shown


def _list_of(error, name):
    try:
        found = getattr(error, name, ())
    except Exception:  # Of a class of the program.
        return ()
    return found if isinstance(found, (list, tuple)) else ()


def _repr(value):
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__} without readable text>"


def _headline(error):
    try:
        text = str(error)
    except Exception:
        text = message_of(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _user_frames(error, sources):
    frames = []
    traceback = error.__traceback__
    while traceback is not None:
        if sources.shown_name(_file_name(traceback)):
            frames.append(traceback)
        traceback = traceback.tb_next
    return frames


def _file_name(traceback):
    return traceback.tb_frame.f_code.co_filename


def _frame_lines(traceback, sources):
    file_name = _file_name(traceback)
    number = traceback.tb_lineno
    head = f'  File "{sources.shown_name(file_name)}", line {number}, in {traceback.tb_frame.f_code.co_name}'
    return [head, *_source_line(sources, file_name, number)]


def _source_line(sources, file_name, number):
    line = sources.line(file_name, number)
    return [] if line is None else [f"    {line.strip()}"]


def _position(error, sources):
    """Line and column, both from 1, of the last frame in the program that runs; not of functions that an earlier
    program of the session has left. The column is None before Python 3.11."""
    frames = [frame for frame in _user_frames(error, sources) if _file_name(frame) == sources.current]
    if not frames:
        return None, None
    traceback = frames[-1]
    line = traceback.tb_lineno
    code = traceback.tb_frame.f_code
    if not hasattr(code, "co_positions"):
        return line, None
    for index, (start, _, column, _) in enumerate(code.co_positions()):
        if index == traceback.tb_lasti // 2:
            column = None if column is None else _characters(sources.line(sources.current, start), column) + 1
            return (start or line), column
    return line, None


def _characters(line, column_bytes):
    """Python counts columns in bytes of UTF-8."""
    if line is None:
        return column_bytes
    return len(line.encode("utf-8", "replace")[:column_bytes].decode("utf-8", "replace"))
