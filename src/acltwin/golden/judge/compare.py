"""Two arrays, no case: a census, and whether they agree by a rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from acltwin.golden.cases.arrays import to_numpy
from acltwin.golden.cases.dtypes import facts, float64, name_of, rounded
from acltwin.golden.judge.vendor_rules import vendor_rule
from acltwin.golden.judge.verdict import Status, Verdict, census_of, worst_of


def compare(actual: Any, expected: Any, rule: str = "bound") -> Verdict:
    """Whether ``actual`` is ``expected``, rounded once to its dtype, by a rule.

    Nothing is known of how the numbers came about, so ``bound`` allows no rounding on the way here: it is equality,
    with NaN equal to NaN. ``golden.judge`` knows the case and allows what any float32 sum can give.
    """
    outcome_of = vendor_rule(rule) if rule != "bound" else None
    found, wanted = to_numpy(actual), to_numpy(expected)
    verdict = Verdict(case="two arrays", operator="", rule=rule, status="failed")
    if found.shape != wanted.shape:
        return replace(verdict, problem=f"the shape is {found.shape}, expected {wanted.shape}")
    dtype = facts(found.dtype)
    if dtype.is_float != facts(wanted.dtype).is_float:
        return replace(verdict, problem=f"the dtype is {dtype.name}, expected {name_of(wanted.dtype)}")
    target = rounded(float64(wanted), found.dtype) if dtype.is_float else wanted
    equal = found == target
    if dtype.is_float:
        equal = equal | (np.isnan(float64(found)) & np.isnan(float64(target)))
    worst = worst_of(found, target, ~equal, target, target)
    verdict = replace(verdict, census=census_of(found, target, ~equal), worst=worst)
    if outcome_of is None:
        return replace(verdict, status="passed" if equal.all() else "failed")
    outcome = outcome_of(found, target, dtype.name)
    status: Status = "passed" if outcome.passed else "failed"
    return replace(verdict, status=status, detail=outcome.detail, warnings=outcome.warnings)
