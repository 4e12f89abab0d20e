"""Uses the first axis's scale on every axis."""

from __future__ import annotations

from collections.abc import Sequence

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import right_scales, upsample
from acltwin.ops.spec import OpSpec
from acltwin.reference.source_table import MapRule

CAUSE = "index rule"
SENTENCE = "Uses the first axis's scale on every axis."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample"


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, scales=_first)


def _first(spec: OpSpec, rule: MapRule, scales: Sequence[float | None]) -> Sequence[float | None]:
    return [right_scales(spec, rule, scales)[0]] * len(scales)
