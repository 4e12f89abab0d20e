"""Rows of the benchmark with each specialisation of the kernels switched off and on. Started by tools/ablate.py.

A specialisation that gains less than a tenth on the rows it is there for has no place in the kernels.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.cases import Case, Layout, Size, dtype_of
from bench.grid import BYTES, DISJOINT, OVERLAP, indexed, upsampling
from bench.measure import Effort, best_times, times_in_place

import acltwin
from acltwin.ops import OPERATORS
from bench import peers, problems

VARIABLE = "ACLTWIN_ABLATE"
EXACT3D, FORWARD_EXACT3D = "upsample_nearest_exact3d_backward", "upsample_nearest_exact3d"
NEAREST3D = "upsample_nearest3d_backward"
POOL, FORWARD_POOL, FORWARD_UNPOOL = "max_pool3d_with_argmax_backward", "max_pool3d_with_argmax", "max_unpool3d"
THREADS = (1, 2)
FLOATS = ("float32", "float16", "bfloat16")
HALVES = ("float16", "bfloat16")


@dataclass(frozen=True)
class Pooling:
    """A pooling of small planes, many or few."""

    dtype: str
    shape: tuple[int, ...]
    kernel: int

    @property
    def label(self) -> str:
        return f"{FORWARD_POOL} {self.dtype} {'x'.join(map(str, self.shape))} k{self.kernel} s2"

    def call(self) -> Callable[[], Any]:
        values = problems.laid_out(self.shape, dtype_of(self.dtype), "contiguous")
        return lambda: acltwin.max_pool3d_with_argmax(values, self.kernel, 2, self.kernel // 2)


Row = Case | Pooling
Window = tuple[int, int, int]
DENSE: Window = (3, 1, 1)


@dataclass(frozen=True)
class Specialisation:
    """A name that native/kernels asks for, about how many lines serve it alone, and the rows that it is there for."""

    name: str
    lines: int
    rows: tuple[Row, ...]
    in_place: bool = False  # measured behind other work, which leaves the cache cold


def _upsample(
    *factors: float,
    operator: str = EXACT3D,
    size: Size = "medium",
    layout: Layout = "contiguous",
    channels: int | None = None,
) -> tuple[Row, ...]:
    return tuple(
        upsampling(OPERATORS[operator], dtype, size, factor, layout, channels) for factor in factors for dtype in FLOATS
    )


def _indexed(
    operator: str, *windows: Window, dtypes: tuple[str, ...] = FLOATS, size: Size = "medium", one_plane: bool = False
) -> tuple[Row, ...]:
    spec = OPERATORS[operator]
    return tuple(indexed(spec, dtype, size, window, one_plane=one_plane) for window in windows for dtype in dtypes)


def specialisations() -> Iterator[Specialisation]:
    doubles = tuple(upsampling(OPERATORS[NEAREST3D], "float64", "medium", factor) for factor in (3.0, 4.0))
    yield Specialisation("interval_sum: factors 2 to 4", 65, (*_upsample(2.0, 3.0, 4.0), *doubles))
    yield Specialisation("interval_sum: factors 3 and 4", 35, (*_upsample(3.0, 4.0), *doubles))
    yield Specialisation("interval_sum: blocks", 200, _upsample(1.5, 2.7, 0.5))
    few_channels = _upsample(1.5, 0.5, layout="channels-last", channels=3)
    yield Specialisation("interval_sum: blocks of channels", 25, few_channels)
    permuted = _upsample(2.0, 1.5, layout="permuted H/W")
    yield Specialisation("interval_sum: rows along H", 110, permuted)
    yield Specialisation("interval_sum: transposed rows", 50, permuted)
    halved = upsampling(OPERATORS[EXACT3D], "float32", "large", 0.5)
    yield Specialisation("interval_sum: non-temporal", 40, (*_upsample(1.0, size="large"), halved))

    in_cache = _indexed(POOL, DISJOINT, dtypes=HALVES)
    one_plane = _indexed(POOL, DISJOINT, dtypes=HALVES, one_plane=True)
    large = _indexed(POOL, DISJOINT, size="large")
    yield Specialisation("window_scatter: expand", 440, (*in_cache, *large, *one_plane))
    dense = _indexed(POOL, DISJOINT, OVERLAP, DENSE, dtypes=(*FLOATS, "float64"))
    channels_last = tuple(replace(row, layout="channels-last") for row in dense if isinstance(row, Case))
    yield Specialisation("window_scatter: boxes", 480, channels_last)
    yield Specialisation("window_scatter: layers", 45, _indexed(POOL, OVERLAP, one_plane=True))
    unrounded = _indexed(POOL, DISJOINT, OVERLAP, dtypes=("float32",), size="large")
    # Not those of 16 bits: they take non-temporal stores on several threads only.
    yield Specialisation("window_scatter: non-temporal", 60, unrounded)

    yield Specialisation("window_scatter: asking ahead", 10, _indexed(POOL, DENSE))
    rounded = _indexed(POOL, OVERLAP, dtypes=HALVES)
    yield Specialisation("window_scatter: asking for the result", 5, rounded, in_place=True)

    small = tuple(Pooling(dtype, (4, 1024, 7, 7, 7), 3) for dtype in FLOATS)
    yield Specialisation("window_max: tiles", 450, _indexed(FORWARD_POOL, DISJOINT, OVERLAP))
    yield Specialisation("window_max: interleaved planes", 110, small)
    few = tuple(Pooling(dtype, (32, 4, 14, 14, 14), kernel) for kernel in (2, 3) for dtype in FLOATS)
    yield Specialisation("window_max: rows that share a tile", 20, few)

    forward = FORWARD_EXACT3D
    yield Specialisation("nearest_copy: blocks", 200, _upsample(2.0, 1.5, 2.7, operator=forward))
    yield Specialisation("nearest_copy: every second", 35, _upsample(0.5, operator=forward))
    yield Specialisation("nearest_copy: packed", 75, _upsample(2.0, 1.5, operator=forward, layout="permuted H/W"))
    yield Specialisation("nearest_copy: non-temporal", 30, _upsample(2.0, operator=forward, size="large"))
    yield Specialisation("nearest_copy: repeated slices", 20, _upsample(2.0, 1.5, operator=forward))
    channels = _upsample(2.0, 1.5, operator=forward, layout="channels-last", channels=32)
    three_channels = upsampling(OPERATORS["upsample_nearest3d"], "float64", "medium", 1.5, "channels-last", 3)
    yield Specialisation("nearest_copy: constant sizes", 10, (*channels, three_channels))

    words = ("float32", "float64")
    unpooled = _indexed(FORWARD_UNPOOL, DISJOINT, OVERLAP, dtypes=words, size="large")
    yield Specialisation("scatter_copy: ring", 90, unpooled)
    one = _indexed(FORWARD_UNPOOL, DISJOINT, OVERLAP, dtypes=("float32", "float16"), one_plane=True)
    yield Specialisation("scatter_copy: elements nearby", 30, one)


def call_of(row: Row) -> Callable[[], Any]:
    """The row as a call, into memory that is already there if it is one of the grid's."""
    if not isinstance(row, Case):
        return row.call()
    problem = problems.build(row)
    into = peers.ours(problem).into
    assert into is not None, "acltwin takes out="
    return into(problem.new_result())


@dataclass(frozen=True)
class Gain:
    """Time without the specialisation / time with it, by the number of threads."""

    specialisation: Specialisation
    row: Row
    by_threads: dict[int, float]


def measure(letters: str, rounds: int) -> Iterator[Gain]:
    effort = Effort(rounds=rounds, turns_in_a_row=3, warm_up=1)
    for specialisation in specialisations():
        if letters not in specialisation.name:
            continue
        for row in specialisation.rows:
            call = call_of(row)

            def switched(off: str, call: Callable[[], Any] = call) -> Callable[[], None]:
                def run() -> None:
                    os.environ[VARIABLE] = off
                    call()

                return run

            gain: dict[int, float] = {}
            for threads in THREADS:
                acltwin.set_num_threads(threads)
                both = {"off": switched(specialisation.name), "on": switched("")}
                best = times_in_place(both, 9 * rounds) if specialisation.in_place else best_times(both, effort)
                gain[threads] = best["off"] / best["on"]
            print(specialisation.name, row.label, *(f"{g:.2f}" for g in gain.values()), sep=" | ", file=sys.stderr)
            yield Gain(specialisation, row, gain)


def table(gains: list[Gain]) -> str:
    """One line per specialisation: the geometric mean over its rows, the smallest and the largest."""
    lines = ["| specialisation | lines | rows | off/on, 1 thread | off/on, 2 threads |", "|---|---|---|---|---|"]
    for specialisation in dict.fromkeys(gain.specialisation for gain in gains):
        own = [gain for gain in gains if gain.specialisation == specialisation]
        cells = [str(specialisation.name), f"{specialisation.lines}", str(len(own))]
        for threads in THREADS:
            values = [gain.by_threads[threads] for gain in own]
            mean = math.exp(sum(map(math.log, values)) / len(values))
            cells.append(f"{mean:.2f} ({min(values):.2f} to {max(values):.2f})")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--filter", default="", help="only specialisations whose name has these letters")
    parser.add_argument("--large", type=int, default=256, metavar="MIB", help="bytes of a large row's larger side")
    parser.add_argument("--json", type=Path, help="write every row's figures to this file")
    arguments = parser.parse_args()
    BYTES["large"] = arguments.large << 20
    gains = list(measure(arguments.filter, arguments.rounds))
    if arguments.json:
        rows = [[gain.specialisation.name, gain.row.label, gain.by_threads] for gain in gains]
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(table(gains), end="")


if __name__ == "__main__":
    main()
