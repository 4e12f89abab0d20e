"""Takes indices apart with H and W swapped."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import renumbered
from acltwin.golden.mutants._pool import axes_of, pool_gradient
from acltwin.ops.spec import OpSpec

CAUSE = "layout"
SENTENCE = "Takes indices apart with H and W swapped."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool_gradient(operator, tensors, arguments, targets=_targets)


def _targets(places: Places, call: Call) -> Places:
    d, h, w = (axis.cells for axis in axes_of(call))
    return renumbered(places, (d, h, w), (d, w, h), (0, 2, 1))
