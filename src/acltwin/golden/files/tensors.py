"""Arrays and cases on disk: .npy, names of directories, results that a program left; and the memory behind a view."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from acltwin._writing import replacing, write_bytes
from acltwin.golden.cases.case import Case
from acltwin.golden.cases.dtypes import BFLOAT16, Array, facts, name_of, poisoned, to_numpy, to_torch

LONGEST_NAME = 120


def directory_name(name: str) -> str:
    """A case's directory: only letters, digits and ``_.-``, at most 120 characters, never two names the same."""
    plain = re.sub(r"[^A-Za-z0-9_.-]", "_", name.replace("/", "__"))
    if len(plain) <= LONGEST_NAME and plain == name.replace("/", "__"):
        return plain
    digest = hashlib.sha256(name.encode()).hexdigest()[:12]
    return f"{plain[: LONGEST_NAME - 13]}-{digest}"


def save_array(path: Path, array: Array) -> None:
    """.npy; bfloat16 as its bits, since NumPy has no name for it."""
    with replacing(path, durable=False) as file:
        np.save(file, array.view(np.uint16) if array.dtype == BFLOAT16 else array, allow_pickle=False)


FORMATS = ("npy", "bin", "pt")


def save(path: Path, array: Array, file_format: str) -> None:
    """One tensor as .npy, as its bytes (C order, little endian), or as PyTorch saves it."""
    if file_format == "npy":
        save_array(path, array)
    elif file_format == "bin":
        write_bytes(path, np.ascontiguousarray(array).tobytes(), durable=False)
    elif file_format == "pt":
        import torch

        saved = io.BytesIO()  # PyTorch does not say why it could not write
        torch.save(to_torch(np.ascontiguousarray(array)), saved)
        write_bytes(path, saved.getvalue(), durable=False)
    else:
        raise ValueError(f"no format is called {file_format!r}; expected one of {', '.join(FORMATS)}")


def load(path: Path, dtype: str, shape: tuple[int, ...]) -> Array:
    """What ``save`` wrote; ValueError if it is not of this dtype and shape. Nothing in it is executed."""
    if path.suffix == ".npy":
        array = load_array(path, dtype)
    elif path.suffix == ".bin":
        array = _load_bytes(path, dtype, shape)
    elif path.suffix == ".pt":
        array = _load_torch(path)
    else:
        raise ValueError(f"{path} is no tensor; expected .npy, .bin or .pt")
    if array.shape != shape or name_of(array.dtype) != dtype:
        raise ValueError(f"{path} holds {name_of(array.dtype)} {array.shape}; expected {dtype} {shape}")
    return array


def load_result(path: Path, dtype: str, shape: tuple[int, ...]) -> Array:
    """What a program wrote: an .npy file with the dtype and shape that it has itself, to be judged."""
    return load_array(path, dtype) if path.suffix == ".npy" else load(path, dtype, shape)


def _load_torch(path: Path) -> Array:
    import torch

    try:
        return to_numpy(torch.load(path, map_location="cpu", weights_only=True))
    except Exception as error:  # a broken file makes it raise almost anything
        reason = str(error).partition("\n")[0]
        raise ValueError(
            f"{path} cannot be read: {type(error).__name__}: {reason}; expected one saved tensor"
        ) from error


def _load_bytes(path: Path, dtype: str, shape: tuple[int, ...]) -> Array:
    kind = facts(dtype).dtype
    wanted = math.prod(shape) * kind.itemsize
    try:
        size = path.stat().st_size
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error
    if size != wanted:
        raise ValueError(f"{path} has {size} bytes; expected {wanted} for {dtype} {shape}")
    return np.frombuffer(path.read_bytes(), kind).reshape(shape).copy()


def load_array(path: Path, dtype: str | None = None) -> Array:
    """.npy, never a pickle; ``dtype`` "bfloat16" says that the bits are one. ValueError for a broken file."""
    try:
        with path.open("rb") as file:
            if file.read(6) != b"\x93NUMPY":
                raise ValueError("it is no .npy file")
        mapped: Array = np.load(path, allow_pickle=False, mmap_mode="r")  # a header that promises too much is refused
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror or error}") from error
    except Exception as error:  # a broken header makes it raise almost anything
        reason = str(error).partition("\n")[0]
        raise ValueError(f"{path} cannot be read: {reason}; expected an array as np.save writes it") from error
    array: Array = np.array(mapped)
    if dtype == "bfloat16" and array.dtype.itemsize == 2 and array.dtype.kind in "uiV":
        return array.view(BFLOAT16)
    return array


def sha256(array: Array) -> str:
    """Of the elements in C order, little endian: the same in every file format."""
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()


def existing(directory: Path, name: str) -> Path:
    """The file of a tensor in whichever format it is there; as .npy if it is not there at all."""
    paths = [directory / f"{name}.{file_format}" for file_format in FORMATS]
    return next((path for path in paths if path.is_file()), paths[0])


def result_names(case: Case) -> list[str]:
    """What the files of its results are called, without the suffix."""
    count = len(case.result_shapes())
    return ["out"] if count == 1 else [f"out{number}" for number in range(count)]


def write_inputs(case: Case, directory: Path, file_format: str = "npy") -> None:
    """The tensors, and ``case.json`` with everything else that a program needs to know."""
    described = {}
    for name, tensor in case.inputs().items():
        file = f"{name}.{file_format}"
        save(directory / file, np.ascontiguousarray(tensor), file_format)
        described[name] = _described(name_of(tensor.dtype), tensor.shape, file)
    names = [f"{name}.{file_format}" for name in result_names(case)]
    about = {
        "operator": case.operator,
        "aclnn": case.spec.c_name,
        "case": case.name,
        "arguments": plain(case.arguments),
        "map_rule": case.map_rule,
        "accumulate": case.accumulate,
        "tensors": described,
        "results": [_described(*result, name) for result, name in zip(case.result_shapes(), names, strict=True)],
    }
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in about.items())
    write_bytes(directory / "case.json", f"{{\n{lines}\n}}\n".encode(), durable=False)


def _described(dtype: str, shape: tuple[int, ...], file: str) -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "file": file}


@dataclass(frozen=True)
class Blank:
    """The file of a result before a program has written it: full of NaN, or of 0xA5 bytes where there is none."""

    path: Path
    content: bytes

    @staticmethod
    def write(path: Path, dtype: str, shape: tuple[int, ...]) -> Blank:
        save(path, poisoned(facts(dtype).dtype, shape), path.suffix[1:])
        os.utime(path, (0, 0))
        return Blank(path, path.read_bytes() if math.prod(shape) else b"")

    def is_untouched(self) -> bool:
        """Whether nobody wrote it: by its time, and by its bytes, since memory that is mapped leaves the time alone."""
        try:
            return bool(self.content) and not self.path.stat().st_mtime and self.path.read_bytes() == self.content
        except OSError:
            return False


def write_blank_outputs(case: Case, directory: Path, file_format: str = "npy") -> list[Blank]:
    """One file per result: what is still there afterwards was not written."""
    return [
        Blank.write(directory / f"{name}.{file_format}", dtype, shape)
        for name, (dtype, shape) in zip(result_names(case), case.result_shapes(), strict=True)
    ]


def plain(value: Any) -> Any:
    """What JSON can say: tuples become lists, numbers that it lacks become text."""
    if isinstance(value, dict) or hasattr(value, "items"):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return "nan" if np.isnan(value) else "inf" if value > 0 else "-inf"
    return value.item() if isinstance(value, np.generic) else value


# ---- the memory behind a tensor; a view has strides, an offset and the elements of its storage ----


@dataclass(frozen=True)
class Storage:
    """In elements; without strides it is the tensor itself, perhaps in another shape."""

    shape: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    offset: int = 0

    def view(self, memory: Array, shape: tuple[int, ...], where: str) -> Array:
        """The tensor that lies in ``memory``; ValueError if it reaches beyond it."""
        if self.strides is None and not self.offset:
            return memory.reshape(shape)
        strides = self.strides or packed(shape)
        if len(strides) != len(shape):
            raise ValueError(f"{where} has the strides {strides}; expected {len(shape)}, one for each size")
        reach = self.offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
        if math.prod(shape) and not 0 <= reach < memory.size:
            raise ValueError(
                f"{where}: a view of {shape} with strides {strides} and offset {self.offset} reaches element {reach}; "
                f"expected one below {memory.size}, the elements of its storage"
            )
        size = memory.itemsize
        steps = tuple(stride * size for stride in strides)
        plain = np.ascontiguousarray(memory).view(np.uint8)  # NumPy has no buffers of bfloat16
        return np.ndarray(shape, memory.dtype, plain.reshape(-1), self.offset * size, steps)


def packed(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a contiguous tensor."""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))


def storage_of(array: Array) -> tuple[Storage, Array]:
    """How an array lies in the memory that it is a part of, and that memory; of a contiguous one, the array itself."""
    if array.flags.c_contiguous:
        return Storage(array.shape), array
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    if not root.flags.forc or min(array.strides) < 0:  # no description by offset and strides alone
        root = array = np.array(array, order="K")
    memory = root.ravel(order="K").view(array.dtype)
    start = (array.ctypes.data - root.ctypes.data) // array.itemsize
    return Storage(memory.shape, tuple(step // array.itemsize for step in array.strides), start), memory
