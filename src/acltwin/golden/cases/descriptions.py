"""Cases that somebody describes, geometries times dtypes times fills, or that Hypothesis draws.

operator: upsample_nearest_exact3d_backward
dtype: [float16, bfloat16]
fill: [coded, special]
cases:
  - {input_size: [1, 2, 16, 64, 65], output_size: [32, 128, 130]}
  - {input_size: [1, 2, 4, 5, 6], output_size: [8, 9, 11], scales: [2.0, 1.8, 1.9], format: NDHWC}

N and C of ``input_size`` are the least there will be: coded data may need more channels. ``C: exact`` forbids that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import MAX_BYTES, argument_bytes, check_room, make_case, spread_cases
from acltwin.golden.cases.checked import Name, checked, short
from acltwin.golden.cases.families import family_of, resolve
from acltwin.golden.cases.operators import OPERATORS
from acltwin.ops.spec import OpSpec

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

KEYS = ("operator", "dtype", "fill", "cases")


def described(
    content: Any, where: str = "the description", *, seed: int = 0, map_rule: str = "device", max_bytes: int = MAX_BYTES
) -> list[Case]:
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
        for dtype in _list(content.get("dtype"), first_dtypes(spec), f"{where}, dtype"):
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


def first_dtypes(spec: OpSpec) -> tuple[str, ...]:
    return next(argument.dtypes for argument in spec.inputs if argument.kind == "tensor" and argument.holds == "values")


def all_dtypes(spec: OpSpec) -> tuple[str, ...]:
    values = next(one for one in spec.inputs if one.kind == "tensor" and one.holds == "values")
    return (*values.dtypes, *values.array_dtypes)


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
        dtype = draw(strategies.sampled_from(dtypes or first_dtypes(spec)))
        fill = draw(strategies.sampled_from(family.fills(spec, dtype)))
        seed = draw(strategies.integers(0, 2**16))
        return make_case(spec, geometry, dtype, fill, seed, map_rule)

    return cases()
