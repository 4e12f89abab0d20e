"""Mistakes of many kinds, made here on their own: the right cause is named, and no other."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.golden.cases.cases import case_bytes
from acltwin.golden.cases.dtypes import facts, rounded
from acltwin.golden.causes import models_of
from acltwin.golden.causes.index_rule import apply, documented_rule
from acltwin.golden.causes.model import cause_named
from acltwin.golden.causes.predictions import predicted, reproduces
from acltwin.golden.causes.view import View
from acltwin.ops import OPERATORS
from acltwin.reference import interval_table
from support import registry
from support.golden_cases import small_cases

EXACT2D, NEAREST3D = "upsample_nearest_exact2d_backward", "upsample_nearest3d_backward"
POOL, UNPOOL = "max_pool3d_with_argmax_backward", "max_unpool3d_backward"
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Mistake:
    """A kernel and the class of fault that must be named."""

    operator: str
    cause: str
    kernel: Callable[..., Any]
    name: str


MISTAKES: list[Mistake] = []


def mistake(operator: str, cause: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def note(kernel: Callable[..., Any]) -> Callable[..., Any]:
        MISTAKES.append(Mistake(operator, cause, kernel, kernel.__name__))
        return kernel

    return note


def _sums(grad: Array, sizes: Any, table: Callable[[int, int, int], Array]) -> Array:
    """A gradient of upsampling from tables of intervals: one rounding at the end."""
    total = grad.astype(np.float32)
    for axis, size in enumerate(sizes, start=grad.ndim - len(sizes)):
        bounds = table(axis, size, total.shape[axis])
        parts = [np.take(total, range(a, b), axis).sum(axis) for a, b in itertools.pairwise(bounds)]
        total = np.stack(parts, axis)
    return rounded(total.astype(np.float64), grad.dtype)


@mistake(EXACT2D, "index rule")
def plain_nearest(grad_output: Array, output_size: Any, input_size: Any, scales_h: float, scales_w: float) -> Array:
    scales = {2: scales_h, 3: scales_w}
    return _sums(grad_output, input_size[2:], lambda axis, i, o: interval_table(i, o, scales[axis], False))


@mistake(EXACT2D, "index rule")
def scales_not_used(grad_output: Array, output_size: Any, input_size: Any, scales_h: float, scales_w: float) -> Array:
    return _sums(grad_output, input_size[2:], lambda axis, i, o: interval_table(i, o, None, True))


@mistake(EXACT2D, "border")
def clamped_tail(grad_output: Array, output_size: Any, input_size: Any, scales_h: float, scales_w: float) -> Array:
    scales = {2: scales_h, 3: scales_w}

    def table(axis: int, i: int, o: int) -> Array:
        bounds = interval_table(i, o, scales[axis], True)
        bounds[-1] = o
        return bounds

    return _sums(grad_output, input_size[2:], table)


def _changed(operator: str, change: Callable[[Array], Array]) -> Callable[..., Any]:
    """The twin, with its result changed."""

    def kernel(**given: Any) -> Any:
        return change(np.array(getattr(acltwin, operator)(**given)))

    return kernel


@mistake(EXACT2D, "special values")
def nan_becomes_zero(**given: Any) -> Array:
    return _changed(EXACT2D, lambda y: np.where(np.isnan(y.astype(np.float64)), 0, y).astype(y.dtype))(**given)


@mistake(EXACT2D, "tiling")
def last_column_of_blocks(**given: Any) -> Array:
    def cut(y: Array) -> Array:
        width = y.shape[-1]
        if width > 8:
            y[..., width // 8 * 8 :] = 0
        return y

    return _changed(EXACT2D, cut)(**given)


@mistake(EXACT2D, "layout")
def first_plane_only_is_read(grad_output: Array, **given: Any) -> Array:
    same = np.ascontiguousarray(np.broadcast_to(grad_output[:, :1], grad_output.shape))
    return acltwin.upsample_nearest_exact2d_backward(same, **given)


@mistake("upsample_nearest2d_backward", "layout")
def rows_are_read_backwards(grad_out: Array, data_format: str = "NCHW", **given: Any) -> Array:
    mirrored = np.ascontiguousarray(np.flip(grad_out, data_format.index("W")))
    return acltwin.upsample_nearest2d_backward(mirrored, data_format=data_format, **given)


@mistake(EXACT2D, "accumulation")
def native_sums(grad_output: Array, output_size: Any, input_size: Any, scales_h: float, scales_w: float) -> Array:
    """Ascending, in the dtype."""
    kind = grad_output.dtype
    h, w = input_size[2:]
    rows = interval_table(h, grad_output.shape[2], scales_h, True)
    columns = interval_table(w, grad_output.shape[3], scales_w, True)
    result = np.zeros(input_size)
    for i in range(h):
        for j in range(w):
            total = np.zeros(input_size[:2])
            for a in range(rows[i], rows[i + 1]):
                for b in range(columns[j], columns[j + 1]):
                    total = rounded(total + grad_output[:, :, a, b].astype(np.float64), kind).astype(np.float64)
            result[:, :, i, j] = total
    return rounded(result, kind)


@mistake(NEAREST3D, "rounding")
def cut_off(grad_out: Array, output_size: Any, input_size: Any, **given: Any) -> Array:
    exact = acltwin.upsample_nearest3d_backward(grad_out.astype(np.float64), output_size, input_size, **given)
    near = rounded(exact, grad_out.dtype)
    if facts(grad_out.dtype).bits > 11:
        return acltwin.upsample_nearest3d_backward(grad_out, output_size, input_size, **given)
    bits = near.view(np.uint16)
    beyond = np.abs(near.astype(np.float64)) > np.abs(exact)
    return np.where(beyond, bits - 1, bits).astype(np.uint16).view(grad_out.dtype)


@mistake(NEAREST3D, "layout")
def format_ignored(
    grad_out: Array, output_size: Any, input_size: Any, data_format: str = "NCDHW", **given: Any
) -> Array:
    n, c = input_size[:2]
    first = np.ascontiguousarray(grad_out).reshape(n, c, *output_size)
    result = acltwin.upsample_nearest3d_backward(first, output_size, input_size, **given)
    return result if data_format == "NCDHW" else np.asarray(result).reshape(n, *input_size[2:], c)


@mistake(NEAREST3D, "index rule")
def every_scale_on_its_own(grad_out: Array, output_size: Any, input_size: Any, **given: Any) -> Array:
    channels_last = given.pop("data_format", "NCDHW") == "NDHWC"
    first = np.moveaxis(grad_out, -1, 1) if channels_last else grad_out
    scales = list(given.values())
    result = _sums64(first, input_size[2:], scales)
    return np.moveaxis(result, 1, -1) if channels_last else result


def _sums64(grad: Array, sizes: Any, scales: list[float]) -> Array:
    total = grad.astype(np.float64)
    with np.errstate(all="ignore"):
        for axis, size in enumerate(sizes, start=2):
            bounds = interval_table(size, total.shape[axis], scales[axis - 2], False)
            parts = [np.take(total, range(a, b), axis).sum(axis) for a, b in itertools.pairwise(bounds)]
            total = np.stack(parts, axis)
    return rounded(total, grad.dtype)


@mistake(POOL, "accumulation")
def last_gradient_stays(grad_output: Array, input: Array, indices: Array, *window: Any) -> Array:
    result = np.zeros_like(input)
    planes = int(np.prod(input.shape[:-3]))
    for plane, places, grads in zip(*(a.reshape(planes, -1) for a in (result, indices, grad_output)), strict=True):
        plane[places] = grads
    return result


@mistake(POOL, "initialisation")
def empty_cells_keep_their_memory(grad_output: Array, input: Array, indices: Array, *window: Any) -> Array:
    right = np.array(acltwin.max_pool3d_with_argmax_backward(grad_output, input, indices, *window))
    planes = int(np.prod(input.shape[:-3]))
    result = np.full(right.shape, 42).astype(right.dtype)
    for plane, places, values in zip(*(a.reshape(planes, -1) for a in (result, indices, right)), strict=True):
        plane[places] = values[places]
    return result


@mistake(POOL, "index rule")
def finds_it_again(grad_output: Array, input: Array, indices: Array, *window: Any) -> Array:
    """NaN is passed over, as a plain comparison does."""
    lowest = np.where(np.isnan(input.astype(np.float64)), -3e4, input).astype(input.dtype)
    _, places = acltwin.max_pool3d_with_argmax(lowest, *window)
    return acltwin.max_pool3d_with_argmax_backward(grad_output, input, places, *window)


@mistake(UNPOOL, "index rule")
def narrow_indices(grad_output: Array, input: Array, indices: Array, *rest: Any) -> Array:
    return acltwin.max_unpool3d_backward(grad_output, input, indices % 2**11, *rest)


@mistake(UNPOOL, "layout")
def indices_of_the_first_plane(grad_output: Array, input: Array, indices: Array, *rest: Any) -> Array:
    same = np.ascontiguousarray(np.broadcast_to(indices[:1], indices.shape))
    return acltwin.max_unpool3d_backward(grad_output, input, same, *rest)


@mistake("max_pool3d_with_argmax", "border")
def zero_padding(input: Array, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    values, places = (
        np.array(a) for a in acltwin.max_pool3d_with_argmax(input, kernel, stride, padding, dilation, ceil_mode)
    )
    starts = [np.arange(n) * s - p for n, s, p in zip(values.shape[-3:], stride, padding, strict=True)]
    sizes = input.shape[-3:]
    ends = [a + (k - 1) * d for a, k, d in zip(starts, kernel, dilation, strict=True)]
    hangs = np.zeros(values.shape[-3:], bool)
    for axis in range(3):
        out = (starts[axis] < 0) | (ends[axis] >= sizes[axis])
        hangs |= out.reshape(-1, *(1,) * (2 - axis))
    wins = hangs & (values.astype(np.float64) < 0)
    return np.where(wins, 0, values).astype(values.dtype), np.where(wins, -1, places).astype(places.dtype)


@mistake("upsample_nearest3d", "index rule")
def centres(input: Array, output_size: Any, *scales: float, **given: Any) -> Array:
    return acltwin.upsample_nearest_exact3d(input, output_size, *scales, **given)


@pytest.mark.parametrize("case", MISTAKES, ids=lambda case: case.name)
def test_the_cause_is_named(case: Mistake) -> None:
    """In float16, which has every kind of data; float32 and bfloat16 are tested with the built-in wrong ones."""
    run = golden.verify(case.kernel, small_cases(case.operator), explain_seconds=60, isolate=False)
    assert not run.passed
    cause = run.cause
    assert cause is not None
    assert cause.kind in ("known", "several"), run.text()
    assert {model.cause for model in cause.models} == {case.cause}, run.text()
    assert cause.explained == cause.failing
    assert "cause   " in run.text()
    for model in cause.models:
        assert model.sentence in str(cause)
        assert f"acltwin explain {cause_named(model.page).topic}" in str(cause)


def test_what_no_model_knows_is_not_named() -> None:
    def strange(**given: Any) -> Array:
        result = np.array(acltwin.upsample_nearest_exact2d_backward(**given))
        return (result * 3 + 1).astype(result.dtype)

    run = golden.verify(strange, EXACT2D, level="quick", explain_seconds=60)
    assert run.cause is not None
    assert run.cause.kind == "unknown"
    assert "not known" in run.text()


def test_evidence_says_where_wrong_cells_lie() -> None:
    def odd_plane(**given: Any) -> Array:
        result = np.array(acltwin.upsample_nearest_exact2d_backward(**given))
        result[0, 1] = 5
        return result

    run = golden.verify(odd_plane, EXACT2D, level="quick", explain_seconds=60)
    assert run.cause is not None
    assert "only one plane is wrong" in run.cause.evidence


def test_the_whole_map_of_a_failing_geometry_is_asked_for() -> None:
    run = golden.verify(plain_nearest, EXACT2D, level="quick", explain_seconds=0)
    assert run.cause is not None
    assert run.cause.kind == "unknown"  # there was no time to make sure of anything
    assert "stopped after 0 s" in run.cause.evidence[-1]
    record = run.impulses[EXACT2D]
    assert record.output is not None
    geometry = record.case.geometry
    assert geometry is not None
    sources = int(np.prod(geometry.source))
    matrix = record.output[0].reshape(sources, -1)
    assert set(np.unique(matrix.astype(np.float64))) <= {0.0, 1.0}
    assert (matrix.astype(np.float64) != record.case.expected().value.reshape(sources, -1)).any()


@pytest.mark.parametrize("operator", registry.representatives())
def test_every_model_says_something_of_every_small_case(operator: str) -> None:
    """No model fails on a case, and a right output is not what every model predicts."""
    spec = OPERATORS[operator]
    models = models_of(spec)
    assert len({model.name for model in models}) >= 100
    told_apart = set()
    cases = golden.cases(operator, level="quick", dtypes=("float16",))
    cases = sorted(cases, key=case_bytes)[: len(cases) // 2]  # codes of many planes say no more of a model
    cases = cases[:: max(1, len(cases) // 4)]
    others = golden.cases(operator, fills=(cases[0].fill or "",))
    cases += [case for case in others if case.data_format and case.dtype == "float16"][:1]
    cases += [case for case in others if case.dtype == "bool"][:1]
    for case in cases:
        output = getattr(acltwin, operator)(**case.inputs(), **case.arguments)
        outputs = output if isinstance(output, tuple) else (output,)
        view = View(case, outputs)
        for number, model in enumerate(models):
            if not reproduces(predicted(model, view), view.observed_arrays or ()):
                told_apart.add(number)
    assert len(told_apart) > len(models) // 2


@pytest.mark.parametrize(
    "operator",
    [name for name in registry.representatives() if OPERATORS[name].family == "upsample"],
)
@pytest.mark.parametrize("map_rule", ["device", "torch"])
def test_the_grid_of_index_rules_contains_the_documented_one(operator: str, map_rule: str) -> None:
    """On every geometry. The codes see each wrong weight, and the dtype has no say in the rule."""
    for case in golden.cases(operator, map_rule=map_rule, dtypes=("float32",), fills=("coded", "special")):
        view = View(case)
        matrices = documented_rule(view).matrices(view)
        with np.errstate(all="ignore"):
            prediction = view.sums(lambda x, matrices=matrices: apply(matrices, x))
        right = getattr(acltwin, operator)(**case.inputs(), **case.arguments, rule=map_rule)
        assert reproduces(prediction, (right,)), case.name
