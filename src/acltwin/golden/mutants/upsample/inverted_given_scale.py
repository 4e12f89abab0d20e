"""Takes a given scale for its inverse."""

from __future__ import annotations

from collections.abc import Sequence

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import right_scales, upsample
from acltwin.ops.spec import OpSpec
from acltwin.reference.source_table import MapRule

CAUSE = "index rule"
SENTENCE = "Takes a given scale for its inverse."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, scales=_inverted)


def _inverted(spec: OpSpec, rule: MapRule, scales: Sequence[float | None]) -> Sequence[float | None]:
    return [None if scale is None else 1.0 / scale for scale in right_scales(spec, rule, scales)]
