"""Programs of a guest that was warmed up, in both languages."""

from calls_cases import many_calls
from fake_host import together
from languages import Both


class WarmUpTests:
    def test_gathers_in_parallel(self):
        with self.guest() as guest:
            guest.warm_up()
            self.assertEqual(guest.program(self.own(many_calls(3)), together(guest, 3)).result, [0, 1, 2])

    def test_session(self):
        programs = Both(("x = 1\nasync def f():\n    return x", "await f()"), ("let x = 1; async function f() { return x }", "return await f()"))
        with self.guest() as guest:
            guest.warm_up()
            outcomes = [guest.program(code, keep=True) for code in self.own(programs)]
            self.assertEqual([outcome.done for outcome in outcomes], [{"type": "done"}, {"type": "done", "result": 1}])

    def test_program_that_waits_behind_it(self):
        with self.guest() as guest:
            guest.send({"type": "warm_up"})
            guest.send({"type": "run", "code": self.own(Both("1 + 1", "return 1 + 1"))})
            self.assertEqual([guest.receive(), guest.receive()], [{"type": "warm"}, {"type": "done", "result": 2}])

    def test_end_of_the_channel_while_warm(self):
        with self.guest() as guest:
            guest.warm_up()
            guest.socket.shutdown(1)
            self.assertEqual(guest.process.wait(30), 70)
