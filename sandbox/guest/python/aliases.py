"""Names of tools as identifiers, by the rule of the host (subprojects/text/src/aliases.cpp): what a program reads in a signature is
what it finds in a module."""

_KEYWORDS = frozenset(
    "and as assert async await break case catch class const continue debugger def default del delete do elif else enum "
    "except export extends False false finally for from function global if implements import in instanceof interface is "
    "lambda let new None nonlocal not null or package pass private protected public raise return static super switch "
    "this throw True true try typeof var void while with yield".split()
)


def alias_of(name):
    """The name as Python would write it."""
    return _natural(name)[1]


def unique_aliases(names):
    """Of all tools of a server, in its order: the aliases for Python, each different from all others and from the name
    of every other tool. Where two tools would share one, later ones get a number."""
    owner = {}
    for index, name in enumerate(names):
        owner.setdefault(name, index)
    aliases = [_natural(name) for name in names]
    # Those of TypeScript count as well: every tool is found by any of its names.
    kept = [[owner.setdefault(alias, index) == index for alias in pair] for index, pair in enumerate(aliases)]
    last = {}
    result = []
    for index, pair in enumerate(aliases):
        unique = [
            alias if keep else _numbered(alias + between, owner, last, index)
            for alias, keep, between in zip(pair, kept[index], ("", "_"))
        ]
        result.append(unique[1])
    return result


def _numbered(stem, owner, last, index):
    number = last.get(stem, 1)
    while True:
        number += 1
        if owner.setdefault(f"{stem}{number}", index) == index:
            last[stem] = number
            return f"{stem}{number}"


def _natural(name):
    """Camel case and snake case."""
    camel = snake = ""
    boundary = False
    for letter in _in_ascii(name):
        if not _is_word(letter):
            boundary = True
            continue
        if boundary and snake:
            snake += "_"
            camel += letter.upper()
        else:
            camel += letter
        snake += letter
        boundary = False
    return _safe(_without_single_underscores(camel)), _safe(snake)


def _without_single_underscores(text):
    result = ""
    skip = False
    for index, letter in enumerate(text):
        if skip:
            skip = False
            continue
        inner = letter == "_" and 0 < index < len(text) - 1 and text[index - 1] != "_" and text[index + 1] != "_"
        result += text[index + 1].upper() if inner else letter
        skip = inner
    return result


def _is_word(letter):
    return letter.isalnum() or letter == "_"


def _safe(name):
    if not name or name[0].isdigit():
        name = f"_{name}"
    return f"{name}_" if name in _KEYWORDS else name


def _in_ascii(name):
    """Runs of other letters become `u` and four hexadecimal digits: FNV-1a of their UTF-8."""
    result = ""
    digest = None
    for letter in name:
        if letter.isascii():
            if digest is not None:
                result += _digits(digest)
                digest = None
            result += letter
            continue
        digest = 2166136261 if digest is None else digest
        for byte in letter.encode("utf-8", "surrogatepass"):
            digest = (digest ^ byte) * 16777619 & 0xFFFFFFFF
    return result if digest is None else result + _digits(digest)


def _digits(digest):
    return f"u{(digest ^ digest >> 16) & 0xFFFF:04x}"
