"""User code: compiled with its top-level `await` and `return`, and executed as `__main__`."""

import _ast
import builtins
import sys

import api
import event_loop
import failures
import rewrite
import stray_errors

_AST_ONLY = 0x0400  # ast.PyCF_ONLY_AST
_TOP_LEVEL_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_CO_COROUTINE = 0x80  # inspect.CO_COROUTINE
# Modules that print tracebacks, and take the source lines from `linecache`.
_NEED_SOURCE = ("traceback", "linecache", "logging", "inspect", "asyncio", "unittest", "pdb", "warnings")


class Return(BaseException):
    """A top-level `return`; not an Exception, so that the program's own handlers let it pass."""

    def __init__(self, value):
        super().__init__()
        self.value = value


class Program:
    def __init__(self, text):
        self.text = _without_fence(text)
        self.uses_await = True
        self._tree = None
        self._code = None
        self._result = None

    def prepare(self):
        """Parses and compiles; returns the names such as `mcp_github` that mean a server.

        Raises SyntaxError, or ValueError for null bytes.
        """
        self._tree = compile(self.text, failures.FILE_NAME, "exec", _AST_ONLY, True)
        self.uses_await = "asyncio" in self.text or rewrite.uses_async(self._tree)
        servers = rewrite.server_names(self._tree)
        if self.uses_await:
            try:
                rewrite.defer_calls(self._tree)
            except RecursionError:
                pass  # Nested too deep to analyse: such calls block, which is right too.
        rewrite.keep_result(self._tree)
        self._code = compile(self._tree, failures.FILE_NAME, "exec", _TOP_LEVEL_AWAIT, True)
        return servers

    def execute(self, names, functions):
        """Runs to the end and gives the value of the last expression. Raises what user code raises, and Return."""
        own_globals = _main_module(names, self._helpers(functions)).__dict__
        stray_errors.install(self.text)
        self._register_source()
        if self._code.co_flags & _CO_COROUTINE:
            self._await(eval(self._code, own_globals))
        else:
            exec(self._code, own_globals)
        if hasattr(self._result, "__await__") and not isinstance(self._result, (dict, list, str)):
            return self._await(self._result)
        return self._result

    def _helpers(self, functions):
        def set_result(value):
            self._result = value

        return {
            rewrite.DEFER: functions.defer,
            rewrite.TO_AWAIT: api.to_await,
            rewrite.EACH_TO_AWAIT: api.each_to_await,
            rewrite.SET_RESULT: set_result,
            rewrite.RETURN: Return,
            "exit": sys.exit,
            "quit": sys.exit,
        }

    def _await(self, coroutine):
        if self._needs_event_loop():
            return event_loop.run(coroutine, self.text)
        return _run_without_loop(coroutine)

    def _needs_event_loop(self):
        """asyncio takes 50 ms to import; our own calls can be awaited without it, but libraries may need it."""
        if "asyncio" in self.text or "asyncio" in sys.modules:
            return True
        standard = getattr(sys, "stdlib_module_names", ())
        for node in rewrite.walk(self._tree):
            if isinstance(node, _ast.Import):
                modules = [alias.name for alias in node.names]
            elif isinstance(node, _ast.ImportFrom):
                modules = [node.module or ""]
            else:
                continue
            if any(module.split(".")[0] not in ("mcp", *standard) for module in modules):
                return True
        return False

    def _register_source(self):
        if any(module in self.text for module in _NEED_SOURCE):
            import linecache

            lines = self.text.splitlines(keepends=True)
            linecache.cache[failures.FILE_NAME] = (len(self.text), None, lines, failures.FILE_NAME)


def _run_without_loop(coroutine):
    """Our awaitables block instead of suspending when no event loop runs, so one step runs a coroutine to its end."""
    steps = coroutine.__await__()
    try:
        steps.send(None)
    except StopIteration as end:
        return end.value
    steps.throw(RuntimeError("this awaits something that needs an event loop; import asyncio"))
    raise RuntimeError("this awaits something that needs an event loop; import asyncio")


def _main_module(names, helpers):
    """A fresh `__main__` with built-ins of its own: what user code does to them cannot break the guest."""
    own_builtins = type(sys)("builtins")
    own_builtins.__dict__.update(builtins.__dict__)
    own_builtins.__dict__.update(helpers)
    sys.modules["builtins"] = own_builtins
    module = type(sys)("__main__")
    module.__dict__.update(names)
    module.__dict__["__builtins__"] = own_builtins
    sys.modules["__main__"] = module
    sys.argv = [""]
    return module


def _without_fence(text):
    """Models often send their code inside a Markdown fence; line numbers stay."""
    lines = text.split("\n")
    first = next((index for index, line in enumerate(lines) if line.strip()), None)
    if first is None or not lines[first].strip().startswith("```"):
        return text
    lines[first] = ""
    last = max(index for index, line in enumerate(lines) if line.strip() or index == first)
    if lines[last].strip() == "```":
        lines[last] = ""
    return "\n".join(lines)
