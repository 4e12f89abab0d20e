"""Wrong calls: the array function's own words while JAX traces; wrong indices when the program runs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acltwin.ops import PLANEWISE as OPERATORS
from acltwin.ops.spec import CallCase, OpSpec, Rule, TensorCase
from support.cases import NEAREST3D, POOL, UNPOOL, small_case
from support.forward import any_case
from support.jax_calls import as_function, on_jax
from support.lazy import acltwin_jax as twin
from support.lazy import jax, jnp
from support.messages import explains
from support.spec_calls import run_on_arrays

TRACED_RULES = [
    pytest.param(spec, rule, id=f"{spec.name}-{rule.id}")
    for spec in OPERATORS.values()
    for rule in spec.rules_of("array")
    if rule.phase != "run" and not rule.violation.keys() <= {result.name for result in spec.results}
    # One image without its N is not wrong here.
    if not (spec.family in ("upsample", "linear") and not spec.is_gradient and rule.id == "self_rank")
]


def trace(spec: OpSpec, call: CallCase) -> None:
    """Traces the function with tensors that are nothing but a shape and a dtype."""
    values = [call.arguments[argument.name] for argument in spec.parameters]
    tensors = [
        jax.ShapeDtypeStruct(value.shape, jnp.dtype(value.dtype)) for value in values if isinstance(value, TensorCase)
    ]
    others = [value for value in values if not isinstance(value, TensorCase)]
    jax.eval_shape(lambda *tensors: getattr(twin, spec.name)(*tensors, *others), *tensors)


@pytest.mark.parametrize(("spec", "rule"), TRACED_RULES)
def test_a_wrong_call_is_refused_while_tracing_in_the_array_functions_words(spec: OpSpec, rule: Rule) -> None:
    call = spec.violating_call(rule)
    with pytest.raises(rule.raises) as expected:
        run_on_arrays(spec, call, with_out=False)
    with pytest.raises(rule.raises) as refusal:
        trace(spec, call)
    assert str(refusal.value) == str(expected.value)


@pytest.mark.parametrize("operator", ["max_unpool3d", UNPOOL, POOL])
def test_an_index_outside_its_plane_is_named(operator: str, engine: str) -> None:
    case = any_case(operator)
    *others, indices = case.tensors
    wrong = indices.copy()
    wrong[1, 2, 0, 1, 1] = 100_000
    call = jax.jit(as_function(case))
    with pytest.raises(IndexError) as expected:
        case.with_tensor(len(others), wrong).run()
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError)) as refusal:
        jax.block_until_ready(call(*others, wrong))
    assert "indices[1, 2, 0, 1, 1] is 100000, expected 0 <= index < " in str(refusal.value)
    assert str(expected.value) in str(refusal.value)
    call(*others, indices).block_until_ready()  # the program goes on to work


def test_negative_indices_do_not_count_from_the_end(engine: str) -> None:
    case = small_case(UNPOOL)
    grad_output, values, indices = on_jax(case)
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="is -1, expected 0 <= index < 216"):
        jax.block_until_ready(as_function(case)(grad_output, values, indices.at[0, 0, 0, 0, 0].set(-1)))


def test_only_the_positions_in_a_batch_are_folded(engine: str) -> None:
    case = any_case("max_unpool3d")
    values, indices = (jnp.stack([tensor] * 2) for tensor in on_jax(case))
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match=r"indices\[3, 0, 0, 0, 0\] is 999"):
        jax.block_until_ready(jax.vmap(as_function(case))(values, indices.at[1, 1, 0, 0, 0, 0].set(999)))


@pytest.mark.parametrize("tensor", [[1.0], 1.0, None, "x"])
def test_things_that_are_no_arrays(tensor: Any) -> None:
    with explains(TypeError, NEAREST3D, type(tensor).__name__, "JAX or NumPy array", "jax.numpy.asarray"):
        as_function(small_case(NEAREST3D))(tensor)


def test_sizes_are_static() -> None:
    with explains(TypeError, "upsample_nearest3d", "output_size", "whole number"):
        jax.jit(lambda x, n: twin.upsample_nearest3d(x, (n, 2, 2)))(jnp.ones((1, 1, 1, 1, 1)), 2)


def test_int64_indices_need_64_bit_types(narrow_types: None) -> None:
    with explains(ValueError, "max_pool3d_with_argmax", "index_dtype", "jax_enable_x64"):
        twin.max_pool3d_with_argmax(jnp.ones((1, 1, 2, 2, 2)), 2, 2, 0, 1, False, index_dtype="int64")


def test_a_word_that_no_choice_has() -> None:
    with explains(ValueError, "upsample_nearest3d", "rule", "device"):
        twin.upsample_nearest3d(jnp.ones((1, 1, 1, 1, 1)), (2, 2, 2), rule="exact")  # type: ignore[arg-type]


def test_a_shape_that_is_no_volume() -> None:
    with explains(ValueError, "upsample_nearest3d", "has 9 dimensions"):
        twin.upsample_nearest3d(np.ones((1,) * 9, np.float32), (2, 2, 2))
