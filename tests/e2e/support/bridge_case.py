"""Tests of `code-executor bridge`: a server behind it, and clients in front of it."""

import itertools
import json

from support.bridge_clients import BRIDGES, CLIENTS
from support.bridged import HTTP, LEGACY, MODERN, STDIO, Target
from support.case import Case

CLIENT_KINDS = SERVER_KINDS = tuple(itertools.product((LEGACY, MODERN), (STDIO, HTTP)))
PAIRS = tuple(itertools.product(CLIENT_KINDS, SERVER_KINDS))
# Both eras in both places, and both transports: for what does not depend on how they go together.
FEW_PAIRS = (((LEGACY, STDIO), (LEGACY, HTTP)), ((LEGACY, HTTP), (MODERN, STDIO)),
             ((MODERN, STDIO), (MODERN, HTTP)), ((MODERN, HTTP), (LEGACY, STDIO)))


def text_of(value):
    """Tells apart what is equal to Python: 1 and 1.0, and orders of members."""
    return json.dumps(value)


class BridgeCase(Case):
    def target_of(self, kind):
        target = Target(*kind, self.world().root)
        self.addCleanup(target.close)
        return target

    def bridge_to(self, target, transport, **options):
        """`target`: a Target, or the words that name another server."""
        words = target.words if isinstance(target, Target) else target
        bridge = BRIDGES[transport](words, **{"world": self.world(), **options})
        self.addCleanup(bridge.stop)
        return bridge

    def client_of(self, kind, target, **options):
        """With a bridge of its own."""
        return CLIENTS[kind](self.bridge_to(target, kind[1]), **options)

    def each(self, pairs, play, **options):
        """`play(client, target)`, with a bridge of its own."""
        for kind, server in pairs:
            with self.subTest(f"{kind} client, {server} server"):
                target = self.target_of(server)
                play(self.client_of(kind, target, **options), target)
                self.assertEqual(target.deviations, [])

    def same(self, found, expected):
        """In every byte that counts."""
        self.assertEqual(text_of(found), text_of(expected))
