"""A directory of cases: one manifest for the whole set, one folder a case."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

import acltwin
from acltwin._writing import write_text
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.cases import MAX_BYTES, case_bytes
from acltwin.golden.cases.checked import Count, Digest, Name, checked, json_object_of, json_of, short
from acltwin.golden.cases.codes import POWERS, STRAYS, sum_code
from acltwin.golden.cases.dtypes import Array, facts, name_of, rounded
from acltwin.golden.cases.family import adds, flowing_name, resolve, tensor_names
from acltwin.golden.cases.streams import SCHEMA
from acltwin.golden.files import tensors as files
from acltwin.golden.files.describe import arguments_from_json, case_from_json, case_to_json, check_arguments, dtypes_of
from acltwin.golden.files.tensors import Storage, storage_of
from acltwin.golden.judge.bound import Accumulate
from acltwin.ops import OPERATORS
from acltwin.reference.source_table import MapRule

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
    write_text(directory / NAME, _text(content))
    return total


def _text(content: Mapping[str, Any]) -> str:
    """A line for each case."""
    head = json.dumps({**content, "cases": []}, indent=1).removesuffix("]\n}")
    return head + "\n" + ",\n".join(map(json.dumps, content["cases"])) + "\n]}\n"


def is_manifest(path: Path) -> bool:
    return str(json_object_of(path).get("schema", "")).startswith("acltwin-golden/")


@dataclass(frozen=True)
class Tensor:
    """A file of a set; with strides, its storage."""

    name: str
    role: Literal["input", "output", "bound"]
    dtype: str
    shape: tuple[Count, ...]
    file: str
    sha256: Digest
    strides: tuple[Count, ...] | None = None
    offset: Count = 0
    storage: Count | None = None


@dataclass(frozen=True)
class Entry:
    name: Name
    operator: str
    arguments: Mapping[str, Any]
    tensors: tuple[Tensor, ...]
    made_from: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Content:
    made_by: str
    seed: int
    cases: tuple[Entry, ...]
    level: str = ""
    accumulate: Accumulate = "float32"
    rule: MapRule = "device"


def content_of(place: Path) -> Content:
    """What a manifest says; ValueError, with the place, for anything that is none. Unknown keys are left alone."""
    data = json_of(place)
    schema = data.get("schema") if isinstance(data, dict) else None
    if schema != SCHEMA:
        newer = "; update acltwin" if isinstance(schema, str) and schema.startswith("acltwin-golden/") else ""
        raise ValueError(f"{place} has the schema {short(schema)}; expected {SCHEMA!r}{newer}")
    content: Content = checked(Content, data, str(place))
    return content


def load(path: Path, max_bytes: int = MAX_BYTES) -> Set:
    """A manifest, or the directory that holds one; ValueError, with the place, for anything that does not fit."""
    place = path / NAME if path.is_dir() else path
    content = content_of(place)
    cases = []
    for number, entry in enumerate(content.cases):
        where = f"{place}, cases [{number}]"
        case = replace(
            _case(entry, place.parent, where, max_bytes), map_rule=content.rule, accumulate=content.accumulate
        )
        if case_bytes(case) > max_bytes:
            raise ValueError(
                f"{where}, {case.operator} {case.name}, needs {case_bytes(case)} bytes; expected at most {max_bytes}: "
                "allow more with --max-bytes"
            )
        cases.append(case)
    hashes = {
        (entry.operator, entry.name, tensor.name): tensor.sha256 for entry in content.cases for tensor in entry.tensors
    }
    return Set(cases, hashes, content.level, content.seed)


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
    found = case.found(expected)
    if found is not None:
        tensors.append(("indices", "output", found))
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


def _case(entry: Entry, directory: Path, where: str, max_bytes: int) -> Case:
    """Made again from its description, or read from its files where it has none."""
    case = case_from_json(entry.made_from, f"{where}, made_from") if entry.made_from else None
    if case and (case.operator, case.name) != (resolve(entry.operator), entry.name):
        raise ValueError(
            f"{where} is {entry.operator} {entry.name}, made from {case.operator} {case.name}; expected one"
        )
    if case and case.geometry:
        return case
    operator = resolve(entry.operator)
    spec = OPERATORS[operator]
    inputs = {tensor.name: tensor for tensor in entry.tensors if tensor.role == "input"}
    names = tensor_names(spec)
    if sorted(inputs) != sorted(names):
        raise ValueError(f"{where} has the inputs {short(sorted(inputs))}; expected {', '.join(names)}")
    for name, tensor in inputs.items():
        if tensor.dtype not in (*dtypes_of(spec, name), "int32", "int64"):
            raise ValueError(f"{where}, {name} has the dtype {short(tensor.dtype)}; expected one of its operator")
        if math.prod(tensor.shape) * facts(tensor.dtype).dtype.itemsize > max_bytes:
            raise ValueError(f"{where}, {name} has the shape {short(tensor.shape)}; expected at most {max_bytes} bytes")
    arguments = arguments_from_json(entry.arguments, f"{where}, arguments")
    check_arguments(spec, arguments, f"{where}, arguments")

    def read() -> dict[str, Array]:
        return {name: _read_tensor(tensor, directory) for name, tensor in inputs.items()}

    is_view = any(tensor.strides is not None for tensor in inputs.values())
    if case:
        return replace(case, make=read, is_view=is_view)
    dtype = inputs[flowing_name(spec)].dtype
    return replace(Case.of(operator, read, arguments, name=entry.name, dtype=dtype), is_view=is_view)


def _read_tensor(tensor: Tensor, directory: Path) -> Array:
    path = (directory / tensor.file).resolve()
    if not path.is_relative_to(directory.resolve()):
        raise ValueError(f"{tensor.file} lies outside the directory of the manifest")
    storage = Storage(tensor.shape)
    if tensor.strides is not None:
        elements = math.prod(tensor.shape) if tensor.storage is None else tensor.storage
        storage = Storage((elements,), tensor.strides, tensor.offset)
    memory = files.load(path, tensor.dtype, storage.shape)
    if files.sha256(memory) != tensor.sha256:
        raise ValueError(f"{tensor.file} is not what the manifest says: its SHA-256 is {files.sha256(memory)}")
    return storage.view(memory, tensor.shape, tensor.file)
