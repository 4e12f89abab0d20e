"""TTK's directory of data: ``cases.csv``, our manifest beside it, and a folder of tensors for every line.

``data/<case>/`` holds ``input_<i>_<dtype>.<bin|npy|pt>`` and ``golden_<i>_<dtype>.<npy|pt>``, and nothing else; a .bin
has no header, so a golden's name says its shape: ``golden_0_float16__shape_2x5x4x5.bin``. An input holds the storage
behind its view. An input that is not passed is an empty file ``input_<i>_none``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from acltwin.golden.cases.case import Case
from acltwin.golden.cases.dtypes import Array, name_of
from acltwin.golden.files import manifest
from acltwin.golden.files import tensors as files
from acltwin.golden.files.vendor import Format, Options, Written
from acltwin.golden.files.vendor.calls import DTYPE_WORDS, Call, checked, file_case
from acltwin.golden.files.vendor.ttk_csv import aclnn_line, calls, case_name, save_lines
from acltwin.golden.files.vendor.ttk_kernels import kernels

TABLE = "cases.csv"
DATA = "data"
_FILE = re.compile(r"(input|golden)_(\d{1,3})_([a-z0-9]+)(?:__shape_(scalar|\d+(?:x\d+)*))?\.(bin|npy|pt)")


def layout(folder: str, role: str, number: int, name: str, tensor: Array, file_format: str) -> Path:
    """The path of a tensor, as the kit looks for it."""
    kind = "input" if role == "input" else "golden"
    sizes = "x".join(map(str, tensor.shape)) or "scalar"
    shape = f"__shape_{sizes}" if kind == "golden" and file_format == "bin" else ""
    return Path(DATA, folder, f"{kind}_{number}_{name_of(tensor.dtype)}{shape}.{file_format}")


def write(cases: Sequence[Case], directory: Path, file_format: str = "bin") -> Written:
    """Every case has a line of its own: here the data are part of it."""
    seed = cases[0].seed if cases else 0
    total = manifest.write(cases, directory, file_format=file_format, seed=seed, layout=layout)
    save_lines([aclnn_line(case, case_name(case, cases)) for case in cases], directory / TABLE)
    return Written(len(cases), bytes=total)


def recognises(path: Path) -> bool:
    return (path / TABLE).is_file() and (path / DATA).is_dir()


def read(directory: Path, options: Options) -> list[Case]:
    """The cases with the inputs that lie there."""
    return [case for case, _ in _cases(directory, options)]


def goldens(directory: Path, options: Options) -> Iterator[tuple[Case, tuple[Array, ...]]]:
    """Every case with the results that lie beside its inputs."""
    for case, folder in _cases(directory, options):
        found = _files(folder, "golden")
        wanted = case.result_shapes()
        if set(found) != set(range(len(wanted))):
            raise ValueError(f"{folder} has the goldens {sorted(found)}; expected {list(range(len(wanted)))}")
        yield case, tuple(_golden(found[n], dtype, shape, case) for n, (dtype, shape) in enumerate(wanted))


def _cases(directory: Path, options: Options) -> Iterator[tuple[Case, Path]]:
    if not recognises(directory):
        raise ValueError(f"{directory} is no TTK directory; expected {TABLE} and {DATA}/ in it")
    hashes = _hashes(directory)
    for call in calls(directory / TABLE, options):
        folder = directory / DATA / files.directory_name(call.name)
        if call.name in (".", "..") or not folder.is_dir():
            raise ValueError(f"{call.where}: there is no directory {folder}; expected its tensors there")
        stored = _with_files(call, folder, directory, hashes)
        yield file_case(stored, checked(stored, options), options, call.name), folder


def _with_files(call: Call, folder: Path, directory: Path, hashes: Mapping[str, str]) -> Call:
    """The call with data from its folder; the kernel's inputs alone have files."""
    found = _files(folder, "input")
    kernel = kernels().get(call.kept["ttk"].get("op_name", ""))
    names = kernel.inputs if kernel and "api_name" not in call.kept["ttk"] else tuple(call.tensors)
    if set(found) != set(range(len(names))):
        raise ValueError(f"{folder} has the inputs {sorted(found)}; expected {list(range(len(names)))}")
    tensors = dict(call.tensors)
    for number, name in enumerate(names):
        path, dtype, _ = found[number]
        if dtype == "none":
            raise ValueError(f"{path} says that {name} is not passed; expected a tensor: the operator needs it")
        if dtype != tensors[name].dtype:
            raise ValueError(f"{path} is of {dtype}; expected {tensors[name].dtype} by {TABLE}: rename or convert it")
        digest = hashes.get(path.relative_to(directory).as_posix(), "")
        load = partial(tensors[name].load, path, call.where, digest)
        tensors[name] = replace(tensors[name], values=load)
    return replace(call, tensors=tensors)


def _files(folder: Path, kind: str) -> dict[int, tuple[Path, str, str | None]]:
    """(path, dtype, shape in the name) by number; ValueError for a file that does not belong there."""
    found: dict[int, tuple[Path, str, str | None]] = {}
    for path in sorted(folder.iterdir()):
        match = _FILE.fullmatch(path.name)
        if match is None or path.is_symlink() or not path.is_file():
            raise ValueError(
                f"{path} does not belong there; expected files like input_0_float16.bin and "
                "golden_0_float16__shape_2x3.bin alone: move it elsewhere"
            )
        if match[1] != kind:
            continue
        number = int(match[2])
        if number in found:
            raise ValueError(f"{path} and {found[number][0].name} are the same tensor; expected one of them")
        found[number] = (path, DTYPE_WORDS.get(match[3], match[3]), match[4])
    return found


def _golden(found: tuple[Path, str, str | None], dtype: str, shape: tuple[int, ...], case: Case) -> Array:
    path, named, sizes = found
    if named != dtype and named not in ("int32", "int64"):
        raise ValueError(f"{path} is of {named}; expected {dtype}")
    wanted = shape
    if sizes is not None:
        wanted = () if sizes == "scalar" else tuple(map(int, sizes.split("x")))
    elif path.suffix == ".bin":
        raise ValueError(f"{path} does not say its shape; expected __shape_{'x'.join(map(str, shape))} before .bin")
    flat = "op_name" in case.kept.get("ttk", {})  # a kernel may see the planes in another shape
    if wanted != shape and not (flat and math.prod(wanted) == math.prod(shape)):
        raise ValueError(f"{path} has the shape {wanted}; expected {shape} by {TABLE}")
    return files.load(path, named, wanted).reshape(shape)


def _hashes(directory: Path) -> dict[str, str]:
    """By file, where our manifest lies beside the table."""
    path = directory / manifest.NAME
    if not path.exists():
        return {}
    return {tensor.file: tensor.sha256 for entry in manifest.content_of(path).cases for tensor in entry.tensors}


FORMAT = Format("ttk", "TTK's directory of data", (), read, write, recognises)
