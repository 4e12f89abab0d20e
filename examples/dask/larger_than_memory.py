"""The gradient of a volume that need not fit into memory: Zarr in, Zarr out, two workers of 512 MB each.

python examples/dask/larger_than_memory.py [VOLUMES]      4 MiB per volume: 1000 volumes are more than the workers hold
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import dask.array as da
import numpy as np
import zarr
from distributed import Client, LocalCluster

import acltwin
import acltwin.dask

VOLUME, HALF = (64, 128, 128), (32, 64, 64)


def create(path: Path, volumes: int, volume: tuple[int, ...]) -> zarr.Array:
    """One chunk per volume: volumes are independent, so every worker reads and writes files of its own."""
    return zarr.create_array(
        path, shape=(volumes, 1, *volume), chunks=(1, 1, *volume), dtype="float32", compressors=None
    )


def main(volumes: int) -> None:
    with (
        TemporaryDirectory() as directory,
        LocalCluster(n_workers=2, threads_per_worker=1, memory_limit="512MB", dashboard_address=None) as cluster,
        Client(cluster),
    ):
        grad_out, grad_input = (
            create(Path(directory, name), volumes, volume)
            for name, volume in (("grad_out", VOLUME), ("grad_input", HALF))
        )
        noise = da.random.default_rng(0).random(grad_out.shape, np.float32, chunks=grad_out.chunks)
        da.store(noise, grad_out, lock=False)

        gradient = acltwin.dask.upsample_nearest_exact3d_backward(da.from_zarr(grad_out), VOLUME, (volumes, 1, *HALF))
        da.store(gradient, grad_input, lock=False)  # chunk by chunk: read, compute, write, forget

        last = acltwin.upsample_nearest_exact3d_backward(grad_out[-1:], VOLUME, (1, 1, *HALF))
        print(f"grad_out: {volumes} volumes of {VOLUME}; gradient: {gradient.shape}, {gradient.dtype}")
        print("same bits as in memory:", np.array_equal(grad_input[-1:], last))


if __name__ == "__main__":  # the workers import this file
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
