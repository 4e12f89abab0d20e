"""A volume larger than the workers' memory, Zarr in and out, on 1 and 2 worker processes: time, peak memory, bits.

python benchmarks/dask_scaling.py [--gigabytes 4] [--memory-limit 512MB] [--rounds 3] [--directory DIRECTORY]

The files take 1.4 times the volume on disk and are removed at the end. Before each run the system is made to forget the
volume's files, so reading means reading from disk.
"""

from __future__ import annotations

import argparse
import operator
import os
import resource
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import dask.array as da
import numpy as np
import zarr
from distributed import Client, LocalCluster, wait

import acltwin
import acltwin.dask

PLANE, HALF = (128, 256, 256), (64, 128, 128)  # 32 MiB and 4 MiB of float32
CHANNELS = 4
WINDOW = (2, 2, 0, 1, False)
EMPTY_TASKS = 4000


@dataclass(frozen=True)
class Work:
    """One operator on the volume, and the same operator on arrays in memory."""

    name: str
    call: Callable[[Any, Any], Any]  # (acltwin or acltwin.dask, volume) -> result or results
    dtypes: tuple[str, ...]  # of the results, all of them with planes of HALF

    def results(self, space: Any, volume: Any) -> list[Any]:
        result = self.call(space, volume)
        return list(result) if isinstance(result, tuple) else [result]


def upsample(space: Any, volume: Any) -> Any:
    return space.upsample_nearest_exact3d_backward(volume, PLANE, (*volume.shape[:2], *HALF))


def pool(space: Any, volume: Any) -> Any:
    return space.max_pool3d_with_argmax(volume, *WINDOW)


WORKS = (
    Work("upsample_nearest_exact3d_backward, factor 2", upsample, ("float32",)),
    Work("max_pool3d_with_argmax, k2 s2", pool, ("float32", "int32")),
)


@contextmanager
def cluster_of(workers: int, memory_limit: str, directory: Path) -> Iterator[Client]:
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            memory_limit=memory_limit,
            host="127.0.0.1",
            dashboard_address=None,
            local_directory=str(directory),
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def create(path: Path, batch: int, plane: tuple[int, ...], dtype: str = "float32") -> Any:
    """One plane per chunk and file, not compressed: noise would not get smaller."""
    shape, chunks = (batch, CHANNELS, *plane), (1, 1, *plane)
    return zarr.create_array(path, shape=shape, chunks=chunks, dtype=dtype, compressors=None, overwrite=True)


def forget(path: Path) -> None:
    """Has the system write a folder's files to disk and drop its copies of them."""
    for file in path.rglob("*"):
        if file.is_file():
            descriptor = os.open(file, os.O_RDONLY)
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


def peak_memory() -> int:
    """Of this process since it began, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def same_bits(work: Work, source: Any, targets: list[Any]) -> bool:
    """Every plane, one at a time: this process need not hold the volume either."""
    for place in np.ndindex(source.shape[:2]):
        here = tuple(slice(at, at + 1) for at in place)
        expected = work.results(acltwin, source[here])
        if any(target[here].tobytes() != one.tobytes() for target, one in zip(targets, expected, strict=True)):
            return False
    return True


@dataclass(frozen=True)
class Run:
    seconds: float
    peaks: tuple[int, ...]  # of each worker, in bytes


def run(work: Work, workers: int, source: Any, targets: list[Any], memory_limit: str, directory: Path) -> Run:
    forget(directory / "volume")
    with cluster_of(workers, memory_limit, directory) as client:
        client.run(lambda: acltwin.dask)  # imported before the clock runs
        start = time.perf_counter()
        da.store(work.results(acltwin.dask, da.from_zarr(source)), targets, lock=False)
        seconds = time.perf_counter() - start
        return Run(seconds, tuple(client.run(peak_memory).values()))


def measure(work: Work, source: Any, rounds: int, memory_limit: str, directory: Path) -> None:
    """Rows of the table: the least time of rounds in which 1 and 2 workers take turns, and the highest peak."""
    targets = [create(directory / f"result{i}", source.shape[0], HALF, dtype) for i, dtype in enumerate(work.dtypes)]
    moved = source.nbytes + sum(target.nbytes for target in targets)
    runs: dict[int, list[Run]] = {1: [], 2: []}
    right = dict.fromkeys(runs, True)
    for _ in range(rounds):
        for workers, before in runs.items():
            for target in targets:
                target[:1] = 0  # a result of the last round would not be noticed
            before.append(run(work, workers, source, targets, memory_limit, directory))
            right[workers] &= same_bits(work, source, targets)
    least = {workers: min(one.seconds for one in before) for workers, before in runs.items()}
    for workers, seconds in least.items():
        peak = max(peak for one in runs[workers] for peak in one.peaks)
        rate, speed_up = moved / seconds / 1e6, least[1] / seconds
        bits = "same" if right[workers] else "DIFFERENT"
        print(
            f"| {work.name} | {workers} | {seconds:.1f} | {rate:.0f} | {speed_up:.2f} | {peak / 1e6:.0f} | {bits} |",
            flush=True,
        )


def one_core(source: Any, directory: Path) -> None:
    """What one core does with one plane at a time, without dask: the terms of an estimate for other machines."""
    least: dict[str, tuple[float, int]] = {}

    def timed(name: str, size: int, function: Callable[..., Any], *arguments: Any) -> Any:
        start = time.perf_counter()
        result = function(*arguments)
        least[name] = min(least.get(name, (float("inf"), 0)), (time.perf_counter() - start, size))
        return result

    acltwin.set_num_threads(1)
    forget(directory / "volume")
    target = create(directory / "scratch", 1, HALF)
    here = (slice(0, 1), slice(0, 1))
    size = source.nbytes // (source.shape[0] * CHANNELS)
    for n in range(min(8, source.shape[0])):
        plane = timed("read from disk", size, operator.getitem, source, (slice(n, n + 1), slice(0, 1)))
        timed("read from the system's copy", size, operator.getitem, source, (slice(n, n + 1), slice(0, 1)))
        for work in WORKS:
            results = timed(work.name, size, work.results, acltwin, plane)
        timed("write", size // 8, operator.setitem, target, here, results[0])
    for name, (seconds, moved) in least.items():
        print(f"| {name} | {moved / seconds / 1e6:.0f} |")


def rechunking(workers: int, memory_limit: str, directory: Path) -> None:
    """The same gradient from planes and from slabs of planes that have to be put together first."""
    shape = (8, CHANNELS, *PLANE)
    slabs = (1, CHANNELS, PLANE[0] // CHANNELS, *PLANE[1:])  # as large as a plane
    for name, chunks in (("planes", (1, 1, *PLANE)), ("slabs", slabs)):
        with cluster_of(workers, memory_limit, directory) as client:
            client.run(lambda: acltwin.dask)
            volume = da.zeros(shape, dtype="float32", chunks=chunks).rechunk((1, 1, *PLANE))
            start = time.perf_counter()
            upsample(acltwin.dask, volume).sum().compute()
            seconds = time.perf_counter() - start
            print(f"| {name} | {volume.nbytes / 1e9:.2f} | {seconds:.1f} |", flush=True)


def empty_tasks(memory_limit: str, directory: Path) -> None:
    """How many tasks that do nothing the scheduler hands out in a second."""
    with cluster_of(2, memory_limit, directory):
        start = time.perf_counter()
        wait(da.arange(EMPTY_TASKS, chunks=1).persist())
        print(f"tasks per second: {EMPTY_TASKS / (time.perf_counter() - start):.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--memory-limit", default="512MB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--directory", help="where to put the files; a folder of their own is made there")
    given = parser.parse_args()
    batch = max(1, round(given.gigabytes * 1e9 / (CHANNELS * np.prod(PLANE) * 4)))
    with TemporaryDirectory(dir=given.directory) as name:
        directory = Path(name)
        source = create(directory / "volume", batch, PLANE)
        with cluster_of(2, given.memory_limit, directory):
            noise = da.random.default_rng(0).random(source.shape, np.float32, chunks=source.chunks)
            da.store(noise, source, lock=False)
        print(f"volume: {source.nbytes / 1e9:.2f} GB; {given.memory_limit} per worker; {os.cpu_count()} cores\n")
        print("| operator | workers | s | MB/s read and written | speed-up | peak memory per worker, MB | bits |")
        print("|---|---|---|---|---|---|---|")
        for work in WORKS:
            measure(work, source, given.rounds, given.memory_limit, directory)
        print("\n| one core, one plane at a time | MB/s |\n|---|---|")
        one_core(source, directory)
        print("\n| chunks that come | GB | s |\n|---|---|---|")
        rechunking(2, given.memory_limit, directory)
        print()
        empty_tasks(given.memory_limit, directory)


if __name__ == "__main__":  # the workers import this file
    main()
