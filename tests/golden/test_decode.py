"""The decoder against the map itself: random wrong weights, whose every cell is known."""

from __future__ import annotations

import numpy as np
import pytest

from acltwin.golden.cases import codes
from acltwin.golden.cases.dtypes import facts
from acltwin.golden.cases.streams import Stream
from acltwin.golden.judge import decode

SUMS = ("float32", "float16", "bfloat16")
COPIES = ("float32", "float16", "bfloat16", "float64", "int8", "uint8", "int16", "int32", "int64")


def _weights(rng: np.random.Generator, cells: int, sources: int, terms: int) -> np.ndarray:
    """Every source belongs to at most one cell, no cell has more than ``terms``."""
    weights = np.zeros((cells, sources), np.int64)
    for source in rng.permutation(sources):
        cell = rng.integers(cells)
        if weights[cell].sum() < terms:
            weights[cell, source] = 1
    return weights


def _spoilt(rng: np.random.Generator, weights: np.ndarray, wrong: int) -> np.ndarray:
    """``wrong`` sources of every cell get another weight: lost, extra, doubled or negated."""
    result = weights.copy()
    for row in result:
        for source in rng.choice(len(row), wrong, replace=False):
            row[source] += rng.choice([-1, -2]) if row[source] else rng.choice([1, 2, -1])
    return result


@pytest.mark.parametrize("dtype", SUMS)
@pytest.mark.parametrize(("sources", "terms"), [(7, 2), (60, 4), (400, 8), (1000, 27)])
def test_up_to_two_wrong_sources_are_found_exactly(
    rng: np.random.Generator, dtype: str, sources: int, terms: int
) -> None:
    code = codes.sum_code(sources, terms, dtype)
    assert code.combs == 1
    stream = Stream(0, "a case", "grad_out")
    planes = codes.sum_planes(code, stream)
    right = _weights(rng, 200, sources, terms)
    for wrong in (0, 1, 2):
        observed = _spoilt(rng, right, wrong)
        found, expected = (planes @ weights.T for weights in (observed, right))
        assert np.abs(found).max() <= 2 ** facts(dtype).bits, "the sums must be exact in the dtype"
        stored = found.astype(facts(dtype).dtype).astype(np.float64)
        decoded = list(decode.decode_sums(code, codes.alphas(code, stream), stored, expected.astype(np.float64)))
        assert len(decoded) == (200 if wrong else 0)
        for cell, pairs in decoded:
            errors = observed[cell] - right[cell]
            assert dict(pairs) == {int(source): int(errors[source]) for source in np.flatnonzero(errors)}


@pytest.mark.parametrize("dtype", SUMS)
def test_more_wrong_sources_are_seen_and_never_taken_for_fewer(rng: np.random.Generator, dtype: str) -> None:
    sources, terms = 300, 6
    code = codes.sum_code(sources, terms, dtype)
    stream = Stream(0, "a case", "grad_out")
    planes = codes.sum_planes(code, stream)
    right = _weights(rng, 1000, sources, terms)
    for wrong in (3, 4, 7):
        observed = _spoilt(rng, right, wrong)
        found, expected = ((planes @ weights.T).astype(np.float64) for weights in (observed, right))
        decoded = list(decode.decode_sums(code, codes.alphas(code, stream), found, expected))
        assert len(decoded) == 1000
        assert all(not pairs for _, pairs in decoded)


@pytest.mark.parametrize("terms", [3, 4, 5])
def test_intervals_that_are_wrong_by_many_are_never_decoded_to_a_pair(terms: int) -> None:
    """Neighbouring sources have neighbouring numbers unless they are shuffled: sums of runs would look alike."""
    sources = 500
    code = codes.sum_code(sources, terms, "float32")
    stream = Stream(0, "a case", "grad_out")
    planes = codes.sum_planes(code, stream)
    starts = np.arange(0, sources - 2 * terms)
    right = np.array([[start <= o < start + terms for o in range(sources)] for start in starts], np.int64)
    moved = np.roll(right, 2, axis=1)
    decoded = decode.decode_sums(
        code, codes.alphas(code, stream), (planes @ moved.T).astype(float), (planes @ right.T).astype(float)
    )
    for cell, pairs in decoded:
        errors = moved[cell] - right[cell]
        assert not pairs or dict(pairs) == {int(o): int(errors[o]) for o in np.flatnonzero(errors)}


@pytest.mark.parametrize("dtype", COPIES)
@pytest.mark.parametrize("cells", [1, 100, 5000, 70_000])
def test_digits_name_every_cell(rng: np.random.Generator, dtype: str, cells: int) -> None:
    planes = codes.digit_planes(cells, dtype, turn=3)
    stored = planes.astype(facts(dtype).dtype).astype(np.float64)
    assert (stored == planes).all(), "every code is exact in its dtype"
    chosen = rng.integers(0, cells, 500)
    base = facts(dtype).code_base
    assert (decode.decode_digits(stored[:, chosen], base, cells, 3) == chosen).all()
    blank = np.zeros((len(planes), 4))
    assert (decode.decode_digits(blank, base, cells, 3) == -1).all()
    strange = np.full((len(planes), 4), np.nan)
    assert (decode.decode_digits(strange, base, cells, 3) == -2).all()
    beyond = np.full((len(planes), 4), float(base))  # a number of as many digits, but of no cell
    assert (decode.decode_digits(beyond, base, cells, 3) == -2).all()


@pytest.mark.parametrize(
    ("dtype", "terms", "sources", "planes", "base"),
    [
        ("float32", 8, 1000, 5, None),
        ("float32", 125, 65_536, 5, 2**17),
        ("float16", 8, 1000, 9, 128),
        ("float16", 64, 1000, 13, 16),
        ("float16", 64, 65_536, 21, 16),
        ("bfloat16", 1, 1000, 9, 64),
        ("bfloat16", 8, 1000, 13, 16),
        ("bfloat16", 27, 4096, 21, 8),
        ("bfloat16", 64, 4096, 53, 2),
    ],
)
def test_codes_are_as_small_as_promised(dtype: str, terms: int, sources: int, planes: int, base: int | None) -> None:
    code = codes.sum_code(sources, terms, dtype)
    assert code.planes == planes
    if base is not None:
        assert code.base == base
    assert (terms + 2) * (code.base - 1) <= 2 ** facts(dtype).bits or code.digits == 1


def test_combs_cover_what_one_sum_cannot_hold() -> None:
    code = codes.sum_code(686, 343, "bfloat16")
    assert code.combs == 6
    assert code.base == 2
    assert code.planes <= codes.PLANE_BUDGET
    ranks = np.arange(686) % 343
    planes = codes.sum_planes(code, Stream(0, "a case", "grad_out"), ranks)
    for start in (0, 343):
        assert planes[:, start : start + 343].sum(1).max() <= 2**8
