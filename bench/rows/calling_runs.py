"""8 runs that call tools all the time, at once against one after the other: what the machine's CPU takes for all of them."""

from rows.call_path import CALL
from rows.throughput import cpu_seconds
from support.programs import ask_run, report_of, run
from support.row import Row, median, summary
from support.world import ECHO_CHILD, World

RUNS = 8
CALLS = 100
BAR = 1.5


def cpu_of(work):
    """Milliseconds."""
    before = cpu_seconds()
    work()
    return (cpu_seconds() - before) * 1000


def at_once(server, language, code):
    for request in [ask_run(server, language, code) for _ in range(RUNS)]:
        report_of(server.answer(request))


def measure(rounds):
    with World({"child": ECHO_CHILD}) as world, world.start() as server:
        server.initialize()
        for language, program in CALL.items():
            code = program % CALLS
            at_once(server, language, code)
            single, together = [], []
            for _ in range(rounds.samples):
                single.append(cpu_of(lambda: [run(server, language, code) for _ in range(RUNS)]))
                together.append(cpu_of(lambda: at_once(server, language, code)))
            ratio = median(together) / median(single)
            yield Row(f"{RUNS} {language.name} runs of {CALLS} calls at once, CPU of the machine, against one after the other",
                      f"{median(together):.0f} ms = {ratio:.2f} x", f"<= {BAR} x", ratio <= BAR, {"ms": summary(together), "in turn ms": summary(single)})
