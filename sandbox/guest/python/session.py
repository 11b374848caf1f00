"""One guest from `ready` to `done`."""

import posix

import api
import failures
import output
import plain_values
import program
import proxies
import requests
import wire
from channel import Channel, EXIT_CHANNEL_LOST


class Session:
    def __init__(self):
        self._process = posix.getpid()
        self._channel = Channel()
        self._requests = requests.Requests(self._channel)
        self._output = output.Output()

    def run(self):
        """Runs the program and never returns: the host ends the process."""
        self._channel.send(b'{"type":"ready"}')
        message = self._channel.receive_one()
        if message.get("type") != "run":
            posix._exit(EXIT_CHANNEL_LOST)
        try:
            done = self._execute(message["code"])
        except BaseException as error:  # noqa: B036 - whatever happens, the host must hear of the end
            done = {"error": {"name": type(error).__name__, "message": failures.message_of(error)}}
        if posix.getpid() != self._process:
            # A child that user code forked ran on to here; the end of the program is its parent's to report.
            posix._exit(0)
        self._output.flush()
        self._channel.send(_encode_done(done))
        self._requests.drain_forever()

    def _execute(self, code):
        source = program.Program(code)
        value = None
        try:
            value = self._run_program(source)
        except program.Return as returned:
            value = returned.value
        except SystemExit as request:
            error = failures.exit_report(request, self._output)
            return {"error": error} if error else {}
        except BaseException as raised:  # noqa: B036 - user code may raise anything
            return {"error": failures.report(raised, source.text)}
        plain = plain_values.to_plain(value)
        return {} if plain is None else {"result": plain}

    def _run_program(self, source):
        functions = api.Api(self._requests)
        root = proxies.install(functions)
        servers = source.prepare()
        functions.awaitable_results = source.uses_await
        names = {**functions.names(), "mcp": root, "mcp_servers": root}
        for name in servers:
            names.setdefault(name, root[name.removeprefix("mcp_")])
        return source.execute(names, functions)


def _encode_done(done):
    try:
        body = wire.encode_message({"type": "done", **done})
    except (ValueError, MemoryError) as error:
        return _failed_result(type(error).__name__, f"The result cannot be sent: {error}")
    if len(body) > wire.MAX_FRAME_BYTES:
        message = f"The result is larger than a message can be ({wire.MAX_FRAME_BYTES} bytes)"
        return _failed_result("ValueError", message)
    return body


def _failed_result(name, message):
    return wire.encode_message({"type": "done", "error": {"name": name, "message": message}})
