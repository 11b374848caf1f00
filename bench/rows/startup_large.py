"""From the start of the process to its answer to initialize with 500 servers in six files of six clients, and 23,000 tools in the
catalog; and its memory then."""

import json
import subprocess
import time

from support import processes
from support.reports import report_in
from support.row import Row, expect, median, summary
from support.world import SOAK_CHILD, World, binary

SERVERS = 500
TOOLS_EACH = 46
BAR_MS = 30
BAR_MB = 45
INDEX_SECONDS = 300
# Where the clients keep them; `{}` is the project. The first one is the one that the world names.
FILES = ("servers.json", ".mcp.json", "home/.claude.json", "home/.cursor/mcp.json",
         "home/.codeium/windsurf/mcp_config.json", "home/.gemini/settings.json")


def configure(world):
    child = [*SOAK_CHILD, f"tools={TOOLS_EACH - 1}"]
    for number, name in enumerate(FILES):
        entries = {f"server-{i}": {"command": child[0], "args": child[1:]} for i in range(number, SERVERS, len(FILES))}
        path = world.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")


def fill_catalog(world):
    """Tools in it."""
    done = subprocess.run([binary(), "index", "--json"], env=world.environment(), cwd=world.folder, capture_output=True, text=True,
                          timeout=INDEX_SECONDS, check=False)
    expect(done.returncode == 0, f"the catalog could not be made: {done.stderr[-500:]}")
    return json.loads(done.stdout)["totalTools"]


def start_once(world):
    """Milliseconds, and resident megabytes (of 1,000,000 bytes)."""
    begin = time.perf_counter()
    with world.start() as server:
        server.initialize()
        took = (time.perf_counter() - begin) * 1000
        return took, processes.resident_bytes(server.process.pid) / 1e6


def search_once(world):
    """Megabytes when the catalog has been opened and asked; hits; servers."""
    with world.start() as server:
        server.initialize()
        found = report_in(server.call_tool("search_tools", {"query": "generated tool number 7"}))["total"]
        listed = report_in(server.call_tool("list_servers", {}))
        return processes.resident_bytes(server.process.pid) / 1e6, found, len(listed["available"])


def measure(rounds):
    with World({}) as world:
        configure(world)
        tools = fill_catalog(world)
        start_once(world)  # reads the binary into the page cache
        samples = [start_once(world) for _ in range(rounds.samples)]
        searched_mb, found, servers = search_once(world)
    expect(found > 0, "the catalog finds nothing")
    times, sizes = zip(*samples)
    world_of = f"{servers} servers of {len(FILES)} files, {tools:,} tools in the catalog"
    yield Row(f"process start to initialize answer, {world_of}", f"{median(times):.1f} ms", f"<= {BAR_MS} ms",
              median(times) <= BAR_MS and servers == SERVERS, {"ms": summary(times), "servers": servers, "tools": tools})
    worst = max(median(sizes), searched_mb)
    yield Row("resident memory after it, and after the first search", f"{median(sizes):.1f} and {searched_mb:.1f} MB", f"<= {BAR_MB} MB",
              worst <= BAR_MB, {"megabytes": summary(sizes), "after a search": round(searched_mb, 1)})
