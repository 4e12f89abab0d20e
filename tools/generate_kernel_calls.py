"""Write how golden calls a kernel of each operator, as its cases do.

python tools/generate_kernel_calls.py            writes docs/golden/calls.md
python tools/generate_kernel_calls.py --check    only says which of them would change; status 1 if any
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from declarations import ROOT
from generated_files import run
from render_tables import between

from acltwin.golden.cases.family import family_of
from acltwin.ops import OPERATORS, OpSpec
from acltwin.ops.spec import Argument

MARK = "written by tools/generate_kernel_calls.py"
PAGE = ROOT / "docs" / "golden" / "calls.md"


def dtypes(names: Iterable[str]) -> str:
    return ", ".join(names)


def passed(argument: Argument, values: list[object], ranks: str) -> str:
    if argument.kind == "tensor" and argument.holds in ("indices", "mask"):
        return f"tensor, {ranks}: {argument.dtypes[0]}"
    if argument.kind == "tensor":
        only_shape = "; the dtype of the first, and only its shape matters" if argument.holds == "shape" else ""
        return f"tensor, {ranks}: {dtypes(argument.dtypes)}{only_shape}"
    kinds = {type(value).__name__ for value in values}
    if kinds == {"tuple"}:
        (count,) = {len(value) for value in values if isinstance(value, tuple)}
        return f"tuple of {count}"
    if argument.is_scale:
        return "float; `0.0`: not given"
    (kind,) = kinds
    return f"{kind}; `0`: not given" if kind == "int" else kind


def order_of_sizes(spec: OpSpec, channels_first: list[bool]) -> str:
    """Of all axes; ``channels_first`` says it for each channels-last case."""
    plane = ", ".join(spec.axes)
    if all(channels_first):
        return f": N, C, {plane}" + (", in channels-last cases as well" if channels_first else "")
    return f": N, C, {plane}; N, {plane}, C in channels-last cases"


def rows(spec: OpSpec) -> list[tuple[str, str]]:
    family = family_of(spec)
    geometries = [geometry for geometry in family.geometries(spec) if geometry.belongs_to("full")]
    calls = [family.arguments(spec, geometry, geometry.batch) for geometry in geometries]
    counts = sorted({len(geometry.batch) + len(geometry.source) for geometry in geometries})
    ranks = " or ".join(f"{count}-D" for count in counts)
    values = {name: [call[name] for call in calls] for name in calls[0]}
    inputs = [
        (argument.python_name, passed(argument, values.get(argument.python_name, []), ranks))
        for argument in spec.parameters
    ]
    if "input_size" in values:
        last = [
            call["input_size"][:2] == geometry.batch
            for geometry, call in zip(geometries, calls, strict=True)
            if geometry.data_format
        ]
        inputs = [
            (name, words + order_of_sizes(spec, last) if name == "input_size" else words) for name, words in inputs
        ]
    layouts = sorted({geometry.data_format for geometry in geometries} - {""})
    if layouts:
        inputs.append(("data_format", f"{', '.join(layouts)}; only in such cases"))
    results = [
        (f"returns [{place}]", "the dtype of the first tensor" if result.holds == "values" else result.holds)
        for place, result in enumerate(spec.results)
    ]
    return [*inputs, *(results if len(results) > 1 else [("returns", results[0][1])])]


def calls() -> str:
    parts = []
    for spec in OPERATORS.values():
        parts.append(f"\n## {spec.name}\n\n| argument | passed as |\n|---|---|\n")
        parts += [f"| `{name}` | {words} |\n" for name, words in rows(spec)]
    return "".join([*parts, "\n"])


def main() -> int:
    pages = {PAGE: between(PAGE.read_text(), "calls", calls())}
    return run("Write how golden calls a kernel of each operator.", pages, MARK)


if __name__ == "__main__":
    sys.exit(main())
