"""Gradients that PyTorch would compute with memory of others: they are refused here, and nobody asks PyTorch.

Each call is made in a child process, which may crash.
"""

from __future__ import annotations

import functools
import os
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from acltwin.ops import OPERATORS
from acltwin.ops.spec import Rule, TensorCase
from support.lazy import Lazy, acltwin_torch, torch
from support.spec_calls import array_of
from support.thorough import THOROUGH

aten = Lazy("acltwin.torch._aten")
WINDOW = ((2, 2, 2), (2, 2, 2), (0, 0, 0), (1, 1, 1), False)

# Each call runs in a fork, and JAX warns of forks once it is loaded.
pytestmark = pytest.mark.filterwarnings(
    "ignore:os.fork:RuntimeWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def endings_of(calls: Sequence[Callable[[], Any]]) -> list[str]:
    """How the calls end: "returns", the name of the exception, or the number of the signal that kills the process.

    They are made one after the other in one child, as long as it lives."""
    if not calls:
        return []
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        torch.set_num_threads(1)  # it would wait for others, which it does not have
        for call in calls:
            try:
                call()
                ending = "returns"
            except Exception as error:
                ending = type(error).__name__
            os.write(writing, f"{ending}\n".encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        endings = file.read().splitlines()
    status = os.waitpid(child, 0)[1]
    if status == 0:
        return endings
    return [*endings, f"signal {os.WTERMSIG(status)}", *endings_of(calls[len(endings) + 1 :])]


def replaced(*arguments: Any) -> Any:
    with acltwin_torch.replaced():
        return torch.ops.aten.max_pool3d_with_indices_backward(*arguments)


def _mistakes() -> Iterator[tuple[str, torch.Tensor, torch.Tensor, tuple[Any, ...], torch.Tensor]]:
    volume = torch.randn(2, 3, 8, 8, 8)
    values, indices = torch.nn.functional.max_pool3d(volume, 2, return_indices=True)
    more = [tensor[:1].expand(4096, *tensor.shape[1:]) for tensor in (values, indices)]  # far beyond the volume
    yield "gradient and indices of more samples", more[0], volume, WINDOW, more[1]
    yield "gradient of fewer samples", values[:1], volume, WINDOW, indices
    yield "indices of fewer samples", values, volume, WINDOW, indices[:1]
    yield "indices of no sample", values, volume, WINDOW, indices[:0]
    yield "gradient of no sample", values[:0], volume, WINDOW, indices
    yield "volume of no sample", values, volume[:0], WINDOW, indices
    yield "volume without a batch", values, volume[0], WINDOW, indices
    far = torch.full_like(indices, 2**40)
    yield "indices outside", values, volume, WINDOW, far
    yield "negative indices", values, volume, WINDOW, -far
    yield "indices outside, and a padding that is refused", values, volume, (*WINDOW[:2], (-1, 0, 0), *WINDOW[3:]), far
    yield "indices outside, and another number of windows", values[..., 1:], volume, WINDOW, far[..., 1:]


@pytest.mark.parametrize("last", [False, True])
def test_a_gradient_that_leads_elsewhere_is_refused(last: bool) -> None:
    calls = {}
    for mistake, gradient, volume, window, indices in _mistakes():
        if last and volume.dim() == 5:
            volume = volume.contiguous(memory_format=torch.channels_last_3d)
        calls[mistake] = functools.partial(replaced, gradient, volume, *window, indices)
    endings = dict(zip(calls, endings_of(list(calls.values())), strict=True))
    assert set(endings.values()) <= {"ValueError", "IndexError"}, endings


def _argument(value: Any) -> Any:
    if not isinstance(value, TensorCase):
        return list(value) if isinstance(value, tuple) else value
    tensor = torch.from_numpy(array_of(value))
    return tensor if tensor.is_floating_point() else tensor.long()


OPERATORS_OF_PYTORCH = [name for name, spec in OPERATORS.items() if spec.aten]


@pytest.mark.parametrize("name", OPERATORS_OF_PYTORCH)
def test_a_call_that_breaks_a_rule_is_refused_or_computed(name: str) -> None:
    """As PyTorch has it, except where it does not look."""
    (counterpart,) = (one for one in aten.COUNTERPARTS.values() if one.spec.name == name)
    spec = OPERATORS[name]
    rules = [
        rule
        for rule in spec.rules_of("array")
        if any(argument.name in rule.violation for argument in spec.parameters)
        and (THOROUGH or rule.id != "indices_width")  # 2^31 cells, which PyTorch copies and computes
    ]

    def arguments_of(rule: Rule) -> list[Any]:
        call = spec.violating_call(rule)
        values = [_argument(call.arguments[argument.name]) for argument in counterpart.spec.parameters]
        placed = dict(zip(counterpart.order, values, strict=True))
        return [placed[place] for place in range(len(placed))]

    def run(arguments: list[Any]) -> Any:
        with acltwin_torch.replaced():
            return counterpart.operator(*arguments)

    calls = [arguments_of(rule) for rule in rules]
    endings = endings_of([functools.partial(run, call) for call in calls])
    assert rules
    assert not [rule.id for rule, ending in zip(rules, endings, strict=True) if "signal" in ending]
    left = [place for place, ending in enumerate(endings) if ending not in ("ValueError", "IndexError")]
    theirs = endings_of([functools.partial(counterpart.operator, *calls[place]) for place in left])
    for place, ending in zip(left, theirs, strict=True):
        assert endings[place] == ending, rules[place].id


def _changed(generator: random.Random, tensor: torch.Tensor) -> torch.Tensor:
    """Another tensor, shorter or longer along one axis."""
    shape, axis = list(tensor.shape), generator.randrange(tensor.dim())
    shape[axis] = generator.choice([0, 1, shape[axis] + 1, 3 * shape[axis]])
    return tensor.new_ones(shape)


def _with_mistakes(seed: int) -> Callable[[], Any]:
    generator = random.Random(seed)
    volume = torch.randn(2, 3, 4, 4, 4, generator=torch.Generator().manual_seed(seed))
    values, indices = torch.nn.functional.max_pool3d(volume, 2, return_indices=True)
    tensors, window = [values, volume, indices], [list(numbers) for numbers in WINDOW[:4]]
    for _ in range(generator.randrange(1, 4)):
        kind = generator.choice(["shape", "shape", "indices", "window"])
        if kind == "shape":
            place = generator.randrange(3)
            tensors[place] = _changed(generator, tensors[place])
        elif kind == "indices":
            tensors[2] = tensors[2] + generator.choice([-(2**40), -64, 1, 64, 2**40])
        else:
            generator.choice(window)[generator.randrange(3)] = generator.choice([-1, 0, 1, 3, 5])
    if generator.random() < 0.3:
        tensors = [tensor[0] if tensor.shape[0] else tensor for tensor in tensors]
    gradient, volume, indices = tensors
    return functools.partial(replaced, gradient, volume, *window, False, indices)


def test_no_combination_of_mistakes_crashes() -> None:
    endings = endings_of([_with_mistakes(seed) for seed in range(600 if THOROUGH else 120)])
    assert not [seed for seed, ending in enumerate(endings) if "signal" in ending]


def test_what_pytorch_rejects_of_empty_averages_stays_rejected() -> None:
    image = torch.zeros(2, 0, 4, 6, requires_grad=True)
    with acltwin_torch.replaced():
        averages = torch.nn.functional.adaptive_avg_pool2d(image, 3)
        with pytest.raises(RuntimeError, match="non-zero size for non-batch dimensions"):
            averages.sum().backward()
