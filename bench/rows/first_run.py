"""The first program right after the start, request to answer, sent when `initialize` is answered: against one for which no guest waits."""

from rows.cold_guest import PROGRAMS, run_once
from support.row import Row, median, summary
from support.templates import settings, wait_for_templates
from support.world import World

BAR = 1.5


def measure(rounds):
    for language, code in PROGRAMS:
        first = []
        for _ in range(rounds.samples):
            with World({}) as world, world.start() as server:
                server.initialize()
                first.append(run_once(server, language, code))
        with World({}, settings()) as world, world.start() as server:
            server.initialize()
            wait_for_templates(server)
            cold = [run_once(server, language, code) for _ in range(rounds.samples)]
        ratio = median(first) / median(cold)
        yield Row(f"{language.name} `{code}`, the first after the start", f"{median(first):.1f} ms, {ratio:.1f} x cold", f"<= {BAR} x", ratio <= BAR,
                  {"ms": summary(first), "cold ms": summary(cold)})
