"""Mistakes that never reach C: each is a sentence in the words of the Python function, whose help() is complete."""

from __future__ import annotations

import ctypes
import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from acltwin import acl
from acltwin.acl import constants, easy
from acltwin.acl._prototypes import prototype
from acltwin.ops import INTERFACES
from acltwin.ops.spec import Argument
from support.lazy import torch
from support.sdk_tree import ROOT

FUNCTIONS = [
    pytest.param(getattr(module, name), id=f"{module.__name__}.{name}")
    for module in (acl, acl.rt, acl.util)
    for name in dir(module)
    if inspect.isfunction(getattr(module, name))
]
ARRAY = np.zeros(1)


def tensor_of(*changes: tuple[int, Any]) -> Callable[[], Any]:
    arguments: list[Any] = [(1,), constants.ACL_FLOAT, None, 0, constants.ACL_FORMAT_ND, (1,), 0]
    for position, value in changes:
        arguments[position] = value
    return lambda: acl.create_tensor(*arguments)


def of_a_torch_tensor() -> Any:
    return tensor_of((6, torch.zeros(1)))()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (tensor_of((6, ARRAY)), ("acl.create_tensor: tensor_data is numpy.ndarray", "acl.util.numpy_to_ptr(array)")),
        (of_a_torch_tensor, ("tensor_data is torch.Tensor", "data_ptr()")),
        (tensor_of((6, np.int64(64))), ("tensor_data is numpy.int64", "int(value)")),
        (tensor_of((6, [1, 2])), ("tensor_data is list", "create_int_array")),
        (tensor_of((6, 1.5), (1, np.int64(0))), ("tensor_data is float", "expected int")),
        (tensor_of((0, 3)), ("view_dims is int", "sequence of int", "(value,)")),
        (tensor_of((0, None)), ("view_dims is NoneType", "sequence of int")),
        (tensor_of((0, (1, "2"))), ("view_dims is tuple with str at position 1",)),
        (tensor_of((0, (1, 2.5))), ("view_dims is tuple with float at position 1",)),
        (tensor_of((5, (2**63,))), ("storage_dims has 9223372036854775808 at position 0", "64 bits")),
        (tensor_of((2, 1)), ("strides is int", "sequence of int")),
        (tensor_of((1, "float32")), ("data_type is str", "expected an aclDataType, such as acl.constants.ACL_FLOAT")),
        (lambda: acl.create_tensor((1,)), ("missing a required argument: 'data_type'", "create_tensor(view_dims, ")),
        (lambda: acl.create_int_array(7), ("acl.create_int_array: values is int", "(value,)")),
        (lambda: acl.create_float_array(("a",)), ("values is tuple with str at position 0", "sequence of float")),
        (lambda: acl.rt.set_device("0"), ("acl.rt.set_device: device_id is str", "expected int")),
        (lambda: acl.rt.set_device(), ("acl.rt.set_device: missing a required argument: 'device_id'",)),
        (lambda: acl.rt.free(ARRAY), ("acl.rt.free: address is numpy.ndarray", "numpy_to_ptr")),
        (lambda: acl.rt.malloc(None, 0), ("acl.rt.malloc: size is NoneType", "expected int")),
        (lambda: acl.rt.memcpy(0, 8, ARRAY, 8, 1), ("src is numpy.ndarray",)),
        (lambda: acl.init(5), ("acl.init: config_path is int", "expected str or None")),
        (lambda: acl.util.bytes_to_ptr("text"), ("acl.util.bytes_to_ptr: data is str", "text.encode()")),
        (lambda: acl.util.numpy_to_ptr([1]), ("acl.util.numpy_to_ptr: array is list", "numpy.asarray")),
        (lambda: acl.util.ptr_to_numpy(0, 3, 11), ("shape is int", "sequence of int")),
        (lambda: acl.util.ptr_to_numpy(0, (3,), 999), ("npy_type_num is 999", "numpy.dtype")),
        (lambda: acl.max_unpool3d(0, 0, ARRAY, 0), ("acl.max_unpool3d: executor is numpy.ndarray",)),
        (lambda: acl.max_unpool3d_get_workspace_size(0, 0), ("missing a required argument: 'output_size'",)),
        (
            lambda: acl.max_unpool3d_get_workspace_size(0, 0, (2, 2, 2), 0, 0, 0),
            ("acl.max_unpool3d_get_workspace_size: output_size is tuple", "acl.create_int_array(values)"),
        ),
        (
            lambda: acl.upsample_nearest3d_get_workspace_size(0, 0, None, 0.0, 0.0, 0),
            ("scales_d is NoneType, expected float", "0.0"),
        ),
        (
            lambda: acl.max_unpool3d_get_workspace_size(0, nothing=0),
            ("acl.max_unpool3d_get_workspace_size: missing a required argument",),
        ),
    ],
)
def test_a_mistake_is_a_sentence(call: Callable[[], Any], words: tuple[str, ...]) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    message = str(caught.value)
    assert all(word in message for word in words), message
    assert "argument 1:" not in message
    assert caught.value.__suppress_context__, "ctypes' words are not shown as well"


def test_an_object_with_a_handle_is_recognised() -> None:
    with easy.Device(0) as device:
        tensor = device.empty((1,), "float32")
        with pytest.raises(TypeError, match=r"tensor is acltwin.acl.easy.Tensor, .* pass its \.handle"):
            acl.get_view_shape(tensor)  # type: ignore[arg-type]


def test_dir_lists_the_functions_and_nothing_else() -> None:
    data = {"bytes_to_ptr", "numpy_to_ptr", "ptr_to_bytes", "ptr_to_numpy"}
    assert set(dir(acl.util)) == {*data, "start_thread", "stop_thread"}
    assert {"malloc", "memcpy", "set_device"} <= set(dir(acl.rt))
    assert not {"c", "give", "explained", "byref"} & {*dir(acl.rt), *dir(acl)}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_has_a_signature_and_a_docstring(function: Callable[..., Any]) -> None:
    signature = inspect.signature(function)
    assert inspect.getdoc(function)
    assert signature.return_annotation is not inspect.Signature.empty
    for parameter in signature.parameters.values():
        assert parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        assert parameter.annotation is not inspect.Parameter.empty


def test_the_documentation_lists_every_function() -> None:
    page = (ROOT / "docs" / "acl" / "python-binding.md").read_text()
    operators = {name for spec in INTERFACES.values() for name in (spec.name, f"{spec.name}_get_workspace_size")}
    for module in (acl, acl.rt, acl.util):
        for name in {name for name in dir(module) if inspect.isfunction(getattr(module, name))} - operators:
            assert f"`{name}`" in page


def test_the_first_phase_takes_the_documented_arguments_by_position_and_by_name() -> None:
    for spec in INTERFACES.values():
        function = getattr(acl, f"{spec.name}_get_workspace_size")
        names = list(inspect.signature(function).parameters)
        assert names == [argument.snake_name for argument in spec.arguments]
        assert all(argument.doc in str(function.__doc__) for argument in spec.arguments)
        nothing = {"double": 0.0, "float": 0.0, "string": None}
        zeros = [nothing.get(argument.kind, 0) for argument in spec.arguments]
        code = next(rule.code for rule in spec.rules if rule.violation.keys() & {spec.arguments[0].name})
        assert function(*zeros)[2] == code
        message = acl.get_recent_err_msg()
        assert function(*zeros[:1], **dict(zip(names[1:], zeros[1:], strict=True)))[2] == code
        assert acl.get_recent_err_msg() == message


def test_type_checkers_know_the_operators(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "from acltwin import acl\n"
        "reveal_type(acl.max_unpool3d_get_workspace_size(0, 0, 0, 0, 0, 0))\n"
        "reveal_type(acl.rt.malloc(1, 0))\n"
        "acl.max_unpool3d(0, 0, 0)\n"
        "acl.no_such_function()\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", program], cwd=ROOT, text=True, capture_output=True, timeout=600
    )
    assert 'Revealed type is "tuple[int, int, int]"' in done.stdout.replace("builtins.", "")
    assert 'Revealed type is "tuple[int, int]"' in done.stdout.replace("builtins.", "")
    assert 'Missing positional argument "stream"' in done.stdout
    assert 'Module has no attribute "no_such_function"' in done.stdout


def test_scales_may_be_single_precision() -> None:
    """Some operators declare their factors as C's float."""
    assert Argument("scaleH", "float", "").c_type == "float"
    assert Argument("scaleH", "double", "").c_type == "double"
    for spec in INTERFACES.values():
        declared = list(prototype(spec.phase1_name)[1][: len(spec.arguments)])
        pointers = dict.fromkeys(("tensor", "int_array", "float_array"), "void_p") | {"string": "char_p"}
        expected = [getattr(ctypes, f"c_{pointers.get(a.kind, a.kind)}") for a in spec.arguments]
        assert declared == expected
