"""Guard rails: each kernel here cheats, or fails, in one way, and is found out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from acltwin import golden
from support import golden_kernels as kernels
from support.processes import output_of

OPERATOR = "upsample_nearest_exact2d_backward"


def _run(kernel: Callable[..., Any], **options: Any) -> golden.Run:
    return golden.verify(kernel, OPERATOR, level="quick", explain_seconds=0, **options)


def _problems(run: golden.Run) -> set[str | None]:
    return {record.verdict.problem for record in run.failures}


def test_right_kernel_passes() -> None:
    run = _run(kernels.right)
    assert run.passed
    assert run.exit_status == 0
    assert run.devices == ["cpu"]
    assert len(run.records) == len(golden.cases(OPERATOR, level="quick"))


@pytest.mark.parametrize("isolate", [True, False])
def test_a_kernel_that_writes_its_inputs_fails(isolate: bool) -> None:
    run = _run(kernels.writes_its_input, isolate=isolate)
    assert not any(record.verdict.passed for record in run.records)
    assert _problems(run) == {"the kernel wrote its input grad_output; inputs must stay as they are"}


def test_memory_never_holds_the_answer() -> None:
    for _ in range(2):  # the second time the expected values have been in this process
        assert not any(record.verdict.passed for record in _run(kernels.returns_its_memory).records)
        assert not any(record.verdict.passed for record in _run(kernels.returns_its_memory, isolate=False).records)


def test_expected_values_do_not_exist_where_the_kernel_runs() -> None:
    """In a process of its own: other tests leave expected values behind."""
    script = f"""
from acltwin import golden
from support import golden_kernels
if __name__ == "__main__":
    run = golden.verify(golden_kernels.looks_for_the_answer, {OPERATOR!r}, level="quick", explain_seconds=0)
    print(len(run.records), sum(record.verdict.passed for record in run.records))
"""
    cases, passed = map(int, output_of(script).split())
    assert cases > 0
    assert passed == 0


@pytest.mark.parametrize("rule", golden.rule_names())
def test_nan_passes_no_rule(rule: str) -> None:
    run = _run(kernels.returns_nan, rule=rule)
    assert not any(record.verdict.passed for record in run.records)


@pytest.mark.parametrize("kernel", [kernels.skips, kernels.refuses])
def test_skipping_everything_is_not_passing(kernel: Callable[..., Any]) -> None:
    run = _run(kernel)
    assert not run.passed
    assert run.exit_status == 4
    assert "nothing was run" in run.text()


def test_no_case_is_not_passing() -> None:
    run = golden.verify(kernels.right, [], explain_seconds=0)
    assert not run.passed
    assert run.exit_status == 4


def test_a_crash_is_one_failed_case() -> None:
    run = _run(kernels.crashes)
    assert run.exit_status == 3
    crashed = [record for record in run.records if record.verdict.status == "error"]
    assert {record.case.arguments["input_size"][-1] for record in crashed} == {5}  # type: ignore[index]
    assert {record.verdict.problem for record in crashed} == {"the process ended: signal 9 (Killed)"}
    assert all(record.verdict.passed for record in run.records if record not in crashed)


def test_a_kernel_that_ends_the_process_is_noticed() -> None:
    run = _run(kernels.leaves)
    assert _problems(run) == {"the process ended: exit status 0"}
    assert run.exit_status == 3


def test_a_hang_is_one_failed_case() -> None:
    cases = [case for case in golden.cases(OPERATOR, level="quick") if case.name.endswith("float32/coded")]
    run = golden.verify(kernels.hangs, cases, timeout=1.0, explain_seconds=0)
    hung = [record for record in run.records if record.verdict.status == "error"]
    assert {record.case.arguments["input_size"][-1] for record in hung} == {5}  # type: ignore[index]
    assert {record.verdict.problem for record in hung} == {"no answer after 1 s; the process was ended"}
    assert all(record.verdict.passed for record in run.records if record not in hung)


def test_an_exception_is_told_with_its_place() -> None:
    run = _run(kernels.raises)
    problems = _problems(run)
    assert len(problems) == 1
    assert str(problems.pop()).startswith("raised: RuntimeError: no such tile (golden_kernels.py:")
    assert run.exit_status == 3


def test_returning_nothing_fails() -> None:
    assert _problems(_run(kernels.returns_nothing)) == {"returned nothing; expected the result"}


def test_another_shape_fails_even_with_the_right_number_of_elements() -> None:
    run = _run(kernels.another_shape)
    wrong = [record for record in run.records if len(set(record.case.arguments["input_size"][2:])) > 1]  # type: ignore[index]
    assert wrong
    for record in wrong:
        assert "their arrangement is not" in str(record.verdict.problem)


def test_another_dtype_fails() -> None:
    problems = _problems(_run(kernels.another_dtype))
    assert all("is float64, expected float" in str(problem) for problem in problems)
    assert len(problems) == 2


@pytest.mark.parametrize(("dtype", "other"), [("float32", "int32"), ("float16", "uint16")])
def test_another_dtype_of_the_same_size_fails(dtype: str, other: str) -> None:
    """Even if it holds all values."""
    cases = golden.cases(OPERATOR, level="quick", dtypes=(dtype,))
    case = next(case for case in cases if case.fill == "coded")
    verdict = case.judge(case.expected().value.astype(other))
    assert not verdict.passed
    assert f"is {other}, expected {dtype}" in str(verdict.problem)


def test_differing_bits_are_a_warning_or_a_failure() -> None:
    run = _run(kernels.differs_from_run_to_run, repeat=2)
    warned = [record for record in run.records if record.verdict.warnings]
    assert warned
    assert run.passed
    assert warned[0].verdict.warnings == ("not deterministic: the same inputs gave different bits",)
    strict = _run(kernels.differs_from_run_to_run, repeat=2, deterministic=True)
    assert not strict.passed
    assert not any(record.verdict.warnings for record in _run(kernels.right, repeat=3).records)


def test_a_result_that_never_left_the_cpu_can_be_refused() -> None:
    run = _run(kernels.right, require_device="npu")
    assert _problems(run) == {"the result is on cpu, expected npu"}


def test_an_output_that_is_given_is_full_of_nan() -> None:
    assert _run(kernels.fills_out).passed
    forgetful = _run(kernels.forgets_a_cell)
    assert not any(record.verdict.passed for record in forgetful.records if not _first_is_nan(record.case))


def _first_is_nan(case: golden.Case) -> bool:
    return bool(np.isnan(case.expected().value.ravel()[0].astype(np.float64)))


def test_reading_behind_an_input_finds_poison() -> None:
    def reads_on(grad_output: np.ndarray[Any, Any], *arguments: Any) -> np.ndarray[Any, Any]:
        beyond = np.lib.stride_tricks.as_strided(grad_output.ravel(), (grad_output.size + 1,))
        result = np.array(kernels.right(grad_output, *arguments))
        result.ravel()[-1] += 0 * beyond[-1]
        return result

    run = _run(reads_on)
    assert not any(record.verdict.passed for record in run.records if not _last_is_nan(record.case))


def _last_is_nan(case: golden.Case) -> bool:
    return bool(np.isnan(case.expected().value.ravel()[-1]))
