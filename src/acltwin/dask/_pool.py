"""Max pooling, max unpooling and their gradients on dask arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import dask.array as da

from acltwin.dask import _tasks
from acltwin.dask._call import Call
from acltwin.dask._chunks import SpatialChunks
from acltwin.ops._arrays import Ints

PLANE = slice(-3, None)  # before it comes N and C, or one of them
MODES = ("NCDHW", "device", None)  # data format, rule and out, which these operators do not have


def max_pool3d_with_argmax(
    input: da.Array,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
    *,
    index_dtype: Literal["int32", "int64"] = "int32",
    spatial_chunks: SpatialChunks = "refuse",
) -> tuple[da.Array, da.Array]:
    """3-D max pooling: :func:`acltwin.max_pool3d_with_argmax` on each chunk, once for both results."""
    arguments = (kernel_size, stride, padding, dilation, ceil_mode, index_dtype, *MODES)
    return _pool(Call("max_pool3d_with_argmax", {"input": input}, arguments, PLANE, spatial_chunks))


def max_unpool3d(
    input: da.Array,
    indices: da.Array,
    output_size: Sequence[int],
    stride: Ints,
    padding: Ints,
    *,
    spatial_chunks: SpatialChunks = "refuse",
) -> da.Array:
    """3-D max unpooling: :func:`acltwin.max_unpool3d` on each chunk."""
    tensors, arguments = {"input": input, "indices": indices}, (output_size, stride, padding, *MODES)
    return _unpool(Call("max_unpool3d", tensors, arguments, PLANE, spatial_chunks))


def max_unpool3d_backward(
    grad_output: da.Array,
    input: da.Array,
    indices: da.Array,
    output_size: Sequence[int],
    stride: Ints,
    padding: Ints,
    *,
    spatial_chunks: SpatialChunks = "refuse",
) -> da.Array:
    """Gradient of 3-D max unpooling: :func:`acltwin.max_unpool3d_backward` on each chunk.

    ``input`` counts with its shape and dtype; its chunks are not computed.
    """
    tensors = {"grad_output": grad_output, "input": input, "indices": indices}
    arguments = (output_size, stride, padding, *MODES)
    return _index_backward(Call("max_unpool3d_backward", tensors, arguments, PLANE, spatial_chunks))


def max_pool3d_with_argmax_backward(
    grad_output: da.Array,
    input: da.Array,
    indices: da.Array,
    kernel_size: Ints,
    stride: Ints | None,
    padding: Ints,
    dilation: Ints,
    ceil_mode: bool,
    *,
    spatial_chunks: SpatialChunks = "refuse",
) -> da.Array:
    """Gradient of 3-D max pooling: :func:`acltwin.max_pool3d_with_argmax_backward` on each chunk.

    ``input`` counts with its shape and dtype; its chunks are not computed.
    """
    tensors = {"grad_output": grad_output, "input": input, "indices": indices}
    arguments = (kernel_size, stride, padding, dilation, ceil_mode, *MODES)
    return _index_backward(Call("max_pool3d_with_argmax_backward", tensors, arguments, PLANE, spatial_chunks))


def _pool(call: Call) -> tuple[da.Array, da.Array]:
    """One task per chunk gives a pair; two arrays take their halves of it."""
    out, indices = call.results()
    pairs = call.mapped(_tasks.plain, call.aligned("input"), out)
    halves = ((_first, out), (_second, indices))
    first, second = (da.map_blocks(half, pairs, meta=result.meta, token=call.operator) for half, result in halves)
    return first, second


def _first(pair: tuple[Any, Any]) -> Any:
    return pair[0]


def _second(pair: tuple[Any, Any]) -> Any:
    return pair[1]


def _unpool(call: Call) -> da.Array:
    (result,) = call.results()
    return call.mapped(_tasks.unpool, call.aligned("input", "indices"), result, placed=True)


def _index_backward(call: Call) -> da.Array:
    (result,) = call.results()
    tensors = call.aligned("grad_output", "indices")
    return call.mapped(_tasks.index_backward, tensors, result, placed=True, plane=result.shape[-3:])
