"""The machines that there are packages for: that of x86-64, which they are made on, and linux-arm64, for which packaging/arm64/ has the libraries and tools."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from installation import ROOT, output_of

ARM64 = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "code-executor-arm64"


@dataclass(frozen=True)
class Target:
    debian: str          # Debian's name of the architecture, ...
    npm: str             # ... Node's, ...
    words: str           # ... and that for people
    loader: str          # of programs, in any distribution
    build: Path          # the folder of the release build
    suffix: str = ""     # of the files' names: that of x86-64 has none
    root: Path = Path("/")     # where its libraries are, and dpkg's database of them
    tools: Path | None = None  # a folder of programs that know it; none: this machine's own
    prefix: str = ""           # of the names of binutils there
    emulator: str = ""         # the program there that runs one of its programs

    @property
    def deno_package(self):
        return f"@deno/linux-{self.npm}-glibc"

    @property
    def is_cross(self):
        return self.tools is not None

    @property
    def variables(self):
        """Of every program that is started for it: its tools are found first."""
        if not self.is_cross:
            return dict(os.environ)
        return {**os.environ, "PATH": f"{ROOT / 'packaging/arm64/bin'}:{self.tools / 'usr/bin'}:{os.environ['PATH']}",
                "LD_LIBRARY_PATH": str(self.tools / "usr/lib/x86_64-linux-gnu"), "CODE_EXECUTOR_SYSROOT": str(self.root)}

    def output_of(self, *command):
        return output_of(*command, env=self.variables)

    def strip(self, file, what):
        self.output_of(f"{self.prefix}strip", f"--strip-{what}", file)

    def symbols(self, file):
        return self.output_of(f"{self.prefix}objdump", "-T", file)

    def dpkg_query(self, *arguments):
        return output_of("dpkg-query", f"--admindir={self.root / 'var/lib/dpkg'}", *arguments)

    def loaded_by(self, program):
        """Name -> file, of all that the loader would load: also what libraries need."""
        if self.is_cross:
            shown = self.output_of(self.emulator, "-L", self.root, f"{self.root}{self.loader}", "--list", program)
        else:
            shown = output_of("ldd", program)
        return {name: self.file(path) for name, path in re.findall(r"^\s*(\S+) => (/\S+)", shown, re.MULTILINE)}

    def file(self, path):
        """Where a file is that its loader calls `path`."""
        inside = self.root / path.lstrip("/")
        return (inside if inside.exists() else Path(path)).resolve()

    def system_path(self, file):
        """What the file is called on such a machine."""
        return f"/{file.relative_to(self.root)}" if self.is_cross else str(file)


TARGETS = {
    "x64": Target("amd64", "x64", "Linux on x86-64", "/lib64/ld-linux-x86-64.so.2", ROOT / "build"),
    "arm64": Target("arm64", "arm64", "Linux on arm64", "/lib/ld-linux-aarch64.so.1", ROOT / "build-arm64", "-arm64", ARM64 / "sysroot", ARM64 / "tools",
                    "aarch64-linux-gnu-", "qemu-aarch64-static"),
}
