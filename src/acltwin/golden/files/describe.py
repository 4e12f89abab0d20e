"""A case as JSON and back: everything that its data are made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.family import LEVELS, Geometry
from acltwin.golden.files.tensors import plain
from acltwin.golden.judge.vendor_rules import Tolerance
from acltwin.ops import OPERATORS


def case_to_json(case: Case) -> dict[str, Any]:
    """A case with data from elsewhere is described, but cannot be made again: ``geometry`` is null."""
    geometry = case.geometry
    return {
        "operator": case.operator,
        "name": case.name,
        "dtype": case.dtype,
        "arguments": plain(case.arguments),
        "seed": case.seed,
        "fill": case.fill,
        "batch": list(case.batch),
        "map_rule": case.map_rule,
        "exact": case.exact,
        "is_view": case.is_view,
        "first_code": case.first_code,
        "share": case.share,
        "finds": list(case.finds),
        "accumulate": case.accumulate,
        "asks": case.asks,
        "tolerance": None if case.tolerance is None else asdict(case.tolerance),
        "geometry": None if geometry is None else plain(vars(geometry)),
    }


def case_from_json(data: Mapping[str, Any]) -> Case:
    """ValueError if it names an operator or a level that does not exist."""
    if data["operator"] not in OPERATORS:
        raise ValueError(f"the case {data['name']!r} is of an unknown operator, {data['operator']!r}")
    shape = data["geometry"]
    geometry = None if shape is None else _geometry(shape)
    return Case(
        operator=data["operator"],
        name=data["name"],
        dtype=data["dtype"],
        arguments=tuples(data["arguments"]),
        seed=data["seed"],
        geometry=geometry,
        fill=data["fill"],
        batch=tuple(data["batch"]),
        map_rule=data["map_rule"],
        exact=data["exact"],
        is_view=data["is_view"],
        first_code=data["first_code"],
        share=data["share"],
        finds=tuple(data["finds"]),
        accumulate=data.get("accumulate", "float32"),
        asks=str(data.get("asks", "")),
        tolerance=Tolerance(**data["tolerance"]) if data.get("tolerance") else None,
        make=None if geometry else _gone,
    )


def _geometry(data: Mapping[str, Any]) -> Geometry:
    if data["level"] not in LEVELS:
        raise ValueError(f"no level is called {data['level']!r}; expected one of {', '.join(LEVELS)}")
    return Geometry(
        name=data["name"],
        batch=tuple(data["batch"]),
        source=tuple(data["source"]),
        result=tuple(data["result"]),
        spans=tuple(data["spans"]),
        parameters=tuples(data["parameters"]),
        data_format=data["data_format"],
        level=data["level"],
        finds=tuple(data["finds"]),
    )


def tuples(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as JSON has them, as the functions take them: lists are tuples, words the numbers that JSON lacks."""
    words = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}
    return {
        name: tuple(value) if isinstance(value, list) else words.get(value, value) if isinstance(value, str) else value
        for name, value in arguments.items()
    }


def data_are_gone(case: Case) -> bool:
    """Whether its data came from elsewhere and only its description is left."""
    return case.make is _gone


def _gone() -> Mapping[str, Any]:
    raise ValueError("the data of this case came from elsewhere and were not kept")
