"""Golden cases as tests: one test for each case, and one for all of them.

pytest examples/golden/test_unpool.py
"""

from collections.abc import Sequence

import numpy as np

import acltwin.testing
from acltwin.golden import Case


def my_kernel(
    grad_output: np.ndarray,
    input: np.ndarray,
    indices: np.ndarray,
    output_size: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
) -> np.ndarray:
    """The gradient of max unpooling: every cell fetches the gradient from the place that its index names."""
    gradients = grad_output.reshape(*grad_output.shape[:-3], -1)
    places = indices.reshape(*indices.shape[:-3], -1)
    return np.take_along_axis(gradients, places, axis=-1).reshape(indices.shape)


@acltwin.testing.cases("max_unpool3d_backward")
def test_every_case(case: Case) -> None:
    case.check(my_kernel(**case.inputs(), **case.arguments))


def test_all_cases() -> None:
    acltwin.testing.verify(my_kernel, "max_unpool3d_backward", level="quick")


def test_a_call_of_my_own() -> None:
    gradient = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 2, 2)
    indices = np.array([7, 0]).reshape(1, 1, 1, 1, 2)
    call = (gradient, np.zeros((1, 1, 1, 1, 2), np.float32), indices, (2, 2, 2), (2, 2, 1), (0, 0, 0))
    acltwin.testing.assert_matches(my_kernel(*call), "max_unpool3d_backward", *call)
