"""Podman or docker, and an image with this machine's own Python, so that nothing is downloaded."""

import functools
import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile

TOOL = os.environ.get("E2E_CONTAINER_TOOL") or "podman"
REPOSITORY = "localhost/code-executor-e2e"
# That of the system: others have their libraries in places of their own.
PYTHON = "/usr/bin/python3"
# Installed in the image only.
IMAGE_PACKAGE = "image_package"
SKIPPED_FOLDERS = re.compile(r"/(test|tests|idlelib|lib2to3|ensurepip|turtledemo|tkinter|config-[^/]*)$")
# A server of a test has a home of its own; images are in that of the user.
USER_FOLDERS = {"XDG_DATA_HOME": ".local/share", "XDG_CONFIG_HOME": ".config", "XDG_RUNTIME_DIR": None,
                "CONTAINERS_CONF": None, "CONTAINERS_STORAGE_CONF": None, "DOCKER_HOST": None}


def environment():
    """What a server needs to find the images."""
    home = os.path.expanduser("~")
    found = {name: os.environ.get(name) or (folder and os.path.join(home, folder)) for name, folder in USER_FOLDERS.items()}
    return {name: value for name, value in found.items() if value}


def attempt(*arguments):
    """A command of the engine, done."""
    return subprocess.run([TOOL, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment()}, cwd="/", check=False)


def run(*arguments):
    """The output of a command of the engine, which must succeed."""
    done = attempt(*arguments)
    if done.returncode != 0:
        raise AssertionError(f"{TOOL} {' '.join(arguments)}: {done.stderr[-1000:]}")
    return done.stdout


def ours(owner=""):
    """Names of all containers of servers like ours that exist, running or not."""
    listed = run("ps", "--all", "--filter", f"label=code-executor.owner{owner and '=' + owner}", "--format", "{{.Names}}")
    return listed.split()


def of_server(server):
    """Names of the containers of one server."""
    return [name for name in ours() if name.startswith(f"code-executor-{server.process.pid}-")]


# ---- the image


def _libraries(program):
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"(/\S+) \(0x", listed))


def _add_entry(tar, name, kind, **fields):
    entry = tarfile.TarInfo(name)
    entry.type = kind
    for field, value in {"mode": 0o755, **fields}.items():
        setattr(entry, field, value)
    tar.addfile(entry)


def _without_tests(entry):
    return None if SKIPPED_FOLDERS.search(entry.name) else entry


def _write_root(path):
    python = os.path.realpath(PYTHON)
    library = os.path.join(os.path.dirname(os.path.dirname(python)), "lib", os.path.basename(python))
    extensions = os.path.join(library, "lib-dynload")
    shell = os.path.realpath("/bin/sh")
    programs = [python, shell, *(os.path.join(extensions, name) for name in os.listdir(extensions))]
    with tarfile.open(path, "w") as tar:
        for folder in ("usr", "usr/bin", "usr/lib", "etc", "proc", "sys", "dev", "run"):
            _add_entry(tar, folder, tarfile.DIRTYPE)
        _add_entry(tar, "tmp", tarfile.DIRTYPE, mode=0o1777)
        for link in ("bin", "lib", "lib64"):
            _add_entry(tar, link, tarfile.SYMTYPE, linkname=f"usr/{link}")
        tar.dereference = True
        tar.add(python, "usr/bin/python3")
        tar.add(shell, "usr/bin/sh")
        tar.add(library, f"usr/lib/{os.path.basename(python)}", filter=_without_tests)
        for file in sorted(set().union(*map(_libraries, programs))):
            tar.add(file, (file if file.startswith("/usr") else f"/usr{file}").lstrip("/"))
        with tempfile.NamedTemporaryFile("w", suffix=".py") as package:
            package.write("where = 'image'\n")
            package.flush()
            os.chmod(package.name, 0o644)
            for folder in ("usr/lib/python3/dist-packages", f"usr/lib/{os.path.basename(python)}/site-packages"):
                tar.add(package.name, f"{folder}/{IMAGE_PACKAGE}.py")


@functools.lru_cache(maxsize=None)
def image():
    """Name of the image; made once per Python and version of this file."""
    with open(__file__, "rb") as file:
        digest = hashlib.sha256(file.read() + os.path.realpath(PYTHON).encode()).hexdigest()[:12]
    name = f"{REPOSITORY}:{digest}"
    if attempt("image", "inspect", name).returncode != 0:
        for old in run("images", "--format", "{{.Repository}}:{{.Tag}}", REPOSITORY).split():
            attempt("rmi", "--force", old)
        with tempfile.TemporaryDirectory() as folder:
            root = os.path.join(folder, "root.tar")
            _write_root(root)
            run("import", root, name)
    return name


@functools.lru_cache(maxsize=None)
def problem():
    """Why containers can not be tested here, found out by starting one; empty: they can."""
    if not shutil.which(TOOL):
        return f"{TOOL} is not installed"
    if not os.path.exists(PYTHON):
        return f"there is no {PYTHON} to make an image of"
    try:
        name, errors = image(), []
        for runtime in ([], ["--runtime", "runc"], ["--runtime", "crun"]):
            started = attempt("run", *runtime, "--rm", "--network", "none", "--ulimit", "nofile=256:256", "--ulimit", "nproc=128:128",
                              name, "python3", "-c", "print('started')")
            if started.stdout == "started\n":
                return ""
            errors.append(started.stderr.strip().rpartition("\n")[2])
        return f"{TOOL} starts no container: {'; '.join(errors)}"
    except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
        return f"{TOOL} does not work: {error}"
