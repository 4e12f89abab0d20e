"""Max unpooling and its gradient, from their formulas; the windows of the pooling play no part in them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acltwin.reference._planes import channels_first, planes_of, restored, widened


def max_unpool(axes: int) -> Callable[..., NDArray[Any]]:
    """The unpooling of tensors with so many spatial axes."""

    def unpool(
        input: NDArray[Any],
        indices: NDArray[Any],
        output_size: Sequence[int],
        *window: Any,
        data_format: str = "",
        **named: Any,
    ) -> NDArray[Any]:
        """Element j of a plane goes to place ``indices[j]``; of several at one place the last one stays."""
        source = channels_first(input, data_format)
        values = planes_of(widened(source), axes)
        places = planes_of(channels_first(indices, data_format), axes)
        result = np.zeros((len(values), math.prod(output_size)), values.dtype)
        for j in range(values.shape[1]):
            result[np.arange(len(values)), places[:, j]] = values[:, j]
        return restored(result.reshape(*source.shape[:-axes], *output_size), data_format)

    return unpool


def max_unpool_backward(axes: int) -> Callable[..., NDArray[Any]]:
    """The gradient of that unpooling."""

    def gradient(
        grad_output: NDArray[Any],
        input: NDArray[Any],
        indices: NDArray[Any],
        *window: Any,
        data_format: str = "",
        **named: Any,
    ) -> NDArray[Any]:
        """Element j of a plane is the gradient at place ``indices[j]`` of that plane."""
        places = channels_first(indices, data_format)
        planes = planes_of(widened(channels_first(grad_output, data_format)), axes)
        fetched = np.take_along_axis(planes, planes_of(places, axes), axis=1)
        return restored(fetched.reshape(places.shape), data_format)

    return gradient
