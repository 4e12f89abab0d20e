"""A scale that is the inverse of what the sizes say is used as it is, and pointed out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acltwin
from acltwin import InvertedScaleWarning
from acltwin.ops import OPERATORS
from support import registry
from support.lazy import acltwin_dask, acltwin_jax, da, jax, torch
from support.libraries import Foreign, to_jax, to_torch

UPSAMPLINGS = [spec for spec in OPERATORS.values() if spec.family == "upsample"]
UPSAMPLING = pytest.mark.parametrize("spec", UPSAMPLINGS, ids=[spec.name for spec in UPSAMPLINGS])
LARGE, SMALL = 6, 3


def shape_of(spec: Any, cells: int, data_format: str | None = None) -> tuple[int, ...]:
    sizes = (cells,) * len(spec.axes)
    last = data_format is not None and data_format.endswith("C")
    return (1, *sizes, 2) if last else (1, 2, *sizes)


def call(spec: Any, outer: int, scale: float, *, tensor: Any = np.asarray, **keywords: Any) -> Any:
    """From SMALL to `outer` cells per axis, or back if it is a gradient, with this scale on every axis."""
    axes, data_format = len(spec.axes), keywords.get("data_format")
    source = np.ones(shape_of(spec, outer if spec.is_gradient else SMALL, data_format), np.float32)
    sizes: tuple[Any, ...] = ((outer,) * axes,)
    if spec.is_gradient:
        sizes = (*sizes, shape_of(spec, SMALL))
    return getattr(acltwin, spec.name)(tensor(source), *sizes, *[scale] * axes, **keywords)


def warnings_of(function: Callable[[], object]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [warning for warning in caught if warning.category is InvertedScaleWarning]


@pytest.mark.parametrize("tensor", [np.asarray, to_torch, to_jax, Foreign])
@UPSAMPLING
def test_an_inverted_scale_is_pointed_out(spec: Any, tensor: Callable[[Any], Any]) -> None:
    for outer, scale, ratio in ((LARGE, 0.5, "6 / 3 = 2"), (1, 3.0, "1 / 3 = 0.333333")):
        (warning,) = warnings_of(lambda outer=outer, scale=scale: call(spec, outer, scale, tensor=tensor))
        text = str(warning.message)
        assert text.startswith(tuple(f"{spec.name}: {name} is" for name in registry.scale_names(spec.name)))
        assert f"is {scale:g}, but output / input is {ratio}" in text
        assert "pass output size / input size" in text
        assert Path(warning.filename) == Path(__file__)


@UPSAMPLING
def test_a_scale_on_the_right_side_is_not(spec: Any) -> None:
    right = [
        (LARGE, 2.0),
        (LARGE, 1.01),
        (LARGE, 50.0),
        (1, 1 / 3),
        (1, 0.99),
        (SMALL, 2.0),
        (SMALL, 0.5),
        (SMALL, 1.0),
    ]
    not_given = [(LARGE, 0.0), (LARGE, 1.0), (LARGE, 1e-50), (LARGE, float("nan"))]
    for out, scale in right + not_given:
        assert not warnings_of(lambda out=out, scale=scale: call(spec, out, scale)), (out, scale)


@UPSAMPLING
def test_sizes_are_those_of_the_spatial_axes(spec: Any) -> None:
    for data_format in spec.data_formats:
        if len(spec.data_formats) > 1:
            assert len(warnings_of(lambda chosen=data_format: call(spec, LARGE, 0.5, data_format=chosen))) == 1
            assert not warnings_of(lambda chosen=data_format: call(spec, LARGE, 2.0, data_format=chosen))
    out = np.empty(shape_of(spec, SMALL if spec.is_gradient else LARGE), np.float32)
    assert len(warnings_of(lambda: call(spec, LARGE, 0.5, out=out))) == 1


def test_only_the_axis_that_is_inverted_is_named() -> None:
    grad = np.ones((1, 1, 4, 4, 4), np.float32)
    sizes = ((4, 4, 4), (1, 1, 2, 2, 2))
    (warning,) = warnings_of(lambda: acltwin.upsample_nearest3d_backward(grad, *sizes, 2.0, 0.5, 2.0))
    assert "scales_h is 0.5" in str(warning.message)


def test_results_are_as_they_were() -> None:
    grad = np.arange(8, dtype=np.float32).reshape(1, 1, 1, 1, 8)
    with pytest.warns(InvertedScaleWarning):
        result = acltwin.upsample_nearest3d_backward(grad, (1, 1, 8), (1, 1, 1, 1, 4), 1.0, 1.0, 0.5)
    assert result.ravel().tolist() == [0, 0, 1, 0]
    right = acltwin.upsample_nearest3d_backward(grad, (1, 1, 8), (1, 1, 1, 1, 4), 1.0, 1.0, 2.0)
    assert right.ravel().tolist() == [1, 5, 9, 13]


def test_each_place_is_told_once() -> None:
    """As Python does by default, and again after a change; small calls are remembered, their warnings are not."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(3):
            call(UPSAMPLINGS[0], LARGE, 0.5)
        assert len(caught) == 1
        call(UPSAMPLINGS[0], LARGE + 1, 0.5)
        assert len(caught) == 2


def test_an_error_comes_before_anything_is_written() -> None:
    spec = next(spec for spec in UPSAMPLINGS if spec.is_gradient)
    out = np.full(shape_of(spec, SMALL), 77, np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error", InvertedScaleWarning)
        with pytest.raises(InvertedScaleWarning, match="inverted"):
            call(spec, LARGE, 0.5, out=out)
    assert (out == 77).all()


def test_memory_may_go_away_in_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    grad = np.ones((1, 1, 64, 64, 64), np.float32)
    monkeypatch.setattr(warnings, "showwarning", lambda *_, **__: grad.resize((1, 1, 1, 1, 1), refcheck=False))
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        with pytest.raises(ValueError, match=r"\(1, 1, 1, 1, 1\)"):
            acltwin.upsample_nearest3d_backward(grad, (64, 64, 64), (1, 1, 32, 32, 32), 0.5, 0.5, 0.5)


# ---- the other doors ----

SOURCE = np.ones((1, 1, 3, 3, 3), np.float32)


def is_told_here(function: Callable[[], object]) -> None:
    (warning,) = warnings_of(function)
    assert Path(warning.filename) == Path(__file__), warning.filename


def test_pytorch_operators_tell_the_program() -> None:
    import acltwin.torch  # noqa: F401  registers the operators

    tensor = to_torch(SOURCE)
    is_told_here(lambda: torch.ops.acltwin.upsample_nearest3d(tensor, (6, 6, 6), 0.5, 0.5, 0.5))
    is_told_here(lambda: torch.ops.acltwin.upsample_nearest2d(tensor[0], (7, 7), 0.5, 0.5))


@pytest.mark.parametrize("engine", ["xla_ffi", "pure_callback"])
def test_jax_tells_once_while_it_traces(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACLTWIN_JAX_ENGINE", engine)
    function = jax.jit(lambda x: acltwin_jax.upsample_nearest3d(x, (6, 6, 6), 0.5, 0.5, 0.5))
    is_told_here(lambda: jax.block_until_ready(function(SOURCE)))
    assert not warnings_of(lambda: jax.block_until_ready(function(SOURCE)))


def test_dask_tells_once_when_the_call_is_written_down() -> None:
    array = da.from_array(SOURCE)
    graphs: list[Any] = []
    is_told_here(lambda: graphs.append(acltwin_dask.upsample_nearest3d(array, (6, 6, 6), 0.5, 0.5, 0.5)))
    assert not warnings_of(lambda: graphs[0].compute(scheduler="synchronous"))


def test_running_wants_the_name_of_an_operator() -> None:
    with pytest.raises(ValueError, match='run_inferred: expected the name of an operator first, got "nothing"'):
        acltwin._core.run_inferred("nothing")
