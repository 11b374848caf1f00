"""Calls of Python programs that run at the same time."""

import unittest

from fake_host import Guest, echo, guest_python_version, python_command, run_python


class ParallelTest(unittest.TestCase):
    """Ten calls, none of which is answered before five have been asked: some ways have fewer than ten threads."""

    CALLS = 10
    AT_ONCE = 5
    PROGRAMS = {
        "gather of a comprehension": "await asyncio.gather(*[mcp.s.t(i=i) for i in range(10)])",
        "gather of a generator": "await asyncio.gather(*(mcp.s.t(i=i) for i in range(10)))",
        "gather of a list": "tasks = [mcp.s.t(i=i) for i in range(10)]\nawait asyncio.gather(*tasks)",
        "gather of appended calls": (
            "tasks = []\nfor i in range(10):\n    tasks.append(mcp.s.t(i=i))\n"
            "results = await asyncio.gather(*tasks)\nresults"
        ),
        "gather of named calls": (
            "a, b = mcp.s.t(i=0), mcp.s.t(i=1)\nrest = [mcp.s.t(i=i) for i in range(2, 10)]\n"
            "await asyncio.gather(a, b, *rest)"
        ),
        "gather of map": "await asyncio.gather(*map(lambda i: mcp.s.t(i=i), range(10)))",
        "gather of map of the function": "await asyncio.gather(*map(mcp.s.t, [dict(i=i) for i in range(10)]))",
        "gather through a helper": (
            "def get(i):\n    return mcp.s.t(i=i)\nawait asyncio.gather(*[get(i) for i in range(10)])"
        ),
        "gather of coroutines": (
            "async def get(i):\n    return await mcp.s.t(i=i)\nawait asyncio.gather(*[get(i) for i in range(10)])"
        ),
        "gather of values of a dict": (
            "tasks = {i: mcp.s.t(i=i) for i in range(10)}\nawait asyncio.gather(*tasks.values())"
        ),
        "items of a dict": (
            "tasks = {i: mcp.s.t(i=i) for i in range(10)}\nresults = []\nfor i, task in tasks.items():\n"
            "    results.append(await task)\nresults"
        ),
        "zip": (
            "names = list(range(10))\ntasks = [mcp.s.t(i=i) for i in names]\nresults = []\n"
            "for name, task in zip(names, tasks):\n    print(name)\n    results.append(await task)\nresults"
        ),
        "create_task": "tasks = [asyncio.create_task(mcp.s.t(i=i)) for i in range(10)]\n[await task for task in tasks]",
        "ensure_future": (
            "tasks = [asyncio.ensure_future(mcp.s.t(i=i)) for i in range(10)]\n[await task for task in tasks]"
        ),
        "wait": (
            "tasks = [asyncio.create_task(mcp.s.t(i=i)) for i in range(10)]\nawait asyncio.wait(tasks)\n"
            "[task.result() for task in tasks]"
        ),
        "as_completed": (
            "results = [await x for x in asyncio.as_completed([mcp.s.t(i=i) for i in range(10)])]\n"
            "sorted(results, key=lambda r: r['args']['i'])"
        ),
        "asyncio.run": (
            "async def main():\n    return await asyncio.gather(*[mcp.s.t(i=i) for i in range(10)])\n"
            "asyncio.run(main())"
        ),
        "without asyncio": "calls = [mcp.s.t(i=i) for i in range(10)]\n[await call for call in calls]",
        "threads": (
            "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(10) as pool:\n"
            "    results = list(pool.map(lambda i: mcp.s.t(i=i), range(10)))\nresults"
        ),
        "to_thread": "await asyncio.gather(*[asyncio.to_thread(mcp.s.t, i=i) for i in range(10)])",
    }
    if guest_python_version() >= (3, 11):
        PROGRAMS["TaskGroup"] = (
            "async with asyncio.TaskGroup() as group:\n"
            "    tasks = [group.create_task(mcp.s.t(i=i)) for i in range(10)]\n[task.result() for task in tasks]"
        )

    def test_parallel(self):
        for name, program in self.PROGRAMS.items():
            with self.subTest(name):
                code = program if name in ("without asyncio", "threads") else f"import asyncio\n{program}"
                result = self.run_answered_together(code)
                self.assertEqual([item["args"]["i"] for item in result], list(range(self.CALLS)))

    def run_answered_together(self, code):
        with Guest(python_command()) as guest:
            seen, waiting = [], []

            def answer(request):
                waiting.append(request)
                seen.append(request)
                while waiting and len(seen) >= self.AT_ONCE:
                    first = waiting.pop(0)
                    guest.reply(first, echo(first))

            outcome = guest.run(code, answer)
            self.assertIsNone(outcome.error, outcome)
            return outcome.result

    def test_helper_that_is_also_used_directly(self):
        code = (
            "import asyncio\ndef get(i):\n    return mcp.s.t(i=i)\nfirst = get(0)['args']['i']\n"
            "rest = await asyncio.gather(*[get(i) for i in range(1, 3)])\n[first, *[r['args']['i'] for r in rest]]"
        )
        self.assertEqual(run_python(code).result, [0, 1, 2])

    def test_helper_with_values_of_any_type(self):
        code = (
            "import asyncio\ndef get(i):\n    x = mcp.s.t(i=i)\n    return x\nfirst = get(0)\n"
            "tasks = [get(i) for i in range(3)]\nlast = await asyncio.create_task(get(4))\n"
            "[first, *await asyncio.gather(*tasks), last]"
        )
        for value in (None, 3, True, "text", [1], {"a": 1}):
            with self.subTest(value=value):
                self.assertEqual(run_python(code, lambda _: {"result": value}).result, [value] * 5)

    def test_value_used_and_awaited(self):
        code = "x = mcp.s.t(i=1)\nprint(x['args'])\ny = await x\ny['args']['i']"
        outcome = run_python(code)
        self.assertEqual((outcome.result, outcome.stdout), (1, "{'i': 1}\n"))

    def test_blocking_calls_among_tasks_lose_no_reply(self):
        code = (
            "import asyncio, threading\nasync def task(i):\n    total = 0\n    for k in range(10):\n"
            "        total += (await mcp.s.t(i=i))['args']['i']\n        total += mcp.s.t(i=1)['args']['i']\n"
            "    return total\n"
            "out = []\n"
            "thread = threading.Thread(target=lambda: out.extend(mcp.s.t(i=k)['args']['i'] for k in range(50)))\n"
            "thread.start()\nr = await asyncio.gather(*[task(i) for i in range(5)])\nthread.join()\n[r, sum(out)]"
        )
        self.assertEqual(run_python(code).result, [[10 * (i + 1) for i in range(5)], sum(range(50))])

    def test_many_threads_with_replies_in_bursts(self):
        code = (
            "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(12) as pool:\n"
            "    total = sum(pool.map(lambda i: mcp.s.t(i=i)['args']['i'], range(3000)))\ntotal"
        )
        with Guest(python_command()) as guest:
            held = []
            answered = 0

            def answer(request):
                nonlocal answered
                held.append(request)
                # The last of the threads have fewer calls than a burst holds.
                if len(held) >= min(6, 3000 - answered):
                    for late in reversed(held):
                        guest.reply(late, echo(late))
                    answered += len(held)
                    held.clear()

            self.assertEqual(guest.run(code, answer).result, sum(range(3000)))

    def test_errors_that_threads_are_about_to_get_are_theirs(self):
        code = (
            "import threading\ndef attempt():\n    try:\n        mcp.s.t()\n    except MCPError:\n        pass\n"
            "for _ in range(40):\n    threading.Thread(target=attempt, daemon=True).start()\n1"
        )
        with Guest(python_command()) as guest:
            guest.expect_ready()
            for _ in range(5):
                held = []

                def answer(request):
                    held.append(request)
                    if len(held) == 40:
                        guest.send(*({"type": "reply", "id": each["id"], "error": {"code": "x", "message": "lost"}} for each in held))

                self.assertEqual(guest.program(code, answer).done, {"type": "done", "result": 1})

    def test_timeout_of_one_call_leaves_the_others(self):
        code = (
            "import asyncio\ntry:\n    await asyncio.wait_for(mcp.s.slow(), 0.05)\nexcept asyncio.TimeoutError:\n"
            "    pass\nawait mcp.s.t()"
        )
        outcome = run_python(code, lambda request: None if request["params"]["tool"] == "slow" else {"result": "on"})
        self.assertEqual(outcome.result, "on")


if __name__ == "__main__":
    unittest.main()
