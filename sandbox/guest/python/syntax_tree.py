"""Looking at syntax trees without the `ast` module, whose import takes longer than most programs."""

import _ast


def walk(tree):
    """Every node; without recursion, because user code may nest deeper than Python does."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        todo.extend(children(node))


def children(node):
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, _ast.AST):
            yield value
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, _ast.AST):
                    yield item


def called_name(call):
    function = call.func
    if isinstance(function, _ast.Name):
        return function.id
    return function.attr if isinstance(function, _ast.Attribute) else None
