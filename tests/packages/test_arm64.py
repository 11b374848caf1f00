"""The packages for linux-arm64, made of what packaging/arm64/build.sh cross-built; skipped where that was not done."""

import io
import json
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from support import ROOT, only, run

sys.path.insert(0, str(ROOT / "packaging/products"))

from installation import EXECUTABLES, MODULES  # noqa: E402
from target import TARGETS  # noqa: E402

TARGET = TARGETS["arm64"]
MACHINE_OFFSET, AARCH64 = 18, 183 # of an ELF header
UNPACK = 'process.stdout.write(require("zlib").brotliDecompressSync(require("fs").readFileSync(process.argv[1])))'


def is_arm64(content):
    return content[:4] == b"\x7fELF" and struct.unpack_from("<H", content, MACHINE_OFFSET)[0] == AARCH64


def files_in(tar):
    return {member.name.removeprefix("./"): tar.extractfile(member).read() for member in tar if member.isfile()}


def files_of_deb(file):
    done = subprocess.run(["dpkg-deb", "--fsys-tarfile", file], stdout=subprocess.PIPE, check=True)
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as tar:
        return files_in(tar)


def strangers(files):
    """Names of those that are programs of another machine."""
    return [name for name, content in files.items() if content[:4] == b"\x7fELF" and not is_arm64(content)]


@unittest.skipUnless((TARGET.build / "code-executor").exists(), "nothing is built for arm64: packaging/arm64/build.sh")
class Arm64(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory(prefix="arm64-")
        cls.addClassCleanup(place.cleanup)
        cls.packages = Path(place.name)
        run(sys.executable, ROOT / "packaging/products/package.py", "--arch", "arm64", "--quick", "--out", cls.packages)

    def emulated(self, *words):
        return run(TARGET.tools / "usr/bin" / TARGET.emulator, "-L", TARGET.root, *words)

    def test_npm_package(self):
        with tarfile.open(only(self.packages, "code-executor-*-arm64.tgz")) as tar, tempfile.TemporaryDirectory() as name:
            tar.extractall(name)
            package = Path(name) / "package"
            manifest = json.loads((package / "package.json").read_text(encoding="utf-8"))
            self.assertEqual((manifest["os"], manifest["cpu"]), (["linux"], ["arm64"]))
            self.assertIn('const ARCHITECTURE = "arm64"', (package / "lib/native.cjs").read_text(encoding="utf-8"))
            self.assertIn("loader=/lib/ld-linux-aarch64.so.1\n", (package / "bin/code-executor").read_text(encoding="utf-8"))
            unpacked = subprocess.run(["node", "-e", UNPACK, package / "native.tar.br"], stdout=subprocess.PIPE, check=True)
            with tarfile.open(fileobj=io.BytesIO(unpacked.stdout)) as native:
                files = files_in(native)
                native.extractall(package / "native")
            for each in (*EXECUTABLES, *MODULES):
                self.assertTrue(is_arm64(files[each]), each)
            self.assertEqual(strangers(files), [])
            program = package / "native/bin/code-executor"
            self.assertIn("code-executor", self.emulated(program, "--version"))
            used = {path.name.split(".so")[0] for path in TARGET.loaded_by(program).values() if package.resolve() not in path.parents}
            self.assertLessEqual(used, {"libc", "libm", "libpthread", "libgcc_s", "libstdc++", "ld-linux-aarch64"})

    def test_debian_package(self):
        package = only(self.packages, "code-executor_*_arm64.deb")
        self.assertEqual(run("dpkg-deb", "--field", package, "Architecture").strip(), "arm64")
        needs = run("dpkg-deb", "--field", package, "Depends")
        for name in ("libc6", "libcaf-core0.17", "libsqlite3-0", "bubblewrap", "python3"):
            self.assertIn(name, needs)
        files = files_of_deb(package)
        self.assertTrue(is_arm64(files["usr/bin/code-executor"]))
        self.assertEqual(strangers(files), [])
        self.assertIn(b"@deno/linux-arm64-glibc@", files["usr/share/doc/code-executor/README.Debian"])
        self.assertIn("arch=arm64", (self.packages / "code-executor-deb-arm64.cdx.json").read_text(encoding="utf-8"))

    def test_image(self):
        with tarfile.open(only(self.packages, "code-executor-image-arm64.tar.gz")) as tar:
            files = files_in(tar)
        self.assertTrue(is_arm64(files["deno"]))
        self.assertEqual(files["code-executor.deb"], only(self.packages, "code-executor_*_arm64.deb").read_bytes())


if __name__ == "__main__":
    unittest.main()
