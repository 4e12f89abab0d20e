"""Takes indices for places in the pooled plane times the stride instead of in outputSize."""

from __future__ import annotations

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array, Places
from acltwin.golden.mutants._call import Call
from acltwin.golden.mutants._faults import renumbered
from acltwin.golden.mutants._unpool import output_size, unpool
from acltwin.ops.spec import OpSpec

CAUSE = "index rule"
SENTENCE = "Takes indices for places in the pooled plane times the stride instead of in outputSize."


def applies(spec: OpSpec) -> bool:
    return spec.family == "unpool"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return unpool(operator, tensors, arguments, places=_places)


def _places(places: Places, call: Call) -> Places:
    stride = call.arguments["stride"]
    steps = (stride,) * 3 if isinstance(stride, int) else tuple(stride)
    seen = tuple(int(step) * n for step, n in zip(steps, places.shape[2:], strict=True))
    return renumbered(places, output_size(call), seen, (0, 1, 2))
