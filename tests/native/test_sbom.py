"""The bill of materials says what is in a wheel, and what the wheel needs."""

from __future__ import annotations

import hashlib
import sys
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

import pytest

import acltwin

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from sbom import bill_of_materials


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """The native files and the metadata of the package as it is installed, as a wheel."""
    path = tmp_path / "acltwin-1.0-cp311-abi3-linux_x86_64.whl"
    with ZipFile(path, "w") as archive:
        for file in sorted(Path(acltwin.__file__).parent.glob("*.so")):
            archive.write(file, f"acltwin/{file.name}")
        archive.writestr("acltwin-1.0.dist-info/METADATA", distribution("acltwin").read_text("METADATA") or "")
    return path


def test_what_is_inside_is_listed_with_its_digest(wheel: Path) -> None:
    package = bill_of_materials(wheel)["metadata"]["component"]
    assert (package["name"], package["version"]) == ("acltwin", acltwin.__version__)
    with ZipFile(wheel) as archive:
        digests = {n: hashlib.sha256(archive.read(n)).hexdigest() for n in archive.namelist() if n.endswith(".so")}
    assert {file["name"]: file["hashes"][0]["content"] for file in package["components"]} == digests
    assert package["hashes"][0]["content"] == hashlib.sha256(wheel.read_bytes()).hexdigest()


def test_only_the_promised_packages_and_libraries_are_needed(wheel: Path) -> None:
    needed = {component["name"] for component in bill_of_materials(wheel)["components"]}
    runtimes = {name for name in needed if name.startswith(("libc.", "libm.", "libstdc++.", "libgcc_s.", "ld-linux"))}
    assert needed - runtimes == {"numpy", "ml-dtypes"}


def test_the_same_wheel_gives_the_same_document(wheel: Path) -> None:
    assert bill_of_materials(wheel) == bill_of_materials(wheel)
