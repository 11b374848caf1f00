"""Access tokens of an issuer, who is named in the settings."""

import json
import os
import shutil
import time
import unittest

from support.case import Case
from support.http_client import HttpServer, ModernClient
from support.issuer import Issuer
from support.waiting import wait_until

AUDIENCE = "https://tools.example.com/mcp"
# The keys are not looked at again before 30 s.
KEYS_SECONDS = 90


@unittest.skipUnless(shutil.which("openssl"), "signs the tokens")
class TokensOfAnIssuer(Case):
    def setUp(self):
        world = self.world()
        self.issuer = Issuer(world.root)
        self.addCleanup(self.issuer.close)
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"server": {"oauth": {"issuer": self.issuer.url, "audience": AUDIENCE}}}, file)
        self.server = HttpServer(world=world, env={"CODE_EXECUTOR_POOL_SIZE": "0"})
        self.addCleanup(self.server.stop)
        self.wait_until(lambda: "/tenant/keys" in self.issuer.asked, "the keys are fetched")

    def client(self, token):
        client = ModernClient(self.server, token=token)
        self.addCleanup(client.close)
        return client

    def status_of(self, token):
        return self.client(token).status_of("server/discover")

    def test_one_that_is_signed_for_us_counts(self):
        good = self.issuer.token(AUDIENCE)
        self.wait_until(lambda: self.status_of(good) == 200, "the keys are known")
        self.assertEqual(2, self.succeed(self.client(good).typescript("return 1 + 1")).result)
        self.assertEqual(200, self.status_of(self.issuer.token(["https://others", AUDIENCE])))

    def test_others_do_not(self):
        self.wait_until(lambda: self.status_of(self.issuer.token(AUDIENCE)) == 200, "the keys are known")
        good = self.issuer.token(AUDIENCE)
        for token in (None, "x", self.issuer.token("https://others"), self.issuer.token(AUDIENCE, exp=int(time.time()) - 60),
                      self.issuer.token(AUDIENCE, iss="https://others"), self.issuer.token(AUDIENCE, key_id="second"), good[:-8] + "AAAAAAAA"):
            self.assertEqual(401, self.status_of(token))

    def test_another_key_counts_and_the_one_before_no_longer(self):
        """The keys are looked at for a token of one that is not known, and not more often than twice a minute."""
        before = self.issuer.token(AUDIENCE)
        self.wait_until(lambda: self.status_of(before) == 200, "the keys are known")
        self.issuer.make_key("second")
        after = self.issuer.token(AUDIENCE)
        wait_until(lambda: self.status_of(after) == 200, "the other key is known", KEYS_SECONDS)
        self.assertEqual(401, self.status_of(before))
        self.assertLessEqual(self.issuer.asked.count("/tenant/keys"), 3)

    def test_who_has_none_hears_where_to_get_one(self):
        client = self.client(None)
        refused = client.begin("server/discover")
        challenge = refused.header("WWW-Authenticate")
        refused.leave()
        place = challenge.partition('resource_metadata="')[2].rstrip('"')
        self.assertTrue(place.endswith("/.well-known/oauth-protected-resource/mcp"), challenge)
        for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
            told = client.ask("GET", path=path)
            self.assertEqual({"resource": AUDIENCE, "authorization_servers": [self.issuer.url], "bearer_methods_supported": ["header"],
                              "resource_name": "code-executor"}, json.loads(told.body()))
            told.leave()
