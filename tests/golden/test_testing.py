"""acltwin.testing and the pytest plugin."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pytest

import acltwin
import acltwin.testing
from acltwin import golden
from support import golden_kernels as kernels
from support import registry
from support.lazy import torch

OPERATOR = "upsample_nearest_exact2d_backward"
pytest_plugins = ["pytester"]

TESTS = """
import numpy as np, acltwin, acltwin.testing

def kernel(grad_output, output_size, input_size, scales_h, scales_w):
    y = np.array(acltwin.upsample_nearest_exact2d_backward(grad_output, output_size, input_size, scales_h, scales_w))
    if y.shape[-1] == 5:
        y[..., -1] = 0
    return y

@acltwin.testing.cases("upsample_nearest_exact2d_backward", dtypes=("float32",))
def test_kernel(case):
    case.check(kernel(case["grad_output"], **case.arguments))
"""

SEEDS = """
def pytest_collection_finish(session):
    print("the data of seeds", {item.callspec.params["case"].seed for item in session.items})
"""


def test_assert_matches(rng: np.random.Generator) -> None:
    grad = rng.standard_normal((1, 2, 4, 6)).astype(np.float32)
    right = acltwin.upsample_nearest_exact2d_backward(grad, (4, 6), (1, 2, 2, 3))
    acltwin.testing.assert_matches(right, OPERATOR, grad, (4, 6), (1, 2, 2, 3))
    acltwin.testing.assert_matches(torch.from_numpy(right), OPERATOR, torch.from_numpy(grad), (4, 6), (1, 2, 2, 3))
    acltwin.testing.assert_matches(right, OPERATOR, grad_output=grad, output_size=(4, 6), input_size=(1, 2, 2, 3))
    with pytest.raises(AssertionError, match="1 of 12 cells wrong"):
        acltwin.testing.assert_matches(
            right + np.eye(12)[0].reshape(right.shape).astype(np.float32), OPERATOR, grad, (4, 6), (1, 2, 2, 3)
        )
    with pytest.raises(TypeError, match="needs grad_output"):
        acltwin.testing.assert_matches(right, OPERATOR)
    with pytest.raises(TypeError, match="takes 5 arguments"):
        acltwin.testing.assert_matches(right, OPERATOR, grad, 1, 2, 3, 4, 5)


def test_verify_asserts() -> None:
    assert acltwin.testing.verify(kernels.right, OPERATOR, level="quick").passed
    with pytest.raises(AssertionError, match="40 cases   failed 40"):
        acltwin.testing.verify(kernels.returns_nan, OPERATOR, level="quick", explain_seconds=0)
    with pytest.raises(AssertionError, match="nothing was run"):
        acltwin.testing.verify(kernels.skips, OPERATOR, level="quick")


@pytest.fixture
def lean(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Options of a pytest that loads no plugins but ours and xdist's."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return "-p", "acltwin.testing_plugin", "-p", "xdist"


def test_cases_are_tests_with_names_under_xdist_too(pytester: pytest.Pytester, lean: tuple[str, ...]) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess(*lean, "-v", "-n", "2", "--acltwin-report", "report.html")
    cases = golden.cases(OPERATOR, level="quick", dtypes=("float32",))
    wide = [case for case in cases if _width(case) == 5]
    result.assert_outcomes(failed=len(wide), passed=len(cases) - len(wide))
    result.stdout.fnmatch_lines(["*FAILED*test_kernel*frac-up/float32/coded*", "*cells wrong*", "*lost (*"])
    report = (pytester.path / "report.html").read_text()
    assert "4 failed, 12 passed" in report
    assert "only the last cells along W are wrong" in report
    folder = pytester.path / ".acltwin" / "failed" / f"{OPERATOR}__frac-up__float32__coded"
    assert {path.name for path in folder.iterdir()} == {
        "case.json",
        "expected.npy",
        "found.npy",
        "grad_output.npy",
        "verdict.txt",
    }
    again = pytester.run(
        sys.executable, "-m", "acltwin", "compare", str(folder / "found.npy"), "--case", str(folder / "case.json")
    )
    assert again.ret == 1
    again.stdout.fnmatch_lines(["*cells wrong*"])


def test_files_that_cannot_be_written_change_no_outcome(pytester: pytest.Pytester, lean: tuple[str, ...]) -> None:
    pytester.makepyfile(TESTS)
    (pytester.path / ".acltwin").write_text("in the way")
    result = pytester.runpytest_subprocess(*lean, "-k", "frac-up", "--acltwin-report", ".acltwin/report.html")
    result.assert_outcomes(failed=2, warnings=2)
    result.stdout.fnmatch_lines(
        ["*cells wrong*", "*.acltwin is not a directory*", "acltwin: .acltwin/report.html cannot*"]
    )


def test_options_choose_the_cases(pytester: pytest.Pytester, lean: tuple[str, ...]) -> None:
    pytester.makepyfile(TESTS)
    pytester.makeconftest(SEEDS)
    options = ("--collect-only", "-q", "--acltwin-level", "default", "--acltwin-seed", "5")
    result = pytester.runpytest_subprocess(*lean, *options)
    count = len(golden.cases(OPERATOR, dtypes=("float32",)))
    result.stdout.fnmatch_lines(["the data of seeds {5}", f"{count} tests collected*"])


def test_a_wrong_name_is_refused_where_it_is_written() -> None:
    with pytest.raises(ValueError, match="no operator is called"):
        acltwin.testing.cases("nearest")


@pytest.mark.parametrize("operator", registry.representatives())
def test_random_cases_are_legal_and_the_twin_passes_them(operator: str) -> None:
    @hypothesis.settings(max_examples=25)
    @hypothesis.given(golden.strategy(operator))
    def check(case: golden.Case) -> None:
        verdict = case.judge(getattr(acltwin, operator)(**case.inputs(), **case.arguments))
        assert verdict.passed, verdict.text()

    check()


def test_torch_kernels_get_torch_tensors() -> None:
    seen: list[Any] = []

    def kernel(grad_output: torch.Tensor, *arguments: Any) -> torch.Tensor:
        seen.append(type(grad_output))
        return acltwin.upsample_nearest_exact2d_backward(grad_output, *arguments)

    run = golden.verify(kernel, OPERATOR, level="quick", dtypes=("float32", "bfloat16"), isolate=False)
    assert run.passed
    assert set(seen) == {torch.Tensor}


def test_the_kernel_can_be_called_in_any_way() -> None:
    run = golden.verify(
        torch.ops.aten._upsample_nearest_exact2d_backward,
        OPERATOR,
        level="quick",
        dtypes=("float32",),
        kind="torch",
        convention="aten",
        map_rule="torch",
    )
    assert run.passed, run.text()

    def call(kernel: Any, case: Any) -> Any:
        return kernel(case["grad_output"], case.arguments)

    def kernel(grad: Any, arguments: Any) -> Any:
        return acltwin.upsample_nearest_exact2d_backward(grad, **arguments)

    assert golden.verify(kernel, OPERATOR, level="quick", kind="numpy", call=call).passed


@pytest.mark.parametrize(
    ("operator", "function"),
    [
        ("max_pool3d_with_argmax_backward", "max_pool3d_with_indices_backward"),
        ("max_unpool3d", "max_unpool3d"),
        ("upsample_nearest3d_backward", "upsample_nearest3d_backward"),
    ],
)
def test_pytorchs_own_kernels_pass_in_atens_convention(operator: str, function: str) -> None:
    cases = [
        case
        for case in golden.cases(operator, level="quick", dtypes=("float32",), map_rule="torch")
        if not case.arguments.get("data_format") and case.geometry is not None and case.geometry.name != "dropped"
    ]
    kernel = getattr(torch.ops.aten, function)
    run = golden.verify(kernel, cases, kind="torch", convention="aten", explain_seconds=0)
    assert run.passed, run.text()


def test_scales_that_a_case_leaves_out_are_none_in_atens_convention() -> None:
    gradient = {"grad_output": np.ones((1, 1, 4, 4), np.float32)}
    case = golden.Case.of(OPERATOR, gradient, {"output_size": (4, 4), "input_size": (1, 1, 2, 2)})
    function = torch.ops.aten._upsample_nearest_exact2d_backward
    assert golden.verify(function, [case], kind="torch", convention="aten").passed


def _width(case: golden.Case) -> int:
    assert case.geometry is not None
    return case.geometry.result[-1]


def test_plugin_is_installed_and_silent(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import sys\ndef test(): assert 'acltwin.golden' not in sys.modules")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
    assert Path(acltwin.__file__).with_name("testing_plugin.py").is_file()
