"""A box whose bubblewrap is killed while it is made, or soon after: its program ends with it, or never begins, and what no program may write
stays out of its reach."""

import json
import os
import shutil
import time
import unittest

from support.server import Server, WITHOUT_PATTERN_CHECK
from support.users import as_nobody, NOBODY, require_another_user, world_of_nobody
from support.paths import binary

# Bubblewrap as it is without the word by which its child dies with it, killed some milliseconds after that child has become guest-init.
KILLED_EARLY = """#!/bin/bash
words=()
for word in "$@"; do [ "$word" = --die-with-parent ] || words+=("$word"); done
if [ -e {flag} ]; then
  ( (
    for ((i = 0; i < 100000; i++)); do
      read -r child </proc/$$/task/$$/children  # has no end of a line, so this fails
      read -r name </proc/$child/comm
      [ "$name" != guest-init ] || break
    done 2>/dev/null
    sleep 0.00$((RANDOM % 10))
    kill -9 $$
  ) & )
fi
exec {bubblewrap} "${{words[@]}}"
"""
PROGRAM = """
import os, time
open({project!r} + "/ran", "w").close()
end = time.time() + 2
while time.time() < end:
    try:
        open({project!r} + "/evil", "w").close()
        os.makedirs({project!r} + "/.cursor", exist_ok=True)
        os.rename({project!r} + "/evil", {project!r} + "/.cursor/mcp.json")
    except OSError:
        time.sleep(0.001)
"""
RUNS = 10
ORPHAN_SECONDS = 3
A_MOMENT = 0.5


class LostBoxes(unittest.TestCase):
    def test_no_program_goes_on_in_them(self):
        require_another_user()
        world = world_of_nobody(project={})
        self.addCleanup(world.remove)
        tools, project = os.path.join(world.root, "tools"), world.cwd
        flag = os.path.join(tools, "killed")
        os.makedirs(tools)
        with open(os.path.join(tools, "bwrap"), "w", encoding="utf-8") as file:
            file.write(KILLED_EARLY.format(flag=flag, bubblewrap=shutil.which("bwrap")))
        os.chmod(file.name, 0o755)
        with open(os.path.join(world.home, ".code-executor.json"), "w", encoding="utf-8") as file:
            json.dump({"security": {"allowWrite": [project]}}, file)
        os.chown(file.name, NOBODY, NOBODY)
        server = Server(world=world, argv=as_nobody(binary()),
                        env={**WITHOUT_PATTERN_CHECK, "PATH": tools + os.pathsep + os.environ["PATH"]})
        self.addCleanup(server.stop)
        code, granted = PROGRAM.format(project=project), {"permissions": {"write": [project]}, "timeoutMs": 10_000}
        self.assertFalse(server.python(code, **granted).is_error)
        for name in ("ran", "evil"):
            os.remove(os.path.join(project, name))
        open(flag, "w", encoding="utf-8").close()
        for _ in range(RUNS):
            self.assertTrue(server.python(code, **granted).is_error)
        answered = time.time()
        time.sleep(ORPHAN_SECONDS)  # nothing tells of what should not be there
        self.assertFalse(os.path.exists(os.path.join(project, ".cursor")), "made by a program, where a placeholder was")
        for name in {"ran", "evil"} & set(os.listdir(project)):  # of a box that lived long enough
            self.assertLess(os.stat(os.path.join(project, name)).st_mtime, answered + A_MOMENT, f"{name}: a program went on")


if __name__ == "__main__":
    unittest.main()
