"""Right implementations that differ from ours only in the order of their additions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from acltwin.golden.cases.family import family_of, gathers, weighs
from acltwin.golden.cases.resampling import Resampling
from acltwin.golden.cases.weights import Rule, resampling
from acltwin.golden.judge.expected import twin
from acltwin.golden.wrong.arithmetic import (
    Array,
    Total,
    descending_sum,
    float64_sum,
    running_sum,
    shuffled_sum,
    tree_sum,
)
from acltwin.golden.wrong.catalogue import KERNELS, RIGHT, Catalogue, Kernel, Result
from acltwin.golden.wrong.upsample_kernel import upsample
from acltwin.golden.wrong.weighted_kernel import weighted
from acltwin.ops import OPERATORS


def added(total: Total) -> Kernel:
    """The kernel of the operator's family, with sums of this kind if it has any."""

    def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
        spec = OPERATORS[operator]
        parts = {"total": total} if gathers(spec) else {"float64": True} if weighs(spec) else {}
        return KERNELS[spec.family](operator, tensors, arguments, **parts)

    return run


def fused(rule: Rule) -> Rule:
    assert isinstance(rule, Resampling)
    return replace(rule, fused=True)


right = Catalogue(RIGHT).of(RIGHT)
right("twin", "The library itself.", whole=twin)
right("float64", "Adds in float64 and rounds once.", whole=added(float64_sum))
right("ascending_float32", "Adds in float32, one by one, in ascending order.", whole=added(running_sum), when=gathers)
right(
    "descending_float32", "Adds in float32, one by one, in descending order.", whole=added(descending_sum), when=gathers
)
right(
    "shuffled_float32", "Adds in float32, one by one, in an order of its own.", whole=added(shuffled_sum), when=gathers
)
right("tree_float32", "Adds in float32, two by two and then the pairs.", whole=added(tree_sum), when=gathers)
right(
    "axis_by_axis_float32",
    "Adds in float32 along one axis after the other.",
    whole=partial(upsample, between=lambda sums: sums),
    when=lambda spec: family_of(spec).by_axes and not weighs(spec),
)
right("axes_float32", "Adds in float32 along one axis after the other.", whole=weighted, when=weighs)
right(
    "axes_descending_float32",
    "Adds in float32 along one axis after the other, in descending order.",
    whole=partial(weighted, descending=True),
    when=weighs,
)
right(
    "cells_float32",
    "Adds in float32 all sources of a cell, one by one, in ascending order.",
    whole=partial(weighted, by_cells=True),
    when=weighs,
)
right(
    "fused_float32",
    "Computes positions with a fused multiply-add.",
    whole=partial(weighted, rule=fused),
    when=lambda spec: family_of(spec).weights is resampling,
)
