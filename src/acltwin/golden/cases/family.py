"""A family of operators as a record: everything that golden must know of it, asked for instead of its name."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

from acltwin._names import did_you_mean
from acltwin.golden.cases.checked import Name, Size, short
from acltwin.golden.cases.dtypes import Array
from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import Argument

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

    from acltwin.golden.cases.fills import Making
    from acltwin.golden.cases.streams import Stream
    from acltwin.golden.cases.weights import Rule

Level = Literal["quick", "default", "full"]
Sides = tuple[Size, ...]
LEVELS: tuple[Level, ...] = ("quick", "default", "full")


@dataclass(frozen=True)
class Geometry:
    """``source`` are the spatial sizes of the tensor whose values flow, ``result`` those of where they arrive."""

    name: Name
    batch: tuple[Size, ...]  # what stands before the spatial axes; minima, since coded planes may need more
    source: tuple[Size, ...]
    result: tuple[Size, ...]
    spans: tuple[Size, ...]  # along each axis, the most cells of the source that one cell of the result adds
    parameters: Mapping[str, Any] = field(default_factory=dict)  # arguments that depend on neither batch nor sizes
    data_format: str = ""  # empty: the operator's default
    level: Level = "default"  # the lowest level it belongs to
    finds: tuple[str, ...] = ()
    one_fill: bool = False  # it is there for its sizes: below "full" the first kind of data is enough

    @property
    def terms(self) -> int:
        """The most values that any cell of the result adds."""
        return math.prod(self.spans)

    def belongs_to(self, level: Level) -> bool:
        return LEVELS.index(self.level) <= LEVELS.index(level)


@dataclass(frozen=True)
class Family:
    """Everything else is derived from an operator's SPEC, so a new one of a known family has its cases at once."""

    geometries: Callable[[OpSpec], tuple[Geometry, ...]]  # all of them; each says to which level it belongs
    arguments: Callable[[OpSpec, Geometry, tuple[int, ...]], dict[str, object]]  # beside the tensors, for a batch
    described: Callable[[OpSpec, Mapping[str, Any], str, str], Geometry]
    """What an entry of a description means, with a name and a place for messages; ValueError if it cannot be."""
    entry: Callable[[OpSpec, Mapping[str, tuple[int, ...]], Mapping[str, Any]], dict[str, Any]]
    """The other way: the entry of a call, from the shapes of its tensors and its other arguments."""
    draw: Callable[[DrawFn, OpSpec], dict[str, Any]]  # a small legal entry, for Hypothesis
    fills: Callable[[OpSpec, str], tuple[str, ...]]
    """Names of the data that say something about an operator in a dtype: ``coded``, ``signed-ties``, ..."""
    flowing: Callable[[Making, str], Array]  # the tensor whose values flow, channels first
    companions: Callable[[Making], dict[str, Array]]  # the input tensors beside it, by name
    legal_indices: Callable[[OpSpec, Geometry, Mapping[str, Array], Mapping[str, Any], Stream], Array] | None = None
    """Indices that agree with tensors and arguments from elsewhere; None: the family is given none."""
    mistakes: str = ""  # the family whose mistakes it shares; none: it has its own
    by_axes: bool = False  # whether each axis has a table of its own for what belongs together
    unread: float = 0.0  # what a source is worth to the forward pass that does not read it
    torch_name: str = ""  # of the forward pass; {axes} stands for the number of axes
    aten_indices_last: bool = False  # in the gradient's arguments
    weights: Callable[[OpSpec, Mapping[str, Any], Sequence[int], Sequence[int], str, str], Rule] | None = None
    """The documented weights, where results are weighted sums: from arguments, source, result, dtype and map rule."""


FAMILIES: dict[str, Family] = {}
"""By the name that a SPEC gives."""


def family_of(spec: OpSpec) -> Family:
    return FAMILIES[spec.family]


@dataclass(frozen=True)
class Row:
    """Of a table: the sides of a forward pass along three axes, of which operators of fewer take the last ones."""

    name: Name
    small: Sides  # the one that is read, whatever its size
    large: Sides
    level: Level = "default"
    finds: tuple[str, ...] = ()
    batch: Sides = (2, 3)
    scales: tuple[float, ...] = (0.0, 0.0, 0.0)
    align: bool = False  # whether corners lie on each other
    one_fill: bool = False


def cut(spec: OpSpec, sizes: tuple[int, ...], name: str) -> tuple[int, ...]:
    """Sizes along the operator's own axes; where the number of cells matters, the others go into the first of them."""
    own = sizes[-len(spec.axes) :]
    return (own[0] * math.prod(sizes[: -len(spec.axes)]), *own[1:]) if name.startswith("cells") else own


def oriented(spec: OpSpec, row: Row, spans: Sides, parameters: Mapping[str, Any]) -> Geometry:
    """Between sides of the operator's own axes: values flow from the one that is read, or back in the gradient.

    A tensor without N has an axis less than the name "4d" says, where the operator has.
    """
    name = f"{len(spec.axes) + 1}d" if row.name == "4d" else row.name
    source, result = (row.large, row.small) if spec.is_gradient else (row.small, row.large)
    return Geometry(name, row.batch, source, result, spans, parameters, "", row.level, row.finds, row.one_fill)


def with_channels_last(
    spec: OpSpec, rows: Sequence[Geometry], names: Collection[str], level: Level = "default"
) -> list[Geometry]:
    """Those of these names, in every format that has channels last."""
    return [
        replace(row, name=f"{row.name}-last", data_format=data_format, level=level, finds=(*row.finds, "layout"))
        for data_format in spec.data_formats[1:]
        for row in rows
        if row.name in names
    ]


def block_rows(low: int = 3, high: int = 4) -> Iterator[Row]:
    """Those with sizes around the blocks that kernels work in: along W, H and over the planes.

    ``low`` and ``high`` are the widths of the sides whose H is long.
    """
    for block, off in product((8, 16, 32, 64, 128, 256, 512), (-1, 0, 1)):
        size = block + off
        yield Row(f"w{size}", (1, 2, size), (1, 3, 2 * size), "full", ("tiling",))
        yield Row(f"h{size}", (1, size, low), (1, 2 * size, high), "full", ("tiling",))
        yield Row(f"planes{size}", (1, 2, 3), (2, 3, 5), "full", ("tiling",), (2, size))


# ---- what a SPEC says ----


def flowing(spec: OpSpec) -> Argument:
    """The tensor whose values arrive in the result."""
    return next(argument for argument in spec.inputs if argument.kind == "tensor" and argument.holds == "values")


def flowing_name(spec: OpSpec) -> str:
    return flowing(spec).python_name


def tensor_names(spec: OpSpec) -> list[str]:
    return [argument.python_name for argument in spec.inputs if argument.kind == "tensor"]


def scale_names(spec: OpSpec) -> list[str]:
    return [argument.python_name for argument in spec.inputs if argument.is_scale]


def along(value: Any, axes: int) -> tuple[int, ...]:
    """An argument that is one number for all axes, or one for each."""
    values = (value,) if isinstance(value, int) else tuple(value)
    return values * axes if len(values) == 1 else values


def takes_indices(spec: OpSpec) -> bool:
    return any(argument.holds in ("indices", "mask") for argument in spec.inputs)


def takes_windows(spec: OpSpec) -> bool:
    """Whether the caller says which windows are pooled; otherwise they follow from the sizes."""
    return any(argument.python_name in ("kernel_size", "kernel_shape") for argument in spec.inputs)


def fetches(spec: OpSpec) -> bool:
    """Whether results are fetched from where indices point: so the gradient of what copies to places undoes it."""
    return spec.is_gradient and takes_indices(OPERATORS[spec.partner])


def adds(spec: OpSpec) -> bool:
    """Whether results are sums; otherwise each is a copy of one cell."""
    return weighs(spec) or (spec.is_gradient and not fetches(spec))


def weighs(spec: OpSpec) -> bool:
    """Whether they are sums with weights."""
    return family_of(spec).weights is not None


def gathers(spec: OpSpec) -> bool:
    """Whether every source is added to one cell alone, once."""
    return adds(spec) and not weighs(spec)


def looks_at_dtype(spec: OpSpec) -> bool:
    """Whether the dtype may decide which cells are copied: that of some upsamplings decides whether scales matter."""
    return spec.has_map_rule and not spec.is_gradient and not weighs(spec)


# ---- the names by which people know an operator ----


def resolve(name: str) -> str:
    """Our name of an operator, given that, the aclnn name, aten's or the kernel's; ValueError if nothing fits."""
    found = [operator for operator in OPERATORS if name in aliases(operator)]
    if not found:
        fix = did_you_mean(name, OPERATORS) or f"expected one of {', '.join(OPERATORS)}, or an aclnn name"
        raise ValueError(f"no operator is called {name!r}; {fix}")
    return found[0]


def aliases(operator: str) -> tuple[str, ...]:
    """All names: ``max_pool3d_with_argmax_backward``, ``aclnnMaxPool3dWithArgmaxBackward``, aten's, the kernel's."""
    spec = OPERATORS[operator]
    names = [operator, spec.c_name, spec.c_name.removeprefix("aclnn")]
    names += [f"aten::{operator}", f"aten::_{operator}", f"_{operator}"]
    if spec.is_gradient:
        head, _, tail = spec.partner.partition("_with_")
        names.append(f"{head}_grad_with_{tail}" if tail else f"{spec.partner}_grad")
    return tuple(names)


# ---- reading the entries of a description, with messages that say what was expected ----


def sizes(entry: Mapping[str, Any], key: str, counts: tuple[int, ...], where: str) -> tuple[int, ...]:
    """A list of whole numbers above 0, as many as ``counts`` allows."""
    value = entry.get(key)
    if value is None:
        raise ValueError(f"{where} has no {key}")
    whole = isinstance(value, list | tuple) and all(_is_whole(item) and 0 < item < 2**31 for item in value)
    if not whole or len(value) not in counts:
        wanted = " or ".join(map(str, counts))
        raise ValueError(
            f"{where}: {key} is {short(value)}; expected {wanted} whole numbers above 0, of at most 31 bits"
        )
    return tuple(value)


def per_axis(entry: Mapping[str, Any], key: str, axes: int, otherwise: Any, where: str) -> tuple[Any, ...]:
    """One whole number for all axes, or one for each; 0 only where that is the default."""
    values = _per_axis(entry.get(key, otherwise), axes)
    least = 0 if otherwise == 0 else 1
    if not values or not all(_is_whole(item) and least <= item < 2**31 for item in values):
        raise ValueError(
            f"{where}: {key} is {short(entry.get(key))}; expected one whole number, or {axes}, from {least} to 2^31 - 1"
        )
    return values


def numbers_per_axis(entry: Mapping[str, Any], key: str, axes: int, where: str) -> tuple[float, ...]:
    """One number for all axes, or one for each; 0, the default, stands for none."""
    values = _per_axis(entry.get(key, 0.0), axes)
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) != axes or not all(0 <= number < 2**31 for number in numbers):
        raise ValueError(f"{where}: {key} is {short(entry.get(key))}; expected one number, or {axes}, from 0 to 2^31")
    return tuple(numbers)


def _per_axis(value: Any, axes: int) -> tuple[Any, ...]:
    values = tuple(value) if isinstance(value, list | tuple) else (value,)
    values = values * axes if len(values) == 1 else values
    return values if len(values) == axes else ()


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def switch(entry: Mapping[str, Any], key: str, otherwise: bool, where: str) -> bool:
    value = entry.get(key, otherwise)
    if not isinstance(value, bool):
        raise ValueError(f"{where}: {key} is {short(value)}; expected true or false")
    return value


def format_of(spec: OpSpec, entry: Mapping[str, Any], where: str) -> str:
    """The format of an entry, empty for the operator's default."""
    known = spec.data_formats or (f"NC{spec.axes}",)
    given = entry.get("format", known[0])
    if given not in known:
        raise ValueError(f"{where}: the format is {given!r}; expected one of {', '.join(known)}")
    return "" if given == known[0] else str(given)


def known_keys(entry: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    unknown = [key for key in entry if key not in (*keys, "name", "C")]
    if unknown:
        raise ValueError(f"{where} has the unknown key {unknown[0]!r}; expected {', '.join(keys)}")
