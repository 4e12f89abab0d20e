"""The vendors' rules, as their tools apply them, for people who must pass them.

A rule compares an output with the expected values, both in the output's dtype; it knows nothing of how they came
about. Its name carries its table: tables differ between tools that call their rule by the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from acltwin.golden.cases.dtypes import Array
from acltwin.golden.judge.tolerance import Tolerance


@dataclass(frozen=True)
class Outcome:
    passed: bool
    detail: str  # the figures that decided
    warnings: tuple[str, ...] = ()


BLIND = "this case cannot fail under this rule: a result of zeros passes"

VendorRule = Callable[[Array, Array, str], Outcome]
"""(found, expected, dtype name) -> outcome."""


def _rules(tolerance: Tolerance | None = None) -> Mapping[str, VendorRule]:
    from acltwin.golden.judge.rules import binary, close, cosine, mixed, relative, torch_like

    return {
        "mixed@ttk": mixed.ttk,
        "mixed@tilelang": mixed.tilelang,
        "stat_rel_err": relative.stat_rel_err,
        "stat_rel_err+small": relative.stat_rel_err_small,
        "close": partial(close.close, tolerance=tolerance),
        "cosine": partial(cosine.cosine, tolerance=tolerance),
        "binary": binary.binary,
        "rtol_equal": torch_like.rtol_equal,
        "assert_close": torch_like.assert_close,
    }


def rule_names() -> tuple[str, ...]:
    return ("bound", *_rules())


def vendor_rule(name: str, tolerance: Tolerance | None = None) -> VendorRule:
    """``tolerance``: of the case's file, for the rules that look at it."""
    rules = _rules(tolerance)
    if name not in rules:
        raise ValueError(f"no rule is called {name!r}; expected one of {', '.join(rule_names())}")
    return partial(_with_blindness, rules[name])


def _with_blindness(rule: VendorRule, found: Array, expected: Array, dtype: str) -> Outcome:
    """What the rule says, and whether it would say the same of a result that was never written."""
    outcome = rule(found, expected, dtype)
    if not expected.size or not rule(np.zeros_like(found), expected, dtype).passed:
        return outcome
    return replace(outcome, warnings=(*outcome.warnings, BLIND))
