"""The container image: built from its Dockerfile on a root file system of Debian's packages, because no image can be fetched, and run by podman."""

import json
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

import root_file_system
import support
from support import ROOT, run

IMAGE, BASE = "localhost/code-executor-packages-test", "localhost/code-executor-packages-base"
IN_ROOT = ("bubblewrap", "python3", "ca-certificates", "libcurl4", "libssl3")
# What compose.yml asks for, in the words of podman.
UNPRIVILEGED = ("--read-only", "--tmpfs", "/tmp:size=512m,mode=1777", "--cap-drop", "all", "--security-opt", "no-new-privileges",
                "--memory", "4g", "--pids-limit", "2048")
# Podman's defaults of these are more than some machines permit.
ULIMITS = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096", "--runtime", "runc")
VARIABLES = {"CODE_EXECUTOR_SAMPLING_ENABLED": "true", "CODE_EXECUTOR_AI_PROVIDER": "gemini", "GEMINI_API_KEY": "AIza-secret-of-a-test",
             "CODE_EXECUTOR_MAX_SAMPLING_ROUNDS": "5", "CODE_EXECUTOR_ALLOWED_SYSTEM_PROMPTS": "One,Two", "CODE_EXECUTOR_SURFACE": "discovery",
             "ALLOWED_PROJECTS": "/state:/srv", "CODE_EXECUTOR_RATE_LIMIT_RPM": "60", "ENABLE_AUDIT_LOG": "true", "POOL_MAX_CONCURRENT": "10",
             "CODE_EXECUTOR_CONTENT_FILTERING_ENABLED": "true", "CIRCUIT_BREAKER_THRESHOLD": "3"}
TOOL = "podman"
WHO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
GREETING = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": WHO}
# Prints the status of the answer.
ASK = """
import sys, json, urllib.request, urllib.error
headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **json.loads(sys.argv[2])}
try:
    print(urllib.request.urlopen(urllib.request.Request("http://127.0.0.1:3333/mcp", sys.argv[1].encode(), headers), timeout=10).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""


def build(folder):
    run(TOOL, "build", "--quiet", "--layers=false", "--format", "docker", "--network", "host", "--build-arg", f"BASE={BASE}", "--tag", IMAGE, folder)


def setUpModule():
    global context
    problem = root_file_system.problem() or ("" if shutil.which(TOOL) else f"{TOOL} is not installed")
    if problem:
        raise unittest.SkipTest(problem)
    made = support.only(support.made("image"), "*.tar.gz")
    places = tempfile.TemporaryDirectory(prefix="image-")
    unittest.addModuleCleanup(places.cleanup)
    context = Path(places.name)
    with tarfile.open(made) as tar:
        tar.extractall(context)
    packages = {*IN_ROOT, *re.findall(r"lib\S+", run("dpkg-deb", "--field", context / "code-executor.deb", "Depends"))}
    run(TOOL, "import", root_file_system.archive(sorted(packages)), BASE)
    unittest.addModuleCleanup(subprocess.run, [TOOL, "rmi", "--force", IMAGE, BASE], capture_output=True, check=False)
    build(context)
    tried = subprocess.run(container("--version"), capture_output=True, text=True, check=False)
    if tried.returncode != 0 and "OCI" in tried.stderr:
        raise unittest.SkipTest(f"{TOOL} starts no container here: {tried.stderr[-300:]}")


def container(*words, options=()):
    return [TOOL, "run", "--rm", "--interactive", *ULIMITS, *UNPRIVILEGED, *options, IMAGE, *words]


def walls():
    """What lets programs be isolated, as in compose.yml."""
    return ["--security-opt", f"seccomp={context}/seccomp.json", "--security-opt", "unmask=ALL"]


def attempt(*words, options=()):
    return subprocess.run(container(*words, options=options), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False)


class Container(unittest.TestCase):
    def test_isolates_programs_without_privileges(self):
        done = attempt("doctor", "--json", options=[*walls(), "--network", "none"])
        found = {each["name"]: each for each in json.loads(done.stdout)["checks"]}
        for name in ("isolation", "TypeScript", "Python", "memory limit", "process limit", "wall: network", "wall: file system"):
            self.assertEqual(found[name]["status"], "ok", found[name])
        self.assertEqual(found["isolation"]["found"], "namespaces")

    def test_runs_no_program_behind_fewer_walls_in_silence(self):
        done = attempt("run", "--python", "-e", "1", options=["--network", "none"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("sandbox.isolation is `required`", done.stderr)
        accepted = attempt("run", "-e", "return 6 * 7", options=["--network", "none", "-e", "CODE_EXECUTOR_ACCEPT_FEWER_WALLS=true"])
        self.assertEqual((accepted.returncode, accepted.stdout.strip()), (0, "42"), accepted.stderr)

    def test_is_nobody_special_and_writes_nothing_but_its_folders(self):
        code = "import os; print(os.getuid(), [each for each in ('/', '/usr/bin', '/etc', '/usr/share/code-executor') if os.access(each, os.W_OK)])"
        done = run(*container("-c", code, options=["--entrypoint", "python3"]))
        self.assertEqual(done.strip(), "1001 []")

    def test_main_job_over_stdio(self):
        """Settings of the volume, a server of it, and nothing but the protocol on stdout."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            servers = {"mcpServers": {"child": {"command": "python3", "args": ["/srv/child.py"]}}}
            (folder / ".mcp.json").write_text(json.dumps(servers), encoding="utf-8")
            folder.chmod(0o777)
            options = [*walls(), "--network", "none", "--volume", f"{folder}:/app/config", "--volume", f"{ROOT}/tests/children:/srv:ro"]
            arguments = {"code": "return await callMCPTool('child', 'echo', {text: 'inside'})"}
            messages = [GREETING, {"method": "notifications/initialized"},
                        {"id": 2, "method": "tools/call", "params": {"name": "run-typescript-code", "arguments": arguments}}]
            with subprocess.Popen(container(options=options), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                for message in messages:
                    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
                process.stdin.flush()
                lines = [json.loads(process.stdout.readline()) for _ in range(2)]
                process.stdin.close()
                self.assertEqual(process.stdout.read(), "")
                said = process.stderr.read()
            self.assertIn("inside", json.dumps(lines[1]), said)
            self.assertEqual(json.loads((folder / ".mcp.json").read_text(encoding="utf-8")), servers) # as it was

    def test_first_run_writes_what_the_variables_say_but_no_secret(self):
        with tempfile.TemporaryDirectory() as name:
            Path(name).chmod(0o777)
            options = ["--network", "none", "--volume", f"{name}:/app/config"]
            run(*container("config", "check", options=[*options, *[word for pair in VARIABLES.items() for word in ("-e", "=".join(pair))]]))
            settings = Path(name, "code-executor.json").read_text(encoding="utf-8")
            written = json.loads(settings)
            self.assertEqual((written["sampling"]["enabled"], written["sampling"]["provider"], written["sampling"]["maxRoundsPerExecution"]), (True, "gemini", 5))
            self.assertEqual((written["surface"], written["security"]["allowRead"], written["sandbox"]), ("discovery", ["/state", "/srv"], {"isolation": "required"}))
            self.assertNotIn("secret-of-a-test", settings)
            self.assertEqual(json.loads(Path(name, ".mcp.json").read_text(encoding="utf-8")), {"mcpServers": {}})
            run(*container("config", "check", options=options))
            shown = json.loads(run(*container("config", "show", "--json", options=options)))
            self.assertEqual(shown["settings"]["sampling.provider"]["value"], "gemini") # without the variables
            self.assertEqual(Path(name, "code-executor.json").read_text(encoding="utf-8"), settings)

    def test_a_wrong_variable_ends_the_start(self):
        done = attempt("serve", options=["--network", "none", "-e", "CODE_EXECUTOR_AI_PROVIDER=nobody"])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("CODE_EXECUTOR_AI_PROVIDER", done.stderr)


    def test_without_a_place_for_its_token_nothing_is_served(self):
        with tempfile.TemporaryDirectory() as name:
            done = attempt("serve", "--http", "0.0.0.0:3333", options=["--network", "none", "--volume", f"{name}:/app/config:ro"])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("/app/config/token can not be made", done.stderr)


class OverHttp(unittest.TestCase):
    """As compose.yml starts it."""

    @classmethod
    def setUpClass(cls):
        cls.name = run(TOOL, "run", "--detach", *ULIMITS, *UNPRIVILEGED, *walls(), "--network", "none", IMAGE, "serve", "--http", "0.0.0.0:3333").strip()
        cls.addClassCleanup(run, TOOL, "rm", "--force", "--volumes", cls.name)

    def inside(self, *words):
        return subprocess.run([TOOL, "exec", self.name, *words], capture_output=True, text=True, check=False)

    def healthy(self):
        return self.inside("python3", "-I", "/usr/libexec/code-executor/container/healthy.py")

    def ask(self, headers):
        """From inside: ports of this machine may be in use."""
        return int(self.inside("python3", "-c", ASK, json.dumps(GREETING), json.dumps(headers)).stdout)

    def test_serves_who_has_the_token_and_is_healthy(self):
        deadline = time.monotonic() + 20
        while (last := self.healthy()).returncode != 0 and time.monotonic() < deadline:
            time.sleep(0.3)
        self.assertEqual(last.returncode, 0, last.stderr)
        token = self.inside("python3", "-c", "print(open('/app/config/token').read())").stdout.strip()
        self.assertEqual((self.ask({}), self.ask({"Authorization": f"Bearer {token}"})), (401, 200))
        logged = subprocess.run([TOOL, "logs", self.name], capture_output=True, text=True, check=True)
        self.assertIn("need the token in /app/config/token", logged.stdout + logged.stderr)
        self.assertNotIn(token, logged.stdout + logged.stderr)
        checked = json.loads(run(TOOL, "inspect", IMAGE))[0]
        self.assertIn("healthy.py", json.dumps(checked))


class Compose(unittest.TestCase):
    def test_asks_for_what_is_tested_here(self):
        text = (context / "compose.yml").read_text(encoding="utf-8")
        for line in ("read_only: true", "cap_drop: [ALL]", "no-new-privileges:true", "seccomp=./seccomp.json", "systempaths=unconfined",
                     "mem_limit: 4g", "pids_limit: 2048", "/tmp:size=512m,mode=1777", "state:/state", "config:/app/config"):
            self.assertIn(line, text)


if __name__ == "__main__":
    unittest.main()
