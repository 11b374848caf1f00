"""Which calls of a program end up awaited, decided by where they stand.

A call whose value only ever goes to `await`, or into `asyncio.gather` and its like, may be sent without waiting for the
reply, so that several run at once. Every other call must block, because its value is used at once. When in doubt the
answer is no: blocking is always right, only slower.
"""

import _ast

from syntax_tree import called_name, children

# Functions that take awaitables and run them, or whatever is awaited later.
_COLLECTORS = frozenset("gather wait wait_for create_task ensure_future as_completed shield run_until_complete".split())
# Functions that pass on what is in their arguments.
_CONTAINERS = frozenset("list tuple set iter reversed dict map".split())
_ADDERS = frozenset("append add extend insert appendleft".split())
_TRANSPARENT = (_ast.Starred, _ast.List, _ast.Tuple, _ast.Set, _ast.Dict, _ast.keyword)
_ITERATIONS = (_ast.comprehension, _ast.For, _ast.AsyncFor)
_COMPREHENSIONS = (_ast.ListComp, _ast.SetComp, _ast.GeneratorExp, _ast.DictComp)


class AwaitFlow:
    def __init__(self, nodes, keep):
        # Whether programs that are not known yet may call its functions.
        self._keep = keep
        self._parent = {}
        self._loads = {}
        for parent in nodes:
            for child in children(parent):
                self._parent[child] = parent
            if isinstance(parent, _ast.Name) and isinstance(parent.ctx, _ast.Load):
                self._loads.setdefault(parent.id, []).append(parent)
        self._names = {}

    def is_awaited(self, node):
        """Whether the value of this expression goes nowhere but into `await`."""
        parent = self._parent.get(node)
        if isinstance(parent, _ast.Await):
            return True
        if isinstance(parent, _TRANSPARENT) or isinstance(parent, _COMPREHENSIONS):
            return self.is_awaited(parent)
        if isinstance(parent, _ast.IfExp):
            return node is not parent.test and self.is_awaited(parent)
        if isinstance(parent, _ast.BinOp):
            return isinstance(parent.op, _ast.Add) and self.is_awaited(parent)
        if isinstance(parent, _ast.Subscript):
            if node is not parent.value or isinstance(node, _ast.Call):
                return False
            return isinstance(parent.ctx, _ast.Store) or self.is_awaited(parent)
        if isinstance(parent, _ITERATIONS):
            if isinstance(parent, _ast.AsyncFor) or getattr(parent, "is_async", 0):
                return False  # What is iterated over has to be there.
            return node is parent.iter and self._target(parent.target)
        if isinstance(parent, _ast.Call):
            return self._passed(node, parent)
        if isinstance(parent, _ast.Attribute):
            return self._method(parent)
        return self._stored(node, parent)

    def _passed(self, node, call):
        """As an argument."""
        if node is call.func:
            return False
        name = called_name(call)
        if name in _COLLECTORS or _is_asyncio_run(call):
            return True
        if name == "enumerate":
            return self._iterated_part(call, 1)
        if name == "zip" and node in call.args:
            return self._iterated_part(call, call.args.index(node))
        if name in _CONTAINERS and isinstance(call.func, _ast.Name):
            return self.is_awaited(call)
        if name in _ADDERS and isinstance(call.func, _ast.Attribute):
            return self._holder(call.func.value)
        return False

    def _iterated_part(self, call, index):
        """`for a, b in zip(x, y)`: the variable that gets what is in the argument at `index`."""
        parent = self._parent.get(call)
        if not isinstance(parent, _ITERATIONS) or call is not parent.iter or not isinstance(parent.target, _ast.Tuple):
            return False
        parts = parent.target.elts
        return index < len(parts) and self._target(parts[index])

    def _method(self, attribute):
        """`calls.append(...)`, `calls.values()`: what a container of calls may be asked."""
        call = self._parent.get(attribute)
        if not isinstance(call, _ast.Call) or call.func is not attribute:
            return False
        if attribute.attr in _ADDERS:
            return isinstance(self._parent.get(call), _ast.Expr)
        if attribute.attr == "items":
            return self._iterated_part(call, 1)
        return attribute.attr in ("values", "pop", "popleft", "copy") and self.is_awaited(call)

    def _stored(self, node, parent):
        """In a variable, or returned by a function."""
        if isinstance(parent, _ast.Assign):
            return all(self._target(target) for target in parent.targets)
        if isinstance(parent, (_ast.AnnAssign, _ast.AugAssign)):
            return node is parent.value and self._target(parent.target)
        if isinstance(parent, _ast.NamedExpr):
            return self._target(parent.target) and self.is_awaited(parent)
        if isinstance(parent, _ast.Return):
            return self._returned(parent)
        if isinstance(parent, _ast.Lambda):
            return node is parent.body and self._function_value(parent)
        return False

    def _target(self, target):
        if isinstance(target, _ast.Name):
            return self._name(target.id)
        if isinstance(target, _ast.Subscript):
            return self._holder(target.value)
        if isinstance(target, (_ast.Tuple, _ast.List)):
            return all(self._target(item) for item in target.elts)
        return False

    def _holder(self, node):
        return isinstance(node, _ast.Name) and self._name(node.id)

    def _name(self, name):
        """Whether every use of a variable, anywhere, only awaits what it holds."""
        if name not in self._names:
            # A variable that is part of its own answer adds nothing to it.
            self._names[name] = True
            loads = self._loads.get(name, ())
            self._names[name] = bool(loads) and all(self._use(load) for load in loads)
        return self._names[name]

    def _use(self, load):
        parent = self._parent.get(load)
        if isinstance(parent, _ast.Call) and called_name(parent) == "len":
            return True
        return self.is_awaited(load)

    def _returned(self, statement):
        function = self._parent.get(statement)
        while function is not None and not isinstance(function, (_ast.FunctionDef, _ast.AsyncFunctionDef, _ast.Lambda)):
            function = self._parent.get(function)
        if not isinstance(function, _ast.FunctionDef) or function.decorator_list:
            return False
        return isinstance(self._parent.get(function), _ast.Module) and self._function_name(function.name)

    def _function_name(self, name):
        """Whether every use of a helper function is a call whose value is awaited."""
        if self._keep:
            return False
        key = f"{name}()"
        if key not in self._names:
            self._names[key] = False
            loads = self._loads.get(name, ())
            self._names[key] = bool(loads) and all(self._function_value(load) for load in loads)
        return self._names[key]

    def _function_value(self, node):
        """A function as a value: called, or handed to `map`."""
        parent = self._parent.get(node)
        if isinstance(parent, _ast.Call) and node is parent.func:
            return self.is_awaited(parent)
        if isinstance(parent, _ast.Call) and called_name(parent) == "map" and parent.args[:1] == [node]:
            return self.is_awaited(parent)
        return isinstance(parent, _ast.Assign) and all(
            isinstance(target, _ast.Name) and self._function_name(target.id) for target in parent.targets
        )

    def is_mapped(self, node):
        """Whether this expression is the function of a `map` whose values are awaited."""
        parent = self._parent.get(node)
        return (
            isinstance(parent, _ast.Call)
            and called_name(parent) == "map"
            and parent.args[:1] == [node]
            and self.is_awaited(parent)
        )


def _is_asyncio_run(call):
    function = call.func
    return (
        isinstance(function, _ast.Attribute)
        and function.attr == "run"
        and isinstance(function.value, _ast.Name)
        and function.value.id == "asyncio"
    )
