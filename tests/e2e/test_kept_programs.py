"""What is started on the host out of a folder that a program may write: by us, and by clients without us."""

import json
import os
import shutil

from support.case import Case
from support.server import World


class KeptPrograms(Case):
    def setUp(self):
        super().setUp()
        self.world = World()
        self.addCleanup(self.world.remove)
        self.folder = self.world.cwd
        for folder in (self.world.root, self.folder):
            os.chmod(folder, 0o777)

    def serve(self, **settings):
        with open(os.path.join(self.world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowWrite": [self.folder]}, **settings}, file)
        return self.start(world=self.world)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def make(self, text, *parts):
        os.makedirs(os.path.dirname(self.path(*parts)), mode=0o777, exist_ok=True)
        with open(self.path(*parts), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(*parts), 0o777)
        return self.path(*parts)

    def refuse_changes(self, server, path):
        for code in (f"import os; os.remove({path!r})", f"import os; os.rename({path!r}, {path!r} + '.old')", f"open({path!r}, 'w')"):
            with self.subTest(code):
                self.refuse(server.python(code, permissions={"write": [self.folder]}))
        self.succeed(server.python(f"open({self.path('free')!r}, 'w').write('x')", permissions={"write": [self.folder]}))

    def test_the_link_by_which_an_interpreter_is_named(self):
        os.makedirs(self.path(".venv", "bin"), mode=0o777)
        os.chmod(self.path(".venv", "bin"), 0o777)
        os.symlink(os.path.realpath(shutil.which("python3", path="/usr/bin")), self.path(".venv", "bin", "python"))
        server = self.serve(executors={"python": {"pythonPath": self.path(".venv", "bin", "python")}})
        self.refuse_changes(server, self.path(".venv", "bin", "python"))
        self.refuse(server.python(f"import os; os.rename({self.path('.venv')!r}, {self.path('.old')!r})", permissions={"write": [self.folder]}))

    def test_what_links_in_folders_of_path_lead_to(self):
        links = os.path.join(self.world.home, "bin")
        os.mkdir(links)
        for name in ("bwrap", "tool"):
            program = self.path("src", name)
            os.makedirs(self.path("src"), mode=0o777, exist_ok=True)
            shutil.copy(shutil.which("bwrap"), program)
            os.symlink(program, os.path.join(links, name))
        with open(os.path.join(self.world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowWrite": [self.folder]}}, file)
        server = self.start(world=self.world, env={"PATH": links + ":" + os.environ["PATH"]})
        for name in ("bwrap", "tool"):
            self.refuse_changes(server, self.path("src", name))

    def test_the_script_that_starts_us(self):
        script = self.make("export X=1\n", "env.sh")
        self.world.configure(user={"code-executor": {"command": "sh", "args": ["-c", f". {script} && exec {os.environ['CODE_EXECUTOR']}"]}})
        self.refuse_changes(self.serve(), script)

    def test_the_script_of_an_entry_that_another_one_hides(self):
        script = self.make("x\n", "server.py")
        self.world.configure(user={"x": {"command": "python3", "args": [script]}}, explicit={"x": {"command": "true"}})
        self.refuse_changes(self.serve(), script)

    def test_the_interpreter_of_a_script(self):
        python = self.make("#!/bin/sh\n", "tools", "python")
        script = self.make(f"#!{python}\n", "tools", "server")
        self.world.configure(user={"x": {"command": script}})
        self.refuse_changes(self.serve(), python)

    def test_hooks_that_git_is_told_of(self):
        self.make("[core]\n\thooksPath = .husky/_\n", ".git", "config")
        self.make("ref: refs/heads/main\n", ".git", "HEAD")
        hook = self.make("#!/bin/sh\n", ".husky", "_", "pre-commit")
        self.refuse_changes(self.serve(), hook)

    def test_files_of_clients_that_are_links(self):
        """The folder of the client is kept in any case; what a file in it leads to lies where programs may write."""
        names = (".claude/settings.json", ".vscode/tasks.json", ".cursor/mcp.json", "mcp-servers/a.json")
        for name in names:
            self.make("{}", "cfg", name.replace("/", "-"))
            os.makedirs(self.path(os.path.dirname(name)))
            os.symlink("../cfg/" + name.replace("/", "-"), self.path(name))
        os.chmod(self.path("cfg"), 0o777)
        os.makedirs(os.path.join(self.world.home, "MCPs"))
        os.symlink(self.make("{}", "cfg", "mine.json"), os.path.join(self.world.home, "MCPs", "mine.json"))
        server = self.serve()
        for name in (*(name.replace("/", "-") for name in names), "mine.json"):
            for granted in (self.folder, self.path("cfg")):
                with self.subTest(name, granted=granted):
                    self.refuse(server.python(f"open({self.path('cfg', name)!r}, 'w')", permissions={"write": [granted]}))
        self.succeed(server.python(f"open({self.path('cfg', 'free')!r}, 'w').write('x')", permissions={"write": [self.path("cfg")]}))

    def test_files_that_entries_name_in_ways_of_their_own(self):
        of_url, of_shell = self.make("", "srv", "my url.py"), self.make("", "srv", "my srv.py")
        project = self.make("", "sub", "pyproject.toml")
        workspace = self.make('{"name": "@x/a"}', "pkgs", "a", "package.json")
        self.make("packages:\n  - '**'\n", "pnpm-workspace.yaml")
        entries = {
            "url": ({"command": "true", "args": ["--import=file://" + of_url.replace(" ", "%20")]}, of_url),
            "shell": ({"command": "sh", "args": ["-c", 'true "srv/my srv.py"&&exit 0']}, of_shell),
            "python": ({"command": "uv", "args": ["run", "--project", "sub", "x"]}, project),
            "pnpm": ({"command": "pnpm", "args": ["--filter=a", "start"]}, workspace),
        }
        self.world.configure(user={name: entry for name, (entry, _) in entries.items()})
        server = self.serve()
        for name, (_, file) in entries.items():
            with self.subTest(name):
                self.refuse_changes(server, file)

    def test_an_entry_with_more_words_than_are_looked_for(self):
        script = self.make("", "srv.py")
        self.world.configure(user={"many": {"command": "true", "args": [*(f"a{i}" for i in range(260)), script]}})
        refused = self.serve().python(f"open({script!r}, 'w')", permissions={"write": [self.folder]})
        self.assertIn("what server 'many' would start could not all be followed", refused.text)

    def test_folders_that_a_text_for_a_shell_goes_to(self):
        """As a person writes it; what a package manager, make or Python finds there is started by the next call."""
        texts = {
            "cd app && npx srv 2>>err.log | tee out.log": ("node_modules", ".bin", "srv"),
            "cd -- app || exit 1; npx srv": ("package.json",),
            '(cd "$PWD/app" && exec make -s run)': ("Makefile",),
            ". app/.venv/bin/activate && exec python s.py": (".venv", "bin", "tool"),
            "bash -c 'pushd app >/dev/null; uv run srv'": ("pyproject.toml",),
        }
        files = {text: self.make("{}", "app", *names) for text, names in texts.items()}
        self.make("", "app", ".venv", "bin", "activate")
        self.world.configure(user={f"s{i}": {"command": "bash", "args": ["-c", text]} for i, text in enumerate(texts)})
        server = self.serve()
        for text, file in files.items():
            with self.subTest(text):
                self.refuse_changes(server, file)

    def test_a_text_for_a_shell_that_can_not_be_followed(self):
        self.world.configure(user={"odd": {"command": "sh", "args": ["-c", "cd $(./where) && npx srv"]}})
        refused = self.serve().python("1", permissions={"write": [self.folder]})
        self.assertIn("what server 'odd' starts is not known", refused.text)
        self.assertIn("write it as a plain command with its arguments and 'cwd'", refused.text)

    def test_programs_that_may_build_what_is_started(self):
        texts = ("cmake --build build >&2 && exec ./build/server", "npx tsc && node dist/index.js", "codegen x && exec node dist/index.js",
                 'exec python3 \\\n  "dist/$(ls -t dist | head -1)"')
        self.world.configure(user={f"s{i}": {"command": "sh", "args": ["-c", text]} for i, text in enumerate(texts)})
        refused = self.serve().python("1", permissions={"write": [self.folder]})
        for i in range(3):
            self.assertIn(f"'s{i}'", refused.text)

    def test_what_files_of_variables_and_a_search_path_say(self):
        hook = self.make("", "lib", "sitecustomize.py")
        self.make("", "tools", "readme")
        variables = self.make(f"PYTHONPATH={self.path('lib')}\nPATH={self.path('tools')}:/usr/bin:/bin\n", "cmd.env")
        self.world.configure(user={"x": {"command": "python3", "args": ["-c", "1"], "envFile": variables}})
        server = self.serve()
        self.refuse_changes(server, hook)
        self.refuse(server.python(f"open({self.path('tools', 'python3')!r}, 'w')", permissions={"write": [self.folder]}))

    def test_where_a_text_goes_home(self):
        script = os.path.join(self.world.home, "srv", "s.py")
        os.makedirs(os.path.dirname(script), mode=0o777)
        os.chmod(os.path.dirname(script), 0o777)
        with open(script, "w", encoding="utf-8") as file:
            file.write("x")
        os.chmod(script, 0o777)
        self.world.configure(user={"x": {"command": "bash", "args": ["-c", "cd && exec python3 srv/s.py"]}})
        with open(os.path.join(self.world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowWrite": [os.path.dirname(script)]}}, file)
        os.chmod(self.world.home, 0o755)
        server = self.start(world=self.world)
        self.refuse(server.python(f"open({script!r}, 'w')", permissions={"write": [os.path.dirname(script)]}))

    def test_a_lock_of_a_package_manager(self):
        lock = self.make("{}", "package-lock.json")
        self.world.configure(user={"x": {"command": "sh", "args": ["-c", "npm ci --silent >&2 && exec node /x.js"]}})
        self.refuse_changes(self.serve(), lock)

    def test_a_variable_that_a_program_is_only_told(self):
        self.world.configure(user={"plain": {"command": "sh", "args": ["-c", "cd / && exec npx -y srv --token $TOKEN"]}})
        self.succeed(self.serve().python(f"open({self.path('free')!r}, 'w').write('x')", permissions={"write": [self.folder]}))

    def test_files_of_entries_that_only_the_client_of_a_project_starts(self):
        names = {".mcp.json": "mcpServers", ".cursor/mcp.json": "mcpServers", ".vscode/mcp.json": "servers"}
        scripts = {}
        for i, (name, key) in enumerate(names.items()):
            scripts[name] = self.make("", f"s{i}.js")
            argument = "${workspaceFolder}/" + f"s{i}.js" if "vscode" in name else f"./s{i}.js"
            self.make(json.dumps({key: {"a": {"command": "node", "args": [argument], "cwd": "."}}}), *name.split("/"))
        server = self.serve()
        for name, script in scripts.items():
            with self.subTest(name):
                self.refuse_changes(server, script)

    def test_what_a_submodule_leads_to(self):
        self.make("ref: refs/heads/main\n", ".git", "HEAD")
        self.make("[core]\n\tworktree = ../../../sub\n", ".git", "modules", "sub", "config")
        pointer = self.make("gitdir: ../.git/modules/sub\n", "sub", ".git")
        self.make('[submodule "sub"]\n\tpath = sub\n', ".gitmodules")
        self.refuse_changes(self.serve(), pointer)

    def test_a_command_of_git_that_goes_to_a_folder(self):
        self.make("ref: refs/heads/main\n", ".git", "HEAD")
        monitor = self.make("", "t", "x")
        self.make('[core]\n\tfsmonitor = cd -- t && ./x\n', ".git", "config")
        self.refuse_changes(self.serve(), monitor)
