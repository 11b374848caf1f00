"""What is sent with a request as JSON: no value is lost or becomes another text in silence. Where that is impossible, an error
says which value it is."""

import plain_values
import wire

# Ids of types: the class of a value may have made anything of what is equal to it.
_SCALARS = frozenset(map(id, (str, int, float, bool, type(None))))
_TEXT = frozenset((id(str),))


def encode(request):
    """The frame's JSON text, as bytes. Raises TypeError, ValueError or RecursionError."""
    frame = _encode_plain(request) if _is_plain(request["params"], 0) else None
    if frame is None:
        params = {name: plain_values.sent_form(value) for name, value in request["params"].items()}
        frame = wire.encode_message({**request, "params": params})
    wire.check_size(frame)
    return frame


def reason(error, params):
    """What is wrong with the parameters of a request that `encode` has refused with this error."""
    try:
        for name, value in params.items():
            _find(value, "" if name == "args" else name, ())
    except (TypeError, ValueError) as found:
        return str(found)
    except RecursionError:
        pass
    return str(error)


def tool_of(params):
    """For a message: whose arguments they are."""
    if "tool" in params:
        return f" of {params['server']}.{params['tool']}"
    return f" of {params['name']}" if "args" in params and "name" in params else ""


def _is_plain(value, depth):
    """Whether it is of nothing but what JSON has, at no greater depth than hosts read. Nearly all is; and the encoder is many
    times as fast as a conversion."""
    if depth > plain_values.MAX_DEPTH:
        return False
    if isinstance(value, dict):
        if not _TEXT.issuperset(map(id, map(type, value))):
            return False
        value = value.values()
    if _SCALARS.issuperset(map(id, map(type, value))):
        return True
    for item in value:
        if id(type(item)) not in _SCALARS and not (isinstance(item, (dict, list, tuple)) and _is_plain(item, depth + 1)):
            return False
    return True


def _encode_plain(request):
    """None if half a surrogate pair is among the texts: keys that differ only there would become the same."""
    text = wire.encode_text(request)
    try:
        frame = text.encode("utf-8")
    except UnicodeEncodeError:
        return None
    wire.check_numbers(request, frame)
    return frame


def _find(value, path, around):
    """Raises the error of the first value that cannot be sent, with its place. `around`: the containers that it is in."""
    if any(container is value for container in around):
        raise ValueError(f"{path}: it contains itself")
    if isinstance(value, (dict, list, tuple)) and len(around) >= plain_values.MAX_DEPTH:
        raise ValueError(f"{path:.100}...: it is deeper than {plain_values.MAX_DEPTH} levels")
    if isinstance(value, dict):
        _placed(path, plain_values.check_keys, value)
        for key, item in value.items():
            name = str(key)
            _find(item, f"{path}.{name}" if path else name, (*around, value))
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            _find(item, f"{path}[{index}]", (*around, value))
    elif not isinstance(value, (str, type(None))):
        _placed(path, wire.check_number if isinstance(value, (int, float)) else plain_values.sent_form, value)


def _placed(path, check, value):
    try:
        check(value)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{path}: {error}" if path else str(error)) from None
