"""One image or volume without its N: the bits of a batch of one, in both orders of axes, under jit, grad and vmap."""

from __future__ import annotations

import numpy as np
import pytest

from support import cases, forward
from support.forward import any_case
from support.jax_calls import as_function, as_tuple, on_jax
from support.lazy import acltwin_jax as twin
from support.lazy import jax, jax_test_util, jnp
from support.messages import explains
from support.values import assert_same_bits

UPSAMPLE = (*forward.UPSAMPLE, *cases.UPSAMPLE)
EVERY_ORDER = pytest.mark.parametrize("last", [False, True], ids=["channels first", "channels last"])


def both(operator: str, last: bool) -> tuple[jax.Array, jax.Array, list[jax.Array]]:
    """The result of a batch of one without its N, and what the function makes of one image, alone and under jit."""
    from acltwin.jax._signatures import axis_orders
    from acltwin.ops import PLANEWISE as OPERATORS

    case = any_case(operator, np.dtype(np.float32), batch=(1, 3))
    case.keywords["data_format"] = axis_orders(OPERATORS[operator])[last]
    (tensor,) = on_jax(case)
    tensor = jnp.moveaxis(tensor, 1, -1) if last else tensor
    sizes, *others = case.parameters
    if OPERATORS[operator].is_gradient:
        batch_size, *others = others
        batch_size = (1, *batch_size[2:], 3) if last else batch_size
        whole, one = (sizes, batch_size, *others), (sizes, batch_size[1:], *others)
    else:
        whole = one = (sizes, *others)
    function = getattr(twin, operator)
    expected = function(tensor, *whole, **case.keywords)[0]
    calls = [lambda x: function(x, *one, **case.keywords)]
    return expected, tensor[0], [call(tensor[0]) for call in (*calls, jax.jit(calls[0]))]


@EVERY_ORDER
@pytest.mark.parametrize("operator", UPSAMPLE)
def test_upsamplings_and_their_gradients(operator: str, last: bool) -> None:
    expected, _, results = both(operator, last)
    for result in results:
        assert_same_bits(np.asarray(result), np.asarray(expected), operator)


def test_poolings_take_one_too() -> None:
    case = any_case("max_pool3d_with_argmax", batch=(1, 3))
    (volume,) = on_jax(case)
    for whole, one in zip(as_tuple(as_function(case)(volume)), as_tuple(as_function(case)(volume[0])), strict=True):
        assert_same_bits(np.asarray(one), np.asarray(whole[0]))


def test_derivatives_and_vmap() -> None:
    images = jnp.asarray(np.random.default_rng(1).standard_normal((5, 3, 4, 6)))

    def larger(image: jax.Array) -> jax.Array:
        return jnp.sin(twin.upsample_nearest_exact2d(image, (7, 9), rule="torch"))

    jax_test_util.check_grads(larger, (images[0],), order=2, modes=("fwd", "rev"), eps=1e-6)
    assert np.array_equal(jax.vmap(larger)(images), larger(images))


def test_an_input_size_with_a_batch_does_not_fit_one_image() -> None:
    with explains(ValueError, "upsample_nearest2d_backward", "grad_out has 3 dimensions", "expected 4 (N, C, H, W)"):
        twin.upsample_nearest2d_backward(jnp.ones((3, 8, 8)), (8, 8), (1, 3, 4, 4))
