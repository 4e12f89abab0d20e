"""torch.vmap and torch.func: batches of calls, and derivatives of any order, alone and nested."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from acltwin.ops import OPERATORS
from support.lazy import Lazy, acltwin_torch, torch
from support.torch_calls import NAMES, calls_of

func = Lazy("torch.func")
Function = Callable[[Any], Any]


@pytest.mark.parametrize("name", NAMES)
def test_a_batch_of_calls_is_the_calls_of_the_batch(name: str) -> None:
    for call in calls_of(name):
        first = call.arguments[0]
        batch = torch.stack([first, first.flip(-1), first * 2], dim=2)
        together = func.vmap(call.run_first, in_dims=2)(batch)
        alone = [call.run_first(tensor) for tensor in batch.unbind(2)]
        assert torch.equal(together, torch.stack(alone))


def test_indices_may_be_the_only_batch() -> None:
    reading = [name for name in NAMES if any(argument.holds == "indices" for argument in OPERATORS[name].inputs)]
    for name in reading:
        place = [argument.holds for argument in OPERATORS[name].inputs].index("indices")
        for call in calls_of(name):
            tensors, others = list(call.arguments[: place + 1]), call.arguments[place + 1 :]

            def with_indices(
                indices: torch.Tensor, call: Any = call, tensors: Any = tensors, others: Any = others
            ) -> Any:
                return call.operator(*tensors[:-1], indices, *others)

            batch = torch.stack([tensors[-1], tensors[-1].flip(-1)])
            expected = torch.stack([with_indices(indices) for indices in batch])
            assert torch.equal(func.vmap(with_indices)(batch), expected)


def test_both_results_of_pooling_are_batched() -> None:
    batch = torch.randn(3, 2, 1, 4, 4, 4)
    window = ((2, 2, 2), (2, 2, 2), (0, 0, 0), (1, 1, 1), False)
    values, indices = func.vmap(lambda x: torch.ops.acltwin.max_pool3d_with_argmax(x, *window))(batch)
    expected = torch.nn.functional.max_pool3d(batch.flatten(0, 1), 2, return_indices=True)
    assert torch.equal(values.flatten(0, 1), expected[0])
    assert torch.equal(indices.flatten(0, 1), expected[1])


def _there_and_back(functions: Any, x: torch.Tensor) -> Any:
    pooled, indices = functions.max_pool3d(x, 2, return_indices=True)
    return functions.max_unpool3d(pooled, indices, 2, output_size=x.shape[-3:])


PAIRS: dict[str, tuple[Function, Function]] = {
    "upsample": (
        lambda x: acltwin_torch.interpolate(x, size=(4, 5, 6), mode="nearest-exact"),
        lambda x: torch.nn.functional.interpolate(x, size=(4, 5, 6), mode="nearest-exact"),
    ),
    "pool": (
        lambda x: acltwin_torch.max_pool3d(x, 2, 1, 1),
        lambda x: torch.nn.functional.max_pool3d(x, 2, 1, 1),
    ),
    "pool and unpool": (
        lambda x: _there_and_back(acltwin_torch, x),
        lambda x: _there_and_back(torch.nn.functional, x),
    ),
}


def _squared(function: Function) -> Function:
    return lambda x: (function(x) ** 2).sum()


TRANSFORMS: dict[str, Callable[[Function, torch.Tensor], Any]] = {
    "grad": lambda f, x: func.grad(_squared(f))(x),
    "grad of grad": lambda f, x: func.grad(lambda y: (func.grad(_squared(f))(y) ** 2).sum())(x),
    "vjp": lambda f, x: func.vjp(f, x)[1](torch.ones_like(f(x)))[0],
    "jvp": lambda f, x: func.jvp(f, (x,), (x.flip(-1),)),
    "jacrev": lambda f, x: func.jacrev(f)(x),
    "jacfwd": lambda f, x: func.jacfwd(f)(x),
    "hessian": lambda f, x: func.hessian(_squared(f))(x),
    "vmap of grad": lambda f, x: func.vmap(func.grad(_squared(f)))(torch.stack([x, x.flip(-1)])),
    "grad of vmap": lambda f, x: func.grad(_squared(func.vmap(f)))(torch.stack([x, x.flip(-1)])),
    "vmap of vmap": lambda f, x: func.vmap(func.vmap(f))(torch.stack([x, x.flip(-1)])[None]),
}


@pytest.mark.filterwarnings("ignore:There is a performance drop:UserWarning")  # PyTorch cannot batch all of its own
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_transforms_give_what_they_give_for_pytorch(transform: str, pair: str) -> None:
    ours, pytorchs = PAIRS[pair]
    x = torch.randn(1, 1, 2, 4, 3, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    torch.testing.assert_close(TRANSFORMS[transform](ours, x), TRANSFORMS[transform](pytorchs, x))


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("max_pool1d", 2),
        ("max_pool2d", 2),
        ("avg_pool2d", 3),
        ("adaptive_avg_pool2d", 2),
        ("adaptive_max_pool2d", (3, 5)),
        ("interpolate", 5),
    ],
)
def test_drop_ins_of_any_layout_are_transformed_as_pytorchs_functions(name: str, argument: Any) -> None:
    batch = torch.randn(4, 2, 3, *[8] * (1 if name.endswith("1d") else 2), dtype=torch.float64)
    ours, theirs = (getattr(module, name) for module in (acltwin_torch, torch.nn.functional))
    for tensor in (batch, batch.movedim(2, -1).contiguous().movedim(-1, 2)):
        results = [
            func.vmap(func.grad(lambda x, f=function: (f(x, argument) ** 3).sum()))(tensor)
            for function in (ours, theirs)
        ]
        torch.testing.assert_close(*results)
        mapped = func.vmap(lambda x: ours(x, argument))(tensor)
        torch.testing.assert_close(mapped, theirs(tensor.flatten(0, 1), argument).unflatten(0, (4, 2)))
