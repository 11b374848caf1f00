"""A small Debian 12 to install into, made with mmdebstrap from Debian's packages, and commands in it."""

import contextlib
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from support import run
from runner.places import REMEMBERED # where `support` has made it be found

ORDINARY_USER = 1000
RELEASE = "bookworm"
MAKE_SECONDS_MAX = 600
# Then it is made anew, of the packages that Debian has by then.
DAYS = 30


def problem():
    """Why it can not be had; empty: it can."""
    if os.geteuid() != 0:
        return "only root can make a root file system here"
    missing = [name for name in ("mmdebstrap", "unshare", "dpkg-deb") if not shutil.which(name)]
    return f"{missing[0]} is not installed" if missing else ""


def archive(packages):
    """A tar of it, kept for the next time: it takes a minute to make, and has no package of ours."""
    names = ",".join(sorted(packages))
    kept = REMEMBERED / f"rootfs-{RELEASE}-{hashlib.sha256(names.encode()).hexdigest()[:12]}.tar"
    for old in REMEMBERED.glob("rootfs-*.tar"):
        if time.time() - old.stat().st_mtime > DAYS * 24 * 3600:
            old.unlink()
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        begun = kept.with_suffix(f".{os.getpid()}.tar")
        done = subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", f"--include={names}", RELEASE, str(begun)],
                              text=True, capture_output=True, timeout=MAKE_SECONDS_MAX, check=False)
        assert done.returncode == 0, done.stderr[-3000:]
        begun.rename(kept)
    return kept


# The root of a mount namespace, as a machine has it: in a chroot no user namespace can be made, nor where something covers a part of /proc.
ENTER = """
cd "$1"; shift
mount --bind . . && cd "$PWD"
mount -t proc proc proc && mount --rbind /dev dev
while [ "$1" != -- ]; do touch ".$2" 2>/dev/null || mkdir ".$2"; mount --bind "$1" ".$2"; shift 2; done
shift
pivot_root . mnt && umount -l /mnt
exec "$@"
"""


class Root:
    def __init__(self, folder):
        self.folder = folder

    def command(self, *words, user=0, binds=(), env=None):
        """`binds`: pairs of a place here and there."""
        home = "/root" if user == 0 else "/home/user"
        variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin", "HOME": home, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        settings = [f"{name}={value}" for name, value in {**variables, **(env or {})}.items()]
        who = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all", "--no-new-privs"] if user else []
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", ENTER, "enter", str(self.folder),
                *[str(word) for pair in binds for word in pair], "--", "env", "-i", "-C", home, *settings, *who, *words]

    def run(self, *words, **options):
        return run(*self.command(*words, **options))

    def files(self):
        """All of them, but those in which dpkg and apt keep what they know, and those of a running system."""
        others = [word for folder in ("var/lib/dpkg", "var/log", "var/cache", "run") for word in ("-not", "-path", f"./{folder}/*")]
        found = run("find", ".", "-xdev", *others, cwd=self.folder)
        return set(found.splitlines())


@contextlib.contextmanager
def unpacked(packages):
    with tempfile.TemporaryDirectory(prefix="rootfs-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        run("tar", "xpf", archive(packages), "-C", folder)
        home = folder / "home/user"
        home.mkdir(parents=True)
        os.chown(home, ORDINARY_USER, ORDINARY_USER)
        yield Root(folder)
