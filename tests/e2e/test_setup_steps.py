"""Steps of `code-executor setup` that are asked for by an option: wrappers, and keys of providers by the names of variables."""

import os
import re
import unittest

from support.client_files import SECRET
from support.config import child
from support.setup_case import SetupCase


class OtherSteps(SetupCase):
    def setUp(self):
        super().setUp()
        self.env["PATH"] = f"{self.bin}:{os.environ['PATH']}"
        self.settings = self.home / ".code-executor.json"

    def put(self, *words, code=0, **variables):
        return self.setup_command("--yes", "--client", "codex", *(word for each in words for word in ("--provider-key", each)), code=code, env=variables)

    def test_wrappers(self):
        self.place.configure(user={"kid": child()})
        told = self.setup_command("--yes", "--client", "codex", "--index", "--wrappers", "types").stdout
        self.assertIn("kid.ts", told)
        self.assertTrue(os.path.exists(f"{self.place.cwd}/types/wrappers/typescript/kid.ts"))
        document = self.document("--yes", "--client", "codex", "--wrappers", "types")
        self.assertEqual(document["wrappers"], os.path.realpath(f"{self.place.cwd}/types"))
        self.assertEqual(self.document("--dry-run", "--wrappers", "other")["wrappers"], os.path.realpath(f"{self.place.cwd}/other"))
        self.assertFalse(os.path.exists(f"{self.place.cwd}/other"))

    def test_a_key_is_the_name_of_a_variable(self):
        self.put("anthropic=env:WORK_KEY", "openai=env:OTHER_KEY", WORK_KEY=SECRET, OTHER_KEY=SECRET)
        text = self.settings.read_text()
        self.assertIn("// Settings of code-executor", text)
        shown = self.place.command("config", "show", env={"WORK_KEY": SECRET, "OTHER_KEY": SECRET}).stdout
        self.assertIn("anthropic", shown)
        self.assertEqual(re.findall(r'^ +"(\w+)": "env:(\w+)"', text, re.MULTILINE), [("anthropic", "WORK_KEY"), ("openai", "OTHER_KEY")])
        self.put("anthropic=env:WORK_KEY", WORK_KEY=SECRET, OTHER_KEY=SECRET)
        self.assertEqual(self.settings.read_text(), text)
        self.setup_command("--undo", env={"WORK_KEY": SECRET, "OTHER_KEY": SECRET})
        self.assertFalse(self.settings.exists())

    def test_settings_that_are_there_are_edited(self):
        before = '{\n  // mine\n  "sampling": { "enabled": true },\n}\n'
        self.settings.write_text(before)
        self.put("anthropic=env:WORK_KEY", WORK_KEY=SECRET)
        text = self.settings.read_text()
        self.assertIn('// mine\n  "sampling": { "enabled": true, "apiKeys": {"anthropic": "env:WORK_KEY"} },', text)
        self.settings.write_text(text.replace("mine", "others"))
        self.setup_command("--undo", env={"WORK_KEY": SECRET})
        self.assertEqual(self.settings.read_text(), before.replace("mine", "others"))

    def test_a_key_itself_is_refused(self):
        key = "sk-ant-api03-" + "a1B2" * 10
        for words, why in ((key, "never written down"), (f"anthropic={key}", "never written down"), (f"anthropic=env:{key}", "looks like a key itself"),
                           ("anthropic=env:ghp_" + "a1B2c3D4e" * 4, "looks like a key itself"), (f"{key}=env:X", "no provider of that name"),
                           ("anthropc=env:X", "did you mean 'anthropic'?"), ("anthropic=env:NOT_SET", "NOT_SET is not set here"),
                           ("anthropic=", "never written down"), ("anthropic=env:", "no name of a variable")):
            done = self.put(words, code=2)
            self.assertIn(why, done.stderr)
            self.assertNotIn("a1B2", done.stderr + done.stdout)
        self.assertEqual(self.files(), {})


if __name__ == "__main__":
    unittest.main()
