"""The shared libraries that go with the program where the system may not have them, or has others of that name."""

import re
import shutil

from installation import MODULES, output_of, run

# What every system with a new enough glibc has, and must have its own of: the C library's parts, and the C++ library, which libraries that
# are loaded from the system would share with us.
OF_THE_SYSTEM = re.compile(r"^(ld-linux.*|linux-vdso|libc|libm|libpthread|libdl|librt|libstdc\+\+|libgcc_s)\.so")
# Bundled files have names of their own: a library of the system that is loaded later (curl, OpenSSL) gets the one that it was linked with.
MARK = ".code-executor"


def own_name(name):
    return name.replace(".so", f"{MARK}.so", 1)


def needed_by(file):
    return output_of("patchelf", "--print-needed", file).split()


def rename_needed(file, bundled):
    words = [word for name in needed_by(file) if name in bundled for word in ("--replace-needed", name, own_name(name))]
    if words:
        run("patchelf", *words, file)


def bundle(target, tree):
    """Copies them into lib/ of the tree, and has the program look there. Gives name -> file of the system, for the bill of materials."""
    program, folder = tree / "bin/code-executor", tree / "lib"
    bundled = {name: path for name, path in target.loaded_by(program).items() if not OF_THE_SYSTEM.match(name)}
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, path in sorted(bundled.items()):
        copy = folder / own_name(name)
        shutil.copyfile(path, copy)
        copy.chmod(0o644)
        target.strip(copy, "unneeded")
        run("patchelf", "--set-soname", own_name(name), "--set-rpath", "$ORIGIN", copy)
        rename_needed(copy, bundled)
    run("patchelf", "--set-rpath", "$ORIGIN/../lib", program)
    rename_needed(program, bundled)
    strangers = [path for path in target.loaded_by(program).values() if folder.resolve() not in path.parents and not OF_THE_SYSTEM.match(path.name)]
    if strangers:
        raise SystemExit(f"package: the program would load {strangers[0]} of the system")
    return bundled


def newest_glibc(target, tree):
    """The version of the C library that the tree needs: the newest that a symbol of it is of."""
    files = [tree / "bin/code-executor", *(tree / name for name in MODULES), *(tree / "lib").iterdir()] # the others are static
    versions = re.findall(r"GLIBC_(\d+\.\d+)", "".join(target.symbols(file) for file in files))
    return max(versions, key=lambda version: tuple(map(int, version.split("."))))
