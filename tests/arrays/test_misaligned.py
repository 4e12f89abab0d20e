"""Elements beside their natural places: inputs are read right, whoever brings them; `out` is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import acltwin
from support import cases, forward
from support.cases import Case
from support.forward import as_returned, results
from support.layouts import misaligned
from support.lazy import torch
from support.libraries import Foreign, to_numpy
from support.messages import explains
from support.values import BFLOAT16, Array, assert_same_bits

CALLS = [case for module in (cases, forward) for case in map(module.small_case, module.OPERATORS)]
CALL = pytest.mark.parametrize("case", CALLS, ids=[case.operator for case in CALLS])


def torch_tensor(array: Array) -> torch.Tensor:
    """PyTorch takes no misaligned arrays from NumPy, but it makes such tensors itself."""
    memory = bytearray(b"\0" + array.tobytes() + bytes(array.itemsize))
    dtype = torch.bfloat16 if array.dtype == BFLOAT16 else getattr(torch, array.dtype.name)
    cells = torch.frombuffer(memory, dtype=dtype, offset=1)
    return cells[: array.size].reshape(array.shape)


class Capsules(Foreign):
    """The same through ``__dlpack__``."""

    def __init__(self, array: Array) -> None:
        self._tensor = torch_tensor(array)


MAKERS = {"numpy": misaligned, "torch": torch_tensor, "capsules": Capsules}
MAKER = pytest.mark.parametrize("maker", MAKERS)


@MAKER
@CALL
def test_inputs_are_read_right(case: Case, maker: str) -> None:
    for result, expected in zip(results(case.mapped(MAKERS[maker])), results(case), strict=True):
        assert_same_bits(to_numpy(result), expected)


@pytest.mark.parametrize("dtype", cases.DTYPES[cases.UNPOOL], ids=cases.name_of)
def test_inputs_of_every_dtype_are_read_right(dtype: np.dtype[Any]) -> None:
    case = cases.small_case(cases.UNPOOL, dtype)
    assert_same_bits(to_numpy(case.mapped(torch_tensor).run()), case.run())


def test_views_of_misaligned_tensors_are_read_right() -> None:
    case = cases.small_case(cases.NEAREST3D)
    larger = np.repeat(np.repeat(case.tensors[0], 2, axis=-1), 3, axis=0)
    view = torch_tensor(larger)[::3, :, :, :, ::2].transpose(0, 1)
    expected = case.run()
    assert_same_bits(to_numpy(case.with_tensor(0, view.transpose(0, 1)).run()), expected)
    spread = torch_tensor(case.tensors[0][:1, :1]).expand(2, 3, -1, -1, -1)
    plain = np.broadcast_to(case.tensors[0][:1, :1], case.tensors[0].shape)
    assert_same_bits(to_numpy(case.with_tensor(0, spread).run()), case.with_tensor(0, plain).run())


def test_strides_between_the_elements_are_read_right() -> None:
    """A field of a packed record: its first element may be in its place, the next ones are not."""
    case = cases.small_case(cases.NEAREST3D)
    records = np.zeros(case.tensors[0].shape, [("value", np.float32), ("flag", np.uint8)])
    records["value"] = case.tensors[0]
    assert records["value"].strides[-1] == 5
    assert_same_bits(case.with_tensor(0, records["value"]).run(), case.run())


def test_what_is_read_may_lie_beside_out() -> None:
    """The copy is made before anything is written."""
    case = cases.small_case(cases.NEAREST3D)
    out = np.zeros(case.result_shape, np.float32)
    assert_same_bits(case.mapped(torch_tensor).run(out=out), case.run())


@MAKER
@CALL
def test_out_is_refused(case: Case, maker: str) -> None:
    out = [MAKERS[maker](np.zeros_like(result)) for result in results(case)]
    with explains(ValueError, case.operator, "aligned"):
        case.run(out=as_returned(out))


@MAKER
def test_empty_tensors_lie_anywhere(maker: str) -> None:
    case = cases.small_case(cases.NEAREST3D, batch=(0, 3))
    out = torch_tensor(np.zeros(1, np.float32))[:0].reshape(case.result_shape)
    assert tuple(case.mapped(MAKERS[maker]).run().shape) == case.result_shape
    assert case.run(out=out) is out


@pytest.mark.parametrize(("dtype", "n"), [(np.float32, 128), (np.float64, 128), (np.float32, 192)])
def test_large_results_are_not_written_around_the_cache_to_odd_places(dtype: type, n: int) -> None:
    """Non-temporal stores need aligned places; a large result is written by them."""
    indices = np.arange(4).reshape(1, 1, 1, 1, 4)
    values = np.ones(indices.shape, dtype)
    out = torch_tensor(np.zeros((1, 1, n, n, n), dtype))
    with explains(ValueError, "max_unpool3d", "out", "aligned"):
        acltwin.max_unpool3d(values, indices, (n, n, n), 2, 0, out=out)
    every = np.arange(n**3).reshape(1, 1, n, n, n)
    planes = np.ones((1, 1, n, n, n), dtype)
    with explains(ValueError, "max_unpool3d_backward", "out", "aligned"):
        acltwin.max_unpool3d_backward(planes, planes, every, (n, n, n), 2, 0, out=out)
    assert (to_numpy(acltwin.max_unpool3d_backward(torch_tensor(planes), planes, every, (n, n, n), 2, 0)) == 1).all()
