"""What tolerances accept and reject. Prints the table of docs/golden/tolerances.md.

    python benchmarks/golden_rules.py

Every result is one of ``upsample_nearest_exact2d_backward``; ``bound`` judges it with ``golden.judge``, the other rules
compare it with the expected values as their tools do.
"""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes  # noqa: F401 - gives NumPy the name "bfloat16"
import numpy as np

from acltwin import golden

OPERATOR = "upsample_nearest_exact2d_backward"
RULES = ("bound", "mixed@ttk", "mixed@tilelang", "stat_rel_err", "close", "cosine", "assert_close")


@dataclass(frozen=True)
class Result:
    says: str
    right: bool
    case: golden.Case
    output: np.ndarray


def case_of(gradient: np.ndarray, height: int, width: int) -> golden.Case:
    sizes = {"output_size": gradient.shape[2:], "input_size": (*gradient.shape[:2], height, width)}
    return golden.Case.of(OPERATOR, {"grad_output": gradient}, sizes)


def expected_of(case: golden.Case) -> np.ndarray:
    return case.expected().value.astype(case.inputs()["grad_output"].dtype)


def all_zero(dtype: str, size: float) -> Result:
    case = case_of((size * np.random.default_rng(0).standard_normal((1, 2, 64, 64))).astype(dtype), 32, 32)
    return Result(f"all zeros, {dtype}, gradients of about {size:g}", False, case, np.zeros_like(expected_of(case)))


def one_nan() -> Result:
    case = case_of(np.random.default_rng(0).integers(1, 9, (1, 2, 200, 200)).astype(np.float32), 100, 100)
    output = expected_of(case)
    output[0, 1, 50, 50] = np.nan
    return Result("one NaN among 20,000 cells, float32", False, case, output)


def last_column_lost() -> Result:
    case = case_of((0.01 * np.random.default_rng(0).standard_normal((1, 2, 64, 400))).astype(np.float16), 32, 200)
    output = expected_of(case)
    output[..., -1] = 0
    return Result("the last of 200 columns is 0, float16, gradients of about 0.01", False, case, output)


def added_in_16_bits() -> Result:
    case = case_of(np.random.default_rng(0).uniform(0, 1, (1, 2, 64, 64)).astype(np.float16), 32, 32)
    gradient = case.inputs()["grad_output"].reshape(1, 2, 32, 2, 32, 2)
    output = (gradient[:, :, :, 0, :, 0] + gradient[:, :, :, 0, :, 1]) + gradient[:, :, :, 1, :, 0]
    return Result("sums in float16 instead of float32", False, case, output + gradient[:, :, :, 1, :, 1])


def right_in_another_order() -> Result:
    case = case_of(np.random.default_rng(0).standard_normal((1, 1, 3000, 3000)).astype(np.float32), 1000, 1000)
    gradient = case.inputs()["grad_output"].reshape(1, 1, 1000, 3, 1000, 3)
    output = np.zeros((1, 1, 1000, 1000), np.float32)
    for down in range(3):
        for across in range(3):
            output += gradient[:, :, :, down, :, across]
    return Result("float32 sums in ascending order, a million cells", True, case, output)


def accepts(rule: str, result: Result) -> bool:
    if rule == "bound":
        return golden.judge(result.case, result.output).passed
    return golden.compare(result.output, expected_of(result.case), rule).passed


def main() -> None:
    results = (
        all_zero("bfloat16", 1e-3),
        all_zero("float32", 1e-6),
        one_nan(),
        last_column_lost(),
        added_in_16_bits(),
        right_in_another_order(),
    )
    print("| result |", " | ".join(f"`{rule}`" for rule in RULES), "|")
    print("|---" * (len(RULES) + 1) + "|")
    for result in results:
        words = []
        for rule in RULES:
            verdict = accepts(rule, result)
            word = "accepts" if verdict else "rejects"
            words.append(word if verdict == result.right else f"**{word}**")
        print(f"| {'right' if result.right else 'wrong'}: {result.says} |", " | ".join(words), "|")


if __name__ == "__main__":
    main()
