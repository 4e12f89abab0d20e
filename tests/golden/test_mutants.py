"""Our cases and our rule catch every wrong implementation, and no right one."""

from __future__ import annotations

import pytest

from acltwin import golden
from acltwin.golden.score import score, wrong_implementations
from acltwin.ops import OPERATORS


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_default_cases_catch_every_wrong_implementation_and_no_right_one(operator: str) -> None:
    result = score(golden.cases(operator), advise=False)
    assert result.total == len(wrong_implementations(operator)) >= 40
    assert not result.survivors, result.text()
    assert not result.rejections, result.text()


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_quick_cases_catch_most(operator: str) -> None:
    result = score(golden.cases(operator, level="quick"), advise=False)
    assert result.caught >= 0.7 * result.total, result.text()
    assert not result.rejections, result.text()
