"""Models for programs to ask: a provider on this machine, and a client that has one."""

import json
import sys
import threading

from support.case import SharedServerCase
from support.paths import ROOT
from support.server import Server

sys.path.insert(0, str(ROOT / "tests" / "children"))
from model_provider import DEFAULT_KEY, ModelProvider  # noqa: E402

# Where each of them looks for its key.
KEY_VARIABLES = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY", "grok": "GROK_API_KEY",
                 "perplexity": "PERPLEXITY_API_KEY"}

# `attempt` of several calls at once.
TRY_ALL_PYTHON = """
import asyncio
async def attempt(call):
    try:
        return {"value": await call()}
    except MCPError as e:
        return {"error": {"isMCPError": True, "code": e.code, "message": e.message, "retryAfterMs": e.retry_after_ms}}
"""


def provider_at(url, name="anthropic", key=DEFAULT_KEY, **more):
    """The environment of a server that asks that provider. Without `enabled` every run has to ask for it."""
    env = {"CODE_EXECUTOR_AI_PROVIDER": name, "CODE_EXECUTOR_AI_BASE_URL": url, **more}
    return {**env, KEY_VARIABLES[name]: key} if name in KEY_VARIABLES else env


class ModelCase(SharedServerCase):
    """One server and one provider for the class. `asked()` is what the provider was asked since the test began."""

    environment = {}
    provider = None

    @classmethod
    def options(cls):
        return {"env": provider_at(cls.provider.url, CODE_EXECUTOR_SAMPLING_ENABLED="true", **cls.environment)}

    @classmethod
    def setUpClass(cls):
        cls.provider = ModelProvider()
        cls.provider.__enter__()
        cls.addClassCleanup(cls.provider.__exit__)
        super().setUpClass()

    def setUp(self):
        with self.provider.lock:
            self.provider.requests.clear()

    def asked(self):
        with self.provider.lock:
            return list(self.provider.requests)

    def prompts(self):
        return [request["messages"][-1]["text"] for request in self.asked()]


class Question:
    """One sampling/createMessage of the server."""

    def __init__(self, client, message):
        self._client = client
        self.id = message["id"]
        self.params = message["params"]

    @property
    def prompt(self):
        content = self.params["messages"][-1]["content"]
        blocks = content if isinstance(content, list) else [content]
        return "".join(block.get("text", "") for block in blocks)

    def answer(self, content, stop="endTurn", model="model-of-the-client"):
        content = {"type": "text", "text": content} if isinstance(content, str) else content
        self.send(result={"role": "assistant", "content": content, "model": model, "stopReason": stop})

    def refuse(self, message, code=-1):
        self.send(error={"code": code, "message": message})

    def send(self, **body):
        self._client.send({"jsonrpc": "2.0", "id": self.id, **body})


class ModelClient(Server):
    """A client that has a model for its servers. `model(question)` answers, or does not."""

    def __init__(self, servers=None, *, model, capability=None, **options):
        self._model = model
        self._capability = {"sampling": {} if capability is None else capability}
        self.questions = []
        super().__init__(servers, **options)

    def capabilities(self):
        return self._capability

    def _take(self, line):
        super()._take(line)
        message = json.loads(line) if b'"sampling/createMessage"' in line else {}
        if message.get("method") == "sampling/createMessage":
            question = Question(self, message)
            self.questions.append(question)
            threading.Thread(target=self._answer, args=(question,), daemon=True).start()

    def _answer(self, question):
        try:
            self._model(question)
        except (OSError, ValueError):
            """The server has left before its answer."""

    def given_up(self):
        """Ids of the questions that the server needs no answer to any more."""
        return [entry.message["params"]["requestId"] for entry in self.notifications("notifications/cancelled")]
