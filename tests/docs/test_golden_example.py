"""What the pages about golden cases say: the Triton kernels of the tutorial, its picture, the table of rules."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from acltwin import golden

ROOT = Path(__file__).parents[2]
OPERATOR = "upsample_nearest_exact2d_backward"


@pytest.fixture(scope="module")
def kernels() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kernels", ROOT / "examples" / "golden" / "triton_upsample.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cases_of(dtype: str) -> list[golden.Case]:
    """All quick cases but the factor of 50, which takes the interpreter longer than all others together."""
    cases = golden.cases(OPERATOR, level="quick", dtypes=[dtype])
    chosen = [case for case in cases if "factor50" not in case.name]
    assert len(chosen) >= 10
    return chosen


def test_the_kernel_is_right_in_16_bits_too(kernels: ModuleType) -> None:
    run = golden.verify(kernels.backward, cases_of("float16"))
    assert run.passed, run.text()


def test_the_mistake_is_named_in_16_bits_too(kernels: ModuleType) -> None:
    run = golden.verify(kernels.backward_with_mistake, cases_of("float16"))
    assert run.exit_status == 1
    assert run.cause is not None
    assert '"plain nearest" reproduces all' in run.text()


def test_the_picture_of_the_report_is_wide_and_small() -> None:
    picture = (ROOT / "docs" / "golden" / "report.png").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(picture[16:20], "big") == 1280
    assert len(picture) < 300_000


def test_the_table_of_rules_is_what_they_say() -> None:
    words = [sys.executable, str(ROOT / "benchmarks" / "golden_rules.py")]
    done = subprocess.run(words, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout in (ROOT / "docs" / "golden" / "tolerances.md").read_text(encoding="utf-8")


def test_the_example_under_pytest_passes() -> None:
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "examples/golden/test_unpool.py"]
    done = subprocess.run(words, cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == 0, done.stdout
