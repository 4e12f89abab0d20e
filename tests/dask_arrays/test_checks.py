"""Wrong calls are refused when the graph is made, with the words of the array functions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin.ops import PLANEWISE as OPERATORS
from acltwin.ops.spec import OpSpec, Rule, TensorCase
from support.cases import EXACT2D, NEAREST3D, POOL, UNPOOL
from support.chunked import FUNCTIONS, case_of, cut, on_dask
from support.lazy import acltwin_dask, da
from support.messages import explains
from support.spec_calls import array_of

RULES_OF_INPUTS = [
    pytest.param(spec, rule, id=f"{spec.name}-{rule.id}")
    for spec in OPERATORS.values()
    for rule in spec.rules_of("array")
    if rule.phase == "check" and {argument.name for argument in spec.parameters} & rule.violation.keys()
]


def refusal(function: Any, spec: OpSpec, rule: Rule, *, chunked: bool) -> Exception:
    def value(given: Any) -> Any:
        if not isinstance(given, TensorCase):
            return given
        array = array_of(given)
        return da.zeros(array.shape, dtype=array.dtype, chunks=-1) if chunked else array

    call = spec.violating_call(rule)
    with pytest.raises((TypeError, ValueError)) as caught:
        function(*(value(call.arguments[argument.name]) for argument in spec.parameters))
    return caught.value


@pytest.mark.parametrize(("spec", "rule"), RULES_OF_INPUTS)
def test_a_rule_refuses_with_the_same_words(spec: OpSpec, rule: Rule) -> None:
    expected = refusal(getattr(acltwin, spec.name), spec, rule, chunked=False)
    actual = refusal(getattr(acltwin_dask, spec.name), spec, rule, chunked=True)
    assert type(actual) is type(expected)
    assert str(actual) == str(expected)


@pytest.mark.parametrize("size", [(6, 4, 3, 4, 8), (0, 4, 3, 4, 8), (-5, 4, 3, 4, 8), (5, 4, 3, 4), None, "12", 7, {}])
def test_an_input_size_that_does_not_fit_is_refused_with_the_same_words(size: Any) -> None:
    case = case_of(NEAREST3D)
    wrong = replace(case, parameters=(case.parameters[0], size))
    with pytest.raises((TypeError, ValueError)) as expected:
        wrong.run()
    with pytest.raises(expected.type) as actual:
        on_dask(cut(wrong, 2))
    assert str(actual.value) == str(expected.value)


def test_tensors_of_different_batches_are_refused_with_the_same_words() -> None:
    case = case_of(UNPOOL)
    for position in range(3):
        wrong = case.with_tensor(position, case.tensors[position][1:])
        with pytest.raises(ValueError, match="expected") as expected:
            wrong.run()
        with pytest.raises(ValueError, match=re.escape(str(expected.value))):
            on_dask(cut(wrong, 2))


def test_a_check_costs_nothing_however_large_the_volume() -> None:
    """A petabyte whose planes alone are larger than any machine's memory."""
    grad_out = da.zeros((1024, 8, 4096, 4096, 8192), dtype=np.float16, chunks=(1, 1, -1, -1, -1))
    result = acltwin_dask.upsample_nearest3d_backward(grad_out, (4096, 4096, 8192), (1024, 8, 2048, 2048, 4096))
    assert result.shape == (1024, 8, 2048, 2048, 4096)
    with explains(ValueError, NEAREST3D, "expected (1024, 8, 4096, 4096, 8191)"):
        acltwin_dask.upsample_nearest3d_backward(grad_out, (4096, 4096, 8191), (1024, 8, 2048, 2048, 4096))


@pytest.mark.parametrize("operator", FUNCTIONS)
def test_arrays_that_are_not_dasks_are_refused(operator: str) -> None:
    case = case_of(operator)
    for position, tensor in enumerate(case.tensors):
        for thing in (tensor, tensor.tolist(), None):
            wrong = cut(case, 2).with_tensor(position, thing)
            with explains(TypeError, operator, type(thing).__name__, "expected a dask array", "from_array"):
                on_dask(wrong)


def test_chunks_of_unknown_size_are_refused() -> None:
    case = cut(case_of(EXACT2D), 2)
    unknown = case.tensors[0][da.ones(5, chunks=2) > 0]
    with explains(ValueError, EXACT2D, "grad_output", "unknown size", "compute_chunk_sizes"):
        on_dask(case.with_tensor(0, unknown))


def test_chunks_of_other_libraries_are_refused() -> None:
    class Elsewhere:
        dtype, ndim, shape = np.dtype(np.float32), 4, (0, 0, 0, 0)

    case = cut(case_of(EXACT2D), 2)
    tensor = case.tensors[0]
    other = da.Array(tensor.dask, tensor.name, tensor.chunks, meta=tensor._meta)
    other._meta = Elsewhere()
    with explains(TypeError, EXACT2D, "grad_output", "Elsewhere", "numpy.ndarray"):
        on_dask(case.with_tensor(0, other))


def test_chunks_of_foreign_byte_order_are_refused_with_the_same_words() -> None:
    case = case_of(NEAREST3D).mapped(lambda tensor: tensor.astype(tensor.dtype.newbyteorder()))
    with pytest.raises(TypeError, match="byte order") as expected:
        case.run()
    with pytest.raises(TypeError, match=re.escape(str(expected.value))):
        on_dask(cut(case, 2))


# ---- volumes that are cut ----


def need_whole() -> list[str]:
    from acltwin.dask._windows import has_windows

    return [operator for operator in FUNCTIONS if not has_windows(OPERATORS[operator])]


def test_cut_volumes_are_refused_with_the_cost_of_mending_them() -> None:
    from dask.utils import format_bytes

    for operator in need_whole():
        case = cut(case_of(operator), 2)
        tensor = case.tensors[0]
        last = tensor.shape[-1]
        wrong = case.with_tensor(0, tensor.rechunk({tensor.ndim - 1: last - 1}))
        size = format_bytes(tensor.nbytes)
        word = {1: "row", 2: "plane", 3: "volume"}[len(OPERATORS[operator].axes)]
        cost = f"moves {size} and makes chunks of up to {size}"
        with explains(ValueError, operator, f"{last - 1}", f"expected whole {word}s of", '"rechunk"', cost):
            on_dask(wrong)


def test_cut_volumes_are_rechunked_on_demand_with_a_warning() -> None:
    for operator in need_whole():
        case = case_of(operator)
        wrong = cut(case, 2).mapped(lambda tensor: tensor.rechunk({tensor.ndim - 1: 1}))
        with pytest.warns(da.PerformanceWarning, match=f"^{operator}: .*rechunking moves .* chunks of up to") as warned:
            lazy = on_dask(wrong, spatial_chunks="rechunk")
        assert warned[0].filename.endswith("chunked.py"), "the warning names the caller's line"
        np.testing.assert_equal(
            [array.compute(scheduler="sync") for array in (lazy if isinstance(lazy, tuple) else [lazy])],
            list(case.run()) if isinstance(lazy, tuple) else [case.run()],
        )


def test_rechunking_keeps_chunks_within_dasks_limit() -> None:
    grad_out = da.zeros((8, 16, 64, 128, 128), dtype=np.float32, chunks=(8, 16, 8, 16, 16))  # 4 MiB per volume
    with pytest.warns(da.PerformanceWarning, match=r"moves 512.00 MiB and makes chunks of up to 128.00 MiB"):
        result = acltwin_dask.upsample_nearest3d_backward(
            grad_out, (64, 128, 128), (8, 16, 48, 96, 96), spatial_chunks="rechunk"
        )
    assert result.numblocks[2:] == (1, 1, 1)


def test_the_unread_input_may_be_cut_anywhere() -> None:
    for operator in (UNPOOL, POOL):
        case = cut(case_of(operator), 2)
        on_dask(case.with_tensor(1, case.tensors[1].rechunk(1)))


def test_another_choice_is_refused() -> None:
    for choice in ("split", None, True):
        with explains(ValueError, NEAREST3D, "spatial_chunks", '"refuse" or "rechunk"'):
            on_dask(cut(case_of(NEAREST3D), 2), spatial_chunks=choice)
