"""Changes to the syntax tree of a program: its result, top-level `return`, and calls that need not wait.

The names of the helpers that the new code calls cannot be written in Python, so user code cannot collide with them.
"""

import _ast
import sys

from syntax_tree import called_name, children, walk

DEFER = "<defer>"
TO_AWAIT = "<to await>"
EACH_TO_AWAIT = "<each to await>"
SET_RESULT = "<result>"
RETURN = "<return>"

_SCOPES = (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef)
# Functions of asyncio whose (first) argument is awaited, or each of whose arguments is.
_TAKE_AWAITABLES = frozenset(("gather", "create_task", "ensure_future", "wait_for", "shield", "run_until_complete"))
_ASYNC = (_ast.Await, _ast.AsyncFor, _ast.AsyncWith, _ast.AsyncFunctionDef)


def uses_async(nodes):
    """Whether anything in the program is async."""
    return any(isinstance(node, _ASYNC) or (isinstance(node, _ast.comprehension) and node.is_async) for node in nodes)


def imports_foreign_module(nodes):
    """Whether it imports anything but the standard library and `mcp`."""
    standard = getattr(sys, "stdlib_module_names", ())
    return any(package != "mcp" and package not in standard for package in _imported_packages(nodes))


def imports(nodes, package):
    """Whether it imports this package or a part of it."""
    return package in _imported_packages(nodes)


def _imported_packages(nodes):
    packages = set()
    for node in nodes:
        if isinstance(node, _ast.Import):
            packages.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, _ast.ImportFrom):
            packages.add((node.module or "").partition(".")[0])
    return packages


def keep_result(tree):
    """The value of the last statement, if it is an expression, and of a top-level `return` become the result."""
    if tree.body and isinstance(tree.body[-1], _ast.Expr):
        statement = tree.body[-1]
        statement.value = _call(SET_RESULT, statement.value)
    _replace_returns(tree)


def defer_calls(tree, nodes, keep):
    """Lets calls whose values are only awaited go out without waiting, and `await` accept values that are there.

    `keep`: later programs can use what this one defines."""
    from await_flow import AwaitFlow

    flow = AwaitFlow(nodes, keep)
    calls = [node for node in nodes if isinstance(node, _ast.Call)]
    awaited_calls = [call for call in calls if flow.is_awaited(call)]
    mapped = [node for node in nodes if isinstance(node, (_ast.Name, _ast.Attribute)) and flow.is_mapped(node)]
    awaits = [node for node in nodes if isinstance(node, _ast.Await)]
    for call in calls:
        _accept_values(call)
    for call in awaited_calls:
        if isinstance(call.func, (_ast.Name, _ast.Attribute, _ast.Subscript)):
            call.func = _call(DEFER, call.func)
    for function in mapped:
        _replace_with_call(tree, function, DEFER)
    for node in awaits:
        node.value = _call(TO_AWAIT, node.value)


def _accept_values(call):
    """Lets asyncio functions accept values that a blocking call (in a helper, say) has given already."""
    name = called_name(call)
    if name == "as_completed" and call.args and not isinstance(call.args[0], _ast.Starred):
        call.args[0] = _call(EACH_TO_AWAIT, call.args[0])
    if name not in _TAKE_AWAITABLES:
        return
    for index, argument in enumerate(call.args if name == "gather" else call.args[:1]):
        if isinstance(argument, _ast.Starred):
            argument.value = _call(EACH_TO_AWAIT, argument.value)
        else:
            call.args[index] = _call(TO_AWAIT, argument)


def server_names(nodes):
    """Names such as `mcp_github` that are read but never given a value."""
    read = set()
    bound = set()
    for node in nodes:
        if isinstance(node, _ast.Name):
            (read if isinstance(node.ctx, _ast.Load) else bound).add(node.id)
        elif isinstance(node, _ast.arg):
            bound.add(node.arg)
        elif isinstance(node, _SCOPES):
            bound.add(node.name)
        elif isinstance(node, _ast.alias):
            bound.add(node.asname or node.name)
    return sorted(name for name in read - bound if name.startswith("mcp_") and len(name) > len("mcp_"))


def _replace_returns(tree):
    todo = [tree]
    while todo:
        node = todo.pop()
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list):
                setattr(node, field, [_without_return(statement) for statement in statements])
        todo.extend(child for child in children(node) if not isinstance(child, (*_SCOPES, _ast.Lambda)))


def _without_return(statement):
    if not isinstance(statement, _ast.Return):
        return statement
    value = statement.value or _at(_ast.Constant(value=None), statement)
    return _at(_ast.Raise(exc=_at(_helper_call(RETURN, value, statement), statement), cause=None), statement)


def _replace_with_call(tree, node, helper):
    for parent in walk(tree):
        if isinstance(parent, _ast.Call) and node in parent.args:
            parent.args[parent.args.index(node)] = _call(helper, node)
            return


def _call(helper, argument):
    return _helper_call(helper, argument, argument)


def _helper_call(helper, argument, place):
    function = _at(_ast.Name(id=helper, ctx=_ast.Load()), place)
    return _at(_ast.Call(func=function, args=[argument], keywords=[]), place)


def _at(node, place):
    """Errors in the new node point where the old one stands."""
    node.lineno = place.lineno
    node.col_offset = place.col_offset
    node.end_lineno = place.end_lineno
    node.end_col_offset = place.end_col_offset
    return node
