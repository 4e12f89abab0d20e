"""What the library says to a call that breaks a rule: asked, not repeated, so it is always what users see."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from ctypes import byref, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401 - gives NumPy the name "bfloat16"
import numpy as np
from numpy.lib.stride_tricks import as_strided

import acltwin
from acltwin import _core
from acltwin.acl import constants
from acltwin.acl._calls import packed
from acltwin.acl._library import Library
from acltwin.ops import OpSpec
from acltwin.ops.spec import CallCase, Rule, TensorCase, Value

LARGEST = 2**62
_twin = Library()
_twin.files = [Path(_core.library_path())]  # whatever ACLTWIN_LIBRARY says


def message_of(spec: OpSpec, rule: Rule) -> str:
    """The message to the rule's own violation, from the array function if it has the rule, else from phase 1."""
    call = spec.valid.but(rule.violation)
    if "array" in rule.judges:
        return _said_by_the_array_function(spec, call)
    return _said_by_phase_1(spec, call, "documented" if "documented" in rule.judges else "device")


def _said_by_the_array_function(spec: OpSpec, call: CallCase) -> str:
    values = {argument: _on_arrays(call.arguments[argument.name]) for argument in spec.arguments}
    results = tuple(values[result] for result in spec.results)
    try:
        inputs = [values[argument] for argument in spec.parameters]
        getattr(acltwin, spec.name)(*inputs, out=results if len(results) > 1 else results[0])
    except (TypeError, ValueError, IndexError) as error:
        return str(error)
    raise AssertionError(f"{spec.name} accepts a call that breaks a rule")


def _on_arrays(value: Value) -> Any:
    if not isinstance(value, TensorCase):
        return value
    if value.strides is not None and value.values is None:
        dtype = np.dtype(value.dtype)
        return as_strided(np.zeros(16, dtype), value.shape, [step * dtype.itemsize for step in value.strides])
    values = np.zeros(value.shape) if value.values is None else np.array(value.values)
    return values.astype(value.dtype).reshape(value.shape)


def _said_by_phase_1(spec: OpSpec, call: CallCase, profile: str) -> str:
    """Phase 1 looks at descriptions alone, so tensors need no memory."""
    with _settings(ACLTWIN_PROFILE=profile, ACLTWIN_SOC=call.soc):
        begun = _twin.aclInit(None) == constants.ACL_SUCCESS  # which reads the settings
        try:
            return _phase_1(spec, call)
        finally:
            if begun:
                _twin.aclFinalize()


def _phase_1(spec: OpSpec, call: CallCase) -> str:
    with ExitStack() as handles:
        arguments = [_in_c(call.arguments[argument.name], handles) for argument in spec.arguments]
        outputs = {"workspaceSize": byref(c_uint64()), "executor": byref(c_void_p())}
        pointers = [None if name in call.arguments else pointer for name, pointer in outputs.items()]
        if getattr(_twin, spec.phase1_name)(*arguments, *pointers) == constants.ACL_SUCCESS:
            raise AssertionError(f"{spec.c_name} accepts a call that breaks a rule")
        return _twin.text("aclGetRecentErrMsg")


def _in_c(value: Value, handles: ExitStack) -> Any:
    if isinstance(value, TensorCase):
        strides = value.strides or contiguous_strides(value.shape)
        storage = 1 + sum((size - 1) * step for size, step in zip(value.shape, strides, strict=True))
        tensor = _twin.aclCreateTensor(
            packed("q", value.shape),
            len(value.shape),
            constants.DATA_TYPES[value.dtype],
            packed("q", strides),
            0,
            constants.FORMATS[value.format],
            packed("q", [min(max(storage, 1), LARGEST)]),
            1,
            None,
        )
        handles.callback(_twin.aclDestroyTensor, tensor)
        return tensor
    if isinstance(value, tuple) and any(isinstance(one, float) for one in value):
        array = _twin.aclCreateFloatArray(packed("f", value), len(value))
        handles.callback(_twin.aclDestroyFloatArray, array)
        return array
    if isinstance(value, tuple):
        array = _twin.aclCreateIntArray(packed("q", value), len(value))
        handles.callback(_twin.aclDestroyIntArray, array)
        return array
    return value


def contiguous_strides(shape: Sequence[int]) -> list[int]:
    """Those of shapes that cannot be, too: they must not overflow."""
    strides = [1]
    for size in shape[:0:-1]:
        strides.append(max(-LARGEST, min(LARGEST, strides[-1] * size)))
    return strides[::-1]


@contextmanager
def _settings(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
