"""What the cases of a family of operators are made of: geometries, arguments, and the tensors beside the values.

A family is a module with the functions of ``FamilyModule``. Everything else is derived from the operator's SPEC, so a
new operator of a known family has its cases as soon as it is declared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from acltwin.golden.cases import pool, unpool, upsample
from acltwin.golden.cases.dtypes import Array
from acltwin.golden.cases.fills import Making
from acltwin.golden.cases.geometry import Geometry
from acltwin.ops.spec import OpSpec


class FamilyModule(Protocol):
    def geometries(self, spec: OpSpec) -> tuple[Geometry, ...]:
        """All of them; each says to which level it belongs."""

    def arguments(self, spec: OpSpec, geometry: Geometry, batch: tuple[int, ...]) -> dict[str, object]:
        """What is passed beside the tensors, by the names of the array function."""

    def described(self, spec: OpSpec, entry: Mapping[str, Any], name: str, where: str) -> Geometry:
        """The geometry that an entry of a description means; ValueError for one that cannot be."""

    def fills(self, spec: OpSpec, dtype: str) -> tuple[str, ...]:
        """Names of the data that say something about this operator in this dtype: ``coded``, ``signed-ties``, ..."""

    def flowing(self, making: Making, tensor: str) -> Array:
        """The tensor whose values flow, channels first."""

    def companions(self, making: Making) -> dict[str, Array]:
        """The input tensors beside the one whose values flow, by name."""


FAMILIES: Mapping[str, FamilyModule] = {"upsample": upsample, "pool": pool, "unpool": unpool}
