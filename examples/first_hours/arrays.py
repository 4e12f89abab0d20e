"""The first hour with arrays: a scan and its mask, a picture, a wrong name, a wrong call, a volume in pieces.

It prints:

   mask (1, 1, 8, 8, 8) bool
   maxima (1, 1, 2, 2, 2) int16
   thumbnail (1, 3, 8, 8), mean brightness 0.5
   acltwin has no 'max_pool3d'; 3-D max pooling is max_pool3d_with_argmax
   upsample_nearest3d: output_size has 2 values, expected 3
   in pieces: the same
"""

import dask.array as da
import numpy as np

import acltwin
import acltwin.dask

rng = np.random.default_rng(0)
scan = rng.integers(-1024, 3071, (1, 1, 4, 4, 4)).astype(np.int16)
mask = acltwin.upsample_nearest3d(scan > 0, scale_factor=2)
print("mask", mask.shape, mask.dtype)
maxima, indices = acltwin.max_pool3d_with_argmax(scan, kernel_size=2)
print("maxima", maxima.shape, maxima.dtype)
picture = np.tile(np.array([0.25, 0.75], np.float32), (1, 3, 32, 16))
thumbnail = acltwin.upsample_bilinear2d_aa(picture, (8, 8))
print(f"thumbnail {thumbnail.shape}, mean brightness {acltwin.adaptive_avg_pool2d(picture, 1).mean()}")
try:
    acltwin.max_pool3d(scan, 2)  # type: ignore[attr-defined]
except AttributeError as error:
    print(error)
try:
    acltwin.upsample_nearest3d(scan, (8, 8))
except ValueError as error:
    print(error)
pieces = acltwin.dask.max_pool3d_with_argmax(da.from_array(scan, (1, 1, 2, 2, 4)), kernel_size=2)
same = all(np.array_equal(piece.compute(), whole) for piece, whole in zip(pieces, (maxima, indices), strict=True))
print("in pieces:", "the same" if same else "different")
