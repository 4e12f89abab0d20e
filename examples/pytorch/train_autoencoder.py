"""Trains a small 3-D encoder-decoder twice, with PyTorch's operators and with this library's, step by step in turns.

The model is ordinary PyTorch and is not edited: `acltwin.torch.replaced()` around a step is the whole difference.

    python examples/pytorch/train_autoencoder.py --steps 200 --picture docs/pictures/training.svg
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import torch
import torch.nn.functional as functional
from torch import Tensor, nn

import acltwin.torch

ROOT = Path(__file__).parents[2]


class Autoencoder(nn.Module):
    """Halves a volume twice: once undone by unpooling to the places of the maxima, once by nearest upsampling."""

    def __init__(self, channels: int = 8) -> None:
        super().__init__()
        self.encode = nn.Conv3d(1, channels, 1)
        self.narrow = nn.Conv3d(channels, channels, 3, padding=1)
        self.widen = nn.Conv3d(channels, channels, 1)
        self.decode = nn.Conv3d(channels, 1, 1)

    def forward(self, volume: Tensor) -> Tensor:
        full = functional.relu(self.encode(volume))
        half, places = functional.max_pool3d(full, 2, return_indices=True)
        quarter = functional.max_pool3d(functional.relu(self.narrow(half)), 3, stride=2, padding=1)
        half = functional.interpolate(functional.relu(self.widen(quarter)), size=half.shape[2:], mode="nearest-exact")
        sharp = functional.max_unpool3d(half, places, 2, output_size=full.shape)
        smooth = functional.interpolate(half, size=full.shape[2:])
        result: Tensor = self.decode(sharp + smooth)
        return result


def spheres(batch: int, size: int, generator: torch.Generator) -> Tensor:
    """Volumes with one sphere each, somewhere."""
    centre, radius = torch.rand(batch, 3, generator=generator), 0.15 + 0.2 * torch.rand(batch, generator=generator)
    axis = torch.linspace(0, 1, size)
    grid = torch.stack(torch.meshgrid(axis, axis, axis, indexing="ij"), -1)
    distance = (grid[None] - centre[:, None, None, None]).norm(dim=-1)
    return (distance < radius[:, None, None, None]).float()[:, None]


@dataclass
class Run:
    """One model on its way, and where its steps are computed."""

    name: str
    operators: Callable[[], AbstractContextManager[object]]
    losses: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        torch.manual_seed(0)
        self.model = Autoencoder()
        self.optimizer = torch.optim.Adam(self.model.parameters(), 1e-3)

    def step(self, noisy: Tensor, clean: Tensor) -> None:
        with self.operators():
            begin = time.perf_counter()
            loss = functional.mse_loss(self.model(noisy), clean)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.seconds.append(time.perf_counter() - begin)
        self.losses.append(loss.item())


def train(steps: int, batch: int, size: int) -> tuple[Run, Run]:
    runs = Run("PyTorch", nullcontext), Run("acltwin", acltwin.torch.replaced)
    generator = torch.Generator().manual_seed(1)
    for _ in range(steps):
        clean = spheres(batch, size, generator)
        noisy = clean + 0.3 * torch.randn(clean.shape, generator=generator)
        for run in runs:
            run.step(noisy, clean)
    return runs


def picture(runs: tuple[Run, Run], note: str) -> str:
    """Both loss curves in one frame, the time of a step below."""
    sys.path.insert(0, str(ROOT / "docs"))
    from svg import COLOURS, PLAIN, SOFT_INK, Drawing, number

    left, top, width, height, longest = 70, 62, 294, 180, 180
    drawing = Drawing(388, 390, "The loss of the same model with PyTorch's operators and with acltwin's")
    drawing.text(24, 34, "The same model, the same loss", size=16, bold=True)
    drawing.add("rect", x=left, y=top, width=width, height=height, fill="none", stroke=PLAIN.line)
    highest = max(max(run.losses) for run in runs)
    for share in (0, 0.5, 1):
        y = top + height * (1 - share)
        drawing.text(left - 8, y + 4, number(highest * share), anchor="end", colour=SOFT_INK, size=12)
    last = len(runs[0].losses) - 1
    drawing.text(left + width, top + height + 18, f"step {last + 1}", anchor="end", colour=SOFT_INK, size=12)
    slowest = max(min(run.seconds) for run in runs)
    for number_of, (run, dashes) in enumerate(zip(runs, ("none", "5 6"), strict=True)):
        colour = COLOURS[number_of].line
        points = " ".join(
            f"{number(left + width * i / last)},{number(top + height * (1 - loss / highest))}"
            for i, loss in enumerate(run.losses)
        )
        wide = 5 if number_of == 0 else 2
        drawing.add(
            "polyline",
            points=points,
            fill="none",
            stroke=COLOURS[0].fill if number_of == 0 else colour,
            stroke_width=wide,
            stroke_dasharray=dashes,
        )
        y, step = top + height + 38 + 30 * number_of, min(run.seconds)
        drawing.text(left - 8, y + 15, run.name, anchor="end", size=12)
        drawing.cell(left, y, longest * step / slowest, 20, COLOURS[number_of])
        drawing.text(left + longest * step / slowest + 8, y + 15, f"{step * 1e3:.1f} ms per step", size=12)
    for line, words in enumerate(note.split("; ")):
        drawing.text(24, 354 + 18 * line, words, colour=SOFT_INK, size=12)
    return drawing.render().replace("docs/pictures.py", "examples/pytorch/train_autoencoder.py")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--size", type=int, default=32, help="cells along each axis of a volume")
    parser.add_argument("--picture", type=Path, help="where to draw the curves, as SVG")
    words = parser.parse_args()

    runs = train(words.steps, words.batch, words.size)
    for run in runs:
        print(
            f"{run.name:8} loss {run.losses[0]:.5f} -> {run.losses[-1]:.5f},"
            f" {median(run.seconds) * 1e3:.1f} ms per step (best {min(run.seconds) * 1e3:.1f})"
        )
    apart = max(abs(a - b) / a for a, b in zip(runs[0].losses, runs[1].losses, strict=True))
    print(f"losses differ by at most {apart:.1e} of their value")
    if words.picture:
        sizes = f"{words.batch} volumes of {words.size}³ cells, {torch.get_num_threads()} threads"
        note = f"{sizes}; the best of the steps, which were taken in turns"
        words.picture.write_text(picture(runs, note), encoding="utf-8")


if __name__ == "__main__":
    main()
