"""The names by which people know an operator."""

from __future__ import annotations

from acltwin.ops import OPERATORS


def resolve(name: str) -> str:
    """Our name of an operator, given that, the aclnn name, aten's or the kernel's; ValueError if nothing fits."""
    found = [operator for operator in OPERATORS if name in aliases(operator)]
    if not found:
        raise ValueError(f"no operator is called {name!r}; expected one of {', '.join(OPERATORS)}, or an aclnn name")
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
