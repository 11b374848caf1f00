"""The Debian package: packaging/debian/ around what `meson install` made, by debhelper. Nothing is compiled."""

import datetime
import re
import shutil
import subprocess

import bill
import npm_package
from installation import EXECUTABLES, MODULES, ROOT, output_of

SOURCE = ROOT / "packaging/debian"
CHANGELOG = """code-executor ({version}) unstable; urgency=medium

  * Release {version}.

 -- The code-executor authors <maintainers@code-executor.invalid>  {date}
"""


def last_commit_time():
    """So that the same commit makes the same bytes. Without git (a tarball of sources): 1970."""
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True, capture_output=True, check=False)
    return int(done.stdout or 0)


def lay_out(target, installed, folder, version, when):
    shutil.copytree(installed, folder / "tree")
    shutil.copytree(SOURCE, folder / "debian")
    date = datetime.datetime.fromtimestamp(when, datetime.timezone.utc).strftime("%a, %d %b %Y %H:%M:%S +0000")
    (folder / "debian/changelog").write_text(CHANGELOG.format(version=version, date=date), encoding="utf-8")
    readme = folder / "debian/code-executor.README.Debian"
    text = readme.read_text(encoding="utf-8").replace("PYODIDE", npm_package.runtimes()["pyodide"]).replace("DENO_PACKAGE", target.deno_package)
    readme.write_text(text, encoding="utf-8")
    page = folder / "debian/code-executor.1"
    page.write_text(page.read_text(encoding="utf-8").replace("VERSION", version), encoding="utf-8")


def providers(target):
    """Name -> package and version, of all that is installed here, by the names that packages have and those that they provide."""
    shown = target.dpkg_query("-W", "-f=${Package}\t${Version}\t${Provides}\n")
    installed = [line.split("\t") for line in shown.splitlines()]
    provided = {re.split(r"[ (]", each.strip())[0]: (name, version) for name, version, provides in installed for each in provides.split(",")}
    return provided | {name: (name, version) for name, version, _ in installed}


def dependencies_of(target, file):
    """Packages that it depends on, in the versions that are installed here; of alternatives the first."""
    known = providers(target)
    for each in output_of("dpkg-deb", "--field", file, "Depends").split(","):
        name, version = known[re.split(r"[ (|]", each.strip())[0]]
        yield bill.debian_component(target, name, version, properties=bill.properties(part="dependency, installed by apt"))


def make(target, installed, work, out, version, is_quick):
    """Gives the file and the bill."""
    folder, when = work / f"code-executor-{version}", last_commit_time()
    for old in work.glob("code-executor*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    lay_out(target, installed, folder, version, when)
    variables = {**target.variables, "SOURCE_DATE_EPOCH": str(when), "XZ_LEVEL": "1" if is_quick else "9"}
    done = subprocess.run(["dpkg-buildpackage", "--build=binary", "--no-sign", "--no-check-builddeps", f"--host-arch={target.debian}"], cwd=folder, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=variables)
    if done.returncode != 0:
        raise SystemExit(f"package: dpkg-buildpackage failed:\n{done.stdout}")
    name = f"code-executor_{version}_{target.debian}.deb"
    shutil.copyfile(work / name, out / name)
    components = [*dependencies_of(target, out / name), *bill.compiled_in(target)]
    files = [(f"usr/{each}", folder / "debian/code-executor/usr" / each) for each in (*EXECUTABLES, *MODULES)]
    bill_file = out / f"code-executor-deb{target.suffix}.cdx.json"
    bill.write(bill.bill("deb", version, components, files), bill_file)
    return out / name, bill_file
