"""A small auto-encoder: pool a volume, put the maxima back, learn the filter between. One step is one XLA program."""

import jax
import jax.numpy as jnp
import numpy as np

import acltwin.jax as twin


def restored(weights: jax.Array, volume: jax.Array) -> jax.Array:
    pooled, indices = twin.max_pool3d_with_argmax(volume, 2, 2, 0, 1, False)
    size = volume.shape[-3:]
    detail = twin.max_unpool3d(weights[0] * pooled, indices, size, 2, 0)
    background = twin.upsample_nearest3d(weights[1] * pooled + weights[2], size)
    return detail + background


def loss(weights: jax.Array, volumes: jax.Array) -> jax.Array:
    return ((jax.vmap(restored, in_axes=(None, 0))(weights, volumes) - volumes) ** 2).mean()


@jax.jit
def step(weights: jax.Array, volumes: jax.Array) -> tuple[jax.Array, jax.Array]:
    value, gradient = jax.value_and_grad(loss)(weights, volumes)
    return weights - 0.1 * gradient, value


# Four samples of shape (N, C, D, H, W).
volumes = jnp.asarray(np.random.default_rng(0).standard_normal((4, 2, 1, 8, 8, 8), np.float32))
weights = jnp.zeros(3)
for number in range(101):
    weights, value = step(weights, volumes)
    if number % 50 == 0:
        print(f"step {number}: loss {value:.3f}")
