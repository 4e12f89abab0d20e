"""One input, one result: bit for bit, for every number of threads, instruction set and memory layout."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import acltwin
from support.cases import AXES, OPERATOR_DTYPES, UPSAMPLE, upsample
from support.large import large_cases
from support.layouts import STRIDED
from support.processes import instruction_set_levels, output_of
from support.thorough import THOROUGH
from support.values import assert_same_bits, random_specials, with_one_nan

THREADS = (1, 2, 3, 8)

# Prints the digest of every case's result, and in which circumstances the bits were others.
COMPARE = """
import hashlib, itertools, json
import numpy as np
import acltwin
from support.large import huge_cases, large_cases
from support.layouts import channels_last, contiguous, pitched, reversed_everywhere, swapped_rows_and_columns
from support.thorough import THOROUGH
from support.values import bits

LAYOUTS = (channels_last, pitched, reversed_everywhere, swapped_rows_and_columns)
DIGESTS_ALONE = %s

def compare(case, layouts):
    acltwin.set_num_threads(2 if DIGESTS_ALONE else 1)
    expected = bits(case.run())
    wrong = []
    if DIGESTS_ALONE:
        return hashlib.sha256(expected).hexdigest(), wrong
    for layout in (contiguous, *layouts):
        moved = case.mapped(layout)
        for threads in (1, 2, 3, 8) if THOROUGH else (3,):
            acltwin.set_num_threads(threads)
            if not np.array_equal(bits(moved.run()), expected):
                wrong.append(f"{layout.__name__}, {threads} threads")
    return hashlib.sha256(expected).hexdigest(), wrong

# All layouts, or one after another: a kernel has more cases than there are layouts.
turns = itertools.cycle([LAYOUTS] if THOROUGH else [[layout] for layout in LAYOUTS])
cases = large_cases(1 << (20 if THOROUGH else 19)) | huge_cases()
print(json.dumps({name: compare(make(), next(turns)) for name, make in cases.items()}))
"""
Found = dict[str, tuple[str, list[str]]]


@pytest.fixture(scope="module")
def found() -> dict[str, Found]:
    """For every instruction set: by case its digest and what went wrong.

    Threads and layouts are tried on the newest one, which most machines take; the others must give its bits.
    """
    levels = instruction_set_levels()

    def compare(level: str) -> Found:
        code = COMPARE % (level != levels[-1] and not THOROUGH)
        cases: Found = json.loads(output_of(code, {"ACLTWIN_ISA": level}, timeout=1200))
        return cases

    with ThreadPoolExecutor() as processes:
        return dict(zip(levels, processes.map(compare, levels), strict=True))


def test_threads_and_layouts_do_not_matter(found: dict[str, Found]) -> None:
    wrong = {
        f"{name} on {level}": wrong for level, cases in found.items() for name, (_, wrong) in cases.items() if wrong
    }
    assert not wrong


def test_instruction_sets_do_not_matter(found: dict[str, Found]) -> None:
    first, *others = found.values()
    assert not [name for other in others for name, (digest, _) in first.items() if other[name][0] != digest]


def test_tiny_calls_agree_across_instruction_sets() -> None:
    """Small sizes have paths of their own, and rows shorter than a vector; half of them meet infinities and NaNs."""
    code = """
import hashlib
import numpy as np
from support.cases import OPERATOR_DTYPES, UPSAMPLE, AXES, small_case, upsample
from support.thorough import THOROUGH
from support.values import bits, random_array, random_specials, with_one_nan
found = hashlib.sha256()
for operator, dtype in OPERATOR_DTYPES:
    found.update(bits(small_case(operator, dtype).run()))
rng = np.random.default_rng(9)
for operator, dtype in OPERATOR_DTYPES:
    if operator in UPSAMPLE:
        for number in range(300 if THOROUGH else 60):
            outer, inner = (tuple(int(n) for n in rng.integers(1, 24, AXES[operator])) for _ in range(2))
            values = random_specials if number % 2 else random_array
            result = upsample(rng, operator, dtype, outer, inner, batch=(1, 2), values=values).run()
            found.update(bits(with_one_nan(result)))
print(found.hexdigest())
"""
    found = {level: output_of(code, {"ACLTWIN_ISA": level}) for level in instruction_set_levels()}
    assert len(set(found.values())) == 1, found


@pytest.mark.parametrize(("operator", "dtype"), [pair for pair in OPERATOR_DTYPES if pair[0] in UPSAMPLE])
def test_only_which_nan_it_is_may_depend_on_the_layout(
    operator: str, dtype: np.dtype[Any], rng: np.random.Generator
) -> None:
    """Where several NaNs meet, the result is a NaN; the sign and payload of which one is not promised."""
    for _ in range(40):
        outer, inner = (tuple(int(n) for n in rng.integers(1, 40, AXES[operator])) for _ in range(2))
        case = upsample(rng, operator, dtype, outer, inner, values=random_specials)
        expected = with_one_nan(case.run())
        for layout in STRIDED:
            assert_same_bits(with_one_nan(case.mapped(layout).run()), expected, (outer, inner, layout))


def test_the_same_call_again_gives_the_same_bits() -> None:
    for name, make in large_cases(1 << 16).items():
        case = make()
        acltwin.set_num_threads(8)
        expected = case.run()
        for _ in range(3):
            assert_same_bits(case.run(), expected, name)


def test_pytorchs_threads_do_not_matter() -> None:
    """Tensors are computed on PyTorch's threads, as many as it has."""
    code = """
import numpy as np, torch
import acltwin
from support.large import large_cases
from support.libraries import to_numpy, to_torch
from support.thorough import THOROUGH
from support.values import bits
acltwin.set_num_threads(8)
for name, make in large_cases(1 << 17).items():
    case = make()
    expected, tensors = bits(case.run()), case.mapped(to_torch)
    for threads in (1, 2, 4, 7) if THOROUGH else (1, 3):
        torch.set_num_threads(threads)
        if not np.array_equal(bits(to_numpy(tensors.run())), expected):
            print(f"{name}, {threads} threads")
"""
    assert not output_of(code)


def test_the_environment_sets_the_number_of_threads() -> None:
    code = "import acltwin; print(acltwin.get_num_threads())"
    for count in THREADS:
        assert output_of(code, {"ACLTWIN_NUM_THREADS": str(count)}).strip() == str(count)
