"""Uses each given scale on its own, where all or none count."""

from __future__ import annotations

from collections.abc import Sequence

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._upsample import upsample
from acltwin.ops.spec import OpSpec
from acltwin.reference.source_table import MapRule, scale_given

CAUSE = "index rule"
SENTENCE = "Uses each given scale on its own, where all or none count."


def applies(spec: OpSpec) -> bool:
    return spec.family == "upsample" and spec.scales_together


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return upsample(operator, tensors, arguments, scales=_each)


def _each(spec: OpSpec, rule: MapRule, scales: Sequence[float | None]) -> Sequence[float | None]:
    return [scale if scale_given(scale) else None for scale in scales]
