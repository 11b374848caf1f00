"""Files that list servers change while programs run: only what has changed is restarted, and no run is lost."""

import json
import os
import threading

from support.case import TRY_TYPESCRIPT, Case
from support.config import child, with_mark
from support.server import MARK
from support.waiting import PATIENCE_SECONDS, wait_until


class ReloadCase(Case):
    def begin(self, servers):
        """A server that is watching its files."""
        server = self.start(world=self.world(project=servers))
        self.write(server, {**servers, "probe": child()})
        self.wait_until(lambda: "probe" in self.names(server), "the first reload")
        return server

    @staticmethod
    def write(server, servers):
        """As editors do it: the file is replaced."""
        path = server.world.project_file
        text = servers if isinstance(servers, str) else json.dumps({"mcpServers": with_mark(servers, {MARK: server.world.mark[MARK]})})
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(path + ".new", path)

    @staticmethod
    def health(server):
        return server.tool("health").structured

    def names(self, server):
        return {one["name"]: one for one in self.health(server)["servers"]["list"]}

    def call(self, server, name, tool="echo", arguments="{text: 'hello'}"):
        return self.succeed(server.typescript(f"return await callMCPTool('{name}', '{tool}', {arguments})")).result


class Reload(ReloadCase):
    def test_servers_are_added_changed_and_removed(self):
        journals = {name: self.journal(name) for name in ("same", "changed", "removed")}
        servers = {name: child(journal=journal) for name, journal in journals.items()}
        server = self.begin(servers)
        for name in servers:
            self.call(server, name)
        changed = {"same": servers["same"], "changed": child(journal=journals["changed"], env={"SAYS": "new"}), "added": child()}
        self.write(server, changed)
        self.wait_until(lambda: "added" in self.names(server), "the new server")
        self.assertEqual(sorted(self.names(server)), ["added", "changed", "same"])
        for name in ("changed", "removed"):
            self.wait_until(lambda n=name: journals[n].events("exit"), f"the end of {name}")
        self.assertEqual(self.call(server, "added"), "hello")
        self.call(server, "changed")
        self.call(server, "same")
        self.assertEqual([len(journal.events("started")) for journal in journals.values()], [1, 2, 1])
        server.wait_for_log("added: added; changed: changed; removed: probe, removed")
        error = self.succeed(server.typescript(TRY_TYPESCRIPT + "return await attempt(() => callMCPTool('removed', 'echo', {text: 'x'}))"))
        self.mcp_error(error.result, "unknown_server")

    def test_a_run_finishes_with_the_servers_it_began_with(self):
        journal = self.journal()
        server = self.begin({"kid": child(journal=journal)})
        asked = server.ask_tool("run-typescript-code", {"timeoutMs": 60_000, "code": """
            const before = await callMCPTool('kid', 'pid', {});
            await callMCPTool('kid', 'sleep', {ms: 2000});
            return {before, after: await callMCPTool('kid', 'pid', {})}"""})
        self.wait_until(lambda: journal.events("call", tool="sleep"), "the call in the middle")
        self.write(server, {"other": child()})
        self.wait_until(lambda: "other" in self.names(server), "the other configuration")
        self.assertEqual(journal.events("exit"), [])
        answer = self.succeed(server.tool_answer("run-typescript-code", asked, 0))
        self.assertEqual(answer.result["before"], answer.result["after"])
        self.wait_until(lambda: journal.events("exit"), "the end of the server that nobody can use any more")

    def test_a_broken_file_changes_nothing_and_is_told(self):
        server = self.begin({"kid": child()})
        for times, broken in enumerate(('{"mcpServers": {', "no JSON at all", '{"mcpServers": []}', '{"mcpServers": {"kid": {"command": 7}, "probe": {"command": 7}}}'), 1):
            with self.subTest(broken):
                self.write(server, broken)
                self.wait_until(lambda: self.health(server)["configuration"]["problems"], "a problem")
                self.assertEqual(sorted(self.names(server)), ["kid", "probe"])
                self.assertEqual(self.call(server, "kid"), "hello")
                server.wait_for(lambda n=times: server.stderr().count("stay as they were") >= n, "a word about it on stderr")
                self.write(server, {"kid": child(), "probe": child()})
                self.wait_until(lambda: not self.health(server)["configuration"]["problems"], "the end of the problem")

    def test_other_tools_are_found_after_a_change(self):
        server = self.begin({"kid": child()})
        self.call(server, "kid")
        self.write(server, {"kid": child("--tools", "3"), "probe": child()})
        server.wait_for_log("changed: kid")
        found = self.succeed(server.typescript(
            "return (await searchTools('generated tool', {server: 'kid', limit: 50})).map(tool => tool.name)")).result
        self.assertIn("mcp__kid__generated-00003", found)
        self.write(server, {"kid": child(excludeTools=["generated-*"]), "probe": child()})
        server.wait_for_log("changed: kid", 2)
        found = self.succeed(server.typescript("return (await discoverMCPTools({server: 'kid'})).map(tool => tool.name)")).result
        self.assertIn("mcp__kid__echo", found)
        self.assertEqual([name for name in found if "generated" in name], [])

    def test_a_file_in_a_folder_that_did_not_exist(self):
        server = self.begin({})
        folder = os.path.join(server.world.home, ".cursor")
        os.mkdir(folder)
        with open(os.path.join(folder, "mcp.json"), "w", encoding="utf-8") as file:
            json.dump({"mcpServers": with_mark({"late": child()}, {MARK: server.world.mark[MARK]})}, file)
        self.wait_until(lambda: "late" in self.names(server), "the server of the new file")
        self.assertEqual(self.call(server, "late"), "hello")


class Links(ReloadCase):
    """Files of servers that are kept elsewhere, as `dotfiles` are."""

    # Less than the time after which files are compared again, which would find it as well.
    WATCHED_SECONDS = 8

    def put(self, server, path, *names):
        text = json.dumps({"mcpServers": with_mark({name: child() for name in names}, {MARK: server.world.mark[MARK]})})
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def becomes(self, server, names, what, seconds=PATIENCE_SECONDS):
        wait_until(lambda: sorted(self.names(server)) == sorted(["probe", *names]), what, seconds)

    def test_a_link_in_a_folder_with_a_file_for_each_server(self):
        server = self.begin({})
        elsewhere = os.path.join(server.world.home, "dotfiles")
        link = os.path.join(server.world.home, "MCPs", "one.json")
        one, two = os.path.join(elsewhere, "one.json"), os.path.join(elsewhere, "other", "one.json")
        self.put(server, one, "v1")
        self.put(server, two, "v4")
        os.mkdir(os.path.dirname(link))
        os.symlink(one, link)
        self.becomes(server, ["v1"], "the server of a file behind a link")
        self.put(server, one, "v2")
        self.becomes(server, ["v2"], "what has been written into the file")
        self.put(server, one + ".new", "v3")
        os.rename(one + ".new", one)
        self.becomes(server, ["v3"], "the file that has replaced it")
        os.symlink(two, link + ".new")
        os.rename(link + ".new", link)
        self.becomes(server, ["v4"], "what the link leads to now")
        self.put(server, two)
        self.becomes(server, [], "the end of the server")

    def test_a_folder_behind_a_link_is_another_one(self):
        server = self.begin({})
        folders = [os.path.join(server.world.home, name) for name in ("old", "new")]
        for folder, name in zip(folders, ("v1", "v2")):
            self.put(server, os.path.join(folder, "cursor", "one.json"), name)
        os.symlink(folders[0], os.path.join(server.world.home, "way"))
        os.symlink("way/cursor/one.json", os.path.join(server.world.home, "end"))
        os.mkdir(os.path.join(server.world.home, ".cursor"))
        os.symlink("../end", os.path.join(server.world.home, ".cursor", "mcp.json"))
        self.becomes(server, ["v1"], "the server behind some links")
        os.symlink(folders[1], os.path.join(server.world.home, "way.new"))
        os.rename(os.path.join(server.world.home, "way.new"), os.path.join(server.world.home, "way"))
        self.becomes(server, ["v2"], "the server of the other folder")
        self.put(server, os.path.join(folders[1], "cursor", "one.json"), "v3")
        self.becomes(server, ["v3"], "what is written there: it is watched from then on", self.WATCHED_SECONDS)


class UnderLoad(ReloadCase):
    RELOADS = 40

    def test_no_run_is_lost(self):
        server = self.begin({"kid": child()})
        failures, done, stop = [], [0], threading.Event()

        def run():
            while not stop.is_set():
                answer = server.typescript(
                    "for (let i = 0; i < 3; ++i) await callMCPTool('kid', 'echo', {text: String(i)}); return 'done'", timeoutMs=60_000)
                done[0] += 1
                if answer.is_error or answer.result != "done":
                    failures.append(answer.text)

        load = threading.Thread(target=run)
        load.start()
        try:
            for number in range(self.RELOADS):
                self.write(server, {"kid": child(env={"NUMBER": str(number)}), f"probe{number}": child()})
                server.wait_for_log(f"added: probe{number};")
        finally:
            stop.set()
            load.join()
        self.assertEqual(failures, [])
        self.assertGreater(done[0], 0)
        self.wait_until(lambda: len([one for one in self.names(server).values() if one["status"] == "connected"]) <= 1, "the end of all but the last")
