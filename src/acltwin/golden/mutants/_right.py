"""A right result of any operator, added up in a way of one's own."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Total
from acltwin.golden.mutants._pool import pool, pool_gradient
from acltwin.golden.mutants._unpool import unpool
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops import OPERATORS


def right(operator: str, tensors: dict[str, Array], arguments: dict[str, object], total: Total) -> Result:
    spec = OPERATORS[operator]
    if spec.family == "upsample":
        return upsample(operator, tensors, arguments, total=total)
    if spec.family == "pool":
        if spec.is_gradient:
            return pool_gradient(operator, tensors, arguments, total=total)
        return pool(operator, tensors, arguments)
    return unpool(operator, tensors, arguments)
