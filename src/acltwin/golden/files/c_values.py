"""What the C function is given for an argument of a case that is not a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from acltwin.golden.cases.case import Case
from acltwin.ops.spec import Argument, OpSpec


def c_value(case: Case, argument: Argument) -> tuple[int, ...] | float:
    """The array functions take one number for all axes, and None; the C functions take lists and numbers alone."""
    spec = case.spec
    value: Any = case.arguments.get(argument.python_name)
    if argument.kind == "bool":
        return bool(value)
    if argument.is_scale:
        return float(value or 0.0)
    if value is None:
        return () if _may_be_empty(spec, argument) else (1,) * len(spec.axes)
    return (int(value),) * len(spec.axes) if np.ndim(value) == 0 else tuple(int(item) for item in value)


def _may_be_empty(spec: OpSpec, argument: Argument) -> bool:
    checks = [rule.check for rule in spec.rules if rule.check is not None]
    return any(check.kind == "length" and argument.name in check.arguments and 0 in check.counts for check in checks)
