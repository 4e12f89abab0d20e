"""One input, one result: bit for bit, for every number of threads, instruction set and memory layout."""

from __future__ import annotations

import json

import pytest

import acltwin
from support.large import large_cases
from support.processes import instruction_set_levels, output_of
from support.values import assert_same_bits

THREADS = (1, 2, 3, 8)

# Prints the digest of every case's result under every thread count and layout: all of one case must be equal.
DIGESTS = """
import hashlib, json
import acltwin
from support.large import huge_cases, large_cases
from support.layouts import channels_last, contiguous, pitched, reversed_everywhere, swapped_rows_and_columns
from support.values import bits

def digest(case):
    return hashlib.sha256(bits(case.run())).hexdigest()

digests = {}
for name, make in (large_cases() | huge_cases()).items():
    case = make()
    found = digests[name] = {}
    for threads in (1, 2, 3, 8):
        acltwin.set_num_threads(threads)
        found[f"{threads} threads"] = digest(case)
    for layout in (channels_last, pitched, reversed_everywhere, swapped_rows_and_columns):
        moved = case.mapped(layout)
        for threads in (1, 2):
            acltwin.set_num_threads(threads)
            found[f"{layout.__name__}, {threads} threads"] = digest(moved)
print(json.dumps(digests))
"""


@pytest.fixture(scope="module")
def digests() -> dict[str, dict[str, dict[str, str]]]:
    """level -> case -> circumstances -> digest."""
    return {level: json.loads(output_of(DIGESTS, {"ACLTWIN_ISA": level})) for level in instruction_set_levels()}


def test_threads_and_layouts_do_not_matter(digests: dict[str, dict[str, dict[str, str]]]) -> None:
    wrong = [
        f"{name} on {level}: {circumstances}"
        for level, cases in digests.items()
        for name, found in cases.items()
        for circumstances, value in found.items()
        if value != found["1 threads"]
    ]
    assert not wrong, "\n".join(wrong)


def test_instruction_sets_do_not_matter(digests: dict[str, dict[str, dict[str, str]]]) -> None:
    first, *others = digests.values()
    wrong = [name for other in others for name in first if other[name]["1 threads"] != first[name]["1 threads"]]
    assert not wrong, "\n".join(wrong)


def test_tiny_calls_agree_across_instruction_sets() -> None:
    """Small sizes have paths of their own, and rows shorter than a vector."""
    code = """
import hashlib
import numpy as np
from support.cases import OPERATOR_DTYPES, UPSAMPLE, AXES, small_case, upsample
from support.values import bits
found = hashlib.sha256()
for operator, dtype in OPERATOR_DTYPES:
    found.update(bits(small_case(operator, dtype).run()))
rng = np.random.default_rng(9)
for operator, dtype in OPERATOR_DTYPES:
    if operator in UPSAMPLE:
        for _ in range(300):
            outer, inner = (tuple(int(n) for n in rng.integers(1, 24, AXES[operator])) for _ in range(2))
            found.update(bits(upsample(rng, operator, dtype, outer, inner, batch=(1, 2)).run()))
print(found.hexdigest())
"""
    found = {level: output_of(code, {"ACLTWIN_ISA": level}) for level in instruction_set_levels()}
    assert len(set(found.values())) == 1, found


def test_the_same_call_again_gives_the_same_bits() -> None:
    for name, make in large_cases(1 << 16).items():
        case = make()
        acltwin.set_num_threads(8)
        expected = case.run()
        for _ in range(3):
            assert_same_bits(case.run(), expected, name)


def test_the_environment_sets_the_number_of_threads() -> None:
    code = "import acltwin; print(acltwin.get_num_threads())"
    for count in THREADS:
        assert output_of(code, {"ACLTWIN_NUM_THREADS": str(count)}).strip() == str(count)
