"""Tables of weights against the references, results of PyTorch, and what the decoder reads in weighted sums."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from acltwin import golden
from acltwin.golden.cases.family import weighs
from acltwin.golden.causes.view import View
from acltwin.golden.judge.bound import Bound, limits
from acltwin.golden.judge.expected import expect
from acltwin.ops import OPERATORS
from acltwin.reference import FUNCTIONS
from support import registry
from support.lazy import torch

WEIGHTED = [name for name, spec in OPERATORS.items() if weighs(spec)]


@pytest.mark.parametrize("operator", WEIGHTED)
def test_tables_give_what_the_reference_gives(operator: str) -> None:
    """Over all geometries but the largest; the reference computes cell by cell."""
    for case in golden.cases(operator, dtypes=("float64",), fills=("coded",)):
        assert case.geometry is not None
        if max(*case.geometry.source, *case.geometry.result) > 300:
            continue
        tensors = {name: np.array(tensor) for name, tensor in case.inputs().items()}
        flowing = next(iter(tensors))
        tensors[flowing] = np.random.default_rng(len(case.name)).standard_normal(tensors[flowing].shape)
        value = expect(operator, tensors, case.arguments).value
        given = {**tensors, **case.arguments}
        last = {"data_format": case.data_format} if case.data_format else {}
        values = [given[argument.python_name] for argument in OPERATORS[operator].parameters]
        wanted = FUNCTIONS[operator](*values, **last)
        np.testing.assert_allclose(value, wanted, rtol=1e-11, atol=1e-11, err_msg=case.name)


@pytest.mark.parametrize("operator", [name for name in registry.representatives() if name in WEIGHTED])
def test_results_of_pytorch_pass(operator: str) -> None:
    """Its kernels compute weights and add in other orders than ours."""
    spec = OPERATORS[operator]
    for case in golden.cases(operator, dtypes=("float32",), fills=("coded", "signed", "real"), map_rule="torch"):
        assert case.geometry is not None
        partly_equal = any(map(np.equal, case.geometry.source, case.geometry.result)) and "aa" in operator
        if case.data_format or len(case.batch) == 1 or case.geometry.one_fill or partly_equal:
            continue  # where one size of two is equal, PyTorch's anti-aliased gradients copy nothing
        tensors = {name: torch.from_numpy(tensor) for name, tensor in case.inputs().items()}
        given = {**tensors, **case.arguments}
        values = []
        for argument in spec.parameters:
            value = given[argument.python_name]
            values.append((value or None) if argument.is_scale or argument.kind == "int64" else value)
        case.check(registry.aten(spec)(*values).numpy())


def test_a_wrong_weight_is_named_with_its_source() -> None:
    case = next(case for case in golden.cases("avg_pool2d", fills=("coded",)) if case.name.startswith("powers/"))
    result = np.array(case.expected().value, np.float32)
    plane = int(np.flatnonzero(result[0, :, 1, 2])[0])
    result[0, plane, 1, 2] *= 3
    verdict = case.judge(result)
    assert not verdict.passed
    (found,) = (one for one in verdict.sources if one.cell == (1, 2))
    (source,) = found.wrong
    assert (source.weight, source.found) == (0.125, 0.375)
    assert "0.375 instead of 0.125" in verdict.text()


@pytest.mark.parametrize("operator", WEIGHTED)
def test_limits_are_narrow(operator: str) -> None:
    """A hundredth of a weight is never allowed."""
    for case in golden.cases(operator, level="quick", dtypes=("float32",), fills=("coded",)):
        allowed = limits(case.expected(), Bound())
        assert float((allowed.high - allowed.low).max()) < 0.01, case.name
        assert allowed.judged.all()


@pytest.mark.parametrize("operator", WEIGHTED[::6])
def test_the_view_has_the_same_tables(operator: str) -> None:
    view = View(golden.cases(operator, level="quick", dtypes=("float32",))[0])
    np.testing.assert_array_equal(view.weighed(view.rule).value, view.documented.value)


def _taps(n: int, out: int, align: bool, cubic: bool) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each output cell, one after the other: cells, clamped to the ends, and weights, 0 among them."""
    o, real = np.arange(out).astype(np.float32), np.float32
    ratio = real(n - 1) / real(max(out - 1, 1)) if align else real(n) / real(out)
    place = o * ratio if align else (o + real(0.5)) * ratio - real(0.5)
    place = place if cubic else np.maximum(place, real(0))
    first = np.floor(place).astype(np.int64) if cubic else np.minimum(np.floor(place).astype(np.int64), n - 1)
    part = (place - first.astype(np.float32)).astype(np.float64)
    part = part if cubic else np.minimum(part, 1)

    def weight(tap: int) -> np.ndarray:
        d = np.abs(part - tap)
        if not cubic:
            return np.maximum(0, 1 - d)
        near, far = (1.25 * d - 2.25) * d * d + 1, ((-0.75 * d + 3.75) * d - 6) * d + 3
        return np.where(d <= 1, near, np.where(d < 2, far, 0))

    taps = range(-1, 3) if cubic else range(2)
    return [(np.clip(first + tap, 0, n - 1), weight(tap)) for tap in taps]


@pytest.mark.parametrize("operator", ["upsample_bicubic2d", "upsample_bilinear2d", "upsample_trilinear3d"])
@pytest.mark.parametrize("corners", [False, True], ids=["axis by axis", "corner by corner"])
def test_kernels_that_add_clamped_taps_one_by_one_are_right(operator: str, corners: bool) -> None:
    """What an infinity meets at a border is then several weights, of both signs or 0; denormal terms round singly."""
    spec = OPERATORS[operator]
    for case in golden.cases(operator, dtypes=("float32", "bfloat16", "float64"), fills=("special",)):
        given = case.arguments
        scales = [given[argument.python_name] for argument in spec.parameters if argument.is_scale]
        if case.data_format or any(scales):  # which of them are used is another subject
            continue
        values = case["input"].astype(np.float64 if case.dtype == "float64" else np.float32)
        axes = len(spec.axes)
        sizes = list(zip(values.shape[-axes:], given["output_size"], strict=True))
        lists = [
            [(np.arange(n), np.ones(n))] if n == out else _taps(n, out, given["align_corners"], "cubic" in operator)
            for n, out in sizes
        ]
        with np.errstate(all="ignore"):
            if corners:
                result = np.zeros((*values.shape[:-axes], *(out for _, out in sizes)), values.dtype)
                for chosen in product(*lists):
                    share = np.prod(np.broadcast_arrays(*np.ix_(*(one[1] for one in chosen))), axis=0)
                    taken = values[(..., *np.ix_(*(one[0] for one in chosen)))]
                    result += taken * share.astype(values.dtype)
            else:
                result = values
                for axis, taps in enumerate(lists, start=-axes):
                    shares = (weight.reshape(-1, *(1,) * (-1 - axis)).astype(values.dtype) for _, weight in taps)
                    result = sum(np.take(result, c, axis) * w for (c, _), w in zip(taps, shares, strict=True))
        case.check(result.astype(case["input"].dtype))
