"""The first process of the container: makes the configuration that is not there yet out of the variables, then becomes code-executor.

Says everything on stderr: stdout is the protocol. What is there is never changed, so a mounted folder counts as it is.

    /app/config/code-executor.json   settings: what the variables say, but no secret, and that programs do not run behind fewer walls
    /app/config/.mcp.json            MCP servers: none yet
    /app/config/token                for `serve --http` on an address that others can reach: the token that clients have to send
"""

import contextlib
import json
import os
import subprocess
import sys

PROGRAM = "/usr/bin/code-executor"
FOLDER = "/app/config"
SETTINGS = f"{FOLDER}/code-executor.json"
TOKEN = f"{FOLDER}/token"
TOKEN_NAME = "container"
# By this variable somebody accepts that a container without user namespaces has fewer walls.
FEWER_WALLS = "CODE_EXECUTOR_ACCEPT_FEWER_WALLS"
# What stands for a secret.
MASKED = "***"
LOCAL = ("127.", "localhost", "[::1]")


def say(text):
    print(f"code-executor (container): {text}", file=sys.stderr, flush=True)


def begin(path):
    """A new file beside it, for its owner alone. What a start that was killed has left there goes."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(f"{path}.new")
    return open(f"{path}.new", "x", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600))


def write(path, text):
    """Whole or not at all."""
    try:
        with begin(path) as file:
            file.write(text)
        os.rename(f"{path}.new", path)
        say(f"made {path}")
    except OSError as error:
        say(f"{path} can not be made: {error.strerror}; going on without it")


def put(tree, key, value):
    *folders, last = key.split(".")
    for name in folders:
        tree = tree.setdefault(name, {})
    tree[last] = value


def settings_of_variables():
    """What `config show` takes from variables: those are checked then, and a wrong one ends the start with its own words."""
    shown = subprocess.run([PROGRAM, "config", "show", "--json"], stdout=subprocess.PIPE, check=False)
    if shown.returncode != 0:
        sys.exit(shown.returncode)
    tree = {"version": 1}
    for key, setting in json.loads(shown.stdout)["settings"].items():
        is_secret = MASKED in json.dumps(setting["value"])
        is_variable = key.isupper() # that sets other keys, which are listed as well
        if setting["from"] and not is_secret and not is_variable:
            put(tree, key, setting["value"])
    put(tree, "sandbox.isolation", "auto" if os.environ.get(FEWER_WALLS) == "true" else "required")
    return tree


def listens_for_others(words):
    """`--http ADDRESS:PORT` with an address that is not of this container alone."""
    for before, word in zip(words, [*words[1:], ""]):
        address = word if before == "--http" else before.removeprefix("--http=") if before.startswith("--http=") else ""
        if address and not address.startswith(("-", *LOCAL)):
            return True
    return False


def make_token():
    """No token that nobody can read, and none in what a container logs."""
    if json.loads(token("list", "--json").stdout)["tokens"]:
        return say("clients of this address need one of the tokens that there are (`code-executor token list`)")
    try:
        with begin(TOKEN) as file:
            made = token("new", TOKEN_NAME)
            file.write(made.stdout.split()[-1] + "\n")
        os.rename(f"{TOKEN}.new", TOKEN)
    except OSError as error:
        token("revoke", TOKEN_NAME)
        sys.exit(f"code-executor (container): {TOKEN} can not be made: {error.strerror}. Nobody could get in without the token in it: mount {FOLDER} for "
                 "writing, or make a token with `code-executor token new` in the volume of the state")
    return say(f"clients of this address need the token in {TOKEN}")


def token(*words):
    """Ends the start with its own words if it fails."""
    done = subprocess.run([PROGRAM, "token", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0 and words[0] != "revoke":
        sys.exit(done.stderr.strip())
    return done


def main():
    words = sys.argv[1:]
    if not os.path.exists(SETTINGS):
        write(SETTINGS, json.dumps(settings_of_variables(), indent=2) + "\n")
    servers = os.environ.get("MCP_CONFIG_PATH", "")
    if servers and not os.path.exists(servers):
        write(servers, json.dumps({"mcpServers": {}}, indent=2) + "\n")
    if os.path.exists(SETTINGS):
        os.environ.setdefault("CODE_EXECUTOR_CONFIG_PATH", SETTINGS)
    if listens_for_others(words) and not os.path.exists(TOKEN):
        make_token()
    os.execv(PROGRAM, [PROGRAM, *words])


main()
