"""The default set: geometry x dtype x fill, for every operator, from its SPEC; and cases that somebody describes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from acltwin.golden.cases import fills
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.checked import Name, checked, short
from acltwin.golden.cases.codes import sum_code
from acltwin.golden.cases.dtypes import facts
from acltwin.golden.cases.family import LEVELS, Geometry, Level, adds, family_of, flowing, gathers, resolve
from acltwin.ops import OPERATORS, OpSpec

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy


MAX_BYTES = 256 * 2**20
QUICK_DTYPES = ("float32", "float16")
LARGE_PLANE = 2**16  # codes of larger sums are long in 16 bits, and the index rule of a kernel rarely depends on dtype


def cases(
    operator: str,
    *,
    level: Level = "default",
    dtypes: Sequence[str] | None = None,
    seed: int = 0,
    fills: Sequence[str] | None = None,
    map_rule: str = "device",
    max_bytes: int = MAX_BYTES,
) -> list[Case]:
    """The cases of an operator; their data are made when they are asked for.

    Args:
        operator: a name of ours, the aclnn name, or the kernel's.
        level: ``"quick"`` (a smoke test), ``"default"`` (every geometry, dtype and fill), ``"full"`` (also tile sizes,
            and every small case as a view).
        dtypes: of the values; without it those of the document, at ``"quick"`` float32 and float16.
        seed: another seed gives other data.
        fills: only these kinds of data.
        map_rule: ``"device"``, or ``"torch"`` where a kernel follows PyTorch at borders.
        max_bytes: larger cases are left out.
    """
    if level not in LEVELS:
        raise ValueError(f"no level is called {level!r}; expected one of {', '.join(LEVELS)}")
    spec = OPERATORS[resolve(operator)]
    family = family_of(spec)
    made = []
    for geometry in family.geometries(spec):
        if not geometry.belongs_to(level):
            continue
        for number, dtype in enumerate(_dtypes(spec, level, dtypes)):
            usual = family.fills(spec, dtype)
            for fill in usual:
                if (fills and fill not in fills) or not _belongs(spec, geometry, dtype, fill, level):
                    continue
                case = make_case(spec, geometry, dtype, fill, seed, map_rule)
                if case_bytes(case) <= max_bytes:
                    made.append(case)
                    viewed = level == "full" or (level == "default" and number == 0 and fill == usual[0])
                    if viewed and geometry.level == "quick":
                        made.append(replace(case, name=f"{case.name}/view", is_view=True))
    return made


def make_case(
    spec: OpSpec,
    geometry: Geometry,
    dtype: str,
    fill: str,
    seed: int = 0,
    map_rule: str = "device",
    name: str | None = None,
) -> Case:
    """One case: the batch is raised to the planes that the fill needs."""
    needed = fills.planes_needed(spec, geometry, dtype, fill)
    channels = max(geometry.batch[-1], needed)
    if fill.startswith("coded") and not adds(spec):
        channels = -(-channels // needed) * needed  # whole groups of digits
    batch = (*geometry.batch[:-1], channels)
    arguments = family_of(spec).arguments(spec, geometry, batch)
    if geometry.data_format:
        arguments["data_format"] = geometry.data_format
    share = 1.0
    if fill.startswith("coded") and gathers(spec):
        share = sum_code(math.prod(geometry.source), geometry.terms, dtype).share
    return Case(
        operator=spec.name,
        name=name or f"{geometry.name}/{dtype}/{fill}",
        dtype=dtype,
        arguments=arguments,
        seed=seed,
        geometry=geometry,
        fill=fill,
        batch=batch,
        map_rule=map_rule,
        exact=fill != "real",
        share=share,
        finds=geometry.finds,
    )


def spread_cases(
    spec: OpSpec, geometry: Geometry, dtype: str, fill: str, seed: int = 0, map_rule: str = "device"
) -> list[Case]:
    """The same with exactly the channels of the geometry: codes that need more are spread over several cases."""
    case = make_case(spec, geometry, dtype, fill, seed, map_rule)
    arguments = {**case.arguments, **family_of(spec).arguments(spec, geometry, geometry.batch)}
    whole = replace(case, batch=geometry.batch, arguments=arguments)
    channels, needed = geometry.batch[-1], fills.planes_needed(spec, geometry, dtype, fill)
    if not fill.startswith("coded") or needed <= channels:
        return [whole]
    if not adds(spec):
        raise ValueError(f"{spec.name}: the codes of {dtype} need {needed} channels, {channels} are too few")
    return [
        replace(
            whole,
            name=f"{case.name}/codes{first}",
            first_code=first,
            share=case.share * min(channels, needed - first) / needed,
        )
        for first in range(0, needed, channels)
    ]


def selected(cases: Sequence[Case], names: Sequence[str]) -> list[Case]:
    """The cases of these names; a word that no case is called stands for all whose names begin with it."""
    if not names:
        return list(cases)
    whole = {case.name for case in cases} & set(names)
    beginnings = tuple(name for name in names if name not in whole)
    return [case for case in cases if case.name in whole or case.name.startswith(beginnings)]


def _dtypes(spec: OpSpec, level: Level, chosen: Sequence[str] | None) -> tuple[str, ...]:
    known, usual = all_dtypes(spec), flowing(spec).dtypes
    if chosen is None:
        return tuple(dtype for dtype in usual if dtype in QUICK_DTYPES) if level == "quick" else usual
    for dtype in chosen:
        if dtype not in known:
            raise ValueError(f"{spec.name} has no {dtype}; expected some of {', '.join(known)}")
    return tuple(chosen)


def _belongs(spec: OpSpec, geometry: Geometry, dtype: str, fill: str, level: Level) -> bool:
    """``quick`` has coded and special data, and what pooling looks at; ``full`` has everything."""
    if level == "quick":
        return fill in ("coded", "special", "rounding", "coded-repeated") or (fill in fills.IMAGES and fill != "close")
    if level == "full" or not geometry.one_fill:
        return True
    large = max(math.prod(geometry.source), math.prod(geometry.result)) > LARGE_PLANE
    return fill == family_of(spec).fills(spec, dtype)[0] and (dtype == "float32" or not (large and adds(spec)))


def case_bytes(case: Case) -> int:
    """Of the values and of the result; of a case from elsewhere, what its arguments say alone."""
    itemsize = facts(case.dtype).dtype.itemsize
    if case.geometry is None:
        return argument_bytes(case.arguments, itemsize)
    cells = math.prod(case.geometry.source) + math.prod(case.geometry.result)
    return max(math.prod(case.batch) * cells * itemsize, argument_bytes(case.arguments, itemsize))


def check_room(geometry: Geometry, itemsize: int, most: int, where: str) -> None:
    """ValueError for values and results that take more, before anything is made of them."""
    cells = math.prod(geometry.source) + math.prod(geometry.result)
    size = math.prod(geometry.batch) * cells * itemsize
    if size > most:
        sizes = f"{geometry.batch}, {geometry.source} and {geometry.result}"
        raise ValueError(
            f"{where} has the sizes {sizes}, {size} bytes; expected at most {most}: allow more with --max-bytes"
        )


def argument_bytes(arguments: Mapping[str, object], itemsize: int) -> int:
    """Of the largest tensor whose sizes an argument may give."""
    lists = [value for value in arguments.values() if isinstance(value, tuple)]
    return itemsize * max((math.prod(sizes) for sizes in lists), default=0)


# ---- cases that somebody describes, geometries times dtypes times fills, or that Hypothesis draws ----

KEYS = ("operator", "dtype", "fill", "cases")


def described(
    content: Any, where: str = "the description", *, seed: int = 0, map_rule: str = "device", max_bytes: int = MAX_BYTES
) -> list[Case]:
    """The cases that a mapping like this one means; ValueError, with the place, for anything else.

    operator: upsample_nearest_exact3d_backward
    dtype: [float16, bfloat16]
    fill: [coded, special]
    cases:
      - {input_size: [1, 2, 16, 64, 65], output_size: [32, 128, 130]}
      - {input_size: [1, 2, 4, 5, 6], output_size: [8, 9, 11], scales: [2.0, 1.8, 1.9], format: NDHWC}

    N and C of ``input_size`` are the least there will be: coded data may need more channels. ``C: exact`` forbids that.
    """
    if not isinstance(content, Mapping):
        raise ValueError(f"{where} is not a mapping; expected the keys {', '.join(KEYS)}")
    unknown = [key for key in content if key not in KEYS]
    if unknown or "operator" not in content or not isinstance(content.get("cases"), list):
        problem = f"the unknown key {short(unknown[0])}" if unknown else "no operator, or no list of cases"
        raise ValueError(f"{where} has {problem}; expected the keys {', '.join(KEYS)}")
    spec = OPERATORS[resolve(checked(str, content["operator"], f"{where}, operator"))]
    family = family_of(spec)
    found = []
    for number, entry in enumerate(content["cases"]):
        place = f"{where}, case {number}"
        if not isinstance(entry, Mapping):
            raise ValueError(f"{place} is {short(entry)}; expected a mapping of sizes")
        _check_size(entry, max_bytes, place)
        name = checked(Name, entry.get("name", f"described{number}"), f"{place}, name")
        geometry = family.described(spec, entry, name, place)
        check_room(geometry, 1, max_bytes, place)
        for dtype in _list(content.get("dtype"), flowing(spec).dtypes, f"{where}, dtype"):
            if dtype not in all_dtypes(spec):
                raise ValueError(f"{where}: {spec.name} has no {short(dtype)}; expected {', '.join(all_dtypes(spec))}")
            for fill in _list(content.get("fill"), family.fills(spec, dtype), f"{where}, fill"):
                if fill not in family.fills(spec, dtype):
                    known = ", ".join(family.fills(spec, dtype))
                    raise ValueError(f"{where}: {spec.name} has no fill {short(fill)} in {dtype}; expected {known}")
                if entry.get("C") == "exact":
                    found += spread_cases(spec, geometry, dtype, fill, seed, map_rule)
                else:
                    found.append(make_case(spec, geometry, dtype, fill, seed, map_rule))
    return found


def _check_size(entry: Mapping[str, Any], most: int, where: str) -> None:
    """Before anything is made of it: tables of sizes beyond all bounds would fill the memory."""
    sizes = {name: tuple(value) for name, value in entry.items() if isinstance(value, list)}
    numbers = {name: value for name, value in sizes.items() if all(isinstance(size, int) for size in value)}
    if argument_bytes(numbers, 1) > most:
        raise ValueError(
            f"{where} has the sizes {short(numbers)}; expected at most {most} cells: allow more with --max-bytes"
        )


def all_dtypes(spec: OpSpec) -> tuple[str, ...]:
    return (*flowing(spec).dtypes, *flowing(spec).array_dtypes)


def _list(value: Any, otherwise: tuple[str, ...], where: str) -> list[str]:
    if value is None:
        return list(otherwise)
    return [checked(str, item, where) for item in (value if isinstance(value, list) else [value])]


def strategy(operator: str, *, dtypes: tuple[str, ...] | None = None, map_rule: str = "device") -> SearchStrategy[Case]:
    """Cases of an operator, small and legal; a failing one shrinks.

    >>> from hypothesis import given
    >>> @given(strategy("max_unpool3d"))
    ... def test_my_kernel(case):
    ...     case.check(my_kernel(**case.inputs(), **case.arguments))
    """
    from hypothesis import strategies

    spec = OPERATORS[resolve(operator)]

    @strategies.composite
    def cases(draw: DrawFn) -> Case:
        family = family_of(spec)
        entry = family.draw(draw, spec)
        geometry = family.described(spec, entry, "drawn", "the drawn case")
        dtype = draw(strategies.sampled_from(dtypes or flowing(spec).dtypes))
        fill = draw(strategies.sampled_from(family.fills(spec, dtype)))
        seed = draw(strategies.integers(0, 2**16))
        return make_case(spec, geometry, dtype, fill, seed, map_rule)

    return cases()
