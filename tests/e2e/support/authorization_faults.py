"""How an authorization server of the tests misbehaves: a fault takes the place of an endpoint's answer, or comes before it.

A fault is given the server and what was asked, and gives a Reply, a function that answers by itself, or None: the usual answer follows."""

from support.http_child import Reply
from support.small_server import json_reply

HUGE_BYTES = 10 << 20
DRIBBLE_SECONDS = 0.05


class _Absent:
    def __repr__(self):
        return "ABSENT"


# In a lie: that member is left out.
ABSENT = _Absent()


def with_lies(value, lies):
    """`lies`: other values of members, ABSENT, or a function of the true value."""
    changed = {**value, **{name: lie(value.get(name)) if callable(lie) else lie for name, lie in lies.items()}}
    return {name: each for name, each in changed.items() if each is not ABSENT}


def html(_server, _asked):
    return Reply(200, {"Content-Type": "text/html"}, b"<!doctype html><title>Sign in</title><script>alert(1)</script>")


def huge(server, asked):
    """What it would have said, and 10 MiB more of it: valid JSON."""
    true = server.usual(asked)
    assert true.body.endswith(b"}"), "only of an endpoint that answers with an object"
    return true._replace(body=true.body[:-1] + b', "padding": "' + b"x" * HUGE_BYTES + b'"}')


def huge_without_length(_server, _asked):
    """10 MiB at a time, until the client has had enough."""
    def pour(handler):
        _begin_without_length(handler)
        handler.wfile.write(b'{"padding": "')
        while True:
            handler.wfile.write(b"x" * (1 << 16))
    return pour


def dribble(server, _asked):
    """A byte now and then, for ever."""
    def drip(handler):
        _begin_without_length(handler)
        handler.wfile.write(b"{")
        while not server.is_closed.wait(DRIBBLE_SECONDS):
            handler.wfile.write(b" ")
            handler.wfile.flush()
    return drip


def _begin_without_length(handler):
    handler.close_connection = True
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Connection", "close")
    handler.end_headers()


def silent(server, _asked):
    """Never answers."""
    def wait(handler):
        handler.close_connection = True
        server.is_closed.wait()
    return wait


def loop(server, asked):
    """Redirects to itself. Each address is another one: who only remembers where it was does not notice."""
    turn = int(asked.query.get("turn") or 0) + 1
    kept = "".join(f"&{name}={value}" for name, value in asked.query.items() if name != "turn")
    return Reply(307, {"Location": f"{server.origin}{asked.path}?turn={turn}{kept}"})


def redirect_to(url, status=307):
    return lambda server, asked: Reply(status, {"Location": url})


def status(code, body=b"it is broken", headers=None):
    return lambda server, asked: Reply(code, headers or {}, body)


def oauth_error(error, code=400, description="because of the test"):
    return lambda server, asked: json_reply({"error": error, "error_description": description}, code)


def body(data, content_type="application/json"):
    """`data`: bytes, as they are."""
    return lambda server, asked: Reply(200, {"Content-Type": content_type}, data)


def slow(seconds):
    """The usual answer, later."""
    def wait(server, _asked):
        server.is_closed.wait(seconds)
    return wait


def cut(_server, _asked):
    """Ends the connection instead of an answer."""
    def end(handler):
        handler.close_connection = True
        handler.connection.shutdown(2)
    return end


def times(count, fault):
    """That fault `count` times, and the usual answers after it."""
    left = [count]

    def some(server, asked):
        if left[0] <= 0:
            return None
        left[0] -= 1
        return fault(server, asked)
    return some


def once(fault):
    return times(1, fault)


def after(count, fault):
    """`count` usual answers, and that fault from then on."""
    left = [count]

    def later(server, asked):
        if left[0] > 0:
            left[0] -= 1
            return None
        return fault(server, asked)
    return later
