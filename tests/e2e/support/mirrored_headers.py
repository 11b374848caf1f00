"""x-mcp-header of revision 2026-07-28: which arguments of a tool a client has to say in headers too, and whether it did."""

import base64
import re

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
CODED = re.compile(r"=\?base64\?(.*)\?=", re.DOTALL)
KINDS = ("string", "integer", "boolean")
PREFIX = "mcp-param-"


def coded(value):
    """As a client has to write a text."""
    is_plain = all(" " <= letter <= "~" for letter in value) and value == value.strip() and not CODED.fullmatch(value)
    return value if is_plain else f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def decoded(header):
    """Raises ValueError."""
    header = header.strip(" \t")
    found = CODED.fullmatch(header)
    if found:
        return base64.b64decode(found[1], validate=True).decode("utf-8")
    if not all(" " <= letter <= "~" for letter in header):
        raise ValueError("bytes that are not ASCII")
    return header


def annotated(schema, path=()):
    """(path, annotation, type) of all that are reached by `properties` alone."""
    for name, each in schema.get("properties", {}).items():
        if "x-mcp-header" in each:
            yield (*path, name), each["x-mcp-header"], each.get("type")
        yield from annotated(each, (*path, name))


def count(value):
    """Annotations anywhere."""
    if isinstance(value, list):
        return sum(map(count, value))
    return sum(("x-mcp-header" in value, *map(count, value.values()))) if isinstance(value, dict) else 0


def is_valid(schema):
    """Else a client of HTTP has to drop the tool."""
    found = list(annotated(schema))
    names = [name for _, name, _ in found]
    if len(found) != count(schema) or not all(isinstance(name, str) and TOKEN.fullmatch(name) for name in names):
        return False
    return len({name.lower() for name in names}) == len(names) and all(kind in KINDS for _, _, kind in found)


def value_at(arguments, path):
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, dict) else None
    return arguments


def _fits(header, value):
    said = decoded(header)
    if isinstance(value, bool):
        return said == ("true" if value else "false")
    return int(said) == value if isinstance(value, int) else said == value


def problem(headers, schema, arguments):
    """The first one, in words, or None. `headers`: names in small letters."""
    expected = {PREFIX + name.lower(): value_at(arguments, path) for path, name, _ in annotated(schema)}
    for name, value in expected.items():
        if value is None:
            continue
        if name not in headers:
            return f"{name} is missing"
        try:
            if not _fits(headers[name], value):
                return f"{name} has {headers[name]!r}, the body {value!r}"
        except ValueError as error:
            return f"{name} can not be read: {error}"
    stray = [name for name in headers if name.startswith(PREFIX) and expected.get(name) is None]
    return f"headers of no argument: {stray}" if stray else None
