"""Starting the program as an ordinary user, for what root has and others have not."""

import os
import shutil
import subprocess
import unittest

from support.paths import binary
from support.server import Server, World

NOBODY = 65534


def as_nobody(*command):
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--", *command]


def require_another_user():
    """Skips unless we can become somebody else, who can run the program where it lies."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("only root can become an ordinary user; as one, every other test is this one")
    if not shutil.which("setpriv"):
        raise unittest.SkipTest("needs setpriv of util-linux")
    tried = subprocess.run(as_nobody(binary(), "--version"), capture_output=True, check=False)
    if tried.returncode != 0:
        raise unittest.SkipTest(f"nobody can not run {binary()}: {tried.stderr.decode()[-200:]}")


def world_of_nobody(**files):
    world = World().configure(**files)
    for folder, _, names in os.walk(world.root):
        for path in [folder, *(os.path.join(folder, name) for name in names)]:
            os.chown(path, NOBODY, NOBODY)
    return world


def server_of_nobody(servers=None):
    return Server(world=world_of_nobody(project=servers or {}), argv=as_nobody(binary()))
