"""`display(value)`: the content block that shows a value best."""

import plain_values
import wire

# Longer tables are abbreviated by their own `repr`.
_TABLE_ROWS_MAX = 1_000
_MEDIA = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (8, b"WAVE", "audio/wav"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"OggS", "audio/ogg"),
    (0, b"fLaC", "audio/flac"),
)
_SUBTYPE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-")
_SUBTYPE_MAX = 60
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


def show(value, api):
    """Raises ValueError for a dict that says it is an image and is none, and for what no message can hold."""
    changes = set()
    for block in _blocks(value, changes):
        api.display_block(block)
    if changes:
        wire.tell_changed(f"[in what is displayed, {'; '.join(sorted(changes))}]")


def show_figures(pyplot, api):
    """Gives `pyplot.show()` and `figure.show()` a meaning where there is no screen."""

    def show_all(*_, **__):
        """Displays all open figures and closes them."""
        for number in pyplot.get_fignums():
            show(pyplot.figure(number), api)
        pyplot.close("all")

    def show_one(figure, *_, **__):
        """Displays the figure."""
        show(figure, api)

    pyplot.show = show_all
    pyplot.Figure.show = show_one


def _blocks(value, changes):
    if isinstance(value, str):
        return [_text(str.__str__(value))]
    if isinstance(value, (bytes, bytearray, memoryview)):
        return [_block_of_bytes(bytes(value))]
    if isinstance(value, dict) and value.get("type") in ("image", "audio") and "data" in value:
        return [_media_of_dict(value)]
    if isinstance(value, (list, tuple)) and _has_media(value):
        return [block for item in value for block in _blocks(_text_of_dict(item), changes)]
    if value is None or isinstance(value, (bool, int, float, dict, list, tuple, set, frozenset)):
        return [_json(_plain(value, changes))]
    return [_block_of_object(value, changes)]


def _plain(value, changes):
    plain, _, changed = plain_values.checked_plain(value)
    changes.update(changed)
    return plain


def _block_of_object(value, changes):
    for make in (_own_picture, _saved_picture, _table, _own_json, _own_text):
        try:
            block = None if isinstance(value, type) else make(value, changes)
        except Exception:
            block = None  # One form that fails is no reason not to show another.
        if block is not None:
            return block
    plain = _plain(value, changes)
    return _text(plain) if isinstance(plain, str) else _json(plain)


def _own_picture(value, _):
    for method, mime_type in (("_repr_png_", "image/png"), ("_repr_jpeg_", "image/jpeg")):
        if hasattr(type(value), method):
            data = getattr(value, method)()
            data = data[0] if isinstance(data, tuple) else data
            if data:
                return _media_of_dict({"type": "image", "data": data, "mimeType": mime_type})
    return None


def _saved_picture(value, _):
    """Of a figure of matplotlib, or an image of Pillow."""
    if hasattr(type(value), "savefig"):
        return _written(lambda file: value.savefig(file, format="png", bbox_inches="tight"))
    if hasattr(type(value), "save") and hasattr(value, "format") and hasattr(value, "mode"):
        return _written(lambda file: _writable_as_png(value).save(file, "PNG"))
    return None


def _writable_as_png(image):
    return image if image.mode in ("1", "L", "LA", "I", "P", "RGB", "RGBA") else image.convert("RGB")


def _written(write):
    from io import BytesIO

    file = BytesIO()
    write(file)
    return _block_of_bytes(file.getvalue())


def _table(value, _):
    if not callable(getattr(type(value), "to_string", None)):
        return None
    is_long = hasattr(type(value), "__len__") and len(value) > _TABLE_ROWS_MAX
    return _text(repr(value) if is_long else value.to_string())


def _own_json(value, changes):
    if not hasattr(type(value), "_repr_json_"):
        return None
    data = value._repr_json_()
    data = data[0] if isinstance(data, tuple) else data
    return None if data is None else _json(_plain(data, changes))


def _own_text(value, _):
    for method in ("_repr_markdown_", "_repr_html_"):
        text = getattr(value, method)() if hasattr(type(value), method) else None
        if isinstance(text, str):
            return _text(text)
    return None


def _has_media(items):
    """A list of content blocks, such as a tool may return."""
    kinds = [item.get("type") if isinstance(item, dict) else None for item in items]
    return any(kind in ("image", "audio") for kind in kinds) and all(
        kind in ("image", "audio", "text") for kind in kinds
    )


def _text_of_dict(block):
    return block.get("text", "") if block["type"] == "text" else block


def _block_of_bytes(data):
    mime_type = _mime_type(data)
    if mime_type:
        return {"type": mime_type.partition("/")[0], "data": _base64(data), "mimeType": mime_type}
    try:
        return _text(data.decode())
    except UnicodeDecodeError:
        return _text(f"<{len(data)} bytes that are no image and no text>")


def _media_of_dict(value):
    data, kind = value["data"], value["type"]
    given_type = value.get("mimeType") or value.get("mime_type")
    if isinstance(data, (bytes, bytearray, memoryview)):
        data = bytes(data)
        given_type = given_type or _mime_type(data)
        data = _base64(data)
    elif isinstance(data, str):
        data, given_type = _checked_base64(data, kind, given_type)
    else:
        raise ValueError(f"display: the data of an {kind} must be bytes or base64, not {type(data).__name__}")
    if not isinstance(given_type, str) or not _is_media_type(given_type, kind):
        raise ValueError(f"display: an {kind} needs a mimeType such as '{kind}/{'png' if kind == 'image' else 'wav'}'")
    return {"type": kind, "data": data, "mimeType": given_type}


def _is_media_type(text, kind):
    """As the server takes it, which ends the program for any other."""
    family, _, subtype = text.partition("/")
    return family == kind and 0 < len(subtype) <= _SUBTYPE_MAX and _SUBTYPE.issuperset(subtype)


def _checked_base64(text, kind, mime_type):
    """Also of a data: URL."""
    if text.startswith("data:") and ";base64," in text:
        head, _, text = text.partition(";base64,")
        mime_type = mime_type or head[len("data:") :].partition(";")[0]
    digits = "".join(text.split()).rstrip("=")
    if not digits or len(digits) % 4 == 1 or not _BASE64.issuperset(digits):
        raise ValueError(f"display: the data of an {kind} must be bytes or base64")
    return digits + "=" * (-len(digits) % 4), mime_type


def _mime_type(data):
    for place, magic, mime_type in _MEDIA:
        if data[place : place + len(magic)] == magic and (place == 0 or data[:4] == b"RIFF"):
            return mime_type
    return None


def _base64(data):
    from binascii import b2a_base64

    return b2a_base64(data, newline=False).decode("ascii")


def _text(text):
    return {"type": "text", "text": text}


def _json(value):
    return {"type": "json", "value": value}
