"""One process, one runtime: Python and C code share the package's library, and a second copy of it says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acltwin import sdk

# What a Python program does that takes its memory from acl and its operators from a C library.
MIXED = """
import ctypes, os, sys
from acltwin import acl
lib = ctypes.CDLL(os.path.join(sys.argv[1], "lib64", "libopapi.so"))
lib.aclCreateTensor.restype = lib.aclCreateIntArray.restype = lib.aclCreateScalar.restype = ctypes.c_void_p
lib.aclGetRecentErrMsg.restype = ctypes.c_char_p

def message():
    return (lib.aclGetRecentErrMsg() or b"").decode()

def start():
    assert acl.init() == 0
    assert acl.rt.set_device(0) == 0
    block, ret = acl.rt.malloc(64, 0)
    assert ret == 0
    return block

def describe(block):
    dims = (ctypes.c_int64 * 1)(4)
    return lib.aclCreateTensor(dims, ctypes.c_uint64(1), 0, None, ctypes.c_int64(0), 2, dims, ctypes.c_uint64(1),
                               ctypes.c_void_p(block))
"""
ONE = (
    MIXED
    + """
tensor = describe(start())
print(acl.get_view_shape(tensor), acl.destroy_tensor(tensor), lib.aclInit(None), lib.aclrtSetDevice(0))
"""
)
TWO = (
    MIXED
    + """
block = start()
assert lib.aclInit(None) == 200006
print(message())
value = ctypes.byref(ctypes.c_int64(1))
for call in (lambda: lib.aclrtSetDevice(0), lambda: lib.aclrtCreateContext(value, 0), lambda: describe(block),
             lambda: lib.aclCreateIntArray(value, ctypes.c_uint64(1)), lambda: lib.aclCreateScalar(value, 9)):
    assert call() in (200006, None)
    assert "rule one_runtime" in message()
assert lib.aclrtFree(ctypes.c_void_p(block)) == 107002
assert "two copies of acltwin" in message()
pid = os.fork()
if pid == 0:
    os._exit(0 if lib.aclInit(None) == 200006 and acl.rt.free(block) == 0 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
assert acl.rt.free(block) == 0
"""
)
SECOND_FIRST = (
    MIXED
    + """
assert lib.aclInit(None) == 0
print(acl.init(), acl.get_recent_err_msg())
"""
)


def python(program: str, tree: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ACLTWIN_")}
    return subprocess.run(
        [sys.executable, "-c", program, tree], env=environment | variables, text=True, capture_output=True
    )


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("copied")
    sdk.write_tree(directory, copy=True)
    return directory


def test_a_tree_shares_the_runtime_of_the_package(tree: Path) -> None:
    done = python(ONE, tree)
    assert (done.returncode, done.stdout, done.stderr) == (0, "([4], 0) 0 100002 0\n", "")


def test_a_copy_refuses_to_be_the_second_runtime_and_names_both_files(copied: Path) -> None:
    done = python(TWO, copied)
    assert done.returncode == 0, done.stderr
    own = str(sdk.installed_tree().libraries / "libacltwin.so")
    for text in (done.stdout, done.stderr):
        assert all(word in text for word in (own, f"{copied}/lib64/", "without --copy", "ACLTWIN_LIBRARY"))
    (line,) = done.stderr.splitlines()
    assert line.startswith("acltwin: this process has two copies")


def test_whoever_comes_second_is_told(copied: Path) -> None:
    done = python(SECOND_FIRST, copied)
    assert done.stdout.startswith("200006 AclNN_Runtime_Error(EZ9903): aclInit: this process has two copies")
    assert len(done.stderr.splitlines()) == 1


def test_a_copy_that_the_user_chose_is_the_one_runtime(copied: Path) -> None:
    done = python(ONE, copied, ACLTWIN_LIBRARY=str(copied))
    assert (done.returncode, done.stdout, done.stderr) == (0, "([4], 0) 0 100002 0\n", "")


def test_a_copy_beside_the_array_functions_is_no_second_runtime(copied: Path) -> None:
    done = python(f"import acltwin{MIXED}\nprint(lib.aclInit(None), lib.aclrtSetDevice(0))", copied)
    assert (done.stdout, done.stderr) == ("0 0\n", "")


def test_the_package_keeps_its_own_library_whatever_the_loaders_path_names(tmp_path: Path) -> None:
    """A sourced set_env.sh may be that of a tree that another release wrote."""
    (tmp_path / "libacltwin.so").write_text("of another release")
    done = python("from acltwin import _core; print(_core.library_path())", tmp_path, LD_LIBRARY_PATH=str(tmp_path))
    assert (done.stdout, done.stderr) == (f"{sdk.installed_tree().libraries / 'libacltwin.so'}\n", "")
