"""The npm package: packaging/npm-package/ and the program in native.tar.br, which is put together by `npm pack`."""

import json
import re
import shutil
import subprocess
import tarfile

import bill
import shared_libraries
from installation import EXECUTABLES, ROOT, output_of, run

SOURCE = ROOT / "packaging/npm-package"
# The bar of a release, whose archive is packed as tightly as it goes, which takes two minutes.
BYTES_MAX = 8_000_000
QUALITY, QUICK_QUALITY = 11, 5
COMPRESS = """
const fs = require("fs"), zlib = require("zlib"), [from, to, quality] = process.argv.slice(1);
const bytes = fs.readFileSync(from), { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
const params = { [BROTLI_PARAM_QUALITY]: Number(quality), [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
fs.writeFileSync(to, zlib.brotliCompressSync(bytes, { params }));
"""


def runtimes():
    """Deno and Pyodide in the versions that the tests run with: those of the lockfile."""
    locked = json.loads((ROOT / "packaging/npm/package-lock.json").read_text(encoding="utf-8"))["packages"]
    return {"deno": locked["node_modules/@deno/linux-x64-glibc"]["version"], "pyodide": locked["node_modules/pyodide"]["version"]}


def add_licenses(target, tree, bundled):
    """Of what is bundled: Debian's copyright files."""
    for package in sorted({bill.debian_package_of(target, file)[0] for file in bundled.values()}):
        to = tree / f"share/doc/{package}"
        to.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(target.root / f"usr/share/doc/{package}/copyright", to / "copyright")


def write_tar(tree, to):
    """Regular files in a fixed order, without owners and times: lib/native.cjs reads no others. Those that resemble each other are neighbours."""
    files = sorted((path for path in tree.rglob("*") if path.is_file()), key=lambda path: (path.suffix, str(path)))
    with tarfile.open(to, "w", format=tarfile.USTAR_FORMAT) as tar:
        for path in files:
            member = tarfile.TarInfo(str(path.relative_to(tree)))
            member.size, member.mode = path.stat().st_size, 0o755 if member.name in EXECUTABLES else 0o644
            with path.open("rb") as content:
                tar.addfile(member, content)


def compressed(tar, cache, quality):
    """Kept by the digest of what went in: the same program is not packed twice."""
    kept = cache / f"{bill.sha256(tar)[:20]}-{quality}.br"
    if not kept.exists():
        cache.mkdir(parents=True, exist_ok=True)
        run("node", "-e", COMPRESS, tar, kept.with_suffix(".tmp"), quality)
        kept.with_suffix(".tmp").rename(kept)
    return kept


def put(target, folder, glibc, build):
    """What the launcher and the library must know of the program."""
    launcher = {r"(?m)^needed=.*$": f"needed={glibc}", r"(?m)^build=.*$": f"build={build}", r"(?m)^loader=.*$": f"loader={target.loader}"}
    constants = {"GLIBC_NEEDED": glibc, "BUILD": build, "ARCHITECTURE": target.npm, "MACHINE": target.words}
    library = {f'const {name} = ".*"': f'const {name} = "{value}"' for name, value in constants.items()}
    for name, changes in {"bin/code-executor": launcher, "lib/native.cjs": library}.items():
        text = (folder / name).read_text(encoding="utf-8")
        for pattern, line in changes.items():
            text, count = re.subn(pattern, line, text)
            assert count == 1, (name, pattern)
        (folder / name).write_text(text, encoding="utf-8")


def write_manifest(target, folder, version):
    manifest = json.loads((SOURCE / "package.json").read_text(encoding="utf-8"))
    manifest["version"], manifest["cpu"], manifest["dependencies"] = version, [target.npm], runtimes()
    del manifest["private"] # the folder without the program is not to be published
    (folder / "package.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def write_bill(target, folder, tree, bundled, version):
    components = [bill.bundled_component(target, name, file) for name, file in bundled.items()] + bill.compiled_in(target)
    components += [bill.npm_component(name, number, properties=bill.properties(part="dependency, installed by npm")) for name, number in runtimes().items()]
    files = [(name, tree / name) for name in EXECUTABLES]
    bill.write(bill.bill("npm", version, components, files), folder / "sbom.cdx.json")


def make(target, installed, work, out, version, is_quick):
    """Gives the file and the bill."""
    tree, folder = work / "npm-tree", work / "npm"
    for old in (tree, folder):
        shutil.rmtree(old, ignore_errors=True)
    shutil.copytree(installed, tree)
    bundled = shared_libraries.bundle(target, tree)
    add_licenses(target, tree, bundled)
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("node_modules", "native", "native.tar.br", "*.tgz"))
    shutil.copyfile(ROOT / "LICENSE", folder / "LICENSE")
    write_tar(tree, work / "native.tar")
    shutil.copyfile(compressed(work / "native.tar", work / "compressed", QUICK_QUALITY if is_quick else QUALITY), folder / "native.tar.br")
    put(target, folder, shared_libraries.newest_glibc(target, tree), bill.sha256(work / "native.tar")[:16])
    write_manifest(target, folder, version)
    write_bill(target, folder, tree, bundled, version)
    packed = output_of("npm", "pack", "--json", "--ignore-scripts", "--pack-destination", work, cwd=folder, stderr=subprocess.DEVNULL)
    file = out / f"code-executor-{version}{target.suffix}.tgz"
    (work / json.loads(packed)[0]["filename"]).rename(file)
    if not is_quick and file.stat().st_size > BYTES_MAX:
        raise SystemExit(f"package: {file.name} has {file.stat().st_size} bytes, over the bar of {BYTES_MAX}")
    bill_file = out / f"code-executor-npm{target.suffix}.cdx.json"
    shutil.copyfile(folder / "sbom.cdx.json", bill_file)
    return file, bill_file
