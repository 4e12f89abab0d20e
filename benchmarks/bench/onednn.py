"""oneDNN as a peer, where its wheels are installed: `pip install onednn-cpu-gomp onednn-devel-cpu-gomp`.

A small library is built against them on first use. oneDNN has max pooling and nearest resampling (the rule of
nearest-exact); its pooling writes one byte per window where ours writes an index.
"""

from __future__ import annotations

import ctypes
import hashlib
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from bench.cases import Case
from bench.peers import Call
from bench.problems import Problem

SOURCE = Path(__file__).with_name("onednn.cpp")
TYPES = {"float32": 0, "bfloat16": 1, "float16": 2}


def available() -> bool:
    return (Path(sys.prefix) / "include" / "oneapi" / "dnnl" / "dnnl.hpp").exists()


def call(case: Case, problem: Problem) -> Call | None:
    """The same call into memory that is reused; None where oneDNN has none."""
    spec = case.spec
    plain = case.layout in ("contiguous", "channels-last")
    if spec.family not in ("upsample", "pool") or case.dtype not in TYPES or not plain or len(spec.axes) < 2:
        return None
    if spec.family == "upsample" and not spec.is_exact:
        return None
    library, window = _library(), case.window
    source = (*case.batch, *case.plane)
    if window is None:
        numbers = [*source, *case.batch, *case.outer]
    else:
        pooled = window.pooled(case.plane)
        behind = [
            (count - 1) * s + d * (k - 1) + 1 - n - p
            for count, s, d, k, n, p in zip(
                pooled, window.stride, window.dilation, window.kernel, case.plane, window.padding, strict=True
            )
        ]
        numbers = [*source, *case.batch, *pooled, *window.kernel, *window.stride, *window.padding, *behind]
        numbers += [d - 1 for d in window.dilation]
    out = problem.new_result()
    values = out[0] if isinstance(out, tuple) else out
    handle = library.onednn_make(
        len(source),
        (ctypes.c_longlong * len(numbers))(*numbers),
        TYPES[case.dtype],
        case.layout == "channels-last",
        window is not None,
        spec.is_gradient,
        problem.tensors[0].ctypes.data,
        values.ctypes.data,
    )
    return _Run(library, handle, (problem.tensors[0], values)) if handle else None


class _Run:
    """Runs a primitive on as many threads as acltwin has; keeps its memory alive, and frees it."""

    def __init__(self, library: ctypes.CDLL, handle: int, arrays: tuple[np.ndarray, np.ndarray]) -> None:
        import acltwin

        self._library, self._handle, self._arrays = library, handle, arrays
        self._threads = acltwin.get_num_threads()

    def __call__(self) -> None:
        self._library.onednn_run(self._handle, self._threads)

    def __del__(self) -> None:
        self._library.onednn_free(self._handle)


@cache
def _library() -> ctypes.CDLL:
    text = SOURCE.read_bytes()
    built = Path(tempfile.gettempdir()) / f"acltwin-onednn-{hashlib.sha256(text).hexdigest()[:16]}.so"
    if not built.exists():
        prefix = Path(sys.prefix)
        options = ["-O2", "-std=c++17", "-fopenmp", "-shared", "-fPIC", f"-I{prefix / 'include'}"]
        links = [f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}", "-ldnnl"]
        subprocess.run(["g++", *options, str(SOURCE), *links, "-o", str(built)], check=True)
    library = ctypes.CDLL(str(built))
    library.onednn_make.restype = ctypes.c_void_p
    library.onednn_make.argtypes = [
        ctypes.c_int,
        ctypes.POINTER(ctypes.c_longlong),
        ctypes.c_int,
        *[ctypes.c_bool] * 3,
        *[ctypes.c_void_p] * 2,
    ]
    library.onednn_run.argtypes = [ctypes.c_void_p, ctypes.c_int]
    library.onednn_free.argtypes = [ctypes.c_void_p]
    return library
