"""Resources and prompts of the servers, from programs."""

import os
import unittest

from support.case import TRY_PYTHON, TRY_TYPESCRIPT, SharedServerCase
from support.config import child, node
from support.paths import real_server

ARCHITECTURE = "demo://resource/static/document/architecture.md"


@unittest.skipUnless(os.path.exists(real_server("server-everything")), "npm servers are not installed")
class Resources(SharedServerCase):
    @classmethod
    def servers(cls):
        return {"everything": node("server-everything"), "kid": child()}

    def test_list_with_templates(self):
        for run, code in ((self.typescript, "return listMCPResources('everything')"),
                          (self.python, "list_mcp_resources('everything')")):
            resources = self.succeed(run(code)).result
            self.assertIn(ARCHITECTURE, [r.get("uri") for r in resources])
            self.assertTrue(any("uriTemplate" in r for r in resources))

    def test_text(self):
        for run, code in ((self.typescript, f"return (await readMCPResource('everything', '{ARCHITECTURE}')).slice(0, 19)"),
                          (self.python, f"(await read_mcp_resource('everything', '{ARCHITECTURE}'))[:19]")):
            self.assertEqual(self.succeed(run(code)).result, "# Everything Server")

    def test_blob_keeps_its_media_type(self):
        answer = self.typescript("return readMCPResource('everything', 'demo://resource/dynamic/blob/1')")
        content = self.succeed(answer).result
        self.assertEqual(set(content) >= {"uri", "mimeType", "blob"}, True)

    def test_prompts(self):
        for run, code in ((self.typescript, "return [await listMCPPrompts('everything'), "
                                            "await getMCPPrompt('everything', 'args-prompt', {city: 'Oslo', state: 5})]"),
                          (self.python, "[list_mcp_prompts('everything'), "
                                        "get_mcp_prompt('everything', 'args-prompt', {'city': 'Oslo', 'state': 5})]")):
            prompts, prompt = self.succeed(run(code)).result
            self.assertIn("args-prompt", [p["name"] for p in prompts])
            self.assertIn("Oslo, 5", prompt["messages"][0]["content"]["text"])

    def test_errors(self):
        answer = self.typescript(TRY_TYPESCRIPT + """
            return [(await attempt(() => readMCPResource('everything', 'demo://nowhere'))).error,
                    (await attempt(() => readMCPResource('everythin', 'x'))).error,
                    (await attempt(() => readMCPResource('everything'))).error.message,
                    (await attempt(() => listMCPResources('kid'))).error.message]""")
        failed, unknown, missing, unsupported = self.succeed(answer).result
        self.assertEqual([failed["code"], failed["server"], failed["tool"]], ["tool_failed", "everything", "resources/read"])
        self.assertIn("resources/read of server 'everything' failed: ", failed["message"])
        self.assertEqual([unknown["code"], unknown["suggestions"]], ["unknown_server", ["everything"]])
        self.assertIn("readMCPResource: 'uri'", missing)
        self.assertIn("resources/list of server 'kid' failed: ", unsupported)
        self.assertIn("Method not found", unsupported)

    def test_counted(self):
        answer = self.typescript(f"await readMCPResource('everything', '{ARCHITECTURE}')")
        self.assertEqual(self.succeed(answer).summary["mcp__everything__resources/read"]["successCount"], 1)

    def test_the_allowlist_holds_for_them(self):
        read = f"attempt(() => readMCPResource('everything', '{ARCHITECTURE}'))"
        for allowed, code in ((["mcp__everything__echo"], "not_allowed"), ([], "not_allowed"),
                              (["mcp__everything__resources/*"], None), (["mcp__everything__*"], None)):
            answer = self.typescript(f"{TRY_TYPESCRIPT}\nreturn (await {read}).error ?? null", allowedTools=allowed)
            error = self.succeed(answer).result
            self.assertEqual(error and error["code"], code, allowed)
        self.assertIn("mcp__everything__resources/read", self.python(
            f"{TRY_PYTHON}\nattempt(lambda: read_mcp_resource('everything', '{ARCHITECTURE}'))['error']['message']",
            allowedTools=[]).result)
