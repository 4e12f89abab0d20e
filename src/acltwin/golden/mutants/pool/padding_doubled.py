"""Moves windows by the padding of both sides."""

from __future__ import annotations

from dataclasses import replace

from acltwin.golden.mutants import Result
from acltwin.golden.mutants._arithmetic import Array
from acltwin.golden.mutants._pool import pool
from acltwin.ops.spec import OpSpec

CAUSE = "border"
SENTENCE = "Moves windows by the padding of both sides."


def applies(spec: OpSpec) -> bool:
    return spec.family == "pool" and not spec.is_gradient


def run(operator: str, tensors: dict[str, Array], arguments: dict[str, object]) -> Result:
    return pool(operator, tensors, arguments, geometry=lambda axis: replace(axis, padding=2 * axis.padding))
