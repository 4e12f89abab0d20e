"""CONTRIBUTING's recipe for a new operator, performed in a copy of the tree: two files, and every door has it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import acltwin
from support.thorough import THOROUGH

ROOT = Path(__file__).parents[2]
NAME, LIKE, C_NAME = "max_pool2d_again", "max_pool2d_with_indices", "aclnnMaxPool2dAgain"
COPIED = ("src", "native", "tools", "docs", "tests", "README.md", "pyproject.toml")

EVERY_DOOR = f"""
import dask.array as da, jax.numpy as jnp, numpy as np, torch
import acltwin, acltwin.dask, acltwin.jax, acltwin.torch
from acltwin.acl import easy

image = np.array([1, 5, 7, 3], np.float32).reshape(1, 1, 1, 4)
window = ((1, 2), (1, 2), (0, 0), (1, 1), False)


def show(results):
    print([np.asarray(result).ravel().tolist() for result in results])


show(acltwin.{NAME}(image, *window))
show(torch.ops.acltwin.{NAME}(torch.from_numpy(image), *window))
show(acltwin.jax.{NAME}(jnp.asarray(image), *window))
show(result.compute() for result in acltwin.dask.{NAME}(da.from_array(image), *window))
with easy.Device(0) as device, device.stream() as stream:
    results = [device.empty((1, 1, 1, 2), dtype) for dtype in ("float32", "int32")]
    stream.run("{NAME}", device.tensor(image), *window, *results)
    stream.synchronize()
    show(result.numpy() for result in results)
"""


def run(*words: str | Path, cwd: Path, **variables: str) -> str:
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env={**os.environ, **variables}, text=True, capture_output=True
    )
    assert done.returncode == 0, f"{words[:4]}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def built_objects() -> list[Path]:
    """The library's objects as the last build left them, without those that know every operator."""
    folders = [path.parent for path in (ROOT / "build").glob("*abi3*/build.ninja")]
    if not folders:
        pytest.skip("the library was not built in this tree, so there are no objects to link the operator to")
    newest = max(folders, key=lambda folder: (folder / "build.ninja").stat().st_mtime)
    built = set((newest / "build.ninja").read_text().split())  # older objects may lie beside those of today
    everything = [*newest.glob("CMakeFiles/core_objects.dir/**/*.o"), *newest.glob("CMakeFiles/kernels_*.dir/**/*.o")]
    return [
        path
        for path in everything
        if path.name not in ("declarations.cpp.o", "functions.cpp.o")
        and built & {str(path.relative_to(newest)), f"{path.relative_to(newest)}:"}
    ]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with the new operator, and beside it a package that has it."""
    tree = tmp_path_factory.mktemp("tree")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__", "_build", "*.so"))
        else:
            shutil.copy(source, tree / name)
    run(sys.executable, "tools/new_operator.py", NAME, "--like", LIKE, "--aclnn", C_NAME, cwd=tree)
    for generator in ("operators", "stubs", "status_pages"):
        run(sys.executable, f"tools/generate_{generator}.py", cwd=tree)
    package = tree / "package" / "acltwin"
    shutil.copytree(Path(acltwin.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(tree / "src" / "acltwin", package, dirs_exist_ok=True)
    build_library(tree, package / "libacltwin.so")
    return tree


def build_library(tree: Path, library: Path) -> None:
    """Compiles what is new and links it with the objects that are there."""
    sources = ["ops/declarations.cpp", "aclnn/functions.cpp"]
    options = ["-std=c++17", "-O1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"]
    objects = built_objects()
    for number, source in enumerate(sources):
        folders = [f"-I{tree / 'native'}", f"-I{tree / 'native' / 'include'}"]
        objects.append(tree / f"new{number}.o")
        run("g++", *options, *folders, "-c", tree / "native" / source, "-o", objects[-1], cwd=tree)
    link = [
        "-shared",
        "-Wl,-z,nodelete",
        f"-Wl,--version-script={tree / 'native' / 'exports.map'}",
        "-Wl,--no-undefined",
    ]
    run("g++", *link, "-Wl,-soname,libacltwin.so", *objects, "-o", library, "-lpthread", "-ldl", cwd=tree)


def test_two_files_are_new_and_only_generated_ones_change(tree: Path) -> None:
    def texts(root: Path) -> dict[str, bytes]:
        files = (path for name in ("src", "native", "tests") for path in (root / name).rglob("*") if path.is_file())
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in files if path.suffix != ".pyc"}

    before, after = texts(ROOT), texts(tree)
    new = {name for name in after if name not in before}
    assert {name for name in new if NAME in name and "include" not in name} == {
        f"src/acltwin/ops/{NAME}.py",
        f"src/acltwin/reference/{NAME}.py",
    }
    pages = (tree / "docs" / "operators").glob("*.md")
    assert any(f"\n### {NAME}\n" in page.read_text() for page in pages)
    changed = {name for name, text in after.items() if name in before and before[name] != text}
    assert all(b"Generated by tools/" in after[name][:300] for name in (new | changed) if NAME not in name), changed


def test_the_derived_tests_check_it(tree: Path) -> None:
    tests = ["test_rules.py", "arrays/test_forward.py", "arrays/test_layouts.py", "acl/test_rules_through_c.py"]
    tests += ["acl/test_doors_agree.py", "reference", "golden/test_cases.py"]
    if THOROUGH:
        tests += ["ops", "arrays", "acl", "robustness"]
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-k", NAME]
    words += [f"tests/{name}" for name in tests]
    done = run(*words, cwd=tree, PYTHONPATH=str(tree / "package"))
    assert "100%" in done  # and status 0: some were chosen, none failed


def test_every_door_has_it(tree: Path) -> None:
    printed = run(sys.executable, "-c", EVERY_DOOR, cwd=tree, PYTHONPATH=str(tree / "package"))
    assert printed.splitlines() == ["[[5.0, 7.0], [1, 2]]"] * 5
