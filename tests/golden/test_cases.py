"""Every operator has its cases, the twin passes them all, and the data depend on names alone."""

from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np
import pytest

import acltwin
from acltwin import golden
from acltwin.golden.cases.cases import case_bytes, described
from acltwin.golden.cases.family import flowing_name, weighs
from acltwin.ops import OPERATORS
from support import registry
from support.thorough import THOROUGH


@pytest.mark.parametrize("operator", OPERATORS)
def test_twin_passes_every_case(operator: str) -> None:
    """The quick ones; where wrong implementations are run over all cases, the twin runs along."""
    cases = golden.cases(operator, level="quick")
    assert cases
    for case in cases:
        result = getattr(acltwin, operator)(**case.inputs(), **case.arguments)
        verdict = golden.judge(case, result)
        assert verdict.passed, verdict.text()
        if not weighs(OPERATORS[operator]) or case.fill != "special":  # a weight of 0, or nearly, times an infinity
            assert verdict.census.not_judged == 0, "a case of ours must be judged everywhere"


@pytest.mark.skipif(not THOROUGH, reason="26,789 cases: only in thorough runs")
@pytest.mark.parametrize("operator", OPERATORS)
def test_twin_passes_every_case_of_the_full_level_in_every_dtype(operator: str) -> None:
    spec = OPERATORS[operator]
    values = next(argument for argument in spec.inputs if argument.python_name == flowing_name(spec))
    dtypes = tuple(dtype for dtype in (*values.dtypes, *values.array_dtypes) if dtype != "bool")
    run = golden.verify(getattr(acltwin, operator), operator, level="full", dtypes=dtypes, isolate=False)
    assert run.passed, run.text()


@pytest.mark.parametrize("operator", registry.representatives())
def test_names_are_unique_and_levels_nested(operator: str) -> None:
    names = {level: [case.name for case in golden.cases(operator, level=level)] for level in ("quick", "default")}
    assert all(count == 1 for count in Counter(names["default"]).values())
    assert set(names["quick"]) <= set(names["default"])
    assert len(names["quick"]) <= 40


def test_default_set_is_small_enough() -> None:
    cases = [case for operator in OPERATORS for case in golden.cases(operator)]
    assert len(cases) <= 350 * len(OPERATORS)  # the gradients of sums have more fills than copies do
    assert sum(map(case_bytes, cases)) <= 12.5e6 * len(OPERATORS)


@pytest.mark.parametrize("operator", registry.representatives())
def test_data_depend_on_the_seed_and_repeat(operator: str) -> None:
    first, again, other = (golden.cases(operator, level="quick", seed=seed)[0] for seed in (0, 0, 1))
    assert _digest(first) == _digest(again)
    assert first.name == other.name
    flowing = next(iter(golden.cases(operator, fills=("special",)))).inputs().keys()
    assert set(flowing) == set(first.inputs())


def test_unknown_words_are_refused() -> None:
    with pytest.raises(ValueError, match="no operator is called 'nearest'"):
        golden.cases("nearest")
    with pytest.raises(ValueError, match="no level is called 'huge'"):
        golden.cases("max_unpool3d", level="huge")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has no uint32"):
        golden.cases("upsample_nearest3d", dtypes=("uint32",))


@pytest.mark.parametrize(
    ("name", "operator"),
    [
        ("aclnnMaxPool3dWithArgmaxBackward", "max_pool3d_with_argmax_backward"),
        ("max_pool3d_grad_with_argmax", "max_pool3d_with_argmax_backward"),
        ("upsample_nearest_exact2d_grad", "upsample_nearest_exact2d_backward"),
        ("aten::_upsample_nearest_exact3d_backward", "upsample_nearest_exact3d_backward"),
        ("aten::max_unpool3d", "max_unpool3d"),
    ],
)
def test_operators_are_found_by_their_other_names(name: str, operator: str) -> None:
    assert golden.cases(name, level="quick")[0].operator == operator


def _digest(case: golden.Case) -> str:
    digest = hashlib.sha256()
    for name, tensor in case.inputs().items():
        digest.update(name.encode() + np.ascontiguousarray(tensor).tobytes())
    return digest.hexdigest()


@pytest.mark.parametrize("operator", ["upsample_nearest3d_backward", "max_unpool3d", "max_pool3d_with_argmax_backward"])
def test_views_are_not_contiguous_and_surrounded_by_poison(operator: str) -> None:
    cases = [case for case in golden.cases(operator, level="full", dtypes=("float32",)) if case.is_view]
    assert cases
    for case in cases[:6]:
        tensors = case.inputs()
        assert all(not tensor.flags.c_contiguous and tensor.base is not None for tensor in tensors.values())
        assert case.judge(getattr(acltwin, operator)(**tensors, **case.arguments)).passed


def test_full_level_holds_the_tiles_and_every_format() -> None:
    cases = golden.cases("upsample_nearest3d_backward", level="full", dtypes=("float32",), fills=("coded",))
    names = {case.geometry.name for case in cases if case.geometry is not None}
    assert {"w127", "h33", "planes17", "w127-last", "factor2-last"} <= names
    tiny = golden.cases(
        "upsample_nearest3d_backward", level="full", dtypes=("float32",), fills=("coded",), max_bytes=9000
    )
    assert 0 < len(tiny) < len(cases)


def test_codes_can_be_spread_over_several_cases() -> None:
    entry = {"input_size": [2, 3, 2, 3, 4], "output_size": [4, 6, 8], "C": "exact"}
    content = {"operator": "upsample_nearest3d_backward", "dtype": "bfloat16", "fill": "coded", "cases": [entry]}
    cases = described(content)
    assert len(cases) > 1
    assert all(case.inputs()["grad_out"].shape[1] == 3 for case in cases)
    assert sum(case.share for case in cases) == pytest.approx(1.0)
    digests = {_digest(case) for case in cases}
    assert len(digests) == len(cases)
    for case in cases:
        assert case.judge(acltwin.upsample_nearest3d_backward(**case.inputs(), **case.arguments)).passed
