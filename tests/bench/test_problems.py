import numpy as np
import pytest
from bench.cases import OPERATORS, Case, Layout, Window, window
from bench.indices import pooling_indices
from bench.problems import build, laid_out
from bench.sample import sample_rows

from support.lazy import torch

WINDOWS = (
    window(3, 2, 2, 0),
    window(3, 3, 2, 1),
    Window((3, 2, 2), (2, 1, 2), (1, 1, 0), (1, 1, 1)),
    Window((2, 3, 2), (2, 2, 3), (1, 1, 1), (2, 1, 1), ceil_mode=True),
)


def test_a_problem_has_the_shapes_of_its_case() -> None:
    for row in sample_rows(60, 4):
        if row.case.bytes > 1 << 20:
            continue
        case, problem = row.case, build(row.case)
        shapes = {tensor.shape for tensor in problem.tensors} | {problem.result_shape}
        assert shapes == {(*case.batch, *case.plane), (*case.batch, *case.pooled)}, row.label
        assert problem.dtype.name == case.dtype


def test_layouts_have_the_same_shape_and_their_own_strides() -> None:
    shape, dtype = (2, 3, 4, 5, 6), np.dtype(np.float32)
    strides: dict[Layout, tuple[int, ...]] = {
        "contiguous": (360, 120, 30, 6, 1),
        "channels-last": (360, 1, 90, 18, 3),
        "row pitch": (3 * 4 * 5 * 22, 4 * 5 * 22, 5 * 22, 22, 1),
        "permuted H/W": (360, 120, 30, 1, 5),
    }
    values = laid_out(shape, dtype, "contiguous")
    for layout, expected in strides.items():
        array = laid_out(shape, dtype, layout)
        assert tuple(s // 4 for s in array.strides) == expected
        np.testing.assert_array_equal(array, values)


@pytest.mark.parametrize("shape", WINDOWS, ids=lambda shape: shape.label)
def test_pooling_indices_point_at_the_largest_of_their_window(shape: Window) -> None:
    plane = (5, 7, 6)
    (indices,) = pooling_indices(plane, shape.cells(plane), 1)
    values = np.random.default_rng(7).random(plane, np.float32)
    assert indices.shape == shape.pooled(plane)
    for place in np.ndindex(indices.shape):
        fields = zip(place, shape.stride, shape.padding, shape.dilation, shape.kernel, plane, strict=True)
        cells = [[c for c in range(o * s - p, o * s - p + d * k, d) if 0 <= c < n] for o, s, p, d, k, n in fields]
        assert values.ravel()[indices[place]] == values[np.ix_(*cells)].max()


def test_adaptive_windows_are_those_of_pytorch() -> None:
    operator = next(spec.name for spec in OPERATORS.values() if spec.family == "adaptive_pool" and spec.makes_indices)
    case = Case(operator, "float32", (1, 1), (7, 5), (3, 8))
    values = torch.from_numpy(np.random.default_rng(7).random(case.plane, np.float32))
    _, expected = torch.nn.functional.adaptive_max_pool2d(values[None], case.outer, return_indices=True)
    np.testing.assert_array_equal(pooling_indices(case.plane, case.windows, 1), expected.numpy())
