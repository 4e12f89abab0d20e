"""Writes a wheel's bill of materials beside it, in CycloneDX's JSON format.

    python tools/sbom.py dist/acltwin-*.whl

It lists the wheel itself, its native files with their digests, the packages it needs, and the system's libraries that
the native files are linked with. Everything is read from the wheel. The same wheel gives the same document.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import uuid
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from typing import Any
from zipfile import ZipFile

Component = dict[str, Any]
NATIVE = ".so"


def digest(data: bytes) -> list[dict[str, str]]:
    return [{"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()}]


def linked_libraries(name: str, data: bytes) -> set[str]:
    """What a native file asks the system's loader for."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / Path(name).name
        file.write_bytes(data)
        listing = subprocess.run(["readelf", "-d", file], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", listing))


def needed_packages(metadata: Message) -> list[Component]:
    """The packages that pip installs along; those of extras are the user's choice and are no part of it."""
    found = []
    for requirement in metadata.get_all("Requires-Dist", []):
        name, marker = re.match(r"[\w.-]+", requirement), requirement.partition(";")[2]
        if name is not None and "extra ==" not in marker:
            package = re.sub(r"[-_.]+", "-", name[0]).lower()
            found.append({"type": "library", "bom-ref": f"pkg:pypi/{package}", "name": package, "scope": "required"})
            found[-1] |= {"purl": f"pkg:pypi/{package}", "description": f"installed along: {requirement}"}
    return found


def bill_of_materials(wheel: Path) -> dict[str, Any]:
    with ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    metadata = message_from_bytes(next(data for name, data in files.items() if name.endswith(".dist-info/METADATA")))
    name, version = metadata["Name"], metadata["Version"]
    reference = f"pkg:pypi/{name}@{version}"
    native = {name: data for name, data in files.items() if name.endswith(NATIVE)}
    inside = {Path(name).name for name in native}
    system = set().union(*(linked_libraries(name, data) for name, data in native.items())) - inside
    package = {"type": "library", "bom-ref": reference, "name": name, "version": version, "purl": reference}
    package |= {"description": metadata["Summary"], "hashes": digest(wheel.read_bytes())}
    package |= {"licenses": [{"license": {"id": metadata["License-Expression"]}}]}
    package["components"] = [
        {"type": "file", "bom-ref": name, "name": name, "hashes": digest(data)} for name, data in sorted(native.items())
    ]
    libraries = [
        {"type": "library", "bom-ref": name, "name": name, "scope": "required", "description": "the system's, linked"}
        for name in sorted(system)
    ]
    others = [*needed_packages(metadata), *libraries]
    depends = [{"ref": reference, "dependsOn": [component["bom-ref"] for component in others]}]
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, package['hashes'][0]['content'])}",
        "version": 1,
        "metadata": {"component": package},
        "components": others,
        "dependencies": [*depends, *({"ref": component["bom-ref"]} for component in others)],
    }


def main() -> None:
    for argument in sys.argv[1:]:
        wheel = Path(argument)
        file = wheel.with_suffix(".cdx.json")
        file.write_text(json.dumps(bill_of_materials(wheel), indent=2) + "\n")
        print(f"{file} lists what is in {wheel.name}")


if __name__ == "__main__":
    main()
