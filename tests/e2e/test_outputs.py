"""What is too large for the model: shown by its shape, kept by a handle, and read by later runs and by the client."""

import json
import os
import re
import stat
import time

from support.case import TRY_PYTHON, TRY_TYPESCRIPT, Case, SharedServerCase
from support.paths import SLOWNESS
from support.server import REVISIONS

HANDLE = re.compile(r"out_[a-z2-7]{10}")
URI = "code-executor://outputs/"
CAPABILITIES = "resource://mcp-server-code-execution-mode/capabilities"
CHARS_MAX = 25_000
# Long enough for a run that reads it in time.
TTL_SECONDS = 2 if SLOWNESS == 1 else 8
MEBIBYTE = 1 << 20

ITEMS = "({items: Array.from({length: 12034}, (_, id) => ({id, name: `n${id}`})), next: null})"
ITEMS_PYTHON = "{'items': [{'id': i, 'name': f'n{i}'} for i in range(12034)], 'next': None}"
SHAPE = "{items: Array(12034) of {id: number, name: string}, next: null}"


def handle_in(text):
    return HANDLE.search(text).group()


def outputs_folder(server):
    return os.path.join(server.world.home, ".code-executor", "outputs")


def state_of(server):
    """For the environment of another server that shares its folder."""
    return {"CODE_EXECUTOR_STATE_DIR": os.path.join(server.world.home, ".code-executor")}


class Values(SharedServerCase):
    def large(self):
        """Once for all tests: a large value, by its answer."""
        if not hasattr(type(self), "_large"):
            type(self)._large = self.succeed(self.typescript(f"return {ITEMS}"))
        return type(self)._large

    def handle(self):
        return self.large().result["handle"]

    def test_a_value_becomes_shape_sample_and_handle(self):
        for answer in (self.large(), self.succeed(self.python(ITEMS_PYTHON))):
            result = answer.result
            self.assertRegex(result["handle"], HANDLE)
            self.assertEqual(result["shape"], SHAPE)
            self.assertEqual(result["sample"]["items"][0], {"id": 0, "name": "n0"})
            self.assertGreater(result["bytes"], 300_000)
            self.assertTrue(answer.structured["truncated"])
            for part in (SHAPE, result["handle"], str(result["bytes"]), result["read"], "later run"):
                self.assertIn(part, answer.text)
            self.assertLess(len(json.dumps(answer.raw)), 6_000)

    def test_the_call_that_it_tells_works(self):
        for run in (self.typescript, self.python):
            answer = self.succeed(run(f"return {ITEMS}" if run == self.typescript else ITEMS_PYTHON))
            call = answer.result["read"].replace("path?", "path: 'items'").replace("offset?", "offset: 0").replace("limit?", "limit: 1")
            call = call.replace("path=None", "path='items'").replace("limit=None", "limit=1")
            read = self.succeed(run(f"return {call}" if run == self.typescript else call))
            self.assertEqual(read.result, [{"id": 0, "name": "n0"}])

    def test_small_values_are_as_ever(self):
        answer = self.succeed(self.typescript("return {a: 'x'.repeat(20000)}"))
        self.assertEqual(answer.result, {"a": "x" * 20_000})
        self.assertNotIn("truncated", answer.structured)

    def test_parts_in_typescript(self):
        answer = self.succeed(self.typescript(f"""
            const h = '{self.handle()}'
            const whole = await readOutput(h) as any
            return [
                whole.items.length,
                await readOutput(h, {{path: 'items[3].name'}}),
                await readOutput(h, {{path: '/items/3/id'}}),
                await readOutput(h, {{path: 'items', offset: 12032, limit: 5}}),
                await readOutput(h, {{offset: 1}}),
                await readOutput(h, {{path: 'next'}}),
                await readOutput(h, {{path: 'items[-1].name', offset: 1, limit: 2}}),
            ]"""))
        self.assertEqual(answer.result, [12034, "n3", 3, [{"id": 12032, "name": "n12032"}, {"id": 12033, "name": "n12033"}],
                                         {"next": None}, None, "12"])

    def test_parts_in_python(self):
        answer = self.succeed(self.python(f"""
h = '{self.handle()}'
whole = await read_output(h)
from mcp import runtime
[len(whole['items']), read_output(h, 'items[3].name'), await read_output(h, path='items', offset=12033),
 read_output(h, offset=1, limit=1), runtime.read_output_sync(h, 'items.5.id'), type(whole).__name__]
"""))
        self.assertEqual(answer.result, [12034, "n3", [{"id": 12033, "name": "n12033"}], {"next": None}, 5, "dict"])

    def test_mistakes_in_typescript(self):
        h = self.handle()
        cases = {
            "readOutput('out_aaaaaaaaaa')": ("unknown_handle", "out_aaaaaaaaaa"),
            "readOutput('../../etc/passwd')": ("unknown_handle", "no handle"),
            "readOutput('')": ("unknown_handle", "no handle"),
            "readOutput(5 as any)": ("invalid_argument", "handle"),
            "(readOutput as any)()": ("invalid_argument", "handle"),
            f"readOutput('{h}', {{path: 'item'}})": ("invalid_argument", "items"),
            f"readOutput('{h}', {{path: 'items[20000]'}})": ("invalid_argument", "12034"),
            f"readOutput('{h}', {{offset: -1}})": ("invalid_argument", "offset"),
            f"readOutput('{h}', {{limit: 1.5}})": ("invalid_argument", "limit"),
            f"readOutput('{h}', {{path: 'next', limit: 1}})": ("invalid_argument", "offset and limit"),
        }
        calls = ", ".join(f"await attempt(() => {call})" for call in cases)
        answer = self.succeed(self.typescript(f"{TRY_TYPESCRIPT}\nreturn [{calls}]"))
        for outcome, (call, (code, word)) in zip(answer.result, cases.items()):
            with self.subTest(call):
                self.mcp_error(outcome, code, word)

    def test_mistakes_in_python(self):
        answer = self.succeed(self.python(f"{TRY_PYTHON}\n"
                                          "[attempt(lambda: read_output('out_aaaaaaaaaa')), attempt(lambda: read_output(5)), "
                                          f"attempt(lambda: read_output('{self.handle()}', 'item'))]"))
        self.mcp_error(answer.result[0], "unknown_handle", "out_aaaaaaaaaa", "expired")
        self.mcp_error(answer.result[1], "invalid_argument", "handle")
        error = self.mcp_error(answer.result[2], "invalid_argument")
        self.assertIn("items", error["suggestions"])

    def test_what_is_too_large_when_it_is_read_gets_a_new_handle(self):
        answer = self.succeed(self.typescript(f"return await readOutput('{self.handle()}')"))
        self.assertEqual(answer.result["shape"], SHAPE)
        self.assertNotEqual(answer.result["handle"], self.handle())

    def test_execute_code(self):
        answer = self.server.tool("execute_code", {"code": f"return {ITEMS}"})
        result = self.succeed(answer).json()["result"]
        self.assertEqual(result["shape"], SHAPE)
        read = self.server.tool("execute_code", {"code": f"return await readOutput('{result['handle']}', {{path: 'items[7].id'}})"})
        self.assertEqual(read.json()["result"], 7)

    def test_what_is_displayed(self):
        answer = self.succeed(self.typescript(f"display({ITEMS}); display('y'.repeat(100000)); return 1"))
        text = answer.raw["content"][1]["text"]
        self.assertIn(SHAPE, text)
        self.assertEqual(self.python(f"read_output('{handle_in(text)}', 'items[1].id')").result, 1)
        self.assertEqual(self.python(f"len(read_output('{handle_in(answer.raw['content'][2]['text'])}'))").result, 100_000)

    def test_a_failed_run_keeps_its_output(self):
        answer = self.python("print('z' * 100_000)\nraise ValueError('boom')")
        self.refuse(answer, "boom")
        self.assertEqual(self.python(f"len(read_output('{handle_in(answer.output)}'))").result, 100_001)


class Texts(SharedServerCase):
    def test_stdout(self):
        answer = self.succeed(self.python("for i in range(50_000): print('line', i)"))
        self.assertLess(len(answer.output), CHARS_MAX + 1_000)
        self.assertTrue(answer.output.startswith("line 0\n"))
        self.assertIn("line 49999", answer.output)
        self.assertIn("538890 bytes in all", answer.output)
        handle = handle_in(answer.output)
        read = self.succeed(self.python(f"text = read_output('{handle}')\n"
                                        f"[len(text), text.splitlines()[25_000], read_output('{handle}', offset=5, limit=3)]"))
        self.assertEqual(read.result, [538_890, "line 25000", "0\nl"])

    def test_stderr_has_its_own(self):
        answer = self.succeed(self.python("import sys\nprint('o' * 60_000)\nprint('e' * 70_000, file=sys.stderr)"))
        first, second = HANDLE.findall(answer.output)
        self.assertEqual(self.python(f"[len(read_output('{first}')), len(read_output('{second}'))]").result, [60_001, 70_001])

    def test_a_returned_text(self):
        answer = self.succeed(self.typescript("return 'é'.repeat(60000)"))
        self.assertIsInstance(answer.result, str)
        self.assertNotIn("\ufffd", answer.result)
        handle = handle_in(answer.result)
        self.assertEqual(self.typescript(f"return [(await readOutput('{handle}')).length, "
                                         f"await readOutput('{handle}', {{offset: 59998, limit: 9}})]").result, [60_000, "éé"])

    def test_run_python(self):
        answer = self.succeed(self.server.tool("run_python", {"code": "print('x' * 100_000)"}))
        handle = handle_in(answer.text)
        read = self.server.tool("run_python", {"code": f"print(len(read_output('{handle}')))"})
        self.assertEqual(read.text, "100001")

    def test_more_than_a_run_holds(self):
        answer = self.succeed(self.python("import os\nfor _ in range(30): os.write(1, b'x' * (1 << 20))"))
        read = self.succeed(self.python(f"text = read_output('{handle_in(answer.output)}')\n[len(text) > 15 << 20, 'were not kept' in text]"))
        self.assertEqual(read.result, [True, True])

    def test_a_run_that_is_out_of_time_is_answered_in_time(self):
        answer = self.python("while True: print('y' * 1000)", timeoutMs=1000)
        self.refuse(answer)
        self.assertLess(answer.seconds, 1 + 1.5 * SLOWNESS)
        self.assertRegex(answer.output, HANDLE)


class Large(SharedServerCase):
    def test_sixteen_megabytes_of_text(self):
        answer = self.succeed(self.python("'x' * (16 << 20)"))
        handle = handle_in(answer.result)
        self.assertEqual(self.succeed(self.python(f"len(read_output('{handle}'))")).result, 16 * MEBIBYTE)

    def test_a_large_value_does_not_hold_up_the_others(self):
        run = self.server.ask_tool("run-typescript-code", {
            "code": "return Array.from({length: 700000}, (_, id) => ({id, name: 'abc'}))", "timeoutMs": 120_000})
        slowest = self.server.slowest_ping_until(run)
        answer = self.succeed(self.server.tool_answer("run-typescript-code", run, time.monotonic(), 120))
        self.assertEqual(answer.result["shape"], "Array(700000) of {id: number, name: string}")
        self.assertLess(slowest, 0.5 * SLOWNESS)
        read = self.server.tool("run-python-code", {"code": f"len(read_output('{answer.result['handle']}'))", "timeoutMs": 120_000}, 120)
        self.assertEqual(self.succeed(read).result, 700_000)

    def test_many_small_parts_at_once(self):
        answer = self.server.tool("run-typescript-code", {
            "code": "return Array.from({length: 200000}, (_, id) => ({id, name: 'abc'}))", "timeoutMs": 120_000}, 120)
        handle = self.succeed(answer).result["handle"]
        code = f"""
            const parts = Array.from({{length: 900}}, (_, i) => readOutput('{handle}', {{offset: i * 200, limit: 2}}))
            const names = Array.from({{length: 90}}, (_, i) => readOutput('{handle}', {{path: `[${{i}}].id`}}))
            return [(await Promise.all(parts)).map((part: any) => part[0].id).slice(-2), (await Promise.all(names)).slice(-2)]"""
        read = self.server.tool("run-typescript-code", {"code": code, "timeoutMs": 60_000}, 60)
        self.assertEqual(self.succeed(read).result, [[179_600, 179_800], [88, 89]])
        self.assertLess(read.seconds, 10 * SLOWNESS)

    def test_the_client_reads_it_whole(self):
        answer = self.succeed(self.python("'x' * (10 << 20)"))
        contents = self.server.request("resources/read", {"uri": URI + handle_in(answer.result)})["contents"]
        self.assertEqual(contents[0]["text"], "x" * (10 * MEBIBYTE))


class Resources(Case):
    def test_are_listed_and_read(self):
        server = self.start()
        value = server.typescript(f"return {ITEMS}").result
        text = handle_in(server.python("print('x' * 100_000)").output)
        listed = {resource["uri"]: resource for resource in server.request("resources/list")["resources"]}
        self.assertEqual(set(listed), {CAPABILITIES, URI + value["handle"], URI + text})
        self.assertEqual((listed[URI + text]["mimeType"], listed[URI + text]["size"]), ("text/plain", 100_001))
        read = server.request("resources/read", {"uri": URI + value["handle"]})["contents"]
        self.assertEqual([(part["uri"], part["mimeType"]) for part in read], [(URI + value["handle"], "application/json")])
        self.assertEqual(len(json.loads(read[0]["text"])["items"]), 12034)
        self.assertEqual(server.request("resources/read", {"uri": URI + text})["contents"][0]["text"], "x" * 100_000 + "\n")

    def test_have_a_template(self):
        templates = self.start().request("resources/templates/list")["resourceTemplates"]
        self.assertEqual([template["uriTemplate"] for template in templates], [URI + "{handle}"])

    def test_that_do_not_exist(self):
        server = self.start()
        for uri in ("x://y", URI, URI + "out_aaaaaaaaaa", URI + "../../.claude.json", CAPABILITIES + "/x", ""):
            with self.subTest(uri):
                error = server.exchange("resources/read", {"uri": uri})["error"]
                self.assertEqual((error["code"], error["message"]), (-32002, f"Unknown resource: {uri}"))
        self.assertEqual(server.exchange("resources/read", {})["error"]["code"], -32602)
        self.assertEqual(server.exchange("resources/subscribe", {"uri": URI})["result"], {})  # nothing of it ever changes

    def test_are_a_capability_in_every_revision(self):
        for revision in REVISIONS:
            server = self.start(revision=None, env={"CODE_EXECUTOR_SURFACE": "all"})
            self.assertEqual(server.initialize(revision)["capabilities"], {"tools": {}, "logging": {}, "resources": {}})
            self.assertTrue(server.request("resources/list")["resources"])

    def test_the_manual(self):
        server = self.start()
        entry = server.request("resources/list")["resources"][0]
        self.assertEqual((entry["uri"], entry["name"], entry["title"], entry["mimeType"]),
                         (CAPABILITIES, "code-execution-capabilities", "Code Execution Sandbox Helpers", "text/markdown"))
        text = server.request("resources/read", {"uri": CAPABILITIES})["contents"][0]["text"]
        self.assertTrue(text.startswith("# Code Execution MCP Capabilities"))
        self.assertEqual(len(text.encode()), entry["size"])
        manual = server.python("runtime.capability_summary()").result
        self.assertIn(manual.split("\n", 1)[1], text)


class Expiry(Case):
    def server(self, **options):
        world = self.world(project={})
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"outputs": options}, file)
        return self.start(world=world)

    def test_by_a_setting(self):
        server = self.server(ttlSeconds=TTL_SECONDS)
        handle = server.typescript(f"return {ITEMS}").result["handle"]
        self.assertEqual(server.python(f"read_output('{handle}', 'items[1].id')").result, 1)
        time.sleep(TTL_SECONDS + 0.1)
        self.refuse(server.python(f"read_output('{handle}')"), handle, "expired", "run the program again")
        self.assertEqual(server.exchange("resources/read", {"uri": URI + handle})["error"]["code"], -32002)
        self.assertEqual(len(server.request("resources/list")["resources"]), 1)
        self.assertEqual(os.listdir(outputs_folder(server)), [], "the list has swept it away")

    def test_a_new_server_sweeps(self):
        server = self.server(ttlSeconds=1)
        server.typescript(f"return {ITEMS}")
        self.assertEqual(len(os.listdir(outputs_folder(server))), 1)
        time.sleep(1.1)
        self.start(env=state_of(server))
        self.wait_until(lambda: not os.listdir(outputs_folder(server)), lambda: "an empty folder")

    def test_the_oldest_make_room(self):
        server = self.server(maxMb=2)
        first, *_, last = [handle_in(server.python(f"print('{letter}' * 900_000)").output) for letter in "abcd"]
        self.refuse(server.python(f"read_output('{first}')"), "made room")
        self.assertEqual(server.python(f"read_output('{last}', limit=1)").result, "d")
        self.assertLess(sum(os.path.getsize(os.path.join(outputs_folder(server), name)) for name in os.listdir(outputs_folder(server))), 2 << 20)

    def test_what_can_not_be_kept_is_told(self):
        server = self.server(maxMb=1)
        answer = self.succeed(server.typescript("return Array.from({length: 200000}, (_, i) => i)"))
        self.assertEqual(answer.result["shape"], "Array(200000) of number")
        self.assertIn("outputs.maxMb", answer.result["problem"])
        self.assertNotIn("handle", answer.result)


class Folder(Case):
    def test_is_for_its_owner_alone(self):
        server = self.start()
        server.typescript(f"return {ITEMS}")
        folder = outputs_folder(server)
        self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700)
        for name in os.listdir(folder):
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(folder, name)).st_mode), 0o600)

    def test_is_made_by_the_first_output_only(self):
        server = self.start()
        server.typescript("return 1")
        server.request("resources/list")
        self.assertFalse(os.path.exists(outputs_folder(server)))

    def test_two_servers_share_it(self):
        one = self.start()
        other = self.start(env=state_of(one))
        mine, theirs = (server.typescript(f"return {ITEMS}").result["handle"] for server in (one, other))
        for server in (one, other):
            self.assertEqual(server.python(f"[read_output('{mine}', 'items[1].id'), read_output('{theirs}', 'items[2].id')]").result, [1, 2])
            listed = [resource["uri"] for resource in server.request("resources/list")["resources"]]
            self.assertEqual(listed, [CAPABILITIES, URI + (mine if server is one else theirs)], "handles of others are theirs to tell")

    def test_outlives_the_server(self):
        first = self.start()
        handle = first.typescript(f"return {ITEMS}").result["handle"]
        first.end("eof")
        self.assertEqual(self.start(env=state_of(first)).python(f"read_output('{handle}', 'items[4].id')").result, 4)

    def test_guests_do_not_see_it(self):
        server = self.start()
        server.typescript(f"return {ITEMS}")
        answer = server.python(f"import os\nos.path.exists({outputs_folder(server)!r})")
        self.assertIs(self.succeed(answer).result, False)

    def test_that_can_not_be_made(self):
        server = self.start()
        os.makedirs(os.path.join(server.world.home, ".code-executor"), exist_ok=True)
        with open(outputs_folder(server), "w", encoding="utf-8"):
            pass
        answer = self.succeed(server.typescript(f"return {ITEMS}"))
        self.assertEqual(answer.result["shape"], SHAPE)
        self.assertIn("outputs", answer.result["problem"])


class Pyodide(Case):
    def test_reads_outputs(self):
        world = self.world(project={})
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"executors": {"python": {"runtime": "pyodide"}}}, file)
        server = self.start(world=world)
        answer = self.succeed(server.python(ITEMS_PYTHON))
        self.assertEqual(answer.result["shape"], SHAPE)
        read = server.python(f"[read_output('{answer.result['handle']}', 'items[3].name'), "
                             f"(await read_output('{answer.result['handle']}', 'items', limit=1))]")
        self.assertEqual(self.succeed(read).result, ["n3", [{"id": 0, "name": "n0"}]])
