"""What a program displays reaches the client as content blocks behind the text."""

import base64

from support.case import Case

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 20).decode()


class Display(Case):
    @classmethod
    def setUpClass(cls):
        from support.server import Server
        cls.server = Server({})
        cls.addClassCleanup(cls.server.stop)

    def blocks(self, answer):
        return self.succeed(answer).raw["content"]

    def test_text_json_and_images_in_order(self):
        for answer in (self.server.typescript(f"display('a'); display({{b: 1}}); display({{type: 'image', data: '{PNG}', mimeType: 'image/png'}})"),
                       self.server.python(f"display('a', {{'b': 1}})\nimport base64\ndisplay(base64.b64decode('{PNG}'))")):
            kinds = [(block["type"], block.get("text") or block.get("mimeType")) for block in self.blocks(answer)]
            self.assertEqual(kinds, [("text", "a\n"), ("text", '{"b":1}\n'), ("image", "image/png")])
            self.assertEqual(self.blocks(answer)[-1]["data"], PNG)

    def test_the_text_comes_first(self):
        blocks = self.blocks(self.server.python("print('out')\ndisplay('shown')\n'result'"))
        self.assertEqual([block["text"] for block in blocks], ["out\nresult\n", "shown"])

    def test_is_bounded(self):
        answer = self.succeed(self.server.python("for i in range(300): display(i)"))
        self.assertLessEqual(len(answer.raw["content"]), 101)
        self.assertIn("displayed", answer.structured["output"])

    def test_a_wrong_media_type_is_the_programs_mistake(self):
        for wrong in ("image/png;q=1", "image/png ", "image/", "text/html", "image/p\\0ng", "image/" + "x" * 61):
            with self.subTest(wrong):
                block = f"'type': 'image', 'data': '{PNG}', 'mimeType': '{wrong}'"
                self.refuse(self.server.python(f"display({{{block}}})"), "needs a mimeType")
                self.refuse(self.server.typescript(f"display({{{block}}})"), "needs a mimeType")
        self.succeed(self.server.python(f"display({{'type': 'image', 'data': 'data:image/png;name=x;base64,{PNG}'}})"))

    def test_forged_blocks_end_the_run(self):
        answer = self.server.python("import os\nb = b'{\"type\":\"display\",\"block\":{\"type\":\"image\",\"data\":\"!\",\"mimeType\":\"text/html\"}}'\n"
                                    "os.write(3, len(b).to_bytes(4, 'big') + b)\nimport time; time.sleep(5)")
        self.refuse(answer, "channel")


class Remembered(Case):
    def test_memory_and_tools_live_on_in_both_languages(self):
        server = self.start({})
        self.succeed(server.python("def double(x):\n    return 2 * x\nsave_tool(double)\nsave_memory('k', {'v': [1, 2]})"))
        self.assertEqual(self.succeed(server.python("from user_tools import double\ndouble(21)")).result, 42)
        self.assertEqual(self.succeed(server.python("load_memory('k')")).result, {"v": [1, 2]})
        self.assertEqual(self.succeed(server.typescript("return await memory.load('k')")).result, {"v": [1, 2]})

    def test_a_broken_tool_harms_only_who_asks_for_it(self):
        server = self.start({})
        self.succeed(server.python("def bad():\n    return 1\nsave_tool(bad)"))
        self.succeed(server.python("1 + 1"))
        self.refuse(server.python("from user_tools import missing"))
