"""The client that the public conformance suite of the protocol starts for one of its scenarios: `code-executor` with the suite's server as its
only one, and programs that do what the scenario waits for. The suite gives the address as last argument and the rest in the environment.
Tells in JSON on stdout what came of it; the exit code says whether all was done that the scenario waits for."""

import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # it is started by its path

from support.case import TRY_TYPESCRIPT, WITHOUT_POOL
from support.person import PersonClient
from support.server import World

NAME = "suite"
CALL_ALL = TRY_TYPESCRIPT + """
const calls = %s, answers = [];
for (const [tool, args] of calls) answers.push(await attempt(() => callMCPTool('suite', tool, args)));
const failed = answers.flatMap((answer, i) => answer.error ? [`${calls[i][0]}: ${answer.error.message}`] : []);
if (failed.length) throw new Error(failed.join('\\n'));
return answers.map(answer => answer.value);
"""
LIST = "return (await discoverMCPTools({server: 'suite'})).map(tool => tool.name)"
# Whatever tool is listed can be called: the suite watches which ones are.
CALL_WHAT_IS_LISTED = """
const tools = await discoverMCPTools({server: 'suite'}), answers = [];
for (const {name} of tools) answers.push(await callMCPTool(name, {region: 'us-west1'}));
return answers;
"""
ONE_OF_EACH = """
const [tool] = await discoverMCPTools({server: 'suite'});
const [[resource], [prompt]] = [await listMCPResources('suite'), await listMCPPrompts('suite')];
return [await callMCPTool(tool.name, {}), await readMCPResource('suite', resource.uri), await getMCPPrompt('suite', prompt.name, {})];
"""
ECHO_A_SCHEMA = """
const {parameters} = await getToolSchema('suite', 'json_schema_2020_12_tool');
return await callMCPTool('suite', 'json_schema_echo', {schema: parameters});
"""
ROUND_TRIPS = ["test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state", "test_mrtr_no_result_type"]

# The public one of the suite, which nobody fetches.
CLIENT_METADATA_URL = "https://conformance-test.local/client-metadata.json"
ADVICE = f"code-executor login {NAME}"
# A person gives up, too. The suite wants at most three where no login ever helps.
LOGINS_MAX = 3
# A server that has wanted a login is not asked again for half a second, which nothing announces; a person takes longer.
LOGIN_PAUSE_SECONDS = 0.6
# A browser of somebody who agrees to all: without proxies, and following redirects.
BROWSER = f"""#!{sys.executable}
import sys, urllib.request
urllib.request.build_opener(urllib.request.ProxyHandler({{}})).open(sys.argv[1], timeout=20).read()
"""


def calls(*wanted):
    return CALL_ALL % json.dumps(wanted)


def program_of(scenario, context):
    if scenario == "http-custom-headers":
        return calls(*([call["name"], call["arguments"]] for call in context["toolCalls"]))
    if scenario.startswith("auth/"):
        return calls(["test-tool", {}])
    return {
        "initialize": LIST,
        "request-metadata": LIST,
        "json-schema-ref-no-deref": LIST,
        "tools_call": calls(["add_numbers", {"a": 5, "b": 3}]),
        "sse-retry": calls(["test_reconnection", {}]),
        "elicitation-sep1034-client-defaults": calls(["test_client_elicitation_defaults", {}]),
        "sep-2322-client-request-state": calls(*([tool, {}] for tool in ROUND_TRIPS)),
        "http-standard-headers": ONE_OF_EACH,
        "http-invalid-tool-headers": CALL_WHAT_IS_LISTED,
        "json-schema-2020-12-preservation": ECHO_A_SCHEMA,
    }[scenario]


def entry_of(url, scenario, context):
    """As a user would write it who has been told what the context tells."""
    oauth = {ours: context[theirs] for ours, theirs in (("clientId", "client_id"), ("clientSecret", "client_secret")) if theirs in context}
    if scenario == "auth/basic-cimd":  # elsewhere we are to register
        oauth["clientMetadataUrl"] = CLIENT_METADATA_URL
    if scenario.startswith("auth/client-credentials"):
        oauth["grantType"] = "client_credentials"
    return {"type": "http", "url": url, **({"oauth": oauth} if oauth else {})}


def browser_in(world):
    path = os.path.join(world.root, "browser")
    with open(path, "w", encoding="utf-8") as file:
        file.write(BROWSER)
    os.chmod(path, 0o755)
    return path


def do(server, program, browser):
    """What became of it. A program that fails for want of a login is run again after one."""
    logins = []
    while True:
        answer = server.typescript(program)
        if not answer.is_error:
            return {"outcome": "done", "logins": logins, "result": answer.result}
        if ADVICE not in answer.text:
            return {"outcome": "failed", "logins": logins, "why": answer.text}
        if len(logins) == LOGINS_MAX:
            return {"outcome": "gave up", "logins": logins, "why": answer.text}
        done = server.world.command("login", NAME, "--json", env={"BROWSER": browser})
        if done.returncode != 0:
            return {"outcome": "login refused", "logins": logins, "why": done.stderr}
        logins.append(json.loads(done.stdout))
        time.sleep(LOGIN_PAUSE_SECONDS)


def agree(asked):
    """Somebody who says yes, and fills in nothing else: what a form says itself counts then."""
    wanted = asked.params.get("requestedSchema", {}).get("properties", {})
    asked.answer({"action": "accept", "content": {"confirmed": True} if "confirmed" in wanted else {}})


def serve(world, program):
    server = PersonClient(world=world, person=agree, capabilities={"elicitation": {}}, env=WITHOUT_POOL)
    try:
        return do(server, program, browser_in(world))
    finally:
        server.stop()


def main(url):
    scenario, context = os.environ["MCP_CONFORMANCE_SCENARIO"], json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    world = World().configure(user={NAME: entry_of(url, scenario, context)})
    try:
        done = serve(world, program_of(scenario, context))
    finally:
        world.remove()
    print(json.dumps(done))
    return 0 if done["outcome"] == "done" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[-1]))
