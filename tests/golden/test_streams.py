"""Data depend on names alone: these hashes hold for every machine and every version of NumPy."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from acltwin import golden
from acltwin.golden.cases.streams import BLOCK, Stream

STREAM = Stream(0, "frac-up/float16/coded", "grad_out")


def _digest(array: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


@pytest.mark.parametrize(
    ("array", "digest"),
    [
        (STREAM.raw((10_000,)), "afe2fc7b8cd01260"),
        (STREAM.integers(-5, 9, (10_000,)), "30cd179e5c582537"),
        (STREAM.signed(8, (10_000,)), "e9e41fa4b964bf9c"),
        (STREAM.uniform((10_000,)), "15febcb9ca206e46"),
        (STREAM.reals((10_000,)), "130e037e0449c0e3"),
        (STREAM.permutation(10_000), "3abf0ee79dde6265"),
    ],
    ids=["raw", "integers", "signed", "uniform", "reals", "permutation"],
)
def test_transforms(array: np.ndarray, digest: str) -> None:
    assert _digest(array) == digest


def test_blocks_do_not_depend_on_how_much_is_drawn() -> None:
    whole = STREAM.raw((3 * BLOCK + 7,), 2)
    for count in (1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 5):
        np.testing.assert_array_equal(STREAM.raw((count,), 2), whole[:, :count])


def test_every_part_of_the_name_counts() -> None:
    streams = [
        STREAM,
        Stream(1, STREAM.case, STREAM.tensor),
        Stream(0, "other", STREAM.tensor),
        Stream(0, STREAM.case, "indices"),
        STREAM.of(1),
    ]
    assert len({_digest(stream.raw((16,))) for stream in streams}) == len(streams)


def test_transforms_are_what_they_say() -> None:
    signed = STREAM.signed(3, (60_000,))
    assert sorted(set(signed.tolist())) == [-3, -2, -1, 1, 2, 3]
    assert abs(np.bincount(signed + 3, minlength=7)[[0, 1, 2, 4, 5, 6]] - 10_000).max() < 500
    reals = STREAM.reals((60_000,))
    assert abs(reals.mean()) < 0.05
    assert np.abs(reals).max() < 8 * 4
    assert (np.unique(np.frexp(reals)[0]).size) > 59_000, "full significands"
    assert sorted(STREAM.permutation(1000).tolist()) == list(range(1000))


@pytest.mark.parametrize(
    ("operator", "name", "digest"),
    [
        ("upsample_nearest_exact2d_backward", "frac-up/float16/coded", "209ca36f39e689d9"),
        ("upsample_nearest3d_backward", "down/bfloat16/real", "81d05ececc1647e2"),
        ("max_pool3d_with_argmax_backward", "overlap/float32/signed-nan", "e60d68b8a850bc90"),
        ("max_unpool3d_backward", "cells2100/int8/coded-repeated", "ba601a607f11dc2e"),
        ("max_pool3d_with_argmax", "ceil/float16/close", "a1e50530025af0a6"),
    ],
)
def test_cases_keep_their_data(operator: str, name: str, digest: str) -> None:
    case = next(case for case in golden.cases(operator) if case.name == name)
    tensors = case.inputs()
    assert _digest(np.frombuffer(b"".join(tensors[key].tobytes() for key in sorted(tensors)), np.uint8)) == digest
