"""Uses the given scales only if all of them are given, where each counts on its own."""

from __future__ import annotations

from collections.abc import Sequence

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec
from acltwin.reference.source_table import MapRule, scale_given

CAUSE = "index rule"
SENTENCE = "Uses the given scales only if all of them are given, where each counts on its own."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and not spec.scales_together


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, scales=_together)


def _together(spec: OpSpec, rule: MapRule, scales: Sequence[float | None]) -> Sequence[float | None]:
    return scales if all(map(scale_given, scales)) else [None] * len(scales)
