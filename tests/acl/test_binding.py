"""The Python binding: pyACL's convention, helpers for host data, and the choice of the library."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from acltwin import _core, acl, sdk
from acltwin.acl import constants
from acltwin.ops import INTERFACES, OPERATORS
from support.acl_door import Door
from support.sdk_tree import ROOT

HEADERS = "".join(path.read_text() for path in (ROOT / "native" / "include").rglob("*.h"))


def python(program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ACLTWIN_", "ASCEND_"))}
    return subprocess.run(
        [sys.executable, "-c", program], env={**environment, **variables}, text=True, capture_output=True
    )


def test_values_come_before_the_status() -> None:
    assert acl.rt.get_device_count() == (1, 0)
    assert acl.rt.get_run_mode() == (constants.ACL_HOST, 0)
    assert acl.rt.set_device(0) == 0
    stream, ret = acl.rt.create_stream()
    assert (stream > 0, ret) == (True, 0)
    event, ret = acl.rt.create_event()
    assert ret == 0
    assert acl.rt.record_event(event, stream) == 0
    assert acl.rt.stream_wait_event(stream, event) == 0
    assert acl.rt.synchronize_event(event) == 0
    assert acl.rt.query_event_status(event) == (1, 0)
    assert acl.rt.event_elapsed_time(event, event) == (0.0, 0)
    assert acl.rt.synchronize_stream_with_timeout(stream, 1000) == 0
    assert acl.rt.stream_query(stream) == (0, 0)
    assert acl.rt.ctx_set_sys_param_opt(constants.ACL_OPT_DETERMINISTIC, 1) == 0
    assert acl.rt.ctx_get_sys_param_opt(constants.ACL_OPT_DETERMINISTIC) == (1, 0)
    context, ret = acl.rt.get_context()
    assert acl.rt.set_context(context) == 0
    free, total, ret = acl.rt.get_mem_info(constants.ACL_HBM_MEM)
    assert (0 < free <= total, ret) == (True, 0)
    assert acl.rt.destroy_event(event) == 0
    assert acl.rt.destroy_stream(stream) == 0
    assert acl.rt.reset_device(0) == 0


def test_nothing_raises() -> None:
    assert acl.rt.malloc(64, 0) == (0, 107002)
    assert "aclrtSetDevice" in acl.get_recent_err_msg()
    assert acl.rt.destroy_stream(0) == 100000
    assert acl.create_tensor((1,) * 2000, 0, None, 0, 2, (1,), 0) == 0
    assert acl.get_view_shape(12345) == ([], 161002)
    assert acl.get_recent_err_msg() != ""
    assert acl.get_recent_err_msg() == ""


def test_host_data() -> None:
    data = b"some bytes"
    assert acl.util.ptr_to_bytes(acl.util.bytes_to_ptr(data), len(data)) == data
    assert acl.util.ptr_to_bytes(0, 8) == b""
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    seen = acl.util.ptr_to_numpy(acl.util.numpy_to_ptr(array), (2, 3), np.dtype(np.float32).num)
    assert np.array_equal(seen, array)
    array[1, 1] = 77
    assert seen[1, 1] == 77  # no copy
    assert acl.util.ptr_to_numpy(0, (0, 3), np.dtype(np.int64).num).shape == (0, 3)


def test_memory_round_trip() -> None:
    assert acl.rt.set_device(0) == 0
    array, back = np.arange(100, dtype=np.int16), np.zeros(100, np.int16)
    block, ret = acl.rt.malloc(array.nbytes, 0)
    assert ret == 0
    assert acl.rt.memcpy(block, 200, array.ctypes.data, 200, 1) == 0
    assert acl.rt.memcpy_async(back.ctypes.data, 200, block, 200, 2, 0) == 0
    assert acl.rt.synchronize_stream(0) == 0
    assert np.array_equal(array, back)
    assert acl.rt.memset(block, 200, 0, 100) == 0
    assert acl.rt.memset_async(block, 200, 255, 2, 0) == 0
    assert acl.rt.synchronize_device() == 0
    assert acl.rt.memcpy_2d(back.ctypes.data, 20, block, 20, 20, 10, 2) == 0
    assert back[:3].tolist() == [-1, 0, 0]
    assert acl.rt.free(block) == 0
    pinned, ret = acl.rt.malloc_host(16)
    assert ret == 0
    assert acl.rt.free_host(pinned) == 0
    assert acl.rt.reset_device(0) == 0


def test_tensors_describe_what_they_were_given() -> None:
    tensor = acl.create_tensor((2, 3), constants.ACL_INT32, (1, 2), 4, constants.ACL_FORMAT_NCDHW, (50,), 64)
    assert acl.get_view_shape(tensor) == ([2, 3], 0)
    assert acl.get_view_strides(tensor) == ([1, 2], 0)
    assert acl.get_storage_shape(tensor) == ([50], 0)
    assert acl.get_view_offset(tensor) == (4, 0)
    assert acl.get_data_type(tensor) == (constants.ACL_INT32, 0)
    assert acl.get_format(tensor) == (constants.ACL_FORMAT_NCDHW, 0)
    assert acl.get_raw_tensor_addr(tensor) == (64, 0)
    assert acl.set_raw_tensor_addr(tensor, 128) == 0
    assert acl.get_raw_tensor_addr(tensor) == (128, 0)
    assert acl.init_tensor(tensor, (4,), constants.ACL_FLOAT, None, 0, constants.ACL_FORMAT_ND, (), 0) == 0
    assert acl.get_view_shape(tensor) == ([4], 0)
    assert acl.get_view_strides(tensor) == ([1], 0)
    assert acl.get_storage_shape(tensor) == ([50], 0)
    assert acl.get_data_type(tensor) == (constants.ACL_FLOAT, 0)
    assert acl.get_raw_tensor_addr(tensor) == (128, 0)
    assert acl.init_tensor(0, (4,), constants.ACL_FLOAT, None, 0, constants.ACL_FORMAT_ND, (), 0) == 161001
    assert acl.destroy_tensor_list(acl.create_tensor_list((tensor,))) == 0
    assert acl.destroy_tensor(tensor) == 161002
    for create, destroy, values in (
        (acl.create_int_array, acl.destroy_int_array, (1, 2)),
        (acl.create_float_array, acl.destroy_float_array, (1.5,)),
        (acl.create_bool_array, acl.destroy_bool_array, (True, False)),
    ):
        array = create(values)
        assert array
        assert destroy(array) == 0
    array = acl.create_int_array(())
    assert acl.get_int_array_size(array) == (0, 0)
    assert acl.destroy_int_array(array) == 0


def test_repeatable_executors(door: Door) -> None:
    spec = OPERATORS["max_unpool3d_backward"]
    arguments = dict(spec.example.call.arguments)
    grad_output, out = door.place_case(arguments["gradOutput"]), door.place_case(arguments["out"])
    size, executor, ret = door.plan(spec, {**arguments, "gradOutput": grad_output, "out": out})
    assert ret == 0
    assert acl.set_acl_op_executor_repeatable(executor) == 0
    doubled = door.block(2 * grad_output.storage)
    for address in (grad_output.address, doubled):
        assert acl.set_input_tensor_addr(executor, 0, grad_output.handle, address) == 0
        assert acl.set_output_tensor_addr(executor, 0, out.handle, out.address) == 0
        assert acl.set_tensor_addr(executor, 3, out.handle, out.address) == 0
        assert acl.get_raw_tensor_addr(grad_output.handle) == (address, 0)
        assert acl.max_unpool3d_backward(0, size, executor, door.stream) == 0
        assert acl.rt.synchronize_stream(door.stream) == 0
    assert out.read().ravel().tolist() == [2.0] * 16
    tensors = acl.create_tensor_list((out.handle, grad_output.handle))
    assert acl.set_dynamic_input_tensor_addr(executor, 0, 1, tensors, grad_output.address) == 0
    assert acl.set_dynamic_output_tensor_addr(executor, 0, 0, tensors, out.address) == 0
    assert acl.set_dynamic_tensor_addr(executor, 3, 0, tensors, out.address) == 0
    assert acl.max_unpool3d_backward(0, size, executor, door.stream) == 0
    assert acl.rt.synchronize_stream(door.stream) == 0
    assert out.read().ravel().tolist() == [1.0] * 16
    assert acl.set_dynamic_tensor_addr(executor, 3, 2, tensors, out.address) == 161002
    assert acl.destroy_acl_op_executor(executor) == 0
    assert acl.max_unpool3d_backward(0, size, executor, door.stream) == 561000


def test_the_constants_are_those_of_the_headers() -> None:
    flags = r"#define (ACL_(?:EVENT|STREAM)_\w+) (0x\w+)U"
    patterns = (r"static const \w+ (\w+) = (\d+);", r"\b(ACL_\w+) = (-?\d+)", flags)
    expected = {name: int(value, 0) for pattern in patterns for name, value in re.findall(pattern, HEADERS)}
    actual = {name: value for name, value in vars(constants).items() if name.startswith(("ACL_", "ACLNN_"))}
    assert actual == expected


def test_every_operator_has_its_two_functions() -> None:
    for spec in INTERFACES.values():
        for name in (spec.name, f"{spec.name}_get_workspace_size"):
            assert name in dir(acl)
            assert spec.c_name in (getattr(acl, name).__doc__ or "")
    assert not hasattr(acl, "no_such_operator")
    with pytest.raises(AttributeError, match=r"no_such_operator.*dir\(acl\) lists its functions"):
        _ = acl.no_such_operator  # type: ignore[attr-defined]


def test_importing_it_imports_neither_numpy_nor_a_library() -> None:
    done = python(
        "import sys; from acltwin import acl; print('numpy' in sys.modules, 'torch' in sys.modules)",
        ACLTWIN_LIBRARY="/no/such/library",
    )
    assert (done.stdout, done.stderr) == ("False False\n", "")


# ---- which library ----

SESSION = """
from acltwin import acl
print(acl.init(), acl.rt.set_device(0), acl.max_unpool3d_backward_get_workspace_size(0, 0, 0, 0, 0, 0, 0)[2])
print(*acl.library_files())
"""
BY_DOMAIN = ("libacl_rt.so", "libnnopbase.so", "libopapi_math.so", "libopapi_nn.so", "libopapi_cv.so")


def chosen(**variables: str) -> list[str]:
    done = python(SESSION, **variables)
    assert done.stderr == ""
    codes, files = done.stdout.splitlines()
    assert codes == "0 0 161001"
    return files.split()


def test_the_twin_unless_the_user_chooses(tmp_path: Path) -> None:
    sdk.write_tree(tmp_path)
    assert chosen() == [_core.library_path()]
    assert chosen(ASCEND_HOME_PATH=str(tmp_path)) == [_core.library_path()]  # never silently


def test_the_vendors_names_and_order(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    sdk.write_tree(tree)
    lib64 = tree / "lib64"
    expected = [str(lib64 / name) for name in ("libascendcl.so", "libnnopbase.so", "libopapi.so")]
    assert chosen(ACLTWIN_LIBRARY="cann", ASCEND_HOME_PATH=str(tree)) == expected
    assert chosen(ACLTWIN_LIBRARY="cann", ASCEND_TOOLKIT_HOME=str(tree)) == expected
    assert chosen(ACLTWIN_LIBRARY=str(tree)) == expected
    assert chosen(ACLTWIN_LIBRARY=str(lib64)) == expected
    assert chosen(ACLTWIN_LIBRARY=str(lib64 / "libacltwin.so")) == [str(lib64 / "libacltwin.so")]
    for name in ("ascendcl", "opapi"):  # a release without the older names
        (lib64 / f"lib{name}.so").unlink()
    assert chosen(ACLTWIN_LIBRARY=str(tree)) == [str(lib64 / name) for name in BY_DOMAIN]


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"ACLTWIN_LIBRARY": "/no/such/place"}, ("/no/such/place", "unset it")),
        ({"ACLTWIN_LIBRARY": "cann"}, ("ASCEND_HOME_PATH", "set_env.sh")),
        ({"ACLTWIN_LIBRARY": str(ROOT / "docs")}, ("libascendcl.so or libacl_rt.so", "acltwin sdk")),
    ],
)
def test_a_library_that_is_not_there(variables: dict[str, str], words: tuple[str, ...]) -> None:
    done = python("from acltwin import acl; acl.init()", **variables)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "LibraryNotFoundError" in last
    assert all(word in last for word in words)


def test_a_function_that_a_release_lacks(tmp_path: Path) -> None:
    source = tmp_path / "old.c"
    source.write_text("int aclInit(const char* path) { return 0; }")
    library = tmp_path / "libold.so"
    subprocess.run(["gcc", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    done = python("from acltwin import acl; print(acl.init()); acl.finalize()", ACLTWIN_LIBRARY=str(library))
    assert done.stdout == "0\n"
    assert "aclFinalize is in none of" in done.stderr
