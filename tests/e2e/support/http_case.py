"""Tests of servers over HTTP."""

import json
import threading

from support.case import Case
from support.http_child import event, HttpChild, Reply, rpc, TOOL

CALL = "return await callMCPTool('web', 'echo', {message: %s})"
SECRET = "s3cr3t-" + "0123456789abcdef"


def text(request, what):
    return rpc(request, result={"content": [{"type": "text", "text": what}]})


class HttpCase(Case):
    def child(self, **how):
        child = HttpChild(**how)
        self.addCleanup(child.close)
        return child

    def serve(self, child, **entry):
        return self.start(world=self.world(user={"web": child.entry(**entry)}), env={"TOKEN_OF_TEST": SECRET})

    def call(self, server, message="hi", **parameters):
        return server.typescript(CALL % json.dumps(message), **parameters)

    def old(self, address="/messages"):
        """Of 2024-11-05: answers come by the stream that the client has asked for."""
        child, streams = self.child(with_sessions=False), []

        def stream(handler):
            child.begin_stream(handler)
            child.write(handler, event(address, name="endpoint"))
            ended = threading.Event()
            streams.append((handler, ended))
            ended.wait(30)

        def answer(request):
            if request["method"] == "initialize":
                result = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}}
                return rpc(request, result=result)
            return rpc(request, result={"tools": [TOOL]}) if request["method"] == "tools/list" else text(request, request["params"]["arguments"]["message"])

        def handle(handler, seen):
            if seen.method == "GET":
                return stream(handler)
            if seen.path == child.path:
                return child.send(handler, Reply(405))
            child.send(handler, Reply(202, {}, b"Accepted"))
            if seen.message and "id" in seen.message:
                child.write(streams[-1][0], event(answer(seen.message)))
            return None

        child._answer, child.streams = handle, streams
        child.end_streams = lambda: [ended.set() for _, ended in streams]
        self.addCleanup(child.end_streams)
        return child
