"""Serving over HTTP: programs that ask for a model, and which client is asked."""

from support.case import TRY_TYPESCRIPT, WITHOUT_POOL, Case
from support.config import child
from support.http_client import HttpServer, LegacyClient, ModernClient
from support.run import ToolAnswer

ASK = "return await llm.ask('hello')"


class Models(Case):
    @classmethod
    def setUpClass(cls):
        cls.server = HttpServer({"kid": child()}, env=WITHOUT_POOL)
        cls.addClassCleanup(cls.server.stop)

    def client(self, kind=LegacyClient, **options):
        client = kind(self.server, **options)
        self.addCleanup(client.close)
        return client

    def begin(self, client, code=ASK):
        return client.begin_run("run-typescript-code", code, enableSampling=True)

    def question_in(self, events):
        question = next(event for event in events if event.data).message()
        self.assertEqual(question["method"], "sampling/createMessage")
        return question

    def reply(self, client, question, text):
        result = {"role": "assistant", "model": "of the client", "content": {"type": "text", "text": text}}
        told = client.post({"jsonrpc": "2.0", "id": question["id"], "result": result})
        self.assertEqual((told.status, told.body()), (202, b""))

    def test_the_question_comes_on_the_stream_of_the_run_that_asks(self):
        client, other = self.client(capabilities={"sampling": {}}), self.client(capabilities={"sampling": {}})
        own, started = client.listen(), self.begin(client)
        self.assertEqual(own.status, 200)
        events = started.events()
        question = self.question_in(events)
        self.assertEqual(question["params"]["messages"][0]["content"], {"type": "text", "text": "hello"})
        self.reply(other, question, "from somebody else")
        self.reply(client, question, "from my client")
        answer = [event.message() for event in events if event.data][-1]
        self.assertEqual(self.succeed(ToolAnswer(answer["result"], 0)).result, "from my client")

    def test_two_clients_are_asked_each_for_its_own(self):
        clients = [self.client(capabilities={"sampling": {}}) for _ in range(2)]
        streams = [self.begin(client).events() for client in clients]
        questions = [self.question_in(events) for events in streams]
        for i, client in reversed(list(enumerate(clients))):
            self.reply(client, questions[i], f"of {i}")
        for i, events in enumerate(streams):
            answer = [event.message() for event in events if event.data][-1]
            self.assertEqual(self.succeed(ToolAnswer(answer["result"], 0)).result, f"of {i}")

    def test_a_question_that_was_missed_comes_again(self):
        client = self.client(capabilities={"sampling": {}})
        started = self.begin(client, "await new Promise(done => setTimeout(done, 2000)); " + ASK)
        first = next(started.events())
        started.leave()
        events = client.come_back(first.id).events()
        self.reply(client, self.question_in(events), "after all")
        answer = [event.message() for event in events if event.data][-1]
        self.assertEqual(self.succeed(ToolAnswer(answer["result"], 0)).result, "after all")

    def test_who_can_not_be_asked_is_told_at_once(self):
        for kind in (LegacyClient, ModernClient):
            started = self.begin(self.client(kind), TRY_TYPESCRIPT + "return await attempt(() => llm.ask('hello'))")
            answer = ToolAnswer(started.message()["result"], 0)
            self.assertIn("error", answer.structured.get("result") or answer.structured)
