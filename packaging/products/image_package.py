"""The container image, as the folder that it is built from, in one archive: `docker build - < code-executor-image.tar.gz`."""

import gzip
import json
import shutil
import tarfile
from pathlib import Path

import bill
import debian_package
import npm_package
from installation import ROOT

SOURCE = ROOT / "packaging/container"
NPM = ROOT / "packaging/npm/node_modules"
# Of the npm package `pyodide`: those that meson.build installs.
PYODIDE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip")
# Podman's default, of Debian's golang-github-containers-common. It lets programs make user namespaces, which Docker's does not.
SECCOMP = Path("/usr/share/containers/seccomp.json")
BASE = {"type": "container", "bom-ref": "debian:bookworm-slim", "name": "debian", "version": "bookworm-slim"}
COMPRESSION, QUICK_COMPRESSION = 9, 0


def seccomp_profile():
    """And what else bubblewrap does in a namespace of its own: it names the machine."""
    profile = json.loads(SECCOMP.read_text(encoding="utf-8"))
    for rule in profile["syscalls"]:
        if rule["action"] == "SCMP_ACT_ERRNO" and "sethostname" in rule["names"]:
            rule["names"].remove("sethostname")
    profile["syscalls"].append({"names": ["sethostname"], "action": "SCMP_ACT_ALLOW"})
    return json.dumps(profile, indent=1) + "\n"


def deno_of(target):
    """That of another architecture is among its tools: npm installs that of this machine."""
    return (target.tools or NPM.parent) / "node_modules" / target.deno_package / "deno"


def lay_out(target, folder, package, bill_file):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(package, folder / "code-executor.deb")
    shutil.copyfile(bill_file, folder / "sbom.cdx.json")
    (folder / "seccomp.json").write_text(seccomp_profile(), encoding="utf-8")
    shutil.copyfile(deno_of(target), folder / "deno")
    (folder / "deno").chmod(0o755)
    (folder / "pyodide").mkdir()
    for name in PYODIDE:
        shutil.copyfile(NPM / "pyodide" / name, folder / "pyodide" / name)


def plain(member):
    """Without owners and times."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def make(target, installed, work, out, version, is_quick):
    """Gives the file and the bill."""
    package, package_bill = debian_package.make(target, installed, work, out, version, is_quick)
    inside = [each for each in json.loads(package_bill.read_text(encoding="utf-8"))["components"] if each["type"] != "file"]
    npm = [bill.npm_component({"deno": target.deno_package}.get(name, name), number) for name, number in npm_package.runtimes().items()]
    files = [(package.name, package)]
    bill_file = out / f"code-executor-image{target.suffix}.cdx.json"
    bill.write(bill.bill("image", version, [BASE, *inside, *npm], files), bill_file)
    folder, file = work / "image", out / f"code-executor-image{target.suffix}.tar.gz"
    lay_out(target, folder, package, bill_file)
    level = QUICK_COMPRESSION if is_quick else COMPRESSION
    with file.open("wb") as raw, gzip.GzipFile("", "wb", level, raw, mtime=0) as packed, tarfile.open(fileobj=packed, mode="w") as tar:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                tar.add(path, str(path.relative_to(folder)), filter=plain)
    return file, bill_file
