"""The families by name, and the names by which people know an operator."""

from __future__ import annotations

from collections.abc import Mapping

from acltwin._names import did_you_mean
from acltwin.golden.cases import average, linear, pool, unpool, upsample
from acltwin.golden.cases.family import Family
from acltwin.golden.cases.operators import OPERATORS
from acltwin.ops.spec import OpSpec

FAMILIES: Mapping[str, Family] = {
    "upsample": upsample.FAMILY,
    "pool": pool.FAMILY,
    "plain_pool": pool.PLAIN,
    "adaptive_pool": pool.ADAPTIVE,
    "masked_pool": pool.MASKED,
    "unpool": unpool.FAMILY,
    "average": average.FAMILY,
    "linear": linear.FAMILY,
}


def family_of(spec: OpSpec) -> Family:
    return FAMILIES[spec.family]


def resolve(name: str) -> str:
    """Our name of an operator, given that, the aclnn name, aten's or the kernel's; ValueError if nothing fits."""
    found = [operator for operator in OPERATORS if name in aliases(operator)]
    if not found:
        fix = did_you_mean(name, OPERATORS) or f"expected one of {', '.join(OPERATORS)}, or an aclnn name"
        raise ValueError(f"no operator is called {name!r}; {fix}")
    return found[0]


def aliases(operator: str) -> tuple[str, ...]:
    """All names: ``max_pool3d_with_argmax_backward``, ``aclnnMaxPool3dWithArgmaxBackward``, aten's, the kernel's."""
    spec = OPERATORS[operator]
    names = [operator, spec.c_name, spec.c_name.removeprefix("aclnn")]
    names += [f"aten::{operator}", f"aten::_{operator}", f"_{operator}"]
    if spec.is_gradient:
        head, _, tail = spec.partner.partition("_with_")
        names.append(f"{head}_grad_with_{tail}" if tail else f"{spec.partner}_grad")
    return tuple(names)
