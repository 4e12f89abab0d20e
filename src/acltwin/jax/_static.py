"""What a call says beside its arrays. JAX compiles it into the program.

Nothing of it depends on N or C: planes are independent of each other, so the same description holds for a longer batch
(``vmap``), for a device's part of a sharded one, and for one whose size is not known yet (``jax.export``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from acltwin._types import MapRule
from acltwin.jax._signatures import axis_orders
from acltwin.ops import PLANEWISE, OpSpec
from acltwin.ops.spec import Argument

Shape = tuple[int, ...]


def _is_array(given: tuple[Argument, Any]) -> bool:
    return given[0].kind == "int_array"


@dataclass(frozen=True)
class Static:
    operator: str
    arguments: tuple[tuple[str, Any], ...]
    """By documented name, plain and checked: numbers without their batch axes, and the planes of tensors that count by
    their shape alone."""
    results: tuple[tuple[str, Shape], ...]
    """Dtype and plane of each."""
    rule: MapRule = "device"
    channels_last: bool = False
    """Whether the axes of the arrays are N, D, H, W, C."""

    @property
    def spec(self) -> OpSpec:
        return PLANEWISE[self.operator]

    def split(self, shape: Any) -> tuple[Any, Any, Any]:
        """The batch axes before a plane, the plane, and those behind it."""
        if self.channels_last:
            return shape[:1], shape[1:-1], shape[-1:]
        axes = len(self.spec.axes)
        return shape[:-axes], shape[-axes:], ()

    def with_plane(self, shape: Any, plane: Any) -> tuple[Any, ...]:
        """The same batch axes with another plane."""
        before, _, behind = self.split(shape)
        return (*before, *plane, *behind)

    @property
    def attributes(self) -> dict[str, Any]:
        """As native/python/xla_frame.h wants them."""
        return {
            "operator": self.operator,
            "channels_last": self.channels_last,
            **{f"plane{i}": np.array(plane, np.int64) for i, plane in self._planes},
            **{
                f"{'batch_' if argument.begins_with_batch else ''}array{i}": np.array(values, np.int64)
                for i, (argument, values) in enumerate(given for given in self._others if _is_array(given))
            },
            "reals": np.array([value if argument.is_scale else 0 for argument, value in self._scalars], np.float64),
            "integers": np.array([0 if argument.is_scale else value for argument, value in self._scalars], np.int64),
            "torch_rule": self.rule == "torch",
        }

    def positional(self, arrays: list[Any]) -> list[Any]:
        """As the functions of ``_core`` want them: the arrays, channels first, and everything else."""
        tensors, batch = list(arrays), arrays[0].shape[: -len(self.spec.axes)]
        for i, plane in self._planes:
            tensors.insert(i, np.broadcast_to(arrays[0].dtype.type(0), (*batch, *plane)))
        others = [(*batch, *value) if argument.begins_with_batch else value for argument, value in self._others]
        index_dtype = [self.results[-1][0]] if self.spec.makes_indices else []
        return [*tensors, *others, *index_dtype, axis_orders(self.spec)[0], self.rule, None]

    @property
    def _others(self) -> list[tuple[Argument, Any]]:
        """What is no tensor, in documented order."""
        values = dict(self.arguments)
        return [(argument, values[argument.name]) for argument in self.spec.parameters if argument.kind != "tensor"]

    @property
    def _scalars(self) -> list[tuple[Argument, Any]]:
        values = dict(self.arguments)
        scalars = [argument for argument in self.spec.inputs if argument.kind not in ("tensor", "int_array")]
        return [(argument, values.get(argument.name, 0)) for argument in scalars]

    @property
    def _planes(self) -> list[tuple[int, Shape]]:
        """Position among the tensors, and plane, of those that count by their shape alone."""
        tensors = [argument for argument in self.spec.parameters if argument.kind == "tensor"]
        values = dict(self.arguments)
        return [(i, values[tensor.name]) for i, tensor in enumerate(tensors) if tensor.holds == "shape"]
