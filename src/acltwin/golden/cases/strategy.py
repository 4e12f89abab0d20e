"""Random legal cases for Hypothesis: sizes, scales, windows and indices, which shrink to small ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import make_case
from acltwin.golden.cases.descriptions import first_dtypes
from acltwin.golden.cases.families import FAMILIES
from acltwin.golden.cases.names import resolve
from acltwin.ops import OPERATORS
from acltwin.ops.spec import OpSpec

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

Draw = Callable[["DrawFn", OpSpec], dict[str, Any]]


def strategy(operator: str, *, dtypes: tuple[str, ...] | None = None, map_rule: str = "device") -> SearchStrategy[Case]:
    """Cases of an operator, small and legal; a failing one shrinks.

    >>> from hypothesis import given
    >>> @given(strategy("max_unpool3d"))
    ... def test_my_kernel(case):
    ...     case.check(my_kernel(**case.inputs(), **case.arguments))
    """
    from hypothesis import strategies

    spec = OPERATORS[resolve(operator)]

    @strategies.composite
    def cases(draw: DrawFn) -> Case:
        family = FAMILIES[spec.family]
        entry = _DRAWS[spec.family](draw, spec)
        geometry = family.described(spec, entry, "drawn", "the drawn case")
        dtype = draw(strategies.sampled_from(dtypes or first_dtypes(spec)))
        fill = draw(strategies.sampled_from(family.fills(spec, dtype)))
        seed = draw(strategies.integers(0, 2**16))
        return make_case(spec, geometry, dtype, fill, seed, map_rule)

    return cases()


def _upsampling(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    from hypothesis import strategies as st

    axes = len(spec.axes)
    scale = st.one_of(st.just(0.0), st.floats(0.25, 4.0, width=32))
    return {
        "input_size": [
            draw(st.integers(1, 2)),
            draw(st.integers(1, 3)),
            *(draw(st.integers(1, 12)) for _ in range(axes)),
        ],
        "output_size": [draw(st.integers(1, 24)) for _ in range(axes)],
        "scales": [draw(scale) for _ in range(axes)],
        "format": draw(st.sampled_from(spec.data_formats)),
    }


def _pooling(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    from hypothesis import strategies as st

    axes = len(spec.axes)
    kernel = [draw(st.integers(1, 3)) for _ in range(axes)]
    dilation = [draw(st.integers(1, 2)) for _ in range(axes)]
    plane = [draw(st.integers((k - 1) * d + 1, 9)) for k, d in zip(kernel, dilation, strict=True)]
    batch = [draw(st.integers(1, 3)) for _ in range(draw(st.integers(1, 2)))]
    return {
        "input_size": [*batch, *plane],
        "kernel_size": kernel,
        "stride": [draw(st.integers(1, 3)) for _ in range(axes)],
        "padding": [draw(st.integers(0, k // 2)) for k in kernel],
        "dilation": dilation,
        "ceil_mode": draw(st.booleans()),
    }


def _unpooling(draw: DrawFn, spec: OpSpec) -> dict[str, Any]:
    from hypothesis import strategies as st

    axes = len(spec.axes)
    pooled = [draw(st.integers(1, 4)) for _ in range(axes)]
    batch = [draw(st.integers(1, 3)) for _ in range(draw(st.integers(1, 2)))]
    return {
        "input_size": [*batch, *pooled],
        "output_size": [draw(st.integers(size, 3 * size)) for size in pooled],
    }


_DRAWS: dict[str, Draw] = {"upsample": _upsampling, "pool": _pooling, "unpool": _unpooling}
