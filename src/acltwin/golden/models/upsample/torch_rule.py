"""PyTorch's rounding at borders instead of the device's."""

from __future__ import annotations

from dataclasses import replace

from acltwin.golden.models.model import Model
from acltwin.ops.spec import OpSpec


def models(spec: OpSpec) -> tuple[Model, ...]:
    return (
        Model(
            "PyTorch's map",
            "border",
            "borders are rounded as PyTorch does, not as the device does",
            deviate=lambda rule: replace(rule, torch=not rule.torch),
            documented='the device\'s float32 interval table (rule="device")',
            observed='PyTorch\'s source table (rule="torch")',
        ),
        Model(
            "sources, not intervals" if spec.is_gradient else "intervals, not sources",
            "border",
            "the gradient uses the forward map"
            if spec.is_gradient
            else "the forward pass uses the gradient's intervals",
            deviate=lambda rule: replace(rule, form="source" if rule.form == "interval" else "interval", torch=False),
            documented="b(i) = ceil(i*s)" if spec.is_gradient else "src(o) = floor(o*t)",
            observed="src(o) = min(floor(o*t), in - 1)" if spec.is_gradient else "b(i) = ceil(i*s)",
            cost=1.1,
        ),
    )
