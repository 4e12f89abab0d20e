"""The report of a block says who computed what, and the tool says what a model can gain."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from support.lazy import Lazy, acltwin_torch, torch
from support.lazy import functional as pytorch
from support.preloaded import output_with_pytorch as output_of
from support.preloaded import run_with_pytorch

ROOT = Path(__file__).parents[2]
profiling = Lazy("acltwin.torch.profile")


@pytest.fixture
def volume() -> torch.Tensor:
    return torch.randn(1, 2, 4, 4, 4)


def test_calls_are_counted_with_the_reason_why_they_were_passed_on(volume: torch.Tensor) -> None:
    with acltwin_torch.replaced() as report:
        pytorch.interpolate(volume.clone().requires_grad_(), scale_factor=2).sum().backward()
        pytorch.max_pool3d(volume, 2)
        pytorch.max_pool3d(volume.int(), 2)
        pytorch.max_pool3d(volume[:0], 2)
        pytorch.max_unpool3d(volume, torch.arange(64).reshape(1, 1, 4, 4, 4).expand(1, 2, 4, 4, 4), 1, 1)
    pytorch.max_pool3d(volume, 2)
    calls = report.operators
    assert {name: one.taken for name, one in calls.items()} == {
        "upsample_nearest3d": 1,
        "upsample_nearest3d_backward": 1,
        "max_pool3d_with_indices": 1,
        "max_unpool3d": 1,
    }
    assert calls["max_pool3d_with_indices"].passed_on == {"values are integers": 1, "empty tensor": 1}
    assert all(one.taken_seconds > 0 for one in calls.values())
    assert calls["max_pool3d_with_indices"].passed_on_seconds > 0
    assert report.seconds == sum(one.taken_seconds + one.passed_on_seconds for one in calls.values())


def test_a_refused_window_names_its_rule_and_is_not_counted(volume: torch.Tensor) -> None:
    with acltwin_torch.replaced() as report:
        with pytest.raises(RuntimeError, match="pad should be"):
            pytorch.max_pool3d(volume, 2, padding=2)
        with pytest.raises(ValueError, match="window_cells"):
            pytorch.max_pool3d(volume[..., :1], 2, padding=1, dilation=2)
    assert report.operators == {}


def test_a_report_is_a_small_table(volume: torch.Tensor) -> None:
    with acltwin_torch.replaced() as report:
        assert str(report) == "no operator that acltwin replaces was called"
        for _ in range(3):
            pytorch.max_pool3d(volume.int(), 2)
    head, row = str(report).splitlines()
    assert head.split() == ["operator", "taken", "ms", "passed", "on", "ms", "why"]
    assert row.split()[:4] == ["max_pool3d_with_indices", "0", "0.000", "3"]
    assert row.endswith("3 x values are integers")


def test_every_open_block_counts_every_thread(volume: torch.Tensor) -> None:
    with acltwin_torch.replaced() as outer:
        with acltwin_torch.replaced() as inner:
            threads = [
                threading.Thread(target=lambda: [pytorch.max_pool3d(volume, 2) for _ in range(50)]) for _ in range(4)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        pytorch.max_pool3d(volume, 2)
    assert inner.operators["max_pool3d_with_indices"].taken == 200
    assert outer.operators["max_pool3d_with_indices"].taken == 201


FIRST_CALLS = """
import sys, torch, acltwin.torch
from torch.nn import functional
before = set(sys.modules)
volume = torch.randn(2, 3, 4, 4, 4)
one = volume[:, :1]
with acltwin.torch.replaced() as report:
    for tensor in (volume, one, volume.mT, *(x.to(memory_format=torch.channels_last_3d) for x in (volume, one))):
        functional.max_pool3d(tensor.detach().requires_grad_(), 2).sum().backward()
assert [calls.taken for calls in report.operators.values()] == [5, 5], report
print(len(set(sys.modules) - before))
"""


def test_first_calls_load_nothing() -> None:
    """Loading half of PyTorch takes longer than any operator, and would be counted as the operator's time."""
    assert output_of(FIRST_CALLS) == "0\n"


def test_profilers_see_who_computes(volume: torch.Tensor) -> None:
    tensor = volume.clone().requires_grad_()
    with acltwin_torch.replaced(), torch.profiler.profile() as profiler:
        pytorch.max_pool3d(tensor, 2).sum().backward()
    seen = {event.key for event in profiler.key_averages()}
    assert {"acltwin::max_pool3d_with_argmax", "acltwin::max_pool3d_with_argmax_backward"} <= seen
    with torch.profiler.profile() as profiler:
        pytorch.max_pool3d(tensor, 2).sum().backward()
    assert not any(event.key.startswith("acltwin::") for event in profiler.key_averages())


def pooling(pools: bool = True) -> Any:
    """Nothing but the operators, or nothing of them."""

    class Pooling(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(()))

        def forward(self, volume: torch.Tensor) -> dict[str, list[torch.Tensor]]:
            volume = volume * self.weight
            return {"all": [pytorch.max_pool3d(volume, 2) if pools else volume]}

    return Pooling()


def test_a_profile_counts_the_calls_of_both_kinds_of_steps(volume: torch.Tensor) -> None:
    found = profiling.profile(pooling(), volume, steps=3)
    assert {name: sum(one.passed_on.values()) for name, one in found.calls.operators.items()} == {
        "max_pool3d_with_indices": 3,
        "max_pool3d_with_indices_backward": 3,
    }
    assert {name: one.taken for name, one in found.replaced_calls.operators.items()} == {
        "max_pool3d_with_indices": 3,
        "max_pool3d_with_indices_backward": 3,
    }
    assert 0 < found.share < 1
    assert found.limit > 1
    assert set(profiling.profile(pooling(), volume, steps=1, training=False).calls.operators) == {
        "max_pool3d_with_indices"
    }
    assert profiling.profile(pooling(pools=False), volume, steps=1).limit == 1


def test_the_gain_is_bounded_by_the_share() -> None:
    """Half of a step in the operators: without them it takes half the time; at a fifth of their time, 3/5."""
    empty = acltwin_torch.Report()
    found = profiling.Profile(1, 2.0, 1.2, (1.9, 2.1), (1.1, 1.4), 1.0, 0.2, empty, empty)
    assert (found.share, found.limit) == (0.5, 2.0)
    assert found.gain == pytest.approx(1 / 0.6)
    assert "2000.00 ms (1900.00 to 2100.00)" in str(found)


def test_a_busy_machine_is_mentioned() -> None:
    empty = acltwin_torch.Report()
    quiet, busy = (
        profiling.Profile(1, 2.0, 1.2, (1.9, 2.1), (1.1, 1.4), 1.0, 0.2, empty, empty, others) for others in (0.1, 1.5)
    )
    assert "busy" not in str(quiet)
    assert "other programs used 1.5 cores meanwhile" in str(busy)


def test_the_work_of_others_is_noticed(volume: torch.Tensor) -> None:
    """A second process that only counts, for as long as the steps take."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as other:
        found = profiling.profile(pooling(), volume.expand(64, 2, 4, 4, 4), steps=300)
        other.kill()
    assert found.others > 0.2


def test_the_first_call_is_not_booked_as_an_operators() -> None:
    """Loading takes milliseconds; it belongs to the block that causes it."""
    program = """
import torch, acltwin.torch
volume = torch.randn(1, 2, 4, 4, 4)
first, second = [], []
for taken in (first, second):
    with acltwin.torch.replaced() as report:
        torch.nn.functional.interpolate(volume, scale_factor=2)
    taken.append(report.seconds)
print(first[0] < 1e-3 or first[0] < 20 * second[0], first, second)
"""
    assert output_of(program).startswith("True")


def test_a_model_without_gradients_is_named(volume: torch.Tensor) -> None:
    with pytest.raises(ValueError, match="--inference"):
        profiling.profile(torch.nn.Identity(), volume, steps=1)


def profile_of(*words: str) -> subprocess.CompletedProcess[str]:
    """The command ``python -m acltwin.torch.profile``."""
    start = "import runpy, sys; sys.argv[1:] = {}; runpy.run_module('acltwin.torch.profile', run_name='__main__')"
    return run_with_pytorch(start.format(list(words)))


@pytest.mark.parametrize("model", ["unet", "segnet", "classifier"])
def test_the_tool_profiles_the_example_networks(model: str) -> None:
    words = [f"{ROOT / 'examples/pytorch/networks.py'}:{model}", "--shape", "1,1,16,16,16", "--steps", "1"]
    done = profile_of(*words)
    assert done.returncode == 0, done.stderr
    assert done.stderr.split("\n") == [
        "",
        "0 of 3 pairs of steps",
        "1 of 3 pairs of steps",
        "2 of 3 pairs of steps",
        "",
    ]
    lines = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in lines[:4]] == [
        "a step with PyTorch",
        "the same, replaced",
        "gained in them",
        "at most to be gained",
    ]
    assert any("max_pool3d_with_indices_backward" in line for line in lines[4:])
    assert "PyTorch's" not in "".join(lines[4:])  # all were taken


def test_the_tool_says_what_is_no_model() -> None:
    for name, message in (("json", "MODULE:CALLABLE"), ("collections:Counter", "expected a torch.nn.Module")):
        done = profile_of(name, "--shape", "1,1,8,8,8")
        assert done.returncode == 1
        assert message in done.stderr


def test_a_profile_knows_image_networks() -> None:
    layers = torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3),
        torch.nn.MaxPool2d(2),
        torch.nn.AvgPool2d(2),
        torch.nn.Upsample(scale_factor=2, mode="bilinear"),
        torch.nn.AdaptiveMaxPool2d(3),
    )
    found = profiling.profile(layers, torch.randn(1, 1, 18, 18), steps=1)
    forward = {"max_pool2d_with_indices", "avg_pool2d", "upsample_bilinear2d", "adaptive_max_pool2d"}
    assert set(found.replaced_calls.operators) == forward | {f"{name}_backward" for name in forward}
    assert all(not calls.passed_on for calls in found.replaced_calls.operators.values())
