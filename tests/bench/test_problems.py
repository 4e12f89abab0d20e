import numpy as np
import pytest
from bench.grid import WINDOWS, Indexed, Layout, Upsample, Window
from bench.indices import pooled_size, pooling_indices
from bench.problems import BYTES, build, laid_out

EXACT3D = "upsample_nearest_exact3d_backward"
EXACT2D = "upsample_nearest_exact2d_backward"
UNPOOL = "max_unpool3d_backward"
POOL = "max_pool3d_with_argmax_backward"


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("factor", [1.0, 2.0, 2.7, 0.5, 10.0])
@pytest.mark.parametrize("operator", [EXACT3D, EXACT2D])
def test_upsample_sizes_follow_the_factor(operator: str, factor: float, dtype: str) -> None:
    problem = build(Upsample(operator, dtype, "medium", factor))
    outer, result_shape, *scales = problem.parameters
    assert problem.tensors[0].shape == (*result_shape[:2], *outer)
    assert result_shape == problem.result_shape
    assert scales == [0.0] * len(outer)
    assert [o / i for o, i in zip(outer, result_shape[2:], strict=True)] == pytest.approx(
        [factor] * len(outer), rel=0.1
    )
    assert max(problem.bytes_read, problem.bytes_written) == pytest.approx(BYTES["medium"], rel=0.35)


def test_layouts_have_the_same_shape_and_their_own_strides() -> None:
    shape, dtype = (2, 3, 4, 5, 6), np.dtype(np.float32)
    strides: dict[Layout, tuple[int, ...]] = {
        "contiguous": (360, 120, 30, 6, 1),
        "channels-last": (360, 1, 90, 18, 3),
        "row pitch": (3 * 4 * 5 * 22, 4 * 5 * 22, 5 * 22, 22, 1),
        "permuted H/W": (360, 120, 30, 1, 5),
    }
    for layout, expected in strides.items():
        array = laid_out(shape, dtype, layout)
        assert array.shape == shape
        assert tuple(s // 4 for s in array.strides) == expected


@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: window.label)
def test_pooling_indices_point_at_the_largest_of_their_window(window: Window) -> None:
    plane = (5, 7, 6)
    (indices,) = pooling_indices(plane, window, 1)
    values = np.random.default_rng(7).random(plane, np.float32)
    assert indices.shape == pooled_size(plane, window)
    for place in np.ndindex(indices.shape):
        first = [o * s - p for o, s, p in zip(place, window.stride, window.padding, strict=True)]
        cells = tuple(slice(max(f, 0), f + k) for f, k in zip(first, window.kernel, strict=True))
        assert values.ravel()[indices[place]] == values[cells].max()


def test_a_gather_reads_only_the_lines_it_needs() -> None:
    whole = build(Indexed(UNPOOL, "float32", "medium"))
    sparse = build(Indexed(UNPOOL, "float32", "medium", Window((8, 8, 8), (8, 8, 8), (0, 0, 0))))
    gradients, _, indices = sparse.tensors
    assert sparse.bytes_read - indices.nbytes <= indices.size * 64 < gradients.nbytes
    assert whole.bytes_read - whole.tensors[2].nbytes <= gradients.nbytes


def test_one_plane_holds_as_much_as_many() -> None:
    many = build(Indexed(POOL, "float32", "medium", planes="many planes"))
    one = build(Indexed(POOL, "float32", "medium", planes="one plane"))
    assert one.result_shape[:2] == (1, 1)
    assert np.prod(one.result_shape) == np.prod(many.result_shape)
