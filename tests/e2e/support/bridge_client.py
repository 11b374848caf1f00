"""The client that the public conformance suite of the protocol starts for one of its scenarios, when it is to see what `bridge` does as a client:
`code-executor bridge` with the suite's server behind it, over stdio, and a client of either era in front of it (`--era legacy|modern`), which does
what the scenario waits for. The suite gives the address as last argument and the rest in the environment.
Tells in JSON on stdout what came of it; the exit code says whether all was done that the scenario waits for."""

import argparse
import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # it is started by its path

from support.conformance_client import ADVICE, browser_in, entry_of, LOGIN_PAUSE_SECONDS, LOGINS_MAX, NAME, ROUND_TRIPS
from support.paths import binary
from support.person import PersonClient
from support.plain_client import meta
from support.server import Server, World

ABILITIES = {"elicitation": {}}
LISTS_ONLY = {"initialize", "request-metadata", "json-schema-ref-no-deref"}
CALLS = {
    "tools_call": [("add_numbers", {"a": 5, "b": 3})],
    "sse-retry": [("test_reconnection", {})],
    "elicitation-sep1034-client-defaults": [("test_client_elicitation_defaults", {})],
    "sep-2322-client-request-state": [(name, {}) for name in ROUND_TRIPS],
}


class Refusal(Exception):
    """What was asked was not done; the text says why."""


def consent(asked):
    """Of somebody who says yes, and leaves a form as it is. All that the suite asks is in a form."""
    wanted = asked["requestedSchema"]["properties"]
    content = {name: each["default"] for name, each in wanted.items() if "default" in each}
    return {"action": "accept", "content": {**content, **({"confirmed": True} if "confirmed" in wanted else {})}}


def result_of(answer):
    if "error" in answer:
        raise Refusal(answer["error"]["message"])
    if answer["result"].get("isError"):
        raise Refusal("\n".join(part.get("text", "") for part in answer["result"]["content"]))
    return answer["result"]


class LegacyClient(PersonClient):
    def __init__(self, **options):
        super().__init__(person=lambda asked: asked.answer(consent(asked.params)), capabilities=ABILITIES, revision=None, **options)

    def open(self):
        result_of(self.exchange("initialize", {"protocolVersion": "2025-11-25", "capabilities": ABILITIES,
                                               "clientInfo": {"name": self.client, "version": "1"}}))
        self.notify("notifications/initialized")

    def get(self, method, **params):
        return result_of(self.exchange(method, params))


class ModernClient(Server):
    def __init__(self, **options):
        super().__init__(revision=None, **options)

    def open(self):
        self.get("server/discover")

    def get(self, method, **params):
        """Goes back with its answers for as long as it is asked."""
        answers = {}
        while True:
            result = result_of(self.exchange(method, {**params, **answers, "_meta": meta(capabilities=ABILITIES)}))
            if result.get("resultType") != "input_required":
                return result
            answers = {key: result[key] for key in ("requestState",) if key in result}
            answers["inputResponses"] = {key: consent(asked["params"]) for key, asked in result["inputRequests"].items()}


CLIENTS = {"legacy": LegacyClient, "modern": ModernClient}


def one_of_each(client, tools):
    client.get("tools/call", name=tools[0]["name"], arguments={})
    client.get("resources/read", uri=client.get("resources/list")["resources"][0]["uri"])
    client.get("prompts/get", name=client.get("prompts/list")["prompts"][0]["name"])


def echo_a_schema(client, tools):
    [schema] = [tool["inputSchema"] for tool in tools if tool["name"] == "json_schema_2020_12_tool"]
    client.get("tools/call", name="json_schema_echo", arguments={"schema": schema})


def play(client, scenario, context):
    client.open()
    tools = client.get("tools/list")["tools"]
    if scenario == "http-standard-headers":
        return one_of_each(client, tools)
    if scenario == "json-schema-2020-12-preservation":
        return echo_a_schema(client, tools)
    if scenario == "http-custom-headers":
        calls = [(call["name"], call["arguments"]) for call in context["toolCalls"]]
    elif scenario == "http-invalid-tool-headers":  # whatever is listed can be called: the suite watches which ones are
        calls = [(tool["name"], {"region": "us-west1"}) for tool in tools]
    elif scenario.startswith("auth/"):
        calls = [("test-tool", {})]
    else:
        calls = [] if scenario in LISTS_ONLY else CALLS[scenario]
    failed = []
    for name, arguments in calls:  # one that fails keeps nobody from the others
        try:
            client.get("tools/call", name=name, arguments=arguments)
        except Refusal as refusal:
            failed.append(f"{name}: {refusal}")
    if failed:
        raise Refusal("\n".join(failed))
    return None


def leave(client):
    """In order, if it has not ended by itself."""
    if client.process.poll() is None:
        code, _ = client.end("eof")
        client.process.kill()
        if code != 0 or client.stray_lines:
            raise AssertionError(f"exit code {code}, beside the protocol: {client.stray_lines[:5]}\n{client.stderr()[-3000:]}")


def attempt(era, world, words, play_on):
    """Why it has failed; "": it has not. A bridge that has ended tells so on stderr."""
    client = CLIENTS[era](world=world, argv=[binary(), "bridge", *words])
    try:
        play_on(client)
        return ""
    except Refusal as refusal:
        return str(refusal)
    except (AssertionError, BrokenPipeError):
        if client.exit_code() is None:
            raise
        return client.stderr()
    finally:
        leave(client)


def do(world, era, words, play_on):
    """A person who is told so logs in, and starts again."""
    logins, browser = [], browser_in(world)
    while why := attempt(era, world, words, play_on):
        if ADVICE not in why:
            return {"outcome": "failed", "logins": logins, "why": why}
        if len(logins) == LOGINS_MAX:
            return {"outcome": "gave up", "logins": logins, "why": why}
        done = world.command("login", NAME, "--json", env={"BROWSER": browser})
        if done.returncode != 0:
            return {"outcome": "login refused", "logins": logins, "why": done.stderr}
        logins.append(json.loads(done.stdout))
        time.sleep(LOGIN_PAUSE_SECONDS)
    return {"outcome": "done", "logins": logins}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--era", choices=CLIENTS, required=True)
    parser.add_argument("url")
    given = parser.parse_args()
    scenario, context = os.environ["MCP_CONFORMANCE_SCENARIO"], json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    # A login is of a server that is configured, and with what is said of it there; any other needs no more than its address.
    is_configured = scenario.startswith("auth/")
    world = World().configure(user={NAME: entry_of(given.url, scenario, context)} if is_configured else {})
    try:
        done = do(world, given.era, [NAME if is_configured else given.url], lambda client: play(client, scenario, context))
    finally:
        world.remove()
    print(json.dumps(done))
    return 0 if done["outcome"] == "done" else 1


if __name__ == "__main__":
    sys.exit(main())
