"""The port for machines: /health, /ready, /live, /metrics."""

import http.client
import json
import re
import socket

from support.case import Case
from support.config import child
from support.record import audit

SAMPLE = re.compile(r'^(?P<name>[a-z_]+)(\{(?P<labels>[^}]*)\})? (?P<value>[0-9.]+)$')


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class HealthPort(Case):
    def setUp(self):
        self.port = free_port()
        self.server = self.start({"kid": child()}, env={"HEALTH_CHECK_PORT": str(self.port)})

    def get(self, path, method="GET", headers=None, port=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=20)
        self.addCleanup(connection.close)
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), answer.getheader("Content-Type")

    def metrics(self):
        """Values by name and labels. Every line is what Prometheus reads."""
        status, text, kind = self.get("/metrics")
        self.assertEqual((status, kind.split(";")[0]), (200, "text/plain"))
        values, typed = {}, set()
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                typed.add(line.split()[2])
            elif not line.startswith("#"):
                sample = SAMPLE.match(line)
                self.assertTrue(sample, line)
                self.assertIn(sample["name"], typed, line)
                labels = f"{{{sample['labels']}}}" if sample["labels"] else ""
                values[sample["name"].removeprefix("code_executor_") + labels] = float(sample["value"])
        return values

    def test_health_is_the_document_of_the_tool(self):
        status, text, kind = self.get("/health")
        self.assertEqual((status, kind), (200, "application/json"))
        document, told = json.loads(text), self.server.tool("health").structured
        self.assertEqual(set(document), set(told))
        self.assertIs(document["healthy"], True)
        self.assertEqual(document["servers"]["configured"], 1)
        self.assertGreater(document["process"]["residentBytes"], 1 << 20)
        self.assertGreater(document["disk"]["freeBytes"], 0)

    def test_ready_and_live(self):
        self.assertEqual(json.loads(self.get("/ready")[1]), {"status": "ready"})
        self.assertEqual(json.loads(self.get("/live")[1]), {"status": "alive"})
        self.assertEqual(self.get("/live", "HEAD")[:2], (200, ""))

    def test_metrics_count_what_happens(self):
        before = self.metrics()
        self.succeed(self.server.typescript("await callMCPTool('kid', 'echo', {text: 'x'})"))
        self.assertTrue(self.server.typescript("throw 1").is_error)
        self.server.typescript("try { await callMCPTool('kid', 'echo', {text: 'x'}) } catch {}", allowedTools=[])
        after = self.metrics()
        changed = {name: after[name] - before.get(name, 0) for name in after}
        self.assertEqual(changed['runs_total{result="success"}'], 2)
        self.assertEqual(changed['runs_total{result="error"}'], 1)
        self.assertEqual(changed['tool_calls_total{result="success"}'], 1)
        self.assertEqual(changed["refusals_total"], 1)
        self.assertEqual(after['servers{state="connected"}'], 1)
        self.assertEqual(after['server_starts_total{server="kid"}'], 1)
        for name in ("resident_memory_bytes", "open_descriptors", "threads", "disk_free_bytes", "runs_running_max", "healthy"):
            self.assertGreater(after[name], 0, name)

    def test_what_is_not_for_it(self):
        self.assertEqual(self.get("/")[0], 404)
        self.assertEqual(self.get("/health", "POST")[0], 405)
        self.assertEqual(self.get("/health", headers={"Host": "evil.example"})[0], 403)
        self.assertEqual(self.get("/health", headers={"Host": f"localhost:{self.port}"})[0], 200)

    def test_a_client_that_says_nothing_holds_nobody_up(self):
        silent = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(8)]
        self.addCleanup(lambda: [s.close() for s in silent])
        self.assertEqual(self.get("/live")[0], 200)
        self.succeed(self.server.typescript("return 1"))

    def test_half_sent_requests_do_not_make_it_unhealthy(self):
        halves = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(40)]
        self.addCleanup(lambda: [s.close() for s in halves])
        for half in halves:
            half.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        for _ in range(3):
            self.assertEqual(self.get("/health")[0], 200)

    def test_a_port_in_use_is_a_warning(self):
        other = self.start(env={"HEALTH_CHECK_PORT": str(self.port)})
        self.succeed(other.typescript("return 1"))
        self.wait_until(lambda: "there is no health port" in other.stderr(), "the warning")
        self.assertIn("in use", other.stderr())


class Unhealthy(Case):
    def test_says_503(self):
        port = free_port()
        self.start(env={"HEALTH_CHECK_PORT": str(port), "PYTHON_ENABLED": "false", "DENO_PATH": "/no/such/deno", "PATH": "/usr/bin:/bin"})
        for path in ("/health", "/ready"):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            self.addCleanup(connection.close)
            connection.request("GET", path)
            self.assertEqual(connection.getresponse().status, 503, path)

    def test_no_port_unless_asked_for(self):
        server = self.start()
        self.assertNotIn("health port", server.stderr())
        self.assertEqual(audit(server.world, "tail").returncode, 0)
