"""Our cases and our rule catch every wrong implementation, and no right one."""

from __future__ import annotations

import pytest

from acltwin import golden
from acltwin.golden.wrong.score import score, wrong_implementations
from support import registry


@pytest.mark.parametrize("operator", registry.representatives())
def test_quick_cases_catch_most_default_cases_all_and_no_right_one(operator: str) -> None:
    quick, default = golden.cases(operator, level="quick"), golden.cases(operator)
    names = {case.name for case in quick}
    first = score(quick, advise=False)
    assert first.total == len(wrong_implementations(operator)) >= 40
    assert first.caught >= 0.7 * first.total, first.text()
    others = score([case for case in default if case.name not in names], advise=False)
    assert not first.rejections, first.text()
    assert not others.rejections, others.text()
    assert not {one.name for one in first.survivors} & {one.name for one in others.survivors}, others.text()
