"""``import acl`` out of the tree, as pyACL programs do it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acltwin import _core, sdk

PROGRAM = """
import acl
import acl.rt
import acl.mdl
from acl import util
assert acl.init("") == 0
assert acl.rt.set_device(0) == 0
block, ret = acl.rt.malloc(4, 0)
data = b"twin"
assert acl.rt.memcpy(block, 4, acl.util.bytes_to_ptr(data), 4, 1) == 0
back, ret = acl.rt.malloc_host(4)
assert acl.rt.memcpy(back, 4, block, 4, 2) == 0
print(util.ptr_to_bytes(back, 4).decode(), acl.rt.reset_device(0), acl.finalize())
print(*acl.library_files())
"""


def python(tree: Path, program: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ACLTWIN_")}
    command = f'. "{tree}/set_env.sh" && exec "{sys.executable}" -c "$PROGRAM"'
    return subprocess.run(
        ["bash", "-c", command], env={**environment, "PROGRAM": program}, text=True, capture_output=True
    )


@pytest.mark.parametrize("copy", [False, True])
def test_a_pyacl_program_runs(tmp_path: Path, copy: bool) -> None:
    sdk.write_tree(tmp_path, copy=copy)
    done = python(tmp_path, PROGRAM)
    library = tmp_path / "lib64" / "libacltwin.so" if copy else _core.library_path()
    assert (done.returncode, done.stdout, done.stderr) == (0, f"twin 0 0\n{library}\n", "")


@pytest.mark.parametrize("module", ["op", "blas", "prof", "media", "himpi"])
def test_what_is_not_there_says_so(tree: Path, module: str) -> None:
    done = python(tree, f"import acl; acl.init(); acl.{module}.load")
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert all(word in last for word in ("AttributeError", repr(module), "acltwin runs aclnn operators"))


def test_models_are_not_there_but_captures_are(tree: Path) -> None:
    done = python(tree, "import acl; print(dir(acl.mdl)); acl.mdl.load_from_file")
    assert "'ri_capture_begin'" in done.stdout
    assert "acltwin runs aclnn operators, not models; dir(acl.mdl)" in done.stderr.splitlines()[-1]


def test_a_python_without_acltwin_is_told(tree: Path) -> None:
    done = python(tree, "import sys; sys.modules['acltwin'] = None; import acl")
    assert done.returncode == 1
    assert "install it for this Python" in done.stderr.splitlines()[-1]
