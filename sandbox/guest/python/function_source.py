"""The source of a function as a module of its own: the function with its decorators, and what it uses of the program
around it (imports, helper functions and classes, constants), so that it also works where that program is not."""

import _ast
import sys

import api
from results import Result
from syntax_tree import walk

_AST_ONLY = 0x0400  # ast.PyCF_ONLY_AST
_FUTURE_ANNOTATIONS = 0x1000000  # __future__.CO_FUTURE_ANNOTATIONS
_DEFINITIONS = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)
# Definitions that one saved function may bring along, itself included; and the length of one constant.
_DEFINITIONS_MAX = 50
_CONSTANT_CHARACTERS_MAX = 10_000
_WRAPPERS_MAX = 20


def source_of(function, sources, given_names):
    """Name, source, and the names that nothing gives a value to. Raises ValueError, saying what to change, if the function cannot stand
    alone; `given_names` are there anyway."""
    function = _unwrapped(function)
    code = getattr(function, "__code__", None)
    if not isinstance(function, type(source_of)) or code.co_name == "<lambda>":
        raise ValueError("save_tool expects a function")
    if code.co_freevars:
        inner = ", ".join(code.co_freevars)
        raise ValueError(
            f"save_tool expects a function that stands alone: {code.co_name} uses {inner} of the function around it"
        )
    future = "from __future__ import annotations\n" if code.co_flags & _FUTURE_ANNOTATIONS else ""
    parts = _Parts(sources, function.__globals__, given_names, future)
    parts.add_function(function)
    text = future + "\n".join([*sorted(parts.imports), *parts.constants, *parts.definitions])
    return code.co_name, text, sorted(parts.unknown - parts.assigned)


class _Parts:
    def __init__(self, sources, names, given_names, future):
        self.imports = set()
        self.constants = []
        self.definitions = []
        self.unknown = set()
        # By `global` statements.
        self.assigned = set()
        self._sources = sources
        self._names = names
        self._given = given_names
        self._future = future
        self._seen = set()

    def add_function(self, function):
        code = function.__code__
        self._add_definition(code.co_name, code.co_filename, code.co_firstlineno)

    def _add_definition(self, name, file_name, first_line):
        lines = self._sources.lines(file_name)
        node = _definition(lines, name, first_line)
        if node is None:
            raise ValueError(f"save_tool: the source of {name} is not known; define it in this program")
        self._seen.add(name)
        if len(self._seen) > _DEFINITIONS_MAX:
            raise ValueError(f"save_tool: more than {_DEFINITIONS_MAX} functions and classes belong to one tool")
        text = _text_of(node, lines)
        for used in _global_names(text)[0]:
            self._add_name(used, name)
        # Annotations may be nothing but texts.
        needed, assigned = _global_names(self._future + text)
        self.assigned |= assigned
        self.unknown.update(used for used in needed if self._is_unknown(used))
        self.definitions.append(text + "\n")

    def _add_name(self, name, user):
        if name in self._seen or name not in self._names or self._is_given(name):
            return
        value = api.plain(self._names[name])
        if isinstance(value, (type, type(source_of))) and self._is_defined_here(name, value):
            return self._add_value(name, value)
        self._seen.add(name)
        server = _server_expression(value)
        if server:
            self.constants.append(f"{name} = {server}")
        elif isinstance(value, type(sys)):
            self.imports.add(f"import {value.__name__}" + _as(value.__name__, name))
        elif _is_importable(value):
            self.imports.add(f"from {value.__module__} import {value.__qualname__}" + _as(value.__qualname__, name))
        elif _is_constant(value):
            self.constants.append(f"{name} = {value!r}")
        else:
            kind = f"an object of the type {type(value).__name__}"
            raise ValueError(f"save_tool: {user} uses {name!r}, {kind} that cannot be saved; make it a parameter")

    def _is_given(self, name):
        return name in self._given and self._names[name] is self._given[name]

    def _is_unknown(self, name):
        return not (name in self._names or name in self._given or hasattr(self._names.get("__builtins__"), name))

    def _is_defined_here(self, name, value):
        """Under its own name, by user code."""
        return (
            getattr(value, "__name__", None) == name and getattr(value, "__module__", None) == self._names["__name__"]
        )

    def _add_value(self, name, value):
        if isinstance(value, type):
            # A class does not know its lines; the newest text that defines it is the one that made it.
            for file_name in self._sources.newest_first():
                node = _definition(self._sources.lines(file_name), name, None)
                if node is not None:
                    return self._add_definition(name, file_name, _first_line(node))
            raise ValueError(f"save_tool: the source of the class {name} is not known; define it in this program")
        return self.add_function(_unwrapped(value))


def _unwrapped(function):
    for _ in range(_WRAPPERS_MAX):
        inner = getattr(function, "__wrapped__", None)
        if inner is None:
            break
        function = inner
    return function


def _definition(lines, name, first_line):
    """The node that defines a name, at that line (its first decorator's, if it has any) or anywhere at the top."""
    tree = compile("\n".join(lines), "<saved>", "exec", _AST_ONLY, True)
    todo = list(tree.body)
    found = None
    while todo:
        node = todo.pop()
        if isinstance(node, _DEFINITIONS) and node.name == name and first_line in (None, _first_line(node)):
            if found is None or node.lineno > found.lineno:
                found = node
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            todo += getattr(node, field, ()) if first_line is not None or not isinstance(node, _DEFINITIONS) else ()
    return found


def _first_line(node):
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _text_of(node, lines):
    """Without the indentation that it has where it stands; lines inside of multi-line texts stay as they are."""
    first = _first_line(node)
    block = list(lines[first - 1 : node.end_lineno])
    indentation = block[0][: len(block[0]) - len(block[0].lstrip())]
    inside = _lines_in_texts(node)
    for index, line in enumerate(block):
        if index + first not in inside and line.startswith(indentation):
            block[index] = line[len(indentation) :]
    return "\n".join(block)


def _lines_in_texts(node):
    inside = set()
    for part in walk(node):
        is_text = isinstance(part, _ast.JoinedStr) or (
            isinstance(part, _ast.Constant) and isinstance(part.value, (str, bytes))
        )
        if is_text and part.end_lineno > part.lineno:
            inside.update(range(part.lineno + 1, part.end_lineno + 1))
    return inside


def _global_names(text):
    """The names that a definition takes from its module, when it is made (decorators, defaults) or runs; and those that it sets there."""
    import symtable

    used, assigned = set(), set()
    todo = [symtable.symtable(text, "<saved>", "exec")]
    while todo:
        table = todo.pop()
        at_top = table.get_type() == "module"
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (symbol.is_global() or at_top) and not (at_top and symbol.is_assigned()):
                used.add(symbol.get_name())
            if symbol.is_declared_global() and (symbol.is_assigned() or symbol.is_imported()):
                assigned.add(symbol.get_name())
        todo += table.get_children()
    return sorted(used), assigned


def _server_expression(value):
    """How to get a server, or a tool of one, in any program."""
    package = "mcp.servers."
    if isinstance(value, type(sys)) and value.__name__.startswith(package):
        return f"mcp[{value.__name__[len(package) :]!r}]"
    module = getattr(value, "__module__", None)
    if isinstance(module, str) and module.startswith(package):
        return f"mcp[{module[len(package) :]!r}][{value.__name__!r}]"
    return None


def _as(own_name, name):
    return "" if own_name == name else f" as {name}"


def _is_importable(value):
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module in ("__main__", "builtins"):
        return False
    return "." not in name and getattr(sys.modules.get(module), name, None) is value


def _is_constant(value):
    """Whether `repr` gives it back."""
    if isinstance(value, (list, tuple, set, dict)) and _is_of(value, list, tuple, set, dict, Result):
        parts = [*value, *value.values()] if isinstance(value, dict) else list(value)
        short = bool(parts or type(value) is not set) and len(repr(value)) <= _CONSTANT_CHARACTERS_MAX
        return short and all(map(_is_constant, parts))
    if isinstance(value, float):
        return type(value) is float and value - value == 0
    if _is_of(value, str, bytes):
        return len(value) <= _CONSTANT_CHARACTERS_MAX
    return value is None or _is_of(value, bool, int, complex)


def _is_of(value, *kinds):
    """By identity: the class of a value may have made anything of what is equal to it."""
    return any(type(value) is kind for kind in kinds)
