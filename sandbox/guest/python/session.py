"""The life of a guest: `ready`, and then each program that the host sends, from `run` to `done`.

Between programs nothing of a session moves but its threads. Whatever these ask for is refused, then and in the next program; what they print
and display belongs to the next one."""

import _signal
import atexit
import posix

import event_loop
import failures
import loop_errors
import output
import plain_values
import process_work
import program
import requests
import wire
from channel import Channel
from workspace import Workspace

# Orders that could not even be received, in a row: a timer or a trace function of the user's fires in our code.
_FAILURES_MAX = 100
# Of signals; WebAssembly has none.
_TIMERS = tuple(getattr(_signal, name) for name in ("ITIMER_REAL", "ITIMER_VIRTUAL", "ITIMER_PROF") if hasattr(_signal, name))


class Session:
    def __init__(self, is_warm=False):
        """`is_warm`: a process has warmed up for this one, and was forked."""
        self._is_warm = is_warm
        self._channel = Channel()
        self._requests = requests.Requests(self._channel)
        self._output = output.Output()
        wire.tell_changed = self._output.tell_once
        # The one that kept programs share.
        self._kept = None
        self._current = None

    def run(self):
        """Never returns: the host ends the process."""
        # WebAssembly has no processes.
        if hasattr(posix, "register_at_fork"):
            posix.register_at_fork(after_in_child=self._leave_to_parent)
        self._channel.send(b'{"type":"ready"}')
        while True:
            order = self._next_order()
            kind = order.get("type")
            if kind == "run":
                keep = order.get("keep") is True
                done = self.run_program(order["code"], keep)
                self._channel.end_program(done) if keep else self._channel.send(done)
            elif kind == "warm_up":
                self._warm_up()
            else:
                self._channel.leave()

    def run_program(self, code, keep):
        """The body of its done frame. Whatever happens, the host must hear of the end."""
        self._output.begin()
        if keep:
            self._tell_begun()
        try:
            done = self._execute(code, keep)
        except BaseException as error:  # noqa: B036 - user code may have broken anything
            done = {"error": failures.brief(error)}
        # A child that user code forked in what is done at the end may have run on to here.
        self._end_if_forked(None)
        if keep:
            self._end_timers()
            self._write_out()
        else:
            done = self._at_exit(done)
            self._end_if_forked(None)
            self._tell_of_processes()
        return self._done_frame(done)

    def _tell_begun(self):
        """What a program before has left over may end this process: the host wants to know whose end it is."""
        for _ in range(_FAILURES_MAX):
            try:
                self._requests.leave_threads()
                return self._channel.begin_program(b'{"type":"begun"}')
            except BaseException:  # noqa: B036 - raised by a signal handler of a program before; twice is as good
                continue
        self._channel.leave()

    def _at_exit(self, done):
        """What the program wants done when its process ends: handlers print totals, and flush what they have opened."""
        try:
            if self._current.loop is not None:
                import event_loop

                event_loop.close_generators(self._current)
            process_work.end_executors()
            atexit._run_exitfuncs()
        except BaseException as error:  # noqa: B036 - SystemExit, or an exception of a signal handler
            if "error" not in done:
                return {"error": failures.brief(error)}
        self._finalize()
        return done

    def _finalize(self):
        import finalizers

        try:
            finalizers.run(self._current.names)
        except BaseException:  # noqa: B036 - of a signal handler, or for want of memory: the end of the program is told
            pass

    def _tell_of_processes(self):
        try:
            note = process_work.left_note()
        except BaseException:  # noqa: B036 - of a signal handler, or of a kernel that does not say it
            return
        if note:
            self._output.error_line(note)

    def _write_out(self):
        import finalizers

        try:
            finalizers.write_out_files()
        except BaseException:  # noqa: B036 - of a signal handler, or for want of memory
            pass

    def _end_timers(self):
        """What a handler of theirs raises would end the next program, as if that had wanted it."""
        for _ in range(_FAILURES_MAX):
            try:
                for timer in _TIMERS:
                    _signal.setitimer(timer, 0)
                return
            except BaseException:  # noqa: B036 - raised by the handler of one that fires now
                continue

    def _done_frame(self, done):
        for _ in range(_FAILURES_MAX):
            try:
                self._output.flush()
                return _encode_done(done)
            except BaseException:  # noqa: B036 - raised by a signal handler of the program, which may fire now
                continue
        self._channel.leave()

    def _next_order(self):
        for _ in range(_FAILURES_MAX):
            try:
                return self._requests.next_order()
            except BaseException:  # noqa: B036 - raised by a signal handler, or by a limit that the user has set
                continue
        self._channel.leave()

    def _warm_up(self):
        import warm_up

        if self._is_warm:
            warm_up.warm_up_forked(self, self._requests)
        else:
            warm_up.warm_up(self, self._requests)
        # The workspace of the dummy program belongs to no run.
        self._current = None
        self._channel.send(b'{"type":"warm"}')

    def _execute(self, code, keep):
        self._requests.begin()
        workspace = self._enter_workspace(keep)
        workspace.begin(keep)
        try:
            text = program.bare(code)
            file_name = workspace.sources.add_program(text, keep)
            value = program.Program(text, file_name, keep).execute(workspace)
            self._end_if_forked(None)
            workspace.wait_for_open_work()
            stray = workspace.strays.take_first()
            if stray is not None:
                raise stray
        except SystemExit as request:
            self._end_if_forked(request)
            error = failures.exit_report(request, self._output)
            self._wait_after_exit(workspace)
            return self._ended(workspace, keep, {"error": error} if error else {})
        except BaseException as raised:  # noqa: B036 - user code may raise anything
            self._end_if_forked(raised)
            return self._ended(workspace, keep, {"error": failures.report(raised, workspace.sources)})
        workspace.strays.tell()
        return self._result_fields(value)

    def _wait_after_exit(self, workspace):
        try:
            workspace.work.wait_after_exit()
        except BaseException:  # noqa: B036 - of a signal handler; the exit is what counts
            pass

    def _end_if_forked(self, raised):
        """A child that user code has forked ends where the program does; what becomes of the run is its parent's to report."""
        if not self._channel.is_owned():
            import forked_process

            forked_process.end(raised, self._current.sources, self._output)

    def _leave_to_parent(self):
        """In a child that user code has forked, before any of its code."""
        self._channel.leave_to_parent()
        self._requests.leave_to_parent()
        loop_errors.leave_to_parent()
        # Those of its parent are for the end of its parent.
        atexit._clear()

    def _ended(self, workspace, keep, done):
        """Of a program that has not come to its end; what it has started must not go on in the next."""
        if keep and workspace.tasks is not None:
            event_loop.cancel_all(workspace)
            workspace.note_unseen_errors()
        workspace.strays.tell()
        return done

    def _enter_workspace(self, keep):
        if keep and self._kept is not None:
            workspace = self._kept
        else:
            workspace = Workspace(self._requests)
        if keep:
            self._kept = workspace
        if workspace is not self._current:
            workspace.enter()
            self._current = workspace
        return workspace

    def _result_fields(self, value):
        try:
            plain, holds_awaitable, changes = plain_values.checked_plain(value)
        except (ValueError, MemoryError) as error:
            return {"error": _unsendable(error)}
        if holds_awaitable:
            message = (
                "the result holds what has not been awaited, not its value: `await` is missing before a call "
                "(for a list of them: `await asyncio.gather(*list)`)"
            )
            return {"error": {"name": "TypeError", "message": message}}
        if changes:
            self._output.error_line(f"[in the result, {'; '.join(sorted(changes))}]")
        # A value that has no JSON is null: NaN, as in JavaScript.
        return {} if value is None else {"result": plain}


def _encode_done(done):
    try:
        body = wire.encode_message({"type": "done", **done})
        wire.check_size(body)
        return body
    except (ValueError, MemoryError) as error:
        return wire.encode_message({"type": "done", "error": _unsendable(error)})


def _unsendable(error):
    told = failures.brief(error)
    return {**told, "message": f"The result cannot be sent: {told['message']}"}
