"""Nearest upsampling and its gradients on dask arrays."""

from __future__ import annotations

from collections.abc import Sequence

import dask.array as da

from acltwin.dask import _tasks
from acltwin.dask._call import Call
from acltwin.dask._chunks import SpatialChunks
from acltwin.ops._arrays import DataFormat, MapRule


def upsample_nearest3d(
    input: da.Array,
    output_size: Sequence[int],
    scales_d: float | None = 0.0,
    scales_h: float | None = 0.0,
    scales_w: float | None = 0.0,
    *,
    data_format: DataFormat = "NCDHW",
    rule: MapRule = "device",
    spatial_chunks: SpatialChunks = "refuse",
) -> da.Array:
    """3-D nearest upsampling: :func:`acltwin.upsample_nearest3d` on each chunk."""
    arguments = (output_size, scales_d, scales_h, scales_w, data_format, rule, None)
    return _forward(Call("upsample_nearest3d", {"input": input}, arguments, _plane(data_format), spatial_chunks))


def upsample_nearest_exact3d(
    input: da.Array,
    output_size: Sequence[int],
    scales_d: float | None = 0.0,
    scales_h: float | None = 0.0,
    scales_w: float | None = 0.0,
    *,
    data_format: DataFormat = "NCDHW",
    rule: MapRule = "device",
    spatial_chunks: SpatialChunks = "refuse",
) -> da.Array:
    """3-D nearest-exact upsampling: :func:`acltwin.upsample_nearest_exact3d` on each chunk."""
    arguments = (output_size, scales_d, scales_h, scales_w, data_format, rule, None)
    return _forward(Call("upsample_nearest_exact3d", {"input": input}, arguments, _plane(data_format), spatial_chunks))


def upsample_nearest_exact2d(
    input: da.Array,
    output_size: Sequence[int],
    scales_h: float | None = 0.0,
    scales_w: float | None = 0.0,
    *,
    data_format: str = "NCHW",
    rule: MapRule = "device",
    spatial_chunks: SpatialChunks = "refuse",
) -> da.Array:
    """2-D nearest-exact upsampling: :func:`acltwin.upsample_nearest_exact2d` on each chunk."""
    arguments = (output_size, scales_h, scales_w, data_format, rule, None)
    return _forward(Call("upsample_nearest_exact2d", {"input": input}, arguments, _plane(data_format), spatial_chunks))


def upsample_nearest3d_backward(
    grad_out: da.Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_d: float | None = 0.0,
    scales_h: float | None = 0.0,
    scales_w: float | None = 0.0,
    *,
    data_format: DataFormat = "NCDHW",
    rule: MapRule = "device",
    spatial_chunks: SpatialChunks = "refuse",
) -> da.Array:
    """Gradient of 3-D nearest upsampling: :func:`acltwin.upsample_nearest3d_backward` on each chunk."""
    arguments = (output_size, input_size, scales_d, scales_h, scales_w, data_format, rule, None)
    return _backward(
        Call("upsample_nearest3d_backward", {"grad_out": grad_out}, arguments, _plane(data_format), spatial_chunks)
    )


def upsample_nearest_exact3d_backward(
    grad_out: da.Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_d: float | None = 0.0,
    scales_h: float | None = 0.0,
    scales_w: float | None = 0.0,
    *,
    data_format: DataFormat = "NCDHW",
    rule: MapRule = "device",
    spatial_chunks: SpatialChunks = "refuse",
) -> da.Array:
    """Gradient of 3-D nearest-exact upsampling: :func:`acltwin.upsample_nearest_exact3d_backward` on each chunk."""
    arguments = (output_size, input_size, scales_d, scales_h, scales_w, data_format, rule, None)
    return _backward(
        Call(
            "upsample_nearest_exact3d_backward", {"grad_out": grad_out}, arguments, _plane(data_format), spatial_chunks
        )
    )


def upsample_nearest_exact2d_backward(
    grad_output: da.Array,
    output_size: Sequence[int],
    input_size: Sequence[int],
    scales_h: float | None = 0.0,
    scales_w: float | None = 0.0,
    *,
    rule: MapRule = "device",
    spatial_chunks: SpatialChunks = "refuse",
) -> da.Array:
    """Gradient of 2-D nearest-exact upsampling: :func:`acltwin.upsample_nearest_exact2d_backward` on each chunk."""
    arguments = (output_size, input_size, scales_h, scales_w, "NCHW", rule, None)
    return _backward(
        Call(
            "upsample_nearest_exact2d_backward", {"grad_output": grad_output}, arguments, _plane("NCHW"), spatial_chunks
        )
    )


def _plane(data_format: str) -> slice:
    """The spatial axes; those of an unknown format do not matter, because the call is refused."""
    return slice(1, -1) if data_format in ("NDHWC", "NHWC") else slice(2, None)


def _forward(call: Call) -> da.Array:
    (result,) = call.results()
    return call.mapped(_tasks.plain, call.aligned("input"), result)


def _backward(call: Call) -> da.Array:
    (result,) = call.results()
    channel_axis = 1 if call.spatial.start == 2 else -1
    plane = result.shape[call.spatial]
    tensors = call.aligned(*call.tensors)
    return call.mapped(_tasks.upsample_backward, tensors, result, channel_axis=channel_axis, plane=plane)
