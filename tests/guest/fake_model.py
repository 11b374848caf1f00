"""The host's answers to programs that ask a model."""

import json

OFF = {"error": {"code": "not_allowed", "message": "Sampling not enabled. Pass enableSampling: true"}}


class Model:
    """Answers every question with its last message in capitals; streams the pieces that it was given."""

    def __init__(self, pieces=(), fails_after=None):
        self.pieces = list(pieces)
        self.fails_after = fails_after
        self.asked = []
        self.stopped = []
        self.streams = {}

    def __call__(self, request):
        return getattr(self, request["method"])(**request["params"])

    def sample(self, **params):
        self.asked.append(params)
        if params.get("stream"):
            number = len(self.streams) + 1
            self.streams[number] = 0
            return {"result": {"stream": number}}
        text = params["messages"][-1]["content"]
        usage = {"inputTokens": 1, "outputTokens": 1}
        return {"result": {"text": (text if isinstance(text, str) else json.dumps(text)).upper(), "model": "m", "stopReason": "end", "usage": usage}}

    def sample_next(self, stream):
        at = self.streams[stream]
        self.streams[stream] += 1
        if at == self.fails_after:
            return {"error": {"code": "model_failed", "message": "the model stopped"}}
        if at == len(self.pieces):
            return {"result": {"text": "", "done": True}}
        # The last piece may come with the end.
        is_last = at == len(self.pieces) - 1 and self.pieces[at].endswith("!")
        return {"result": {"text": self.pieces[at], "done": is_last}}

    def sample_stop(self, stream):
        self.stopped.append(stream)
        return {"result": {}}
