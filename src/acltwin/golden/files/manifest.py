"""A directory of cases: one manifest for the whole set, one folder a case."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

import acltwin
from acltwin._writing import write_text
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.codes import POWERS, STRAYS, sum_code
from acltwin.golden.cases.dtypes import Array, name_of, rounded
from acltwin.golden.cases.families import resolve
from acltwin.golden.cases.family import adds, flowing_name
from acltwin.golden.cases.streams import SCHEMA
from acltwin.golden.files import schema
from acltwin.golden.files import tensors as files
from acltwin.golden.files.describe import case_from_json, case_to_json, tuples
from acltwin.golden.files.reading import json_object_of, json_of
from acltwin.golden.files.storage import Storage, storage_of
from acltwin.ops import OPERATORS

NAME = "manifest.json"


class Layout(Protocol):
    """Where a tensor's file lies, relative to the manifest: ``number`` counts the tensors of a role."""

    def __call__(self, folder: str, role: str, number: int, name: str, tensor: Array, file_format: str) -> Path: ...


def by_name(folder: str, role: str, number: int, name: str, tensor: Array, file_format: str) -> Path:
    return Path("cases", folder, f"{'expected' if name == 'out' else name}.{file_format}")


@dataclass(frozen=True)
class Set:
    """What a manifest holds: the cases, and the SHA-256 of every tensor by (operator, case, tensor)."""

    cases: list[Case]
    hashes: Mapping[tuple[str, str, str], str]
    level: str
    seed: int


def write(
    cases: Sequence[Case],
    directory: Path,
    *,
    file_format: str = "npy",
    level: str = "",
    seed: int = 0,
    keep_bound: bool = False,
    hashes: Mapping[tuple[str, str, str], str] | None = None,
    layout: Layout = by_name,
    progress: Callable[[], None] = lambda: None,
) -> int:
    """Writes the set; returns the bytes of its tensors. ValueError if a tensor differs from its hash in ``hashes``.

    ``progress`` is called after every case.
    """
    several = len({case.operator for case in cases}) > 1
    entries, total = [], 0
    for case in cases:
        entry, size = _write_case(case, directory, file_format, keep_bound, several, hashes or {}, layout)
        entries.append(entry)
        total += size
        progress()
    content = {
        "schema": SCHEMA,
        "made_by": f"acltwin {acltwin.__version__}",
        "seed": seed,
        "level": level,
        "accumulate": cases[0].accumulate if cases else "float32",
        "rule": cases[0].map_rule if cases else "device",
        "cases": entries,
    }
    schema.check(content)
    write_text(directory / NAME, _text(content))
    return total


def _text(content: Mapping[str, Any]) -> str:
    """A line for each case."""
    head = json.dumps({**content, "cases": []}, indent=1).removesuffix("]\n}")
    return head + "\n" + ",\n".join(map(json.dumps, content["cases"])) + "\n]}\n"


def is_manifest(path: Path) -> bool:
    return str(json_object_of(path).get("schema", "")).startswith("acltwin-golden/")


def load(path: Path) -> Set:
    """A manifest, or the directory that holds one; ValueError, with the place, for anything that does not fit."""
    place = path / NAME if path.is_dir() else path
    content = json_of(place)
    schema.check(content, str(place))
    hashes = {
        (entry["operator"], entry["name"], tensor["name"]): tensor["sha256"]
        for entry in content["cases"]
        for tensor in entry["tensors"]
    }
    common = {"map_rule": content.get("rule", "device"), "accumulate": content.get("accumulate", "float32")}
    cases = [replace(_read_case(entry, place.parent, str(place)), **common) for entry in content["cases"]]
    return Set(cases, hashes, content.get("level", ""), content["seed"])


def _write_case(
    case: Case,
    directory: Path,
    file_format: str,
    keep_bound: bool,
    several: bool,
    hashes: Mapping[tuple[str, str, str], str],
    layout: Layout,
) -> tuple[dict[str, Any], int]:
    folder = files.directory_name(f"{case.operator}/{case.name}" if several else case.name)
    tensors: list[dict[str, Any]] = []
    total = 0
    made = [(name, "input", tensor) for name, tensor in case.inputs().items()]
    for name, role, tensor in (*made, *_expected_tensors(case, keep_bound)):
        storage, memory = storage_of(tensor)
        digest = files.sha256(memory)
        wanted = hashes.get((case.operator, case.name, name), digest)
        if wanted not in (digest, files.sha256(tensor)):  # 0.2.0 wrote the elements of a view without their storage
            raise ValueError(
                f"{case.operator} {case.name}: {name} came out differently; SHA-256 {digest}, not {wanted}"
            )
        number = sum(1 for known in tensors if known["role"] == role)
        file = layout(folder, role, number, name, tensor, file_format)
        files.save(directory / file, memory, file_format)
        entry: dict[str, Any] = {
            "name": name,
            "role": role,
            "dtype": name_of(tensor.dtype),
            "shape": list(tensor.shape),
        }
        if storage.strides is not None:
            entry |= {"strides": list(storage.strides), "offset": storage.offset, "storage": memory.size}
        entry |= {"format": case.format_name, "file": file.as_posix(), "sha256": digest}
        if role == "input" and name == flowing_name(case.spec) and case.fill:
            entry["fill"] = _fill(case)
        tensors.append(entry)
        total += memory.nbytes
    about = {
        "name": case.name,
        "operator": case.operator,
        "aclnn": case.spec.c_name,
        "arguments": files.plain(case.arguments),
        "tensors": tensors,
        "exact": case.exact,
        "terms": case.terms,
        "finds": list(case.finds),
        "made_from": case_to_json(case),
    }
    return about, total


def _expected_tensors(case: Case, keep_bound: bool) -> list[tuple[str, str, Array]]:
    expected = case.expected()
    floats = np.issubdtype(expected.value.dtype, np.floating)
    value = (
        rounded(expected.value, np.dtype(case.inputs()[flowing_name(case.spec)].dtype)) if floats else expected.value
    )
    tensors = [("out", "output", value)]
    if expected.indices is not None:
        tensors.append(("indices", "output", expected.indices))
    if keep_bound and floats:
        parts = {"sum": expected.value, "magnitude": expected.magnitude, "count": expected.count}
        tensors += [(name, "bound", np.asarray(part)) for name, part in parts.items()]
    return tensors


def _fill(case: Case) -> dict[str, Any]:
    """What the values are, for readers; ``made_from`` is what makes them again."""
    fill: dict[str, Any] = {"kind": case.fill}
    if case.geometry and (case.fill or "").startswith("coded") and adds(case.spec):
        code = sum_code(int(np.prod(case.geometry.source)), case.geometry.terms, case.dtype)
        fill |= {"t": STRAYS, "checks": POWERS - 2 * STRAYS, "prime": code.prime, "base": code.base}
        fill |= {"digits": code.digits, "combs": code.combs, "combs_used": code.combs_used}
    return fill


def _read_case(entry: Mapping[str, Any], directory: Path, where: str) -> Case:
    """Made again from its description, or read from its files where it has none."""
    try:
        return _case(entry, directory)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{where}, the case {entry['name']!r} cannot be read: {type(error).__name__}: {error}"
        ) from error


def _case(entry: Mapping[str, Any], directory: Path) -> Case:
    described = entry.get("made_from")
    case = case_from_json(described) if described else None
    if case and case.geometry:
        return case
    inputs = {tensor["name"]: tensor for tensor in entry["tensors"] if tensor["role"] == "input"}

    is_view = any("strides" in tensor for tensor in inputs.values())

    def read() -> dict[str, Array]:
        return {name: _read_tensor(tensor, directory) for name, tensor in inputs.items()}

    if case:
        return replace(case, make=read, is_view=is_view)
    operator = resolve(entry["operator"])
    dtype = inputs[flowing_name(OPERATORS[operator])]["dtype"]
    given = Case.of(operator, read, tuples(entry["arguments"]), name=entry["name"], dtype=dtype)
    return replace(given, is_view=is_view)


def _read_tensor(tensor: Mapping[str, Any], directory: Path) -> Array:
    path = (directory / tensor["file"]).resolve()
    if not path.is_relative_to(directory.resolve()):
        raise ValueError(f"{tensor['file']} lies outside the directory of the manifest")
    shape = tuple(tensor["shape"])
    storage = Storage(shape)
    if "strides" in tensor:
        elements = tensor.get("storage", math.prod(shape))
        storage = Storage((elements,), tuple(tensor["strides"]), tensor.get("offset", 0))
    memory = files.load(path, tensor["dtype"], storage.shape)
    if files.sha256(memory) != tensor["sha256"]:
        raise ValueError(f"{tensor['file']} is not what the manifest says: its SHA-256 is {files.sha256(memory)}")
    return storage.view(memory, shape, tensor["file"])
