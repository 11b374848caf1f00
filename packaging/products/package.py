#!/usr/bin/env python3
"""Makes the packages of a release build and prints their sizes.

    package.py [--arch arm64] [--build FOLDER] [--out FOLDER] [--quick] [npm] [deb] [image]     without a name: all

FOLDER is build/ and build/packages/, or build-arm64/ and build-arm64/packages/ (packaging/arm64/build.sh makes that build). --quick: the npm package is compressed less, in seconds and not minutes; for tests.
Each has a bill of materials (CycloneDX) beside it. The image is a folder to build from, because building it needs a base image.
"""

import argparse
import time
from pathlib import Path

import debian_package
import image_package
import installation
import npm_package
from target import TARGETS

MAKERS = {"npm": npm_package.make, "deb": debian_package.make, "image": image_package.make}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="npm|deb|image")
    parser.add_argument("--arch", choices=TARGETS, default="x64")
    parser.add_argument("--build", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    for kind in given.kinds:
        if kind not in MAKERS:
            parser.error(f"there is no package '{kind}'; there are {', '.join(MAKERS)}")
    return given


def main():
    given = arguments()
    target = TARGETS[given.arch]
    build = (given.build or target.build).resolve()
    out = (given.out or build / "packages").resolve()
    work = out / "work"
    work.mkdir(parents=True, exist_ok=True)
    version = installation.version_of(build)
    installed = installation.install(target, build, work / "installed")
    print(f"{'package':8} {'bytes':>12} {'s':>6}  file and bill of materials")
    for kind in given.kinds or MAKERS:
        begin = time.monotonic()
        file, bill = MAKERS[kind](target, installed, work, out, version, given.quick)
        print(f"{kind:8} {file.stat().st_size:12,} {time.monotonic() - begin:6.1f}  {file}, {bill.name}", flush=True)


main()
