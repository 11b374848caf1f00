"""Bills of materials: CycloneDX 1.5 JSON. The same input makes the same bytes."""

import hashlib
import json
import re
import uuid
from pathlib import Path
from urllib.parse import quote

from installation import ROOT

SPEC_VERSION = "1.5"


def sha256(file):
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def debian_package_of(target, file):
    """Name and version of the installed package that a file is of."""
    known = target.system_path(file)
    for path in (known, known.removeprefix("/usr")):
        try:
            name = target.dpkg_query("-S", path).split(":")[0]
        except Exception:
            continue
        return name, version_of(target, name)
    raise SystemExit(f"package: {file} is of no Debian package")


def version_of(target, package):
    return target.dpkg_query("-W", "-f=${Version}", package).strip()


def debian_component(target, name, version, scope="required", **more):
    purl = f"pkg:deb/debian/{name}@{quote(version, safe='')}?arch={target.debian}&distro=debian-12"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "scope": scope, "purl": purl, **more}


def npm_component(name, version, scope="required", **more):
    purl = f"pkg:npm/{name.replace('@', '%40')}@{version}"
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "scope": scope, "purl": purl, **more}


def properties(**values):
    return [{"name": f"code-executor:{name.replace('_', '-')}", "value": value} for name, value in values.items()]


def compiled_in(target):
    """Libraries of packaging/debian-packages.txt: linked into the program or its helpers, or used as headers; tests are not."""
    text = (ROOT / "packaging/debian-packages.txt").read_text(encoding="utf-8")
    section = re.search(r"^# libraries\n(.*?)^#", text, re.MULTILINE | re.DOTALL)[1]
    names = [name for name in section.split() if name != "libgtest-dev"] + ["libc6-dev", "libstdc++-12-dev"]
    return [debian_component(target, name, version_of(target, name),
                             properties=properties(part="headers, or linked from this package")) for name in names]


def bundled_component(target, name, file):
    package, version = debian_package_of(target, file)
    return debian_component(target, package, version, hashes=[{"alg": "SHA-256", "content": sha256(file)}],
                            properties=properties(part="shared library", file=name))


def bill(kind, version, components, files=()):
    """`kind`: npm, deb or image. `files`: pairs of name and path of what it contains of our own."""
    own = [{"type": "file", "bom-ref": f"file:{name}", "name": name, "hashes": [{"alg": "SHA-256", "content": sha256(path)}]}
           for name, path in sorted(files)]
    main = {"type": "application", "bom-ref": f"code-executor-{kind}", "name": "code-executor", "version": version,
            "licenses": [{"license": {"id": "MIT"}}]}
    unique = {each["bom-ref"]: each for each in components}
    parts = sorted(unique.values(), key=lambda each: each["bom-ref"]) + own
    content = {"bomFormat": "CycloneDX", "specVersion": SPEC_VERSION, "version": 1,
               "metadata": {"component": main, "properties": properties(package=kind)},
               "components": parts,
               "dependencies": [{"ref": main["bom-ref"], "dependsOn": [each["bom-ref"] for each in parts]}]}
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    return {"$schema": f"http://cyclonedx.org/schema/bom-{SPEC_VERSION}.schema.json", "serialNumber": f"urn:uuid:{serial}", **content}


def write(bill_, to):
    to.write_text(json.dumps(bill_, indent=1) + "\n", encoding="utf-8")
