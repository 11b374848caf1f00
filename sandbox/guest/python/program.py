"""User code: compiled with its top-level `await` and `return`, and executed in a workspace."""

from _collections import deque

import event_loop
import rewrite
from syntax_tree import walk

_AST_ONLY = 0x0400  # ast.PyCF_ONLY_AST
_TOP_LEVEL_AWAIT = 0x2000  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
_CO_COROUTINE = 0x80  # inspect.CO_COROUTINE


class Return(BaseException):
    """A top-level `return`; not an Exception, so that the program's own handlers let it pass."""

    def __init__(self, value):
        super().__init__()
        self.value = value


class Source:
    """A text that was parsed and rewritten; a program, or the module of a saved tool."""

    def __init__(self, text, file_name, keep):
        """Raises SyntaxError, or ValueError for null bytes. `keep`: later programs can use what this one defines."""
        self.tree = compile(text, file_name, "exec", _AST_ONLY, True)
        nodes = list(walk(self.tree))
        # A library may need an event loop. Our own calls can be awaited without one, and without asyncio's 50 ms.
        self.imports_asyncio = rewrite.imports(nodes, "asyncio")
        self.uses_asyncio = "asyncio" in text or rewrite.imports_foreign_module(nodes)
        self.uses_await = "asyncio" in text or rewrite.uses_async(nodes)
        self.servers = rewrite.server_names(nodes)
        self._file_name = file_name
        if self.uses_await:
            try:
                rewrite.defer_calls(self.tree, nodes, keep)
            except RecursionError:
                pass  # Nested too deep to analyse: such calls block, which is right too.

    def compile(self, flags=0):
        return compile(self.tree, self._file_name, "exec", flags, True)


class Program:
    def __init__(self, text, file_name, keep):
        """Raises SyntaxError, or ValueError for null bytes."""
        self._source = Source(text, file_name, keep)
        rewrite.keep_result(self._source.tree)
        self._code = self._source.compile(_TOP_LEVEL_AWAIT)
        # Its method is no frame that a debugger of the program could stop in.
        self._result = deque((None,), 1)

    def execute(self, workspace):
        """Runs to the end and gives what it returns, or the value of its last expression. Raises what user code raises."""
        workspace.functions.awaitable_results = False
        workspace.prepare_for(self._source, workspace.names)
        workspace.set_helpers({rewrite.SET_RESULT: self._result.append, rewrite.RETURN: Return})
        try:
            self._run(workspace)
            value = self._result[0]
        except Return as returned:
            value = returned.value
        if not hasattr(type(value), "__await__") or isinstance(value, (dict, list, str, type)):
            return value
        if workspace.tasks is not None and workspace.tasks.has_open(value):
            # It goes on by itself, with all the rest, and a timer of the rest may fail the run.
            workspace.work.wait()
            if workspace.strays.has_failed_callback:
                return None
        return self._await(value, workspace)

    def _run(self, workspace):
        if self._code.co_flags & _CO_COROUTINE:
            self._await(eval(self._code, workspace.names), workspace)
        elif workspace.wants_loop or event_loop.is_loaded():
            event_loop.run_beside(lambda: exec(self._code, workspace.names), workspace)
        else:
            exec(self._code, workspace.names)

    def _await(self, coroutine, workspace):
        if workspace.uses_asyncio or event_loop.is_loaded():
            return event_loop.run(coroutine, workspace)
        return _run_without_loop(coroutine)


def _run_without_loop(coroutine):
    """Our awaitables block instead of suspending when no event loop runs, so one step runs a coroutine to its end."""
    steps = coroutine.__await__()
    try:
        steps.send(None)
    except StopIteration as end:
        return end.value
    steps.throw(RuntimeError("this awaits something that needs an event loop; import asyncio"))
    raise RuntimeError("this awaits something that needs an event loop; import asyncio")


def bare(text):
    """Models often send their code inside a Markdown fence, and files may begin with a byte order mark; line numbers stay."""
    text = text.removeprefix("\ufeff")
    lines = text.split("\n")
    first = next((index for index, line in enumerate(lines) if line.strip()), None)
    if first is None or not lines[first].strip().startswith("```"):
        return text
    lines[first] = ""
    last = max(index for index, line in enumerate(lines) if line.strip() or index == first)
    if lines[last].strip() == "```":
        lines[last] = ""
    return "\n".join(lines)
